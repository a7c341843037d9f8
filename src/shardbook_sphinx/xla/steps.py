"""The steps that a compiler takes for a case, as the tables have them: read from its program."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from shardbook._mesh_axes import varying

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shardbook import Collective


def steps(
    found: Iterable[Collective], sizes: dict[str, int], matrices: Mapping[str, tuple[int, int]], dtype: str
) -> Any:
    """The collectives of a program, in its order, each operand a step of its own."""
    return [step for each in found for step in steps_of(each, sizes, matrices, dtype)]


def steps_of(
    found: Collective, sizes: dict[str, int], matrices: Mapping[str, tuple[int, int]], dtype: str
) -> list[dict[str, Any]]:
    """A collective, its axes by their places, and its bytes as shares of the matrices it is of."""
    if found.times != 1 or found.at_most:
        raise ValueError(f"{found.operation} does not run once: the tables have no word for that")
    given: dict[tuple[str, str], int] = {}
    for buffer in found.operands:
        key = matrix_of(math.prod(buffer.shape), matrices), buffer.dtype
        given[key] = given.get(key, 0) + buffer.bytes
    told = []
    for (of, carried), size in given.items():
        bits = next(buffer.bits for buffer in found.operands if buffer.dtype == carried)
        received = found.bytes_per_device * size / sum(given.values())
        whole = math.prod(matrices[of]) * bits // 8
        told.append(
            {
                "kind": found.operation,
                "axes": [list(sizes).index(name) for name in varying(found.groups, sizes)],
                "members": len(found.groups[0]),
                "of": of,
                "fraction": received / whole,
            }
            | ({"dtype": carried} if carried != dtype else {})
        )
    return told


def matrix_of(elements: int, matrices: Mapping[str, tuple[int, int]]) -> str:
    """The matrix of which so many elements are a piece, or several pieces, cut along the mesh.

    >>> matrix_of(101 * 103, {"a": (1648, 1616), "b": (1616, 1712)})
    'a'
    """
    of = [name for name, shape in matrices.items() if odd(elements) == odd(math.prod(shape))]
    if len(of) != 1:
        raise ValueError(f"{elements} elements are of {of or 'none'} of {matrices}")
    return of[0]


def odd(number: int) -> int:
    """A number without its factors of two.

    >>> odd(24)
    3
    """
    return number // (number & -number)
