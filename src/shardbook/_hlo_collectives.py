"""Find what communicates in an HLO module, and how often it runs.

Each compiler writes the same operation in its own way, all of them seen on XLA of JAX 0.12.0.1:

- as an instruction, or as a start and a done (all three);
- as a fusion around an all-reduce of which every device keeps a part: the TPU's reduce-scatter;
- as a start, steps beside other work and a done that are fusions, each with a copy of the collective: the TPU's
  asynchronous all-gathers;
- as ``send`` and ``recv`` through the hosts, with attributes that say the rest: between slices of TPUs, each of which
  runs a program of its own;
- as ``send`` and ``recv`` with the pairs of a permutation: what ``xla_gpu_enable_pipelined_p2p`` makes of it, a ring in
  two parts, forward and back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from shardbook._hlo import Buffer, Groups, Instruction, Module, Source, ints, lists, replica_groups
from shardbook._hlo_loops import Loops

KINDS = (
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "ragged-all-to-all",
    "collective-permute",
    "collective-broadcast",
)
"""The operations that communicate, by XLA's names."""
BETWEEN_SLICES = {
    "ALL_REDUCE": "all-reduce",
    "ALL_GATHER": "all-gather",
    "REDUCE_SCATTER": "reduce-scatter",
    "ALL_TO_ALL": "all-to-all",
    "ONE_TO_ONE": "collective-permute",
}
"""The same operations between slices of TPUs, by the names in ``_xla_megascale_transfer_type``."""
PAIRS = "_xla_send_recv_source_target_pairs"
"""The attribute of a ``send`` that is part of a permutation on GPUs."""
FORTH, BACK = "-fwd-send", "-bwd-send"
"""How the names of the two parts of a ring end."""
NARROW_TYPES = ("bfloat16", "float16")
"""Types that XLA for CPU carries as float32."""


class Times(NamedTuple):
    """How often an operation runs in one call of the function."""

    once: int
    """If the loops whose number of turns is unknown do not turn at all."""
    per_turn: int = 0
    """How much more often if each of these loops turns once; 0 if there is none around it."""
    branch: tuple[tuple[str, int], ...] = ()
    """The branches it stands in, outermost first: the name of each conditional, and which of its branches."""

    @property
    def at_most(self) -> bool:
        """Whether it stands in a branch that may not be taken."""
        return bool(self.branch)


@dataclass(frozen=True)
class HloCollective:
    """A collective in a module.

    Attributes
    ----------
    kind
        One of ``KINDS``; "send" for a transfer between slices that names none of them.
    operands, results
        What each device gives and gets.
    groups
        The devices that communicate with each other, as positions in the mesh; for a permutation its (source, target)
        pairs. Empty if the module does not tell them.
    times
        How often it runs.
    op_name
        JAX's path of the operation it came from, such as "jit(f)/while/body/psum".
    source
        The line of the user's code that asked for it, or for what it becomes; None if the module does not say.
    asynchronous
        Whether it was split in a start and a done.
    widened
        The type of the values, such as "bfloat16", if XLA has turned them into float32 for this operation alone; "".
    """

    kind: str
    operands: tuple[Buffer, ...]
    results: tuple[Buffer, ...]
    groups: Groups
    times: Times
    op_name: str
    source: Source | None
    asynchronous: bool
    widened: str = ""


class Slices:
    """Which devices run a module, when each slice of TPUs runs one of its own.

    >>> slices = Slices([100, 101, 200, 201], [0, 0, 1, 1])
    >>> slices.everywhere(((0, 1),)), slices.positions(((100, 200), (101, 201)))
    (((0, 1), (2, 3)), ((0, 2), (1, 3)))
    """

    def __init__(self, ids: Sequence[int], slices: Sequence[int]) -> None:
        self._position = {device: at for at, device in enumerate(ids)}
        self.count = len(set(slices))
        self._members = [[at for at, other in enumerate(slices) if other == one] for one in sorted(set(slices))]

    def everywhere(self, groups: Groups) -> Groups:
        """Return groups of one slice's partitions as those of every slice: partitions are in the mesh's order."""
        return tuple(tuple(members[at] for at in group) for members in self._members for group in groups)

    def positions(self, groups: Groups) -> Groups:
        """Return groups of device ids as positions in the mesh; none if there is an id that the mesh has not."""
        if not all(device in self._position for group in groups for device in group):
            return ()
        return tuple(tuple(self._position[device] for device in group) for group in groups)


