"""How collectives look: sums by operation and axes, a row for each kind of operation, and what to know of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from shardbook import _notation
from shardbook._display import pairs_html, pairs_text, prose, table_html, table_text
from shardbook._mesh_axes import varying
from shardbook._totals import received

if TYPE_CHECKING:
    from shardbook._collectives import Collective, Collectives
    from shardbook._hlo import Buffer
    from shardbook._totals import Total

SHOWN_GROUPS = 2
"""The table shows this many groups where no mesh axes say it."""
SHOWN_ROWS = 20
"""The table has this many rows at most: those that cost most."""


class Table(NamedTuple):
    """Cells, and what the table is called where it is not seen."""

    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    label: str
    arrays: int | None = None
    """The column that may be shortened in the middle of its cells."""


class Row(NamedTuple):
    """Operations of which the table says the same."""

    cells: tuple[str, ...]
    operations: list[Collective]


def collectives_html(found: Collectives, messages: Mapping[str, str]) -> str:
    """Return the tables of sums and of operations, the whole sum and the remarks as HTML."""
    caption = f"<figcaption>{escape(found.name)}</figcaption>"
    tables = "".join(table_html(*table[:3]) for table in _tables(found, messages))
    more = "".join(f"<p>{escape(text)}</p>" for text in _more(found, messages))
    remarks = "".join(f"<p>{escape(text)}</p>" for text in _remarks(found, messages))
    return f"<figure>{caption}{tables}{more}{pairs_html(_facts(found, messages))}{remarks}</figure>"


def collectives_lines(found: Collectives, messages: Mapping[str, str], width: int) -> list[Text]:
    """Return the same as coloured lines of at most ``width`` characters."""
    lines = [Text(found.name, style="bold")]
    for number, table in enumerate(_tables(found, messages)):
        lines += [Text("")] * bool(number) + table_text(table.head, table.rows, width, shortened=table.arrays)
    return [
        *lines,
        *prose(_more(found, messages), width),
        *pairs_text(_facts(found, messages), width),
        *prose(_remarks(found, messages), width),
    ]


def amount(of: Collectives | Total, messages: Mapping[str, str]) -> str:
    """Write how many bytes a device receives in one call: what it does once, and at each turn of unknown loops."""
    written = once = _notation.size(of.bytes_once)
    if of.bytes_per_turn:
        written = _per_turn(once if of.bytes_once else "", _notation.size(of.bytes_per_turn), messages)
    return "≤ " * of.at_most + written


def along(operations: Sequence[Collective], mesh: Mapping[str, int], messages: Mapping[str, str]) -> str:
    """Write what operations of the same axes go along: of several groups that are no whole axes, that they are."""
    written = {_along(operation, mesh, messages) for operation in operations}
    return written.pop() if len(written) == 1 else messages["other_groups"]


def mesh_of(found: Collectives, messages: Mapping[str, str]) -> tuple[str, str]:
    """Return the mesh as a label and a value; the number of devices if there is none."""
    sizes = ", ".join(f"{name}={size}" for name, size in found.mesh.items())
    return (messages["mesh"], sizes) if sizes else (messages["devices"], str(found.devices))


def remarks_on(found: Collectives, messages: Mapping[str, str], *, sums: bool) -> list[str]:
    """Say what the marks in a table mean; ``sums`` says that it has those by operation."""
    remarks = []
    if found.bytes_per_turn:
        remarks.append(messages["unknown_trips"])
    if found.at_most:
        remarks.append(messages["branch"])
    if sums and _exceed(found):
        remarks.append(messages["sums_exceed"])
    if any(not operation.groups for operation in found.operations):
        remarks.append(messages["untold_groups"])
    return remarks


def _exceed(found: Collectives) -> bool:
    """Whether the sums by operation add up to more than the whole."""
    added = sum(one.bytes_once for one in found.totals), sum(one.bytes_per_turn for one in found.totals)
    return added != (found.bytes_once, found.bytes_per_turn)


def _per_turn(once: str, turn: str, messages: Mapping[str, str]) -> str:
    turn = messages["per_turn"].format(amount=turn)
    return messages["once_and_per_turn"].format(once=messages["once"].format(amount=once), turn=turn) if once else turn


def _facts(found: Collectives, messages: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return mesh_of(found, messages), (messages["each_receives"], amount(found, messages))


def _more(found: Collectives, messages: Mapping[str, str]) -> list[str]:
    hidden = _rows(found, messages)[SHOWN_ROWS:]
    rest = replace(found, operations=tuple(operation for row in hidden for operation in row.operations))
    return [messages["more_rows"].format(count=len(hidden), amount=amount(rest, messages))] if hidden else []


def _remarks(found: Collectives, messages: Mapping[str, str]) -> list[str]:
    if not found.operations:
        remarks = [messages["no_collectives"]]
    else:
        remarks = remarks_on(found, messages, sums=_has_sums(found, messages))
    if narrow := sorted({operation.widened for operation in found.operations} - {""}):
        remarks.append(messages["widened"].format(types=messages["list"].join(narrow)))
    for warning in found.warnings:
        at = messages["at"].format(source=warning.source) if warning.source else ""
        remarks.append(messages["rematerialization"].format(at=at, before=warning.before, after=warning.after))
    # XLA warns of the same once for each array.
    return list(dict.fromkeys(remarks))


def _has_sums(found: Collectives, messages: Mapping[str, str]) -> bool:
    """Whether sums tell more than the rows do: of operations that differ and run once each, they are the same."""
    rows, totals = _rows(found, messages), found.totals
    once = all(len(row.operations) == row.operations[0].times == 1 for row in rows)
    return len(totals) > 1 and not (once and len(rows) == len(totals))


def _tables(found: Collectives, messages: Mapping[str, str]) -> list[Table]:
    sums = [_totals(found, messages)] if _has_sums(found, messages) else []
    return [*sums, _operations(found, messages)] if found.operations else []


def _totals(found: Collectives, messages: Mapping[str, str]) -> Table:
    """Sums; of what is only bounded, or grows with a loop, no share is to be told."""
    keys = ["operation", "along", "how_many", "in_one_call"]
    whole = 0 if found.at_most else found.bytes_per_device
    if whole:
        keys.append("part")
    rows = []
    for total in found.totals:
        alike = [each for each in found.operations if (each.operation, each.axes) == (total.operation, total.axes)]
        row = [
            total.operation,
            along(alike, found.mesh, messages),
            str(total.count),
            amount(total, messages),
        ]
        if whole:
            row.append(_share(total.bytes_once, whole))
        rows.append(tuple(row))
    return Table(tuple(messages[key] for key in keys), rows, messages["totals_table"])


def _share(part: int, whole: int) -> str:
    return f"{_notation.percent(part, whole)}%" if part else "0%"


def _operations(found: Collectives, messages: Mapping[str, str]) -> Table:
    """Rows, with a column that says of how many operations each is the row, unless each is of one."""
    rows = _rows(found, messages)[:SHOWN_ROWS]
    keys = ["operation", "along", "arrays", "receives_each", "times", "line"]
    cells = [row.cells for row in rows]
    if any(len(row.operations) > 1 for row in rows):
        keys.insert(-1, "how_many")
        cells = [(*row.cells[:-1], str(len(row.operations)), row.cells[-1]) for row in rows]
    return Table(tuple(messages[key] for key in keys), cells, messages["collectives_table"], keys.index("arrays"))


def _rows(found: Collectives, messages: Mapping[str, str]) -> list[Row]:
    """Rows that differ, most expensive first."""
    alike: dict[object, Row] = {}
    for operation in found.operations:
        cells = (
            operation.operation,
            _along(operation, found.mesh, messages),
            _arrays(operation, messages),
            _notation.size(operation.bytes_per_device),
            "≤ " * operation.at_most + _times(operation, messages),
            str(operation.source) if operation.source else "—",
        )
        # Of two files in different folders, and of two sizes, the cells can be the same.
        key = (cells, operation.source, operation.bytes_per_device)
        alike.setdefault(key, Row(cells, [])).operations.append(operation)
    return sorted(alike.values(), key=lambda row: received(row.operations), reverse=True)


def _times(operation: Collective, messages: Mapping[str, str]) -> str:
    once, turn = operation.times_once, operation.times_per_turn
    return _per_turn(str(once) if once else "", str(turn), messages) if turn else str(once)


def _along(operation: Collective, mesh: Mapping[str, int], messages: Mapping[str, str]) -> str:
    if not operation.groups:
        return "?"
    if operation.axes is not None:
        return messages["list"].join(operation.axes) or "—"
    within = varying(operation.groups, mesh)
    if within:
        return messages["part_of"].format(axes=messages["list"].join(within))
    groups = [",".join(_notation.device_runs(group)) for group in operation.groups[:SHOWN_GROUPS]]
    return " | ".join(groups) + (" | …" if len(operation.groups) > SHOWN_GROUPS else "")


def _arrays(operation: Collective, messages: Mapping[str, str]) -> str:
    given, got = operation.operands, operation.results
    carried = messages["carried"].format(dtype=operation.widened) if operation.widened else ""
    if given == got:
        return _counted(given) + carried
    written = _counted(got)
    if len({buffer.dtype for buffer in (*given, *got)}) == 1:
        written = written.replace(got[0].dtype, "")
    return f"{_counted(given)} → {written}{carried}"


def _counted(buffers: Sequence[Buffer]) -> str:
    """Write arrays, equal ones that follow each other as a multiple."""
    runs = [(buffer, len(list(same))) for buffer, same in itertools.groupby(buffers)]
    return ", ".join(f"{count}×{buffer}" if count > 1 else str(buffer) for buffer, count in runs)
