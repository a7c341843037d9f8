"""The steps that a compiler takes for a case, as the tables have them: read from its program."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from shardbook._mesh_axes import varying

SUMS = ("all-reduce", "reduce-scatter")
# A TPU pads what it adds up to whole tiles, and then moves the rows or columns that stand on the wrong device. In a
# product only partial results are added up.
SUMMED = "out"

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shardbook import Collective


def steps(
    found: Iterable[Collective], sizes: dict[str, int], matrices: Mapping[str, tuple[int, int]], dtype: str
) -> list[dict[str, Any]]:
    """The collectives of a program, in its order: each as often as it runs, and of each matrix it is of a step.

    A step is described in tables.py.
    """
    every = list(found)
    padded = any(each.operation in SUMS and not are_pieces(each, matrices) for each in every)
    told = []
    for each in every:
        if each.times is None or each.at_most:
            raise ValueError(f"nobody knows how often {each.operation} runs: the tables have no word for that")
        told += steps_of(each, sizes, matrices, dtype, padded=padded) * each.times
    return told


def steps_of(
    found: Collective, sizes: dict[str, int], matrices: Mapping[str, tuple[int, int]], dtype: str, *, padded: bool
) -> list[dict[str, Any]]:
    """A collective, its axes by their places, and its bytes as shares of the matrices it is of."""
    given: dict[tuple[str, str], int] = {}
    for buffer in found.operands:
        of = piece_of(math.prod(buffer.shape), matrices)
        if not of and not (padded and found.operation in {*SUMS, "collective-permute"}):
            raise ValueError(f"{buffer} is a piece of none of {matrices}")
        key = of or SUMMED, buffer.dtype
        given[key] = given.get(key, 0) + buffer.bytes
    told = []
    for (of, carried), size in given.items():
        bits = next(buffer.bits for buffer in found.operands if buffer.dtype == carried)
        received = found.bytes_per_device * size / sum(given.values())
        whole = math.prod(matrices[of]) * bits // 8
        step = {
            "kind": found.operation,
            "axes": [list(sizes).index(name) for name in varying(found.groups, sizes)],
            "members": len(found.groups[0]),
            "of": of,
            "fraction": received / whole,
        }
        told.append(step | ({"dtype": carried} if carried != dtype else {}))
    return told


def are_pieces(found: Collective, matrices: Mapping[str, tuple[int, int]]) -> bool:
    """Whether all that a collective takes are pieces of matrices."""
    return all(piece_of(math.prod(buffer.shape), matrices) for buffer in found.operands)


def piece_of(elements: int, matrices: Mapping[str, tuple[int, int]]) -> str:
    """The matrix of which so many elements are a piece, or several pieces, cut along the mesh; "" if there is none.

    >>> piece_of(101 * 103, {"a": (1648, 1616), "b": (1616, 1712)})
    'a'
    """
    of = [name for name, shape in matrices.items() if odd(elements) == odd(math.prod(shape))]
    return of[0] if len(of) == 1 else ""


def odd(number: int) -> int:
    """A number without its factors of two.

    >>> odd(24)
    3
    """
    return number // (number & -number)
