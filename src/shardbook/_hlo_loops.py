"""How often a loop of an HLO module turns.

XLA for CPU and for GPUs says it (``known_trip_count``). XLA for TPU does not, and leaves the counter to be read: an
element of the loop's tuple that begins as a constant, grows by a constant and is compared with one. What cannot be
followed back to constants is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from shardbook._hlo import Instruction, Module

SAME_VALUE = ("bitcast", "convert", "copy", "copy-done", "copy-start", "reshape")
"""What leaves a number as it is."""
TURNED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}
"""A comparison with its sides exchanged."""


class Place(NamedTuple):
    """An instruction, and the computation it stands in."""

    computation: str
    instruction: Instruction


class Loops:
    """The loops of a module.

    >>> from shardbook._hlo import Module
    >>> module = Module('''HloModule f
    ... %cond (p: (s32[])) -> pred[] {
    ...   %p = (s32[]) parameter(0)
    ...   %i = s32[] get-tuple-element(%p), index=0
    ...   %n = s32[] constant(7)
    ...   ROOT %less = pred[] compare(%i, %n), direction=LT
    ... }
    ... %body (p: (s32[])) -> (s32[]) {
    ...   %p = (s32[]) parameter(0)
    ...   %i = s32[] get-tuple-element(%p), index=0
    ...   %one = s32[] constant(1)
    ...   %next = s32[] add(%i, %one)
    ...   ROOT %t = (s32[]) tuple(%next)
    ... }
    ... ENTRY %main () -> (s32[]) {
    ...   %zero = s32[] constant(0)
    ...   %t = (s32[]) tuple(%zero)
    ...   ROOT %w = (s32[]) while(%t), condition=%cond, body=%body
    ... }''')
    >>> Loops(module).turns("main", module.root("main"))
    7
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._callers: dict[str, list[Place]] = {}
        for computation, instructions in module.computations.items():
            for instruction in instructions.values():
                for key in ("calls", "to_apply", "condition", "body"):
                    if callee := instruction.attribute(key):
                        self._callers.setdefault(callee, []).append(Place(computation, instruction))

    def turns(self, computation: str, loop: Instruction) -> int | None:
        """Return how often a ``while`` of a computation turns; None if the module does not tell."""
        if said := re.search(r'"known_trip_count":\{"n":"(\d+)"', loop.attributes):
            return int(said.group(1))
        condition, body = loop.attribute("condition"), loop.attribute("body")
        end = self._result(condition)
        if end is None or end.instruction.opcode != "compare" or len(end.instruction.operands) != 2:
            return None
        left, right = (self._named(end.computation, name) for name in end.instruction.operands)
        direction = end.instruction.attribute("direction")
        counter, limit = self._element_of(left, condition), self._constant(right)
        if counter is None:
            counter, limit = self._element_of(right, condition), self._constant(left)
            direction = TURNED.get(direction, "")
        if counter is None or limit is None:
            return None
        start = self._constant(self._element(computation, loop.operands[0], counter))
        step = self._step(body, counter)
        return None if start is None or not step else count(start, step, limit, direction)

    def _step(self, body: str, counter: int) -> int | None:
        """By how much an element of a loop's tuple grows each turn."""
        whole = self._result(body)
        grown = whole and self._element(whole.computation, whole.instruction.name, counter)
        if not grown or grown.instruction.opcode not in ("add", "subtract"):
            return None
        first, second = (self._named(grown.computation, name) for name in grown.instruction.operands)
        if grown.instruction.opcode == "subtract":
            by = self._constant(second)
            return -by if by is not None and self._element_of(first, body) == counter else None
        if self._element_of(first, body) == counter:
            return self._constant(second)
        return self._constant(first) if self._element_of(second, body) == counter else None

    def _result(self, computation: str) -> Place | None:
        root = self._module.root(computation)
        return self._origin(Place(computation, root)) if root else None

    def _named(self, computation: str, name: str) -> Place | None:
        place = self._at(computation, name)
        return self._origin(place) if place else None

    def _origin(self, place: Place) -> Place:
        """Where a value was made: through copies, into what a fusion computes, out to what its caller gives."""
        while True:
            computation, instruction = place
            onward: Place | None = None
            if instruction.opcode in SAME_VALUE:
                onward = self._at(computation, instruction.operands[0])
            elif instruction.opcode in ("fusion", "call"):
                callee = instruction.attribute("calls") or instruction.attribute("to_apply")
                root = self._module.root(callee)
                onward = Place(callee, root) if root else None
            elif instruction.opcode == "parameter":
                caller = self._only_caller(computation)
                if caller and caller.instruction.opcode in ("fusion", "call"):
                    onward = self._at(caller.computation, caller.instruction.operands[int(instruction.operands[0])])
            elif instruction.opcode == "get-tuple-element":
                onward = self._element(computation, instruction.operands[0], int(instruction.attribute("index")))
            if onward is None or onward == place:
                return place
            place = onward

    def _at(self, computation: str, name: str) -> Place | None:
        instruction = self._module.computations.get(computation, {}).get(name)
        return Place(computation, instruction) if instruction else None

    def _only_caller(self, computation: str) -> Place | None:
        callers = self._callers.get(computation, [])
        # A loop calls its body and its condition with the same tuple.
        return callers[0] if len(set(callers)) == 1 else None

    def _element(self, computation: str, name: str, index: int) -> Place | None:
        """Where an element of a tuple was made; None if that is not to be told."""
        found = self._named(computation, name)
        if found is None:
            return None
        place, instruction = found
        if instruction.opcode == "tuple":
            return self._named(place, instruction.operands[index])
        if instruction.opcode == "while" and self._is_kept(instruction.attribute("body"), index):
            return self._element(place, instruction.operands[0], index)
        if instruction.opcode == "parameter":
            loop = self._only_caller(place)
            if loop and loop.instruction.opcode == "while" and self._is_kept(loop.instruction.attribute("body"), index):
                return self._element(loop.computation, loop.instruction.operands[0], index)
        return None

    def _is_kept(self, body: str, index: int) -> bool:
        """Whether a loop's body hands an element on as it came."""
        root = self._module.root(body)
        if root is None or root.opcode != "tuple":
            return False
        instructions = self._module.computations[body]
        made = instructions.get(root.operands[index])
        while made and made.opcode in SAME_VALUE:
            made = instructions.get(made.operands[0])
        if made is None or made.opcode != "get-tuple-element" or made.attribute("index") != str(index):
            return False
        whole = instructions.get(made.operands[0])
        return whole is not None and whole.opcode == "parameter"

    def _element_of(self, place: Place | None, computation: str) -> int | None:
        """Which element of a computation's own tuple a value is; None if it is none."""
        if place is None or place.computation != computation or place.instruction.opcode != "get-tuple-element":
            return None
        whole = self._module.computations[computation].get(place.instruction.operands[0])
        return int(place.instruction.attribute("index")) if whole and whole.opcode == "parameter" else None

    def _constant(self, place: Place | None) -> int | None:
        if place is None or place.instruction.opcode != "constant":
            return None
        text = place.instruction.operands[0] if place.instruction.operands else ""
        return int(text) if re.fullmatch(r"-?\d+", text) else None


def count(start: int, step: int, limit: int, direction: str) -> int | None:
    """Return how many numbers from ``start`` in steps pass a comparison with ``limit``; None if it never ends.

    >>> count(0, 1, 7, "LT"), count(0, 2, 7, "LE"), count(3, -1, 0, "GE"), count(9, 1, 7, "LT"), count(0, 1, 7, "GT")
    (7, 4, 4, 0, 0)
    >>> count(0, 2, 6, "NE"), count(0, -1, 7, "LT")
    (3, None)
    """
    if direction == "NE":
        turns, rest = divmod(limit - start, step)
        return None if rest or turns < 0 else turns
    if direction in ("GT", "GE"):
        start, step, limit = -start, -step, -limit
    elif direction not in ("LT", "LE"):
        return None
    distance = limit - start + direction.endswith("E")
    if distance <= 0:
        return 0
    return None if step < 0 else -(-distance // step)