def find(module: Module, slices: Slices | None = None) -> list[HloCollective]:
    """Return every collective that can run, those of the outermost program first.

    >>> module = Module('''HloModule jit_f, num_partitions=4
    ... ENTRY %main (a: f32[8]) -> f32[8] {
    ...   %a = f32[8]{0} parameter(0)
    ...   ROOT %r = f32[8]{0} all-reduce(%a), replica_groups=[2,2]<=[4], to_apply=%add
    ... }''')
    >>> [found] = find(module)
    >>> found.kind, found.groups, str(found.operands[0])
    ('all-reduce', ((0, 1), (2, 3)), 'float32[8]')
    """
    return _Finder(module, slices).found()


class _Finder:
    def __init__(self, module: Module, slices: Slices | None) -> None:
        self._module = module
        self._slices = slices
        self._callers = {
            callee: (computation, instruction)
            for computation, instructions in module.computations.items()
            for instruction in instructions.values()
            for key in ("calls", "to_apply")
            if (callee := instruction.attribute(key))
        }
        # Collectives that a fusion starts; the fusions that go on with it and end it repeat it, with the same chain.
        # Channels do not tell them apart: shard_map gives all its collectives the same.
        self._starting = {name for name in module.computations if self._has_target(name, "AsyncCollectiveStart")}
        self._chains = {
            chain
            for name in self._starting
            for instruction in module.computations[name].values()
            if kind_of(instruction.opcode) and (chain := _chain(instruction))
        }

    def found(self) -> list[HloCollective]:
        times = self._times()
        # XLA prints the entry last.
        names = sorted((name for name in self._module.computations if name in times), key=self._module.entry.__ne__)
        return [
            found
            for name in names
            for instruction in self._module.computations[name].values()
            if (found := self._read(name, instruction, times[name]))
        ]

    def _read(self, computation: str, instruction: Instruction, times: Times) -> HloCollective | None:
        if instruction.opcode == "send" and "_xla_megascale_transfer_type" in instruction.attributes:
            return self._between_slices(computation, instruction, times)
        if instruction.opcode == "send" and PAIRS in instruction.attributes:
            return self._sent(computation, instruction, times)
        if not kind_of(instruction.opcode):
            return None
        if computation not in self._starting and _chain(instruction) in self._chains:
            return None
        return self._collective(computation, instruction, times)

    def _collective(self, computation: str, instruction: Instruction, times: Times) -> HloCollective:
        around = self._module.computations[computation]
        kind, asked = kind_of(instruction.opcode), instruction
        done = _done(instruction, around.values())
        # A start gives operands, results and bookkeeping together; what it is done with is plain.
        results = instruction.result if done is None else done.result
        root = self._module.root(computation)
        caller_computation, caller = self._callers.get(computation, ("", instruction))
        if kind == "all-reduce" and caller.opcode == "fusion" and _is_part_of(root, instruction, around):
            # Of the sum, which is never stored, every device keeps its part.
            kind, results = "reduce-scatter", root.result if root else results
        if not _has_metadata(instruction):
            asked, around = caller, self._module.computations.get(caller_computation, around)
        groups = _groups(kind, instruction.attributes, self._module.partitions)
        return HloCollective(
            kind=kind,
            operands=_given(instruction, self._module.computations[computation]) or results,
            results=results,
            groups=self._slices.everywhere(groups) if self._slices else groups,
            times=times,
            op_name=_op_name(asked),
            source=self._asked(asked, around.values()),
            asynchronous=instruction.opcode.endswith("-start")
            or computation in self._starting
            or caller.opcode == "async-start",
            widened=self._widened(instruction, self._module.computations[computation]),
        )

    def _between_slices(self, computation: str, instruction: Instruction, times: Times) -> HloCollective:
        """A ``send`` through the hosts; its ``recv`` is the one at the same rendezvous."""
        around = self._module.computations[computation]
        meets = re.search(r'_xla_host_transfer_rendezvous="([^"]*)"', instruction.attributes)
        received = next(
            (
                other
                for other in around.values()
                if other.opcode == "recv" and meets and meets.group(0) in other.attributes
            ),
            instruction,
        )
        kind = re.search(r'_xla_megascale_transfer_type="(\w+)"', instruction.attributes)
        groups = _targets(instruction.attributes)
        given = instruction.result[:1]
        return HloCollective(
            kind=BETWEEN_SLICES.get(kind.group(1) if kind else "", "send"),
            operands=given,
            results=received.result[:1],
            groups=self._slices.positions(groups) if self._slices else (),
            times=times,
            op_name=_op_name(instruction),
            source=self._asked(received, around.values()),
            asynchronous=True,
        )

    def _sent(self, computation: str, instruction: Instruction, times: Times) -> HloCollective | None:
        """A permutation as a ``send``; the part of a ring that goes back is told with the one that goes forward."""
        if instruction.name.endswith(BACK):
            return None
        around = self._module.computations[computation]
        back = around.get(instruction.name.removesuffix(FORTH) + BACK) if instruction.name.endswith(FORTH) else None
        parts = [instruction, *([back] if back else [])]
        groups = tuple(
            pair
            for part in parts
            for pair in lists(part.attributes.partition(PAIRS + "={")[2].partition("}}")[0] + "}")
        )
        given = instruction.result[:1]
        return HloCollective(
            kind="collective-permute",
            operands=given,
            results=given,
            groups=self._slices.everywhere(groups) if self._slices else groups,
            times=times,
            op_name=_op_name(instruction),
            source=self._asked(instruction, around.values()),
            asynchronous=True,
        )

    def _times(self) -> dict[str, Times]:
        """How often each computation runs, from the entry's one time on."""
        found: dict[str, Times] = {}
        loops = Loops(self._module)

        def visit(name: str, times: Times) -> None:
            if name not in self._module.computations:
                return
            before = found.get(name)
            found[name] = times if before is None else _sum(before, times)
            for instruction in self._module.computations[name].values():
                for callee, inner in _calls(name, instruction, loops):
                    visit(callee, _product(times, inner))

        visit(self._module.entry, Times(1))
        return found

    def _asked(self, instruction: Instruction, around: Iterable[Instruction]) -> Source | None:
        """The line an instruction came from; else that of the first one that uses its result.

        A gathered argument has no line of its own: the operation that needs it whole has.
        """
        names = {instruction.name}
        if source := self._module.source(instruction.attributes):
            return source
        # Operands come before their users.
        for other in around:
            if names.intersection(other.operands):
                if source := self._module.source(other.attributes):
                    return source
                names.add(other.name)
        return None

    def _widened(self, instruction: Instruction, around: Mapping[str, Instruction]) -> str:
        """The narrow type of an operand that XLA itself converted, which leaves no trace of the user's code on it."""
        made = around.get(instruction.operands[0]) if instruction.operands else None
        while made and made.opcode in ("bitcast", "copy", "reshape", "transpose"):
            made = around.get(made.operands[0])
        if made and made.opcode == "fusion":
            callee = made.attribute("calls")
            around, made = self._module.computations.get(callee, {}), self._module.root(callee)
        if made is None or made.opcode != "convert" or _has_metadata(made):
            return ""
        source = around.get(made.operands[0])
        narrow = source.result[0].dtype if source and source.result else ""
        return narrow if narrow in NARROW_TYPES and made.result[0].dtype == "float32" else ""

    def _has_target(self, computation: str, target: str) -> bool:
        return any(
            instruction.opcode == "custom-call" and f'custom_call_target="{target}"' in instruction.attributes
            for instruction in self._module.computations[computation].values()
        )


