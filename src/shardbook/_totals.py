"""How many bytes operations move together: sums that know of loops and branches."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from shardbook._public import public

if TYPE_CHECKING:
    from shardbook._collectives import Collective


class Received(NamedTuple):
    """Bytes that a device receives in one call; the greater is the dearer, as a loop may turn any number of times."""

    per_turn: int
    """How many more if each of the loops whose number of turns is unknown turns once."""
    once: int
    """How many if these loops do not turn at all."""

    @property
    def known(self) -> int | None:
        """Bytes in all; None if a loop decides it."""
        return None if self.per_turn else self.once


@public
@dataclass(frozen=True)
class Total:
    """What one operation along the same axes moves in one call.

    Attributes
    ----------
    operation
        Its name, such as "all-reduce".
    axes
        The mesh axes that it goes along; None for all groups together that are not those of whole axes.
    count
        How many such operations the program contains: one in a loop is one.
    bytes_once, bytes_per_turn
        Bytes that a device receives if the loops whose number of turns is unknown do not turn, and how many more if
        each of them turns once.
    at_most
        Whether it is an upper bound, as some of the operations stand in branches that may not be taken.
    """

    operation: str
    axes: tuple[str, ...] | None
    count: int
    bytes_once: int
    bytes_per_turn: int
    at_most: bool

    @property
    def bytes_per_device(self) -> int | None:
        """How many bytes a device receives in one call; None if a loop's number of turns is unknown."""
        return None if self.bytes_per_turn else self.bytes_once


def totals(operations: "Iterable[Collective]") -> tuple[Total, ...]:
    """Return a sum for each operation and its axes, most expensive first."""
    alike: dict[tuple[str, tuple[str, ...] | None], list[Collective]] = {}
    for operation in operations:
        alike.setdefault((operation.operation, operation.axes), []).append(operation)
    found = [
        (received(group), name, axes, len(group), any(operation.at_most for operation in group))
        for (name, axes), group in alike.items()
    ]
    found.sort(key=lambda total: total[0], reverse=True)
    return tuple(
        Total(name, axes, count, bytes_once=amount.once, bytes_per_turn=amount.per_turn, at_most=at_most)
        for amount, name, axes, count, at_most in found
    )


def received(operations: "Iterable[Collective]") -> Received:
    """Return the bytes of operations together; of the branches of a conditional those of the costliest."""
    return _received(operations, 0)


def _received(operations: "Iterable[Collective]", depth: int) -> Received:
    """The same of operations that share their branches down to ``depth``."""
    once = per_turn = 0
    conditionals: dict[str, dict[int, list[Collective]]] = {}
    for operation in operations:
        if len(operation.branch) == depth:
            once += operation.bytes_per_device * operation.times_once
            per_turn += operation.bytes_per_device * operation.times_per_turn
        else:
            name, number = operation.branch[depth]
            conditionals.setdefault(name, {}).setdefault(number, []).append(operation)
    for branches in conditionals.values():
        taken = [_received(inside, depth + 1) for inside in branches.values()]
        # One branch may receive most before a loop turns, and another each time that it does.
        once += max(branch.once for branch in taken)
        per_turn += max(branch.per_turn for branch in taken)
    return Received(per_turn, once)
