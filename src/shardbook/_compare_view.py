"""How plans look side by side: a row for each operation and its axes, a column for each plan."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from shardbook._collectives_view import along, amount, mesh_of, remarks_on
from shardbook._display import pairs_html, pairs_text, prose, table_html, table_text

if TYPE_CHECKING:
    from rich.text import Text

    from shardbook._collectives import Collectives
    from shardbook._compare import Comparison
    from shardbook._totals import Total


def comparison_html(comparison: Comparison, messages: Mapping[str, str]) -> str:
    """Return the table, the meshes and the remarks as HTML."""
    table = table_html(_head(comparison, messages), _rows(comparison, messages), messages["comparison_table"])
    remarks = "".join(f"<p>{escape(text)}</p>" for text in _remarks(comparison, messages))
    return f"<figure>{table}{pairs_html(_meshes(comparison, messages))}{remarks}</figure>"


def comparison_lines(comparison: Comparison, messages: Mapping[str, str], width: int) -> list[Text]:
    """Return the same as coloured lines of at most ``width`` characters."""
    return [
        *table_text(_head(comparison, messages), _rows(comparison, messages), width),
        *pairs_text(_meshes(comparison, messages), width),
        *prose(_remarks(comparison, messages), width),
    ]


def _head(comparison: Comparison, messages: Mapping[str, str]) -> tuple[str, ...]:
    return messages["operation"], messages["along"], *comparison.plans


def _rows(comparison: Comparison, messages: Mapping[str, str]) -> list[tuple[str, ...]]:
    rows = [
        (
            operation,
            _along(comparison, operation, axes, messages),
            *(_amount(totals.get(name), messages) for name in comparison.plans),
        )
        for (operation, axes), totals in comparison.rows.items()
    ]
    return [*rows, (messages["all_operations"], "", *(_sum(comparison, name, messages) for name in comparison.plans))]


def _along(comparison: Comparison, operation: str, axes: tuple[str, ...] | None, messages: Mapping[str, str]) -> str:
    """What all plans say of these axes: groups that are no whole axes can be others in each."""
    written = set()
    for plan in comparison.plans.values():
        if alike := [each for each in plan if (each.operation, each.axes) == (operation, axes)]:
            written.add(along(alike, plan.mesh, messages))
    return written.pop() if len(written) == 1 else messages["other_groups"]


def _amount(total: Total | None, messages: Mapping[str, str]) -> str:
    return amount(total, messages) if total else "—"


def _sum(comparison: Comparison, name: str, messages: Mapping[str, str]) -> str:
    written = amount(comparison.plans[name], messages)
    # Where all cost the same none is worth a mark.
    marked = name in comparison.cheapest and len(comparison.cheapest) < len(comparison.plans)
    return messages["cheapest"].format(amount=written) if marked else written


def _meshes(comparison: Comparison, messages: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The mesh, said once if all plans have the same."""
    meshes = {name: mesh_of(plan, messages) for name, plan in comparison.plans.items()}
    if len(set(meshes.values())) == 1:
        return (next(iter(meshes.values())),)
    return tuple(
        (name, value if label == messages["mesh"] else f"{label} {value}") for name, (label, value) in meshes.items()
    )


def _remarks(comparison: Comparison, messages: Mapping[str, str]) -> list[str]:
    plans = comparison.plans
    remarks = [remark for plan in plans.values() for remark in remarks_on(plan, messages, sums=True)]
    remarks += [_widened(name, plan, messages) for name, plan in plans.items()]
    return [remark for remark in dict.fromkeys(remarks) if remark]


def _widened(name: str, plan: Collectives, messages: Mapping[str, str]) -> str:
    narrow = sorted({operation.widened for operation in plan} - {""})
    return messages["compared_widened"].format(plan=name, types=messages["list"].join(narrow)) if narrow else ""
