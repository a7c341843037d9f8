"""A move between two layouts, as the compiler takes it: P("x", "y") to P("y", "x") on a mesh of 2 × 4.

Each step is a layout of the helper's model, and what must be sent is the difference of two. For the layout between them
the axis y is two axes, y₁ and y₂: first the devices along y₂ exchange halves, then whole pieces change place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

import shardbook as sb
from shardbook._caption import spoken
from shardbook._layout_view import FITS_PHONE
from shardbook._mesh_picture import device_colours
from shardbook._panels import panels
from shardbook._svg import _svg_panel, draw_mesh, measured

if TYPE_CHECKING:
    from collections.abc import Mapping

SHAPE, DTYPE = (64, 64), "float32"
MESH, CUT_MESH = AbstractMesh((2, 4), ("x", "y")), AbstractMesh((2, 2, 2), ("x", "y₁", "y₂"))
PATH: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
    ("start_move", MESH, ("x", "y")),
    ("halves", CUT_MESH, (("x", "y₂"), "y₁")),
    ("pieces", MESH, ("y", "x")),
)
"""What is said of each layout, its mesh and its spec."""


def layouts() -> list[sb.Layout]:
    """The layouts that the array has one after another."""
    return [
        sb.layout(NamedSharding(mesh, PartitionSpec(*spec)), SHAPE, DTYPE)  # type: ignore[no-untyped-call]
        for _, mesh, spec in PATH
    ]


def received(step: int) -> int:
    """The bytes that a device receives in a step, the most if devices differ."""
    found = layouts()
    return (sb.moves(found[step - 1], found[step]).bytes_per_device or 0) if step else 0


def draw_layouts(words: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Each layout's picture, its text equivalent, and whether it may have to scroll; a device keeps its colour."""
    found = layouts()
    arranged = [panels(each) for each in found]
    size = 0
    for each, drawn in zip(found, arranged, strict=True):
        *_, size = measured(each, drawn, words["count"], size)
    colours = device_colours(found[0])
    told = []
    for each, drawn in zip(found, arranged, strict=True):
        limit, box, _ = measured(each, drawn, words["count"], size)
        bands = [band for panel in drawn if panel for band in panel.bands(limit)]
        svgs, widths = zip(*(_svg_panel(each, band, box, colours, titled=True) for band in bands), strict=True)
        told.append((draw_mesh(found[0], words["mesh"]) + "".join(svgs), spoken(each, words), max(widths) > FITS_PHONE))
    return told
