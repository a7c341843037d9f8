"""The model of a collective: which device holds what after each step, and what it has received.

Nothing here draws. A device's memory has numbered slots; what lies in one is the sum of terms, each a part of the block
of one device. Steps are lists of what is sent; what is held follows from them, and a step that sends what its device
does not have, or counts a term twice, is refused.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Term = tuple[int, int]
"""The device whose block it is a part of, and which part. Of a product: whose rows, and whose columns."""
Held = dict[int, frozenset[Term]]
"""What a device holds, by slot."""
State = tuple[Held, ...]
"""What each device holds."""


class Send(NamedTuple):
    """What goes from a slot of one device to a slot of another; a copy stays if it is ``kept``."""

    source: int
    slot: int
    to: int
    into: int
    kept: bool = False


class Frame(NamedTuple):
    """What is held after a step, what was sent in it, and which of the film's sentences tells it."""

    state: State
    sends: tuple[Send, ...]
    said: str


@dataclass(frozen=True)
class Film:
    """A collective, step by step; the first step is the start, at which nothing has been sent."""

    name: str
    devices: int
    steps: tuple[Frame, ...]
    share: Fraction
    """What one send carries, as a share of the block that a device has at the start."""
    slots: int
    summed: bool = False
    """Whether a slot ends with a term of every device."""

    def received(self, step: int) -> Fraction:
        """What a device has received up to a step, as a share of its block; the most, if devices differ."""
        counts = Counter(send.to for each in self.steps[: step + 1] for send in each.sends)
        return self.share * max(counts.values(), default=0)


def after(state: Sequence[Mapping[int, frozenset[Term]]], sends: Sequence[Send]) -> State:
    """What devices hold once all of ``sends`` are done, at the same time.

    >>> one, other = {0: frozenset({(0, 0)})}, {0: frozenset({(1, 0)})}
    >>> [sorted(held[0]) for held in after((one, other), [Send(0, 0, 1, 0, kept=True)])]
    [[(0, 0)], [(0, 0), (1, 0)]]
    """
    found = [dict(held) for held in state]
    for send in sends:
        if send.slot not in state[send.source]:
            raise ValueError(f"{send}: device {send.source} has nothing there")
        if not send.kept:
            del found[send.source][send.slot]
    for send in sends:
        terms, there = state[send.source][send.slot], found[send.to].get(send.into, frozenset())
        if terms & there:
            raise ValueError(f"{send}: device {send.to} would count {sorted(terms & there)} twice")
        found[send.to][send.into] = terms | there
    return tuple(found)


def filmed(start: State, turns: Sequence[tuple[str, Sequence[Send]]]) -> tuple[Frame, ...]:
    """The start and what follows from each turn's sends."""
    steps = [Frame(start, (), "start")]
    for said, sends in turns:
        steps.append(Frame(after(steps[-1].state, sends), tuple(sends), said))
    return tuple(steps)


def gathering(n: int) -> list[list[Send]]:
    """The turns of a ring that gathers: each device passes on what came last, at first what lies in its own slot."""
    return [
        [Send(device, slot, (device + 1) % n, slot, kept=True) for device in range(n) for slot in [(device - turn) % n]]
        for turn in range(n - 1)
    ]


def reducing(n: int) -> list[list[Send]]:
    """The turns of a ring that adds up: what arrives is added to what is there; device k ends with slot k."""
    return [
        [Send(device, slot, (device + 1) % n, slot) for device in range(n) for slot in [(device - 1 - turn) % n]]
        for turn in range(n - 1)
    ]


def cut(n: int) -> State:
    """Each device's block, cut into as many parts as there are devices."""
    return tuple({part: frozenset({(device, part)}) for part in range(n)} for device in range(n))


def all_gather(n: int) -> Film:
    """Each device ends with the blocks of all."""
    start: State = tuple({device: frozenset({(device, 0)})} for device in range(n))
    return Film("all-gather", n, filmed(start, [("gather", sends) for sends in gathering(n)]), Fraction(1), n)


def reduce_scatter(n: int) -> Film:
    """Device k ends with the sum of all devices' parts k."""
    steps = filmed(cut(n), [("reduce", sends) for sends in reducing(n)])
    return Film("reduce-scatter", n, steps, Fraction(1, n), n, summed=True)


def all_reduce(n: int) -> Film:
    """Each device ends with the sum of all blocks: scattered first, then gathered."""
    turns = [("reduce", sends) for sends in reducing(n)] + [("gather_sums", sends) for sends in gathering(n)]
    return Film("all-reduce", n, filmed(cut(n), turns), Fraction(1, n), n, summed=True)


def all_to_all(n: int) -> Film:
    """Device k ends with everyone's part k: in each step devices exchange parts in pairs."""
    if n & (n - 1):
        raise ValueError(f"devices exchange in pairs, which takes a power of two of them, not {n}")
    turns = [
        ("exchange", [Send(device, device ^ turn, device ^ turn, device) for device in range(n)])
        for turn in range(1, n)
    ]
    return Film("all-to-all", n, filmed(cut(n), turns), Fraction(1, n), n)


def permute(n: int) -> Film:
    """Each device's block goes to the next one, the last one's to the first."""
    start: State = tuple({0: frozenset({(device, 0)})} for device in range(n))
    sends = [Send(device, 0, (device + 1) % n, 0) for device in range(n)]
    return Film("permute", n, filmed(start, [("permute", sends)]), Fraction(1), 1)


def collective_matmul(n: int) -> Film:
    """A @ B, A split by rows and B by columns: blocks of A go round, and each device multiplies what it has.

    Slot 0 is the block of A; slot i + 1 is for the product of the rows of device i with the device's own columns.
    """
    state: State = tuple({0: frozenset({(device, 0)})} for device in range(n))
    steps = [Frame(state, (), "start_matmul")]
    for turn in range(n):
        sends = [Send(device, 0, (device + 1) % n, 0) for device in range(n)] if turn < n - 1 else []
        products = [{1 + rows: frozenset({(rows, device)})} for device in range(n) for rows, _ in state[device][0]]
        state = tuple(held | product for held, product in zip(after(state, sends), products, strict=True))
        steps.append(Frame(state, tuple(sends), "multiply" if sends else "multiply_last"))
    return Film("collective-matmul", n, tuple(steps), Fraction(1), n + 1)


FILMS: dict[str, Callable[[int], Film]] = {
    "all-gather": all_gather,
    "reduce-scatter": reduce_scatter,
    "all-reduce": all_reduce,
    "all-to-all": all_to_all,
    "permute": permute,
    "collective-matmul": collective_matmul,
}