def kind_of(opcode: str) -> str:
    """Return the collective that an opcode is or starts; "" for anything else.

    >>> kind_of("all-gather-start"), kind_of("all-gather-done"), kind_of("add")
    ('all-gather', '', '')
    """
    name = opcode.removesuffix("-start")
    return name if name in KINDS else ""


def _done(start: Instruction, around: Iterable[Instruction]) -> Instruction | None:
    if not start.opcode.endswith("-start"):
        return None
    return next((other for other in around if other.opcode.endswith("-done") and start.name in other.operands), None)


def _given(instruction: Instruction, around: Mapping[str, Instruction]) -> tuple[Buffer, ...]:
    return tuple(buffer for name in instruction.operands if name in around for buffer in around[name].result)


def _is_part_of(root: Instruction | None, whole: Instruction, around: Mapping[str, Instruction]) -> bool:
    """Whether a computation's result is a slice of one of its values."""
    while root and root.opcode in ("bitcast", "copy"):
        root = around.get(root.operands[0])
    return root is not None and root.opcode in ("slice", "dynamic-slice") and root.operands[0] == whole.name


def _chain(instruction: Instruction) -> str:
    """The number of the asynchronous fusions that an operation belongs to; "" if it is in none."""
    found = re.search(r'chain_id="(\d+)"', instruction.attributes)
    return found.group(1) if found else ""


