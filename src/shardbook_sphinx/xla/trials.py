"""The changes of layout and the products that are compiled for chips: which, of what sizes, and where it is recorded.

What the compilers gave stands in ``docs/_data/compilers/trials/CHIP.json.xz``, by a name that says all that was asked.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from shardbook_sphinx.recorded import FOLDER
from shardbook_sphinx.xla.cases import DTYPE, LETTERS, MESHES, PRODUCT, PRODUCT_MESHES, Case, moves, products

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from shardbook_sphinx.xla.cases import Sizes, Spec

Shape = tuple[int, int]

CHIPS = ("H100", "v5e", "v5p")
UNITS = (128, 512, 1024)
"""Multiples of these are the sizes of matrices: nearly 2048, 8192 and 16384."""
DTYPES = ("bfloat16", "float32")
MOVED = {"x": (1024, 1024)}
"""What changes its layout: a piece of it fills a TPU's tiles."""
# All products in these: for H100 the matrices that the CPU gets, for a TPU some that people have.
ALL = {"H100": (DTYPE, PRODUCT), "v5e": ("bfloat16", None)}
ALL_UNIT = 512


class Trial(NamedTuple):
    """A case on a chip, with matrices of a dtype and of certain shapes."""

    chip: str
    dtype: str
    shapes: tuple[tuple[str, Shape], ...]
    case: Case

    @property
    def topology(self) -> str:
        """The machine that the mesh is made of, as ``shardbook.chip_mesh`` names it."""
        count = math.prod(self.case.mesh)
        if self.chip == "H100":
            return f"{max(1, count // 8)}x{min(8, count)}"
        flat = {4: "2x2", 8: "2x4", 16: "4x4"}[count]
        return {"v5e": flat, "v5p": {4: "2x2x1", 8: "2x2x2", 16: "2x2x4"}[count]}[self.chip]

    @property
    def name(self) -> str:
        """What its record is called.

        >>> Trial("v5e", "bfloat16", tuple(shapes(128).items()), Case((2, 4), (((), (1,)), ((1,), ())), ((), ()))).name
        'bfloat16[2048,1920] (None, y) @ bfloat16[1920,2176] (y, None) -> (None, None) on 2x4'
        """
        given = [
            f"{self.dtype}[{','.join(map(str, shape))}] {written(spec)}"
            for (_, shape), spec in zip(self.shapes, self.case.operands, strict=False)
        ]
        return f"{' @ '.join(given)} -> {written(self.case.result)} on {'x'.join(map(str, self.case.mesh))}"


def written(spec: Spec) -> str:
    """A spec in short.

    >>> written(((), (0, 1)))
    '(None, xy)'
    """
    return f"({', '.join(''.join(LETTERS[axis] for axis in axes) or 'None' for axes in spec)})"


def shapes(unit: int) -> dict[str, Shape]:
    """Matrices of a size: nearly square, and the number of elements in a piece tells which of the three it is of."""
    rows, summed, columns = 16 * unit, 15 * unit, 17 * unit
    return {"a": (rows, summed), "b": (summed, columns), "out": (rows, columns)}


def moved(chip: str) -> list[Trial]:
    """Each change of layout that the CPU's table has."""
    return [Trial(chip, DTYPE, tuple(MOVED.items()), case) for mesh in MESHES for case in moves(mesh)]


def multiplied(chip: str, dtype: str, matrices: dict[str, Shape], meshes: Iterable[Sizes]) -> list[Trial]:
    """Each product on some meshes."""
    return [Trial(chip, dtype, tuple(matrices.items()), case) for mesh in meshes for case in products(mesh)]


def all_products(chip: str) -> list[Trial]:
    """The products that are compiled all for a chip; none for the third, of which only one of each kind is."""
    if chip not in ALL:
        return []
    dtype, matrices = ALL[chip]
    meshes = PRODUCT_MESHES if chip == "H100" else PRODUCT_MESHES[:1]
    return multiplied(chip, dtype, matrices or shapes(ALL_UNIT), meshes)


def by_size(chip: str, cases: Iterable[Case]) -> list[Trial]:
    """Some products in each dtype and size."""
    found = list(cases)
    return [
        Trial(chip, dtype, tuple(shapes(unit).items()), case) for dtype in DTYPES for unit in UNITS for case in found
    ]


def possible(chip: str) -> list[Trial]:
    """All trials that may be recorded for a chip, each once."""
    found = [*moved(chip), *all_products(chip), *by_size(chip, products(PRODUCT_MESHES[0]))]
    return list({trial.name: trial for trial in found}.values())


def recorded_trials(root: Path, chip: str) -> Path:
    """The file of what a chip's compiler gave."""
    return root / FOLDER / "trials" / f"{chip}.json.xz"
