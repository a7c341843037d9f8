"""Read the text of an optimized HLO module: its collectives, how often they run, and where the user asked for them.

Knows text only, neither JAX nor devices. The grammar is XLA's (``xla/hlo/parser``), as far as collectives need it:
replica groups as lists (``{{0,1},{2,3}}``), as an iota (``[2,4]<=[4,2]T(1,0)``) and as mesh axes
(``mesh['x'=2,'y'=4] {'y':(2)2}``); metadata with source lines (JAX 0.5) and with tables of stack frames (JAX 0.12).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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

Groups = tuple[tuple[int, ...], ...]


class Buffer(NamedTuple):
    """One array that an operation takes or gives, on one device."""

    dtype: str
    """JAX's name, such as "float32"."""
    shape: tuple[int, ...]
    """Its local shape."""
    bits: int
    """Bits of one element."""

    @property
    def bytes(self) -> int:
        """Bytes of the array, without padding."""
        return -(-math.prod(self.shape) * self.bits // 8)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


class Source(NamedTuple):
    """A place in the user's code."""

    file: str
    """Path of the file, as Python knew it."""
    line: int
    """Line number, from 1."""
    function: str
    """Name of the function; "" if the module does not say."""

    def __str__(self) -> str:
        folder, _, name = self.file.replace("\\", "/").rpartition("/")
        # The file of a notebook's cell is named by a number that tells a reader nothing.
        if folder.rpartition("/")[2].startswith("ipykernel_"):
            name = self.function.rpartition(".<locals>.")[2] or "cell"
        return f"{name}:{self.line}"


class Times(NamedTuple):
    """How often an operation runs in one call of the function."""

    turns: int | None
    """None if a loop around it has no known trip count."""
    at_most: bool = False
    """Whether it stands in a branch that may not be taken."""


@dataclass(frozen=True)
class Instruction:
    """A line of HLO."""

    name: str
    opcode: str
    result: tuple[Buffer, ...]
    operands: tuple[str, ...]
    attributes: str


@dataclass(frozen=True)
class Found:
    """A collective in a module.

    Attributes
    ----------
    kind
        One of ``KINDS``; that of the start, if the operation is asynchronous.
    operands, results
        What each device gives and gets.
    groups
        The partitions that communicate with each other; for a permutation its (source, target) pairs.
    times
        How often it runs.
    op_name
        JAX's path of the operation it came from, such as "jit(f)/while/body/psum".
    source
        The innermost line of the user's code that asked for it, or for what it becomes; None if the module does not
        say.
    asynchronous
        Whether it was split in a start and a done.
    """

    kind: str
    operands: tuple[Buffer, ...]
    results: tuple[Buffer, ...]
    groups: Groups
    times: Times
    op_name: str
    source: Source | None
    asynchronous: bool


class Module:
    """The text of an HLO module, taken apart.

    >>> module = Module('''HloModule jit_f, num_partitions=4
    ... ENTRY %main (a: f32[8]) -> f32[8] {
    ...   %a = f32[8]{0} parameter(0)
    ...   ROOT %r = f32[8]{0} all-reduce(%a), replica_groups=[2,2]<=[4], to_apply=%add
    ... }''')
    >>> [found] = module.collectives()
    >>> found.kind, found.groups, str(found.operands[0])
    ('all-reduce', ((0, 1), (2, 3)), 'float32[8]')
    """

    def __init__(self, text: str) -> None:
        self.computations: dict[str, list[Instruction]] = {}
        self.entry = ""
        self.partitions = math.prod(
            int(found.group(1)) for name in ("num_partitions", "replica_count") if (found := _setting(name, text))
        )
        self._frames = Frames(text)
        current: list[Instruction] = []
        for line in text.splitlines():
            if (head := COMPUTATION.match(line)) and not line.startswith(" "):
                current = self.computations.setdefault(head.group(2), [])
                self.entry = head.group(2) if head.group(1) else self.entry
            elif line.startswith("  ") and (instruction := _instruction(line)):
                current.append(instruction)

    def collectives(self) -> list[Found]:
        """Return every collective that can run, in the module's order."""
        times = self._times()
        found: list[Found] = []
        for name, instructions in self._by_reach():
            if name in times:
                around = {instruction.name: instruction for instruction in instructions}
                starts = {
                    operand: instruction
                    for instruction in instructions
                    if instruction.opcode.endswith("-done")
                    for operand in instruction.operands
                }
                found += [
                    self._found(instruction, around, starts.get(instruction.name), times[name])
                    for instruction in instructions
                    if _kind(instruction.opcode)
                ]
        return found

    def source(self, metadata: str) -> Source | None:
        """Return the line of the user's code that an operation's metadata names.

        >>> Module("").source('metadata={op_name="add" source_file="/a/b.py" source_line=3}')
        Source(file='/a/b.py', line=3, function='')
        """
        if (found := re.search(r"stack_frame_id=(\d+)", metadata)) and (
            source := self._frames.source(int(found.group(1)))
        ):
            return source
        file = re.search(r'source_file="([^"]*)"', metadata)
        line = re.search(r"source_line=(\d+)", metadata)
        return Source(file.group(1), int(line.group(1)), "") if file and line else None

    def _by_reach(self) -> Iterator[tuple[str, list[Instruction]]]:
        """Computations with the entry's first, which XLA prints last."""
        yield from sorted(self.computations.items(), key=lambda item: item[0] != self.entry)

    def _times(self) -> dict[str, Times]:
        """How often each computation runs, from the entry's one time on."""
        found: dict[str, Times] = {}

        def visit(name: str, times: Times) -> None:
            if name not in self.computations:
                return
            before = found.get(name)
            found[name] = times if before is None else _sum(before, times)
            for instruction in self.computations[name]:
                for callee, factor in _calls(instruction):
                    visit(callee, _product(times, factor))

        visit(self.entry, Times(1))
        return found

    def _found(
        self, instruction: Instruction, around: Mapping[str, Instruction], done: Instruction | None, times: Times
    ) -> Found:
        kind = _kind(instruction.opcode)
        operands = tuple(buffer for name in instruction.operands if name in around for buffer in around[name].result)
        # A start gives operands, results and bookkeeping together; what it is done with is plain.
        results = instruction.result if done is None else done.result
        name = re.search(r'op_name="([^"]*)"', instruction.attributes)
        return Found(
            kind=kind,
            operands=operands or results,
            results=results,
            groups=_groups(kind, instruction.attributes, self.partitions),
            times=times,
            op_name=name.group(1) if name else "",
            source=self._asked(instruction, around.values()),
            asynchronous=instruction.opcode.endswith("-start"),
        )

    def _asked(self, instruction: Instruction, around: Iterable[Instruction]) -> Source | None:
        """The line an instruction came from; else that of the first one that uses its result.

        A gathered argument has no line of its own: the operation that needs it whole has.
        """
        names = {instruction.name}
        if source := self.source(instruction.attributes):
            return source
        # Operands come before their users.
        for other in around:
            if names.intersection(other.operands):
                if source := self.source(other.attributes):
                    return source
                names.add(other.name)
        return None


class Frames:
    """The tables of stack frames at the head of a module: the innermost frame is the user's line."""

    def __init__(self, text: str) -> None:
        sections = {
            name: _section(name, text) for name in ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
        }
        self._files = {at: line.strip('"') for at, line in sections["FileNames"].items()}
        self._functions = {at: line.strip('"') for at, line in sections["FunctionNames"].items()}
        self._locations = {at: _numbers(line) for at, line in sections["FileLocations"].items()}
        self._frames = {at: _numbers(line) for at, line in sections["StackFrames"].items()}

    def source(self, frame: int) -> Source | None:
        """Return the place of a frame; None if the tables do not have it."""
        location = self._locations.get(self._frames.get(frame, {}).get("file_location_id", 0))
        file = self._files.get((location or {}).get("file_name_id", 0))
        if location is None or file is None:
            return None
        return Source(file, location.get("line", 0), self._functions.get(location.get("function_name_id", 0), ""))


COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.-]+) .*\{\s*$")
# "ROOT %name = type opcode(operands), attributes"; a type holds no "=" and ends before the opcode's word.
HEAD = re.compile(r"^\s+(?:ROOT )?%?([\w.-]+) = ")
BUFFER = re.compile(r"\b([a-z]\w*)\[((?:<?=?\d+,?)*)\]")


def _instruction(line: str) -> Instruction | None:
    head = HEAD.match(line)
    if not head:
        return None
    rest = line[head.end() :]
    end = _closing(rest, 0) + 1 if rest.startswith("(") else rest.find(" ")
    kind, rest = rest[:end], rest[end:].lstrip()
    start = rest.find("(")
    if start < 0:
        return None
    stop = _closing(rest, start)
    names = re.sub(r"/\*.*?\*/", "", rest[start + 1 : stop])
    operands = tuple(word.split()[-1].lstrip("%") for word in _split(names) if word.strip())
    return Instruction(head.group(1), rest[:start], _buffers(kind), operands, rest[stop + 1 :])


def _closing(text: str, start: int) -> int:
    """Where the bracket at ``start`` closes."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return at
    return len(text) - 1


def _split(text: str) -> list[str]:
    """Parts between the commas that stand in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _buffers(text: str) -> tuple[Buffer, ...]:
    """Every array in a type: in ``(f32[4]{0}, s32[])`` two."""
    found = []
    for name, dims in BUFFER.findall(text):
        if name not in {"token", "opaque"}:
            dtype, bits = _dtype(name)
            found.append(Buffer(dtype, tuple(int(size.strip("<=")) for size in dims.split(",") if size), bits))
    return tuple(found)


def _dtype(name: str) -> tuple[str, int]:
    """JAX's name of a primitive type, and its bits.

    >>> [_dtype(name) for name in ("pred", "bf16", "s4", "f8e4m3fn", "c64")]
    [('bool', 8), ('bfloat16', 16), ('int4', 4), ('float8_e4m3fn', 8), ('complex64', 64)]
    """
    if name == "pred":
        return "bool", 8
    kind, bits, rest = re.match(r"([a-z]+)(\d+)(\w*)", name).groups()  # type: ignore[union-attr]  # XLA has no others
    long = {"f": "float", "bf": "bfloat", "s": "int", "u": "uint", "c": "complex"}.get(kind, kind)
    return f"{long}{bits}" + (f"_{rest}" if rest else ""), int(bits)


def _kind(opcode: str) -> str:
    """The collective that an opcode is or starts; "" for anything else."""
    name = opcode.removesuffix("-start")
    return name if name in KINDS else ""


def _calls(instruction: Instruction) -> Iterator[tuple[str, Times]]:
    """The computations an instruction runs, and how often each time it runs itself."""
    text = instruction.attributes
    if _kind(instruction.opcode) or instruction.opcode.endswith(("-done", "-update")):
        # What these call is how to add two numbers, or what their start has called already.
        return
    if instruction.opcode == "while":
        trips = re.search(r'"known_trip_count":\{"n":"(\d+)"', text)
        count = int(trips.group(1)) if trips else None
        for name, times in (("body", count), ("condition", None if count is None else count + 1)):
            if found := re.search(rf"\b{name}=%?([\w.-]+)", text):
                yield found.group(1), Times(times)
        return
    branches = re.search(r"\bbranch_computations=\{([^}]*)\}", text)
    for name in branches.group(1).split(",") if branches else ():
        yield name.strip().lstrip("%"), Times(1, at_most=True)
    for key, name in re.findall(r"\b(calls|to_apply|true_computation|false_computation)=%?([\w.-]+)", text):
        yield name, Times(1, at_most=key.endswith("computation"))


def _product(one: Times, other: Times) -> Times:
    turns = None if one.turns is None or other.turns is None else one.turns * other.turns
    return Times(turns, one.at_most or other.at_most)


def _sum(one: Times, other: Times) -> Times:
    turns = None if one.turns is None or other.turns is None else one.turns + other.turns
    return Times(turns, one.at_most or other.at_most)


def _groups(kind: str, text: str, partitions: int) -> Groups:
    if kind == "collective-permute":
        pairs = re.search(r"source_target_pairs=\{((?:\{\d+,\d+\},?)*)\}", text)
        return _lists(pairs.group(1)) if pairs else ()
    found = re.search(r"replica_groups=", text)
    groups = replica_groups(text[found.end() :]) if found else ()
    # No groups: all devices are one.
    return groups or (tuple(range(partitions)),)


def replica_groups(text: str) -> Groups:
    """Read replica groups in any of XLA's three forms, at the beginning of ``text``.

    >>> replica_groups("{{0,1},{2,3}}, to_apply=%add")
    ((0, 1), (2, 3))
    >>> replica_groups("[2,2]<=[2,2]T(1,0), channel_id=1")
    ((0, 2), (1, 3))
    >>> replica_groups("mesh['x'=2,'y'=2] {'x'}")
    ((0, 2), (1, 3))
    >>> replica_groups("mesh['x'=2,'y'=4] {'y':(2)2}")
    ((0, 1), (2, 3), (4, 5), (6, 7))

    Raises
    ------
    ValueError
        It is none of them.
    """
    if text.startswith("{}"):
        return ()
    if found := re.match(r"\{((?:\{[\d,]*\},?)*)\}", text):
        return _lists(found.group(1))
    if found := re.match(IOTA, text):
        return _rows(_iota(found).reshape(_ints(found.group(1))))
    if found := re.match(r"mesh\[([^\]]*)\](?:,? ?device_ids=\(([^{]*)\))? ?\{([^}]*)\}", text):
        sizes = {name: int(size) for name, size in re.findall(r"'([^']*)'=(\d+)", found.group(1))}
        return _mesh_groups(sizes, found.group(2), found.group(3))
    raise ValueError(
        f"expected replica groups such as {{{{0,1}}}}, [1,2]<=[2] or mesh['x'=2] {{'x'}}, got {text[:60]!r}"
    )


IOTA = r"\[([\d,]*)\]<=\[([\d,]*)\](?:T\(([\d,]*)\))?"


def _iota(found: re.Match[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    numbers = np.arange(math.prod(_ints(found.group(2)))).reshape(_ints(found.group(2)))
    return numbers.transpose(_ints(found.group(3))) if found.group(3) else numbers


def _mesh_groups(sizes: Mapping[str, int], order: str | None, chosen: str) -> Groups:
    """The groups along some axes of a mesh; ``'y':(2)3`` is the part of ``y`` that has size 3 after a part of 2."""
    parts: dict[str, set[tuple[int, int]]] = {name: set() for name in sizes}
    wanted = []
    for axis, before_it, its_size in re.findall(r"'([^']*)'(?::\((\d+)\)(\d+))?", chosen):
        split = (int(before_it), int(its_size)) if its_size else (1, sizes[axis])
        parts[axis].add(split)
        wanted.append((axis, split[0]))
    names: list[tuple[str, int]] = []
    shape: list[int] = []
    for name, size in sizes.items():
        done = 1
        for before, part in sorted(parts[name]):
            if before > done:
                names.append((name, done))
                shape.append(before // done)
            names.append((name, before))
            shape.append(part)
            done = before * part
        if done < size:
            names.append((name, done))
            shape.append(size // done)
    total = math.prod(sizes.values())
    numbers = np.arange(total)
    if order:
        iota = re.match(IOTA, order)
        numbers = _iota(iota).reshape(-1) if iota else np.array(_ints(re.sub(r"[^\d,]", "", order)))
    rest = [at for at, part in enumerate(names) if part not in wanted]
    last = [names.index(part) for part in wanted]
    members = math.prod(shape[at] for at in last)
    return _rows(numbers.reshape(shape).transpose(rest + last).reshape(-1, members))


def _rows(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Groups:
    return tuple(map(tuple, numbers.tolist()))


def _lists(text: str) -> Groups:
    return tuple(tuple(_ints(found)) for found in re.findall(r"\{([\d,]*)\}", text))


def _ints(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _setting(name: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b{name}=(\d+)", text.partition("\n")[0])


def _section(name: str, text: str) -> dict[int, str]:
    found = re.search(rf"^{name}\n((?:\d+ .*\n)*)", text, re.MULTILINE)
    lines = (line.split(" ", 1) for line in (found.group(1) if found else "").splitlines())
    return {int(number): rest for number, rest in lines}


def _numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", text)}
