"""How the memory of plans looks side by side: a row and a stacked bar for each plan, all to one scale."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from shardbook import _notation
from shardbook._display import framed_table, prose, table_text

if TYPE_CHECKING:
    from rich.text import Text

    from shardbook._compare_memory import MemoryComparison

PARTS = ("arguments", "other_outputs", "temporaries")
MARKS = "█▒░"
"""A character of a terminal for each part of a bar."""
COLOURS = ("sb-h0 sb-s3", "sb-h1 sb-s1", "sb-h3 sb-s0")
"""A place in the palette for each: they differ in lightness too, for print and for eyes that see no hue."""
COLUMNS = 12
"""Characters of the longest bar in a terminal."""
WIDE, HIGH = 200, 14
"""Of the longest bar on a page, in pixels."""


def memory_comparison_html(comparison: MemoryComparison, messages: Mapping[str, str]) -> str:
    """Return the table with its bars, and the remarks, as HTML."""
    plan, bar, *others = map(escape, _head(comparison, messages))
    parts = [f"{_picture(10, 10, _box(mark, 0, 10, 10))} {label}" for mark, label in zip(COLOURS, others, strict=False)]
    rows = []
    for name, sizes in comparison.parts.items():
        numbers = "".join(f"<td>{escape(number)}</td>" for number in _numbers(comparison, name, messages))
        rows.append(f'<th scope="row">{escape(name)}</th><td>{_bar(sizes, _longest(comparison))}</td>{numbers}')
    table = framed_table((plan, bar, *parts, *others[len(PARTS) :]), rows, messages["memory_comparison_table"])
    remarks = "".join(f"<p>{escape(text)}</p>" for text in _remarks(comparison, messages))
    return f"<figure>{table}{remarks}</figure>"


def memory_comparison_lines(comparison: MemoryComparison, messages: Mapping[str, str], width: int) -> list[Text]:
    """Return the same as lines of at most ``width`` characters, the bars as blocks of three densities."""
    plan, bar, *others = _head(comparison, messages)
    parts = [f"{mark} {label}" for mark, label in zip(MARKS, others, strict=False)]
    rows = [
        (name, _blocks(sizes, _longest(comparison)), *_numbers(comparison, name, messages))
        for name, sizes in comparison.parts.items()
    ]
    table = table_text((plan, bar, *parts, *others[len(PARTS) :]), rows, width)
    return [*table, *prose(_remarks(comparison, messages), width)]


def _head(comparison: MemoryComparison, messages: Mapping[str, str]) -> list[str]:
    keys = ("plan", "to_scale", *PARTS, "all_operations", *["of_the_chip"] * _has_chips(comparison))
    return [messages[key] for key in keys]


def _numbers(comparison: MemoryComparison, name: str, messages: Mapping[str, str]) -> list[str]:
    plan = comparison.plans[name]
    together = _notation.size(plan.total)
    # Where all need the same none is worth a mark.
    if name in comparison.smallest and len(comparison.smallest) < len(comparison.plans):
        together = messages["cheapest"].format(amount=together)
    numbers = [*map(_notation.size, comparison.parts[name]), together]
    if _has_chips(comparison):
        numbers.append(_notation.percent(plan.total, plan.capacity) + "%" if plan.capacity else "—")
    return numbers


def _has_chips(comparison: MemoryComparison) -> bool:
    return any(plan.capacity for plan in comparison.plans.values())


def _longest(comparison: MemoryComparison) -> int:
    return max(map(sum, comparison.parts.values())) or 1


def _pieces(sizes: Sequence[int], longest: int, length: int) -> list[tuple[int, int]]:
    """Where each part of a bar begins and ends: their ends are rounded, so that a bar is as long as its sum.

    >>> _pieces((1, 1, 1), 3, 20)
    [(0, 7), (7, 13), (13, 20)]
    """
    ends = [round(length * end / longest) for end in itertools.accumulate(sizes, initial=0)]
    return list(itertools.pairwise(ends))


def _blocks(sizes: Sequence[int], longest: int) -> str:
    """A bar in characters.

    >>> _blocks((1, 0, 1), 4)
    '███░░░'
    """
    pieces = _pieces(sizes, longest, COLUMNS)
    return "".join(mark * (end - begin) for mark, (begin, end) in zip(MARKS, pieces, strict=True))


def _bar(sizes: Sequence[int], longest: int) -> str:
    pieces = _pieces(sizes, longest, WIDE)
    boxes = [
        _box(colour, begin, end, HIGH) for colour, (begin, end) in zip(COLOURS, pieces, strict=True) if end > begin
    ]
    return _picture(WIDE, HIGH, "".join(boxes))


def _box(colour: str, begin: int, end: int, high: int) -> str:
    return f'<rect class="{colour}" x="{begin}" width="{end - begin}" height="{high}"/>'


def _picture(wide: int, high: int, inside: str) -> str:
    """A picture that says nothing which the numbers beside it do not say."""
    return f'<svg viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" aria-hidden="true">{inside}</svg>'


def _remarks(comparison: MemoryComparison, messages: Mapping[str, str]) -> list[str]:
    plans = comparison.plans.values()
    remarks = []
    if any(plan.total != plan.device.total for plan in plans):
        remarks.append(messages["bars_take_turns"])
    if all(plan.platform == "cpu" for plan in plans):
        remarks.append(messages["cpu_temporaries"])
    return remarks