def _has_metadata(instruction: Instruction) -> bool:
    return "op_name=" in instruction.attributes


def _op_name(instruction: Instruction) -> str:
    name = re.search(r'op_name="((?:[^"\\]|\\.)*)"', instruction.attributes)
    return name.group(1) if name else ""


def _calls(computation: str, instruction: Instruction, loops: Loops) -> Iterator[tuple[str, Times]]:
    """The computations an instruction runs, and how often each time it runs itself."""
    if kind_of(instruction.opcode) or instruction.opcode.endswith(("-done", "-update")):
        # What these call is how to add two numbers, or what their start has called already.
        return
    if instruction.opcode == "while":
        turns = loops.turns(computation, instruction)
        # The condition is asked once more, to end the loop.
        yield instruction.attribute("body"), Times(0, 1) if turns is None else Times(turns)
        yield instruction.attribute("condition"), Times(1, 1) if turns is None else Times(turns + 1)
        return
    if instruction.opcode == "conditional":
        several = re.search(r"\bbranch_computations=\{([^}]*)\}", instruction.attributes)
        branches = several.group(1).split(",") if several else []
        branches += [name for key in ("true", "false") if (name := instruction.attribute(f"{key}_computation"))]
        for number, name in enumerate(branches):
            yield name.strip().lstrip("%"), Times(1, branch=((f"{computation}/{instruction.name}", number),))
        return
    for key in ("calls", "to_apply"):
        if name := instruction.attribute(key):
            yield name, Times(1)


def _product(outer: Times, inner: Times) -> Times:
    """How often a computation runs that is called so often each time its caller runs.

    >>> _product(Times(3), Times(0, 1)), _product(Times(0, 1), Times(5))
    (Times(once=0, per_turn=3, branch=()), Times(once=0, per_turn=5, branch=()))
    >>> _product(Times(2), Times(1, 1))[:2], _product(Times(1, 1), Times(1, 1))[:2]
    ((2, 2), (1, 3))
    """
    once = outer.once * inner.once
    turned = (outer.once + outer.per_turn) * (inner.once + inner.per_turn)
    return Times(once, turned - once, outer.branch + inner.branch)


def _sum(one: Times, other: Times) -> Times:
    """How often a computation runs that is called from two places."""
    alike = list(takewhile(lambda pair: pair[0] == pair[1], zip(one.branch, other.branch, strict=False)))
    shared = one.branch[: len(alike)]
    rest, others = one.branch[len(alike) :], other.branch[len(alike) :]
    if rest and others and rest[0][0] == others[0][0]:
        # Two branches of one conditional: only one of them is taken.
        return Times(max(one.once, other.once), max(one.per_turn, other.per_turn), one.branch)
    # One place is in a branch and the other is not, or they are in branches that have nothing to do with each other.
    loose = "+".join(name for name, _ in (*rest[:1], *others[:1]))
    branch = (*shared, (loose, 0)) if loose else shared
    return Times(one.once + other.once, one.per_turn + other.per_turn, branch)


def _groups(kind: str, text: str, partitions: int) -> Groups:
    if kind == "collective-permute":
        pairs = re.search(r"source_target_pairs=\{((?:\{\d+,\d+\},?)*)\}", text)
        return lists(pairs.group(1)) if pairs else ()
    found = re.search(r"replica_groups=", text)
    groups = replica_groups(text[found.end() :]) if found else ()
    # No groups: all devices are one.
    return groups or (tuple(range(partitions)),)


def _targets(text: str) -> Groups:
    """The devices that communicate between slices, by their ids.

    >>> _targets('_xla_megascale_target="{1,2}x{0:1}",')
    ((100000, 200000), (100001, 200001))
    >>> _targets("_xla_megascale_target={{100000->200000},{100001->200001}},")
    ((100000, 200000), (100001, 200001))
    """
    if product := re.search(r'_xla_megascale_target="\{([\d,]+)\}x\{(\d+):(\d+)\}"', text):
        numbers, first, last = ints(product.group(1)), int(product.group(2)), int(product.group(3))
        return tuple(tuple(number * SLICE + at for number in numbers) for at in range(first, last + 1))
    listed = re.search(r'_xla_megascale_target="?\{((?:\{[\d,>-]*\},?)*)\}', text)
    return lists(listed.group(1).replace("->", ",")) if listed else ()


SLICE = 100_000
"""The ids of a slice's devices begin at this times the slice's number from 1."""
