"""How moves look: both layouts, what must cross, and a row for each device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.text import Text

from shardbook import _notation
from shardbook._caption import notes
from shardbook._display import pairs_html, pairs_text, prose, table_html, table_text
from shardbook._layout import bytes_of, element_count
from shardbook._layout_view import picture_html, picture_lines
from shardbook._mesh_picture import same_mesh
from shardbook._panels import panels
from shardbook._svg import measured

if TYPE_CHECKING:
    from shardbook._moves import Moves, Receipt

ROWS = 16
"""Up to this many devices the table has a row for each; beyond, one for all that need and keep as much."""
RUNS = 4
"""A row lists at most this many runs of devices."""


def moves_html(moves: Moves, messages: Mapping[str, str]) -> str:
    """Return both layouts, the sums and the table as HTML."""
    before, after = moves.before, moves.after
    # Both are drawn in the size that the one with longer numbers needs.
    size = 0
    for side, other in ((before, after), (after, before)):
        *_, size = measured(side, panels(side, other.grid), messages["count"], size)
    twice = not same_mesh(before, after)
    sides: list[str] = []
    noted: list[str] = []
    for label, side, other in ((messages["before"], before, after), (messages["after"], after, before)):
        mesh = side is before or twice
        drawing, drawn = picture_html(side, messages, mesh=mesh, like=other.grid, least=size)
        noted += notes(side, messages, drawn)
        caption = f"<figcaption>{escape(label)}{messages['colon']}{escape(str(side))}</figcaption>"
        sides.append(f"<figure>{caption}{drawing}</figure>")
    arrow = '<span class="sb-arrow" aria-hidden="true">→</span>'
    table = table_html(_head(moves, messages), _rows(moves, messages), messages["moves_table"])
    remarks = "".join(f"<p>{escape(note)}</p>" for note in dict.fromkeys(noted))
    facts = pairs_html(_facts(moves, messages))
    return f'<figure><div class="sb-moves">{arrow.join(sides)}</div>{facts}{table}{remarks}</figure>'


def moves_lines(moves: Moves, messages: Mapping[str, str], width: int) -> list[Text]:
    """Return the same as coloured lines of at most ``width`` characters."""
    found: list[Text] = []
    noted: list[str] = []
    before, after = moves.before, moves.after
    twice = not same_mesh(before, after)
    for label, side, other in ((messages["before"], before, after), (messages["after"], after, before)):
        picture, drawn = picture_lines(side, messages, width, mesh=side is before or twice, like=other.grid)
        found += [Text(f"{label}{messages['colon']}{side}", style="bold"), *picture]
        noted += notes(side, messages, drawn)
    found += pairs_text(_facts(moves, messages), width)
    found += [Text(""), *table_text(_head(moves, messages), _rows(moves, messages), width)]
    # What is true of both is said once.
    return found + prose(tuple(dict.fromkeys(noted)), width)


def _facts(moves: Moves, messages: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    lacking = sum(receipt.elements > 0 for receipt in moves.receipts)
    total = messages["elements"].format(count=moves.elements) if moves.bytes is None else _notation.size(moves.bytes)
    found = [(messages["must_cross"], total)]
    if moves.bytes_per_device is not None:
        found.append((messages["most"], _notation.size(moves.bytes_per_device)))
    found.append((messages["receivers"], messages["of"].format(part=lacking, whole=len(moves.receipts))))
    if moves.before.on_host != moves.after.on_host:
        found.append((messages["memory"], f"{moves.before.memory_kind} → {moves.after.memory_kind}"))
    return tuple(found)


def _head(moves: Moves, messages: Mapping[str, str]) -> tuple[str, ...]:
    one = ("device", "needs", "keeps", "receives", "from")
    many = ("devices", "needs_amount", "keeps", "receives")
    return tuple(messages[key] for key in (one if len(moves.receipts) <= ROWS else many))


def _rows(moves: Moves, messages: Mapping[str, str]) -> list[tuple[str, ...]]:
    if len(moves.receipts) <= ROWS:
        return [_row(moves, receipt, messages) for receipt in moves.receipts]
    grouped: dict[tuple[int, int], list[int]] = {}
    for receipt in moves.receipts:
        grouped.setdefault((element_count(receipt.index), receipt.elements), []).append(receipt.device)
    return [
        (
            messages["counted"].format(count=len(devices), listed=_device_list(devices, messages)),
            _amount(moves, needed, messages),
            _amount(moves, needed - lacking, messages),
            _received(moves, lacking, needed, messages),
        )
        for (needed, lacking), devices in grouped.items()
    ]


def _row(moves: Moves, receipt: Receipt, messages: Mapping[str, str]) -> tuple[str, ...]:
    sources = sorted({device for part in moves.parts(receipt.device) for device in part.devices})
    return (
        str(receipt.device) + ("*" if receipt.device in moves.after.remote else ""),
        _notation.index(receipt.index),
        "—" if receipt.kept is None else _notation.index(receipt.kept),
        _received(moves, receipt.elements, element_count(receipt.index), messages),
        _device_list(sources, messages) if sources else "—",
    )


def _received(moves: Moves, lacking: int, needed: int, messages: Mapping[str, str]) -> str:
    if not lacking:
        return "—"
    share = "" if lacking == needed else messages["share"].format(percent=max(1, round(100 * lacking / needed)))
    return _amount(moves, lacking, messages) + share


def _amount(moves: Moves, elements: int, messages: Mapping[str, str]) -> str:
    if not elements:
        return "—"
    if moves.after.dtype is None:
        return messages["elements"].format(count=elements)
    return _notation.size(bytes_of(elements, moves.after.dtype))


def _device_list(devices: Sequence[int], messages: Mapping[str, str]) -> str:
    written = _notation.device_runs(devices)
    return messages["list"].join(written if len(written) <= RUNS else [*written[: RUNS - 1], "…"])
