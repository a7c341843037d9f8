"""How a layout looks: its picture, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.text import Text

from shardbook._caption import facts, notes, spoken
from shardbook._display import pairs_html, pairs_text, prose
from shardbook._layout import Layout
from shardbook._panels import count_pieces, panels
from shardbook._svg import draw_mesh, draw_svg
from shardbook._terminal import draw_text

if TYPE_CHECKING:
    from shardbook._figure import Unsharded

FITS_PHONE = 300
"""A drawing that can shrink to this many CSS pixels fits any phone."""


def picture_html(
    leaf: Layout, messages: Mapping[str, str], *, mesh: bool = True, like: Sequence[int] = (), least: int = 0
) -> tuple[str, int]:
    """Return the drawing of a layout with its text equivalent, and how many pieces it shows.

    Parameters
    ----------
    mesh
        Whether the mesh is drawn beside it.
    like, least
        The grid of another layout of the same array and the size in which that is drawn, to be compared with.
    """
    arranged = panels(leaf, like)
    drawing, width = draw_svg(leaf, arranged, messages["count"], least)
    # What may have to scroll must be reachable by keyboard.
    focus = ' tabindex="0"' if width > FITS_PHONE else ""
    beside = draw_mesh(leaf, messages["mesh"]) if mesh else ""
    label = escape(spoken(leaf, messages))
    return (
        f'<div class="sb-panels" role="img"{focus} aria-label="{label}">{beside}{drawing}</div>',
        count_pieces(arranged),
    )


def picture_lines(
    leaf: Layout, messages: Mapping[str, str], width: int, *, mesh: bool = True, like: Sequence[int] = ()
) -> tuple[list[Text], int]:
    """Return the drawing of a layout as lines of at most ``width`` characters, and how many pieces it shows."""
    arranged = panels(leaf, like)
    title = messages["mesh"] if mesh else ""
    return draw_text(leaf, arranged, width, messages["count"], title), count_pieces(arranged)


def leaf_html(path: str, leaf: Layout | Unsharded, messages: Mapping[str, str], *, mesh: bool = True) -> str:
    """Return the HTML of one leaf of a tree, with its mesh unless that stands there already."""
    name = f'<span class="sb-path">{escape(path)}</span> ' if path else ""
    if not isinstance(leaf, Layout):
        return f"<p>{name}{escape(messages[leaf.why].format(type=leaf.type, spec=leaf.spec))}</p>"
    drawing, drawn = picture_html(leaf, messages, mesh=mesh)
    remarks = "".join(f"<p>{escape(note)}</p>" for note in notes(leaf, messages, drawn))
    caption = f"<figcaption>{name}{escape(str(leaf))}</figcaption>"
    return f"<figure>{caption}{drawing}{pairs_html(facts(leaf, messages))}{remarks}</figure>"


def leaf_lines(
    path: str, leaf: Layout | Unsharded, messages: Mapping[str, str], width: int, *, mesh: bool = True
) -> list[Text]:
    """Return one leaf of a tree as coloured lines of at most ``width`` characters."""
    name = f"{path} " if path else ""
    if not isinstance(leaf, Layout):
        return prose([name + messages[leaf.why].format(type=leaf.type, spec=leaf.spec)], width)
    picture, drawn = picture_lines(leaf, messages, width, mesh=mesh)
    return [
        Text(name + str(leaf), style="bold"),
        *picture,
        *pairs_text(facts(leaf, messages), width),
        *prose(notes(leaf, messages, drawn), width),
    ]
