"""How collectives look: a row for each operation, and what to know of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.text import Text

from shardbook import _notation
from shardbook._display import pairs_html, pairs_text, prose, table_html, table_text
from shardbook._mesh_axes import varying

if TYPE_CHECKING:
    from shardbook._collectives import Collective, Collectives
    from shardbook._hlo import Buffer

SHOWN_GROUPS = 2
"""The table shows this many groups where no mesh axes say it."""


def collectives_html(found: Collectives, messages: Mapping[str, str]) -> str:
    """Return the table of operations, the sum and the remarks as HTML."""
    caption = f"<figcaption>{escape(found.name)}</figcaption>"
    table = (
        table_html(_columns(messages), _operations(found, messages), messages["collectives_table"])
        if found.operations
        else ""
    )
    remarks = "".join(f"<p>{escape(text)}</p>" for text in _remarks(found, messages))
    return f"<figure>{caption}{table}{pairs_html(_totals(found, messages))}{remarks}</figure>"


def collectives_lines(found: Collectives, messages: Mapping[str, str], width: int) -> list[Text]:
    """Return the same as coloured lines of at most ``width`` characters."""
    return [
        Text(found.name, style="bold"),
        *(table_text(_columns(messages), _operations(found, messages), width) if found.operations else []),
        *pairs_text(_totals(found, messages), width),
        *prose(_remarks(found, messages), width),
    ]


def _totals(found: Collectives, messages: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    sizes = ", ".join(f"{name}={size}" for name, size in found.mesh.items())
    total = found.bytes_per_device
    return (
        (messages["mesh"], sizes) if sizes else (messages["devices"], str(found.devices)),
        (messages["each_receives"], "?" if total is None else "≤ " * found.at_most + _notation.size(total)),
    )


def _remarks(found: Collectives, messages: Mapping[str, str]) -> list[str]:
    remarks = [] if found.operations else [messages["no_collectives"]]
    if any(operation.times is None for operation in found.operations):
        remarks.append(messages["unknown_trips"])
    if found.at_most:
        remarks.append(messages["branch"])
    if any(not operation.groups for operation in found.operations):
        remarks.append(messages["untold_groups"])
    if narrow := sorted({operation.widened for operation in found.operations} - {""}):
        remarks.append(messages["widened"].format(types=messages["list"].join(narrow)))
    for warning in found.warnings:
        at = messages["at"].format(source=warning.source) if warning.source else ""
        remarks.append(messages["rematerialization"].format(at=at, before=warning.before, after=warning.after))
    return remarks


def _columns(messages: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(messages[key] for key in ("operation", "along", "arrays", "receives_each", "times", "line"))


def _operations(found: Collectives, messages: Mapping[str, str]) -> list[tuple[str, ...]]:
    return [
        (
            operation.operation,
            _along(operation, found.mesh, messages),
            _arrays(operation),
            _notation.size(operation.bytes_per_device),
            "?" if operation.times is None else ("≤ " if operation.at_most else "") + str(operation.times),
            str(operation.source) if operation.source else "—",
        )
        for operation in found.operations
    ]


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


def _arrays(operation: Collective) -> str:
    given, got = operation.operands, operation.results
    carried = f" ({operation.widened})" if operation.widened else ""
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
