"""The mesh beside an array: every device at its place, in the colour that it has everywhere in the figure."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from shardbook import _notation
from shardbook._layout import Layout, device_grid
from shardbook._palette import Colour, colour
from shardbook._panels import shown

NUMBERED = 64
"""Up to this many devices, each is drawn with its number; of more, those of one colour are one box."""
MOST_LEVELS = 4
"""Grids of a mesh of three axes or more that are drawn before some are left out."""


class Level(NamedTuple):
    """A grid of devices: all there are, or those at one place along the leading axes."""

    title: str
    """That place, such as "x=0"; "" if the grid has all devices."""
    row_axis: str
    """The axis that runs down; "" if there is none."""
    column_axis: str
    """The axis that runs across; "" if there is none."""
    devices: Any
    """Their ids, a numpy array of two dimensions."""
    colours: tuple[tuple[Colour, ...], ...]
    """Their colours, row by row."""


def device_colours(layout: Layout) -> dict[int, Colour]:
    """Return the colour of each device of a layout.

    >>> import jax
    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> from shardbook import layout
    >>> device_colours(layout(NamedSharding(AbstractMesh((2,), "x"), P()), ()))
    {0: Colour(hue=0, shade=0), 1: Colour(hue=1, shade=0)}
    """
    grid = device_grid(layout)
    return {device: colour(position, grid.shape) for position, device in enumerate(grid.ravel().tolist())}


def same_mesh(one: Layout, other: Layout) -> bool:
    """Whether the meshes of two layouts look the same, so that one picture serves both."""
    sizes = [[(name, axis.size) for name, axis in layout.axes.items()] for layout in (one, other)]
    return sizes[0] == sizes[1] and one.remote == other.remote and np.array_equal(device_grid(one), device_grid(other))


def levels(layout: Layout) -> list[Level | None]:
    """Return the grids that show a layout's mesh, None for those that are left out; none if it has no mesh axes.

    The last two axes run down and across. Beyond two, axes of size 1 are not drawn.
    """
    if not layout.axes:
        return []
    grid, names = device_grid(layout), list(layout.axes)
    found = np.array([colour(position, grid.shape) for position in range(grid.size)]).reshape(*grid.shape, 2)
    if grid.ndim > 2:
        longer = [at for at, size in enumerate(grid.shape) if size > 1]
        kept = sorted([*longer, *(at for at in reversed(range(grid.ndim)) if at not in longer)][: max(2, len(longer))])
        names = [names[at] for at in kept]
        sizes = [grid.shape[at] for at in kept]
        grid, found = grid.reshape(sizes), found.reshape(*sizes, 2)
    leading = grid.shape[:-2]
    down, across = (1, *grid.shape)[-2:]
    row_axis, column_axis = ("", *names)[-2:]
    grids, painted = grid.reshape(-1, down, across), found.reshape(-1, down, across, 2)
    places = list(itertools.product(*map(range, leading)))
    return [
        None
        if at is None
        else Level(
            _notation.place(names[: len(leading)], places[at]),
            row_axis,
            column_axis,
            grids[at],
            tuple(tuple(Colour(*pair) for pair in row) for row in painted[at].tolist()),
        )
        for at in shown(math.prod(leading), MOST_LEVELS)
    ]


class Block(NamedTuple):
    """A box of a mesh too large for numbers: neighbours that share their colour."""

    row: int
    column: int
    rows: int
    columns: int
    colour: Colour


def blocks(level: Level) -> Iterator[Block]:
    """Join the devices of a grid that share a colour."""
    downward = _runs([row[0] for row in level.colours])
    sideways = _runs(list(level.colours[0]))
    for (top, rows), (left, columns) in itertools.product(downward, sideways):
        yield Block(top, left, rows, columns, level.colours[top][left])


def _runs(keys: list[Colour]) -> list[tuple[int, int]]:
    """Where each run of equal keys starts, and how long it is."""
    found, start = [], 0
    for _, run in itertools.groupby(keys):
        length = len(list(run))
        found.append((start, length))
        start += length
    return found
