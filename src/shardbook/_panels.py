"""What to draw, before anyone decides with what: panels of rows and columns of pieces.

At most two dimensions can be rows and columns. Dimensions that are split come first for it; a third one that is
split makes small multiples, one panel for each of its parts.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from shardbook import _notation
from shardbook._layout import Layout, Piece

MAX_PIECES = 512
"""Beyond this many pieces only the first ones and the last are drawn."""


@dataclass(frozen=True)
class Cell:
    """One piece."""

    piece: Piece
    name: str
    """Where it lies, such as "[0:2, 0:4]", or which block it is, such as "x=0, y=1"."""


@dataclass(frozen=True)
class Panel:
    """A grid of pieces with the labels around it.

    Attributes
    ----------
    title
        The index this panel shows of the whole array, such as "8@x  [0:4, :, :]"; "" if it shows all.
    row_label, column_label
        The dimension along the side and the top, such as "4@x"; "" if there is none.
    rows, columns
        The index range of each, "" where there is no dimension; None where some are left out.
    cells
        Row by row; None where pieces are left out.
    sides
        The height and the width of all that the panel shows, in elements, or in blocks inside ``shard_map``; 0 where
        there is no dimension.
    """

    title: str
    row_label: str
    column_label: str
    rows: tuple[str | None, ...]
    columns: tuple[str | None, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    sides: tuple[int, int]

    def bands(self, limit: int) -> tuple["Panel", ...]:
        """Break a panel into bands of at most ``limit`` columns, as even as can be; the first has the title."""
        total = len(self.columns)
        count = -(-total // max(limit, 1))
        width = -(-total // count)
        return tuple(
            Panel(
                "" if start else self.title,
                self.row_label,
                "" if start else self.column_label,
                self.rows,
                self.columns[start : start + width],
                tuple(row[start : start + width] for row in self.cells),
                self.sides,
            )
            for start in range(0, total, width)
        )


def panels(layout: Layout, like: Sequence[int] = ()) -> tuple[Panel | None, ...]:
    """Arrange a layout's pieces in panels; None stands for panels that are left out.

    ``like`` is the grid of another layout of the same array, which is to have the same rows and columns.

    >>> import jax
    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> from shardbook import layout
    >>> sharding = NamedSharding(AbstractMesh((2, 2, 2), ("x", "y", "z")), P("x", "y", "z"))
    >>> [panel.title for panel in panels(layout(sharding, (4, 6, 8)))]
    ['4@x  [0:2, :, :]', '4@x  [2:4, :, :]']
    """
    if layout.varying is not None:
        return _blocks(layout)
    dims = _notation.dimensions(layout.shape, layout.splits)
    drawn = _drawn([max(counts) for counts in zip(layout.grid, like or layout.grid, strict=True)])
    leading = [dimension for dimension in range(len(dims)) if dimension not in drawn]
    row, column = ([None] * 2 + drawn)[-2:]
    elide = len(layout.pieces) > MAX_PIECES
    rows = shown(1 if row is None else layout.grid[row], 4 if elide else None)
    columns = shown(1 if column is None else layout.grid[column], (6 if len(rows) == 1 else 4) if elide else None)
    places = itertools.product(*(range(layout.grid[dimension]) for dimension in leading))
    chosen = list(places)

    def cell(place: Sequence[int], down: int | None, across: int | None) -> Cell | None:
        if down is None or across is None:
            return None
        at = dict(zip(leading, place, strict=True)) | ({} if row is None else {row: down})
        at |= {} if column is None else {column: across}
        where = [at[dimension] for dimension in range(len(dims))]
        number = 0
        for step, count in zip(where, layout.grid, strict=True):
            number = number * count + step
        piece = layout.pieces[number]
        return Cell(piece, _notation.index(piece.index))

    def panel(place: Sequence[int]) -> Panel:
        cells = tuple(tuple(cell(place, down, across) for across in columns) for down in rows)
        index = [":"] * len(dims)
        for dimension in leading:
            first = next(found for line in cells for found in line if found)
            index[dimension] = _notation.span(first.piece.index[dimension])
        split = [dims[dimension] for dimension in leading if layout.grid[dimension] > 1]
        return Panel(
            title="  ".join([*split, f"[{', '.join(index)}]"]) if leading else "",
            row_label="" if row is None else dims[row],
            column_label="" if column is None else dims[column],
            rows=("",) if row is None else tuple(_range(line[0], row) for line in cells),
            columns=("",) if column is None else tuple(_range(found, column) for found in cells[0]),
            cells=cells,
            sides=(0 if row is None else layout.shape[row], 0 if column is None else layout.shape[column]),
        )

    return tuple(None if at is None else panel(chosen[at]) for at in shown(len(chosen), 4 if elide else None))


def count_pieces(arranged: Sequence[Panel | None]) -> int:
    """Return how many pieces panels show; a layout may have more."""
    return sum(cell is not None for panel in arranged if panel for row in panel.cells for cell in row)


def _blocks(layout: Layout) -> tuple[Panel | None, ...]:
    """Arrange blocks inside ``shard_map`` by their place in the mesh: the last two axes are rows and columns."""
    names = layout.place_axes
    sizes = [layout.axes[name].size for name in names]
    leading, (row, column) = names[:-2], (["", "", *names])[-2:]
    elide = len(layout.pieces) > MAX_PIECES
    rows = shown(layout.axes[row].size if row else 1, 4 if elide else None)
    columns = shown(layout.axes[column].size if column else 1, (6 if len(rows) == 1 else 4) if elide else None)
    chosen = list(itertools.product(*(range(size) for size in sizes[: len(leading)])))

    def cell(place: Sequence[int], down: int | None, across: int | None) -> Cell | None:
        if down is None or across is None:
            return None
        where = [*place, *([down] if row else []), *([across] if column else [])]
        number = 0
        for step, count in zip(where, sizes, strict=True):
            number = number * count + step
        return Cell(layout.pieces[number], _notation.place(names, where))

    def panel(place: Sequence[int]) -> Panel:
        return Panel(
            title=_notation.place(leading, place),
            row_label=row,
            column_label=column,
            rows=tuple("" if not row else None if at is None else str(at) for at in rows),
            columns=tuple("" if not column else None if at is None else str(at) for at in columns),
            cells=tuple(tuple(cell(place, down, across) for across in columns) for down in rows),
            sides=(layout.axes[row].size if row else 0, layout.axes[column].size if column else 0),
        )

    return tuple(None if at is None else panel(chosen[at]) for at in shown(len(chosen), 4 if elide else None))


def _range(cell: Cell | None, dimension: int) -> str | None:
    return None if cell is None else _notation.span(cell.piece.index[dimension])


def _drawn(grid: Sequence[int]) -> list[int]:
    """The dimensions to draw as rows and columns: the last two, but one that is split before one that is not.

    Eight panels of one box each would say less than one panel of eight rows.
    """
    by_worth = sorted(range(len(grid)), key=lambda dimension: (grid[dimension] > 1, dimension))
    return sorted(by_worth[-2:])


def shown(count: int, limit: int | None) -> list[int | None]:
    """Which of ``count`` parts to draw: all, or the first ``limit - 1``, a gap and the last."""
    if limit is None or count <= limit + 1:
        return list(range(count))
    return [*range(limit - 1), None, count - 1]
