"""The changes of layout and the matrix products that the build measures, see tables.py."""

from __future__ import annotations

import math
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "_static/measured"
"""Where the site has the tables."""
TABLES = ("moves", "products", "moves-H100", "products-H100", "moves-v5e", "products-v5e")
"""The tables that the site has, see tables.py."""
READERS = ("explorer.md", "explain/product-cost.md", "explain/three-compilers.md")
"""The pages that need them: for a handbook without these nothing is measured."""

Sizes = tuple[int, ...]
"""The sizes of a mesh's axes."""
Spec = tuple[tuple[int, ...], tuple[int, ...]]
"""The mesh axes, by their places in the mesh, that split each dimension of a matrix."""

MESHES: tuple[Sizes, ...] = ((2, 4), (4, 2), (2, 2), (4, 4), (4,), (8,))
"""On these changes of layout are measured: it matters which axis is the longer, not how long."""
PRODUCT_MESHES: tuple[Sizes, ...] = ((2, 4), (2, 2), (8,))
"""On these products are, on the first with tuples too. On 4 × 2 they are those of 2 × 4 with the axes exchanged."""
DEVICES = max(map(math.prod, MESHES))
LETTERS = "xyz"
"""The names of their axes."""
DTYPE = "float32"
MOVED = (64, 64)
"""Shape of the matrix that changes its layout; which steps XLA takes does not depend on it."""
PRODUCT = {"a": (1648, 1616), "b": (1616, 1712), "out": (1648, 1712)}
"""Shapes of A, B and A @ B. Near squares, since XLA's choice depends on their proportions; 16 times the primes 103, 101
and 107, so that the number of elements in a piece tells which of the three it is of."""


class Case(NamedTuple):
    """Something to compile: a change of layout, which has one operand, or a product, which has two."""

    mesh: Sizes
    operands: tuple[Spec, ...]
    result: Spec


def are_wanted(docs: Path) -> bool:
    """Whether a page needs the tables."""
    return any((docs / name).is_file() for name in READERS)


def specs(axes: int) -> list[Spec]:
    """All ways to split a matrix over a mesh of so many axes, or over some of them.

    >>> specs(1)
    [((), ()), ((), (0,)), ((0,), ())]
    >>> len(specs(2))
    11
    """
    orders = [order for count in range(axes + 1) for order in permutations(range(axes), count)]
    return list(_disjoint(orders))


def product_specs(mesh: Sizes) -> list[Spec]:
    """The ways to split the matrices of a product; of tuples only those that name axes in the order of the mesh.

    >>> [spec for spec in specs(2) if spec not in product_specs((2, 4))]
    [((), (1, 0)), ((1, 0), ())]
    >>> len(product_specs((2, 4))), len(product_specs((2, 2)))
    (9, 7)
    """
    most = len(mesh) if mesh == PRODUCT_MESHES[0] else 1
    orders = [order for count in range(most + 1) for order in combinations(range(len(mesh)), count)]
    return list(_disjoint(orders))


def moves(mesh: Sizes) -> list[Case]:
    """Every change from one layout to another on a mesh."""
    return [Case(mesh, (before,), after) for before, after in product(specs(len(mesh)), repeat=2)]


def products(mesh: Sizes) -> list[Case]:
    """Every way to split A, B and their product on a mesh."""
    return [Case(mesh, (a, b), out) for a, b, out in product(product_specs(mesh), repeat=3)]


def cases() -> list[Case]:
    """All that is measured."""
    return [
        *(case for mesh in MESHES for case in moves(mesh)),
        *(case for mesh in PRODUCT_MESHES for case in products(mesh)),
    ]


def _disjoint(orders: list[tuple[int, ...]]) -> Iterator[Spec]:
    """Pairs without a common axis: an axis can split one dimension only."""
    return ((rows, columns) for rows, columns in product(orders, repeat=2) if not set(rows) & set(columns))
