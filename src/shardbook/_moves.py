"""What must cross devices when an array goes from one layout to another.

Nothing is moved: both layouts say who holds which box, and the rest is the difference of boxes.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, Sharding
from rich.text import Text

from shardbook._display import Display
from shardbook._layout import Layout, Piece, bytes_of, layout
from shardbook._messages import messages
from shardbook._moves_view import moves_html, moves_lines
from shardbook._public import public


@public
class Receipt(NamedTuple):
    """What one device must receive."""

    device: int
    """Its id; its position in the mesh when the mesh is abstract."""
    index: tuple[slice, ...]  # type: ignore[assignment]  # it hides tuple.index, which nobody needs here
    """The part of the array it holds afterwards: one slice a dimension."""
    kept: tuple[slice, ...] | None
    """The part of that which it holds already; None if that is nothing."""
    elements: int
    """How many elements it lacks."""
    bytes: int | None
    """Bytes of those, rounded up to whole ones; None without a dtype."""


@public
@dataclass(frozen=True, repr=False)
class Moves(Display):
    """What each device must receive to go from one layout to another.

    Displays itself in a notebook, through rich, and by ``print``.

    Attributes
    ----------
    before, after
        The two layouts.
    receipts
        What each device of ``after`` must receive, by device.
    language
        Of the words, "en" or "zh".
    """

    before: Layout
    after: Layout
    receipts: tuple[Receipt, ...]
    language: str = "en"

    @property
    def elements(self) -> int:
        """How many elements must cross devices at least: an element counts once for each device that lacks it."""
        return sum(receipt.elements for receipt in self.receipts)

    @property
    def bytes(self) -> int | None:
        """How many bytes must cross devices at least, in sum over the devices that receive; None without a dtype."""
        return None if self.after.dtype is None else sum(receipt.bytes or 0 for receipt in self.receipts)

    @property
    def bytes_per_device(self) -> int | None:
        """The most bytes any one device must receive; None without a dtype."""
        return None if self.after.dtype is None else max(receipt.bytes or 0 for receipt in self.receipts)

    def parts(self, device: int) -> tuple[Piece, ...]:
        """Return what ``device`` must receive, cut as ``before`` is: each part with the devices that can send it.

        >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
        >>> mesh = AbstractMesh((2,), ("x",))
        >>> rows = layout(NamedSharding(mesh, P("x")), (4, 4))
        >>> moves(rows, NamedSharding(mesh, P(None, "x"))).parts(0)
        (Piece(index=(slice(2, 4, None), slice(0, 2, None)), devices=(1,)),)

        Raises
        ------
        KeyError
            ``device`` does not take part in ``after``.
        """
        needed = next((receipt.index for receipt in self.receipts if receipt.device == device), None)
        if needed is None:
            raise KeyError(f"device {device} holds nothing afterwards; {self.after!r} names the devices that do")
        found = ((piece, _common(piece.index, needed)) for piece in self.before.pieces)
        return tuple(
            Piece(common, piece.devices)
            for piece, common in found
            if common is not None and device not in piece.devices
        )

    def _html(self, messages: Mapping[str, str]) -> str:
        return moves_html(self, messages)

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        return moves_lines(self, messages, width)


@public
def moves(before: Any, after: Any, *, language: str | None = None) -> Moves:
    """Say what each device must receive for an array to go from one layout to another.

    A device must receive every element that it holds afterwards and not before. No way of moving the array, whatever
    its steps, sends less in sum: so ``bytes`` is a bound, and ``collectives`` says what the compiler really does.

    >>> import jax
    >>> mesh = jax.sharding.AbstractMesh((2, 4), ("x", "y"))
    >>> rows = jax.ShapeDtypeStruct((8, 8), "float32", sharding=NamedSharding(mesh, PartitionSpec("x")))
    >>> columns = jax.ShapeDtypeStruct((8, 8), "float32", sharding=NamedSharding(mesh, PartitionSpec(None, "y")))
    >>> found = moves(rows, columns)
    >>> found.receipts[0]
    Receipt(device=0, index=(slice(0, 8, None), slice(0, 2, None)), kept=(slice(0, 4, None), slice(0, 2, None)), \
elements=8, bytes=32)
    >>> found.bytes
    256

    The second may be a sharding or a spec, for the first one's shape and mesh. To replicate costs each of the eight
    devices the half it lacks:

    >>> moves(rows, PartitionSpec()).bytes == 8 * rows.size * 4 // 2
    True

    Parameters
    ----------
    before
        A ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, or a ``Layout``.
    after
        The same, or a sharding, or a ``PartitionSpec``.
    language
        Of the words, "en" (the default) or "zh".

    Raises
    ------
    ValueError
        Shape or dtype differ; a layout holds partial results, whose sum is not a matter of moving; one mesh is
        abstract and the other not, so that nothing says which position is which device; ``layout`` refuses; or there is
        no such language.
    TypeError
        ``layout`` cannot read one of them.
    """
    first = _read(before)
    if isinstance(after, PartitionSpec) and isinstance(getattr(before, "sharding", None), NamedSharding):
        after = NamedSharding(before.sharding.mesh, after)
    second = layout(after, first.shape, first.dtype) if isinstance(after, Sharding | PartitionSpec) else _read(after)
    _check(first, second)
    messages(language or "en")
    return Moves(first, second, tuple(_receipts(first, second)), language or "en")


def _read(x: Any) -> Layout:
    return x if isinstance(x, Layout) else layout(x)


def _check(before: Layout, after: Layout) -> None:
    if before.shape != after.shape:
        raise ValueError(
            f"moves compares two layouts of one array, and the shapes differ: {before.shape} before, {after.shape} "
            f"after; ask for the layout after with the same shape"
        )
    if before.dtype != after.dtype:
        raise ValueError(
            f"moves compares two layouts of one array, and the dtypes differ: {before.dtype} before, {after.dtype} "
            f"after; a cast is no move, give both the same dtype"
        )
    for name, side in (("before", before), ("after", after)):
        if side.unreduced:
            raise ValueError(
                f"{side} {name} holds partial results over {', '.join(map(repr, side.unreduced))}: to combine them is "
                f"computation, not movement; compare layouts without unreduced axes, or ask collectives() about the "
                f"function that reduces"
            )
        if side.varying is not None:
            raise ValueError(
                f"{side} {name} is a block inside shard_map, whose place in an array only the out_specs tell; compare "
                f"the arrays outside"
            )
    if before.abstract != after.abstract:
        one, other = ("before", "after") if before.abstract else ("after", "before")
        raise ValueError(
            f"the mesh {one} is abstract, so its devices are positions, and those {other} are device ids; "
            f"put both layouts on a real mesh, or both on an abstract one"
        )


def _receipts(before: Layout, after: Layout) -> Iterator[Receipt]:
    """One receipt a device of ``after``; all boxes are intersected at once, so 4096 devices take no time."""
    devices, starts, stops = _boxes(after)
    held, held_starts, held_stops = _boxes(before)
    row = {device: at for at, device in enumerate(held)}
    # A device that held nothing gets the last row, an empty box.
    rank = len(after.shape)
    held_starts = np.concatenate([held_starts, np.zeros((1, rank), int)])
    held_stops = np.concatenate([held_stops, np.zeros((1, rank), int)])
    rows = [row.get(device, len(held)) for device in devices]
    low, high = np.maximum(starts, held_starts[rows]), np.minimum(stops, held_stops[rows])
    needed = np.prod(stops - starts, axis=1, dtype=np.int64)
    kept = np.prod(np.maximum(high - low, 0), axis=1, dtype=np.int64)
    # A box of no dimensions has one element, whether the device had it or not.
    kept[[at == len(held) for at in rows]] = 0
    order = sorted(range(len(devices)), key=devices.__getitem__)
    columns = (needed.tolist(), kept.tolist(), starts.tolist(), stops.tolist(), low.tolist(), high.tolist())
    for at in order:
        whole, part, start, stop, first, last = (column[at] for column in columns)
        lacking = whole - part
        yield Receipt(
            devices[at],
            tuple(map(slice, start, stop)),
            tuple(map(slice, first, last)) if part else None,
            lacking,
            None if after.dtype is None else bytes_of(lacking, after.dtype),
        )


def _boxes(side: Layout) -> tuple[list[int], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Every device, and the starts and stops of its box, a row each."""
    devices = list(itertools.chain.from_iterable(piece.devices for piece in side.pieces))
    shape = (len(side.pieces), len(side.shape))
    counts = [len(piece.devices) for piece in side.pieces]
    edges = [
        np.array([[getattr(part, edge) for part in piece.index] for piece in side.pieces], np.int64).reshape(shape)
        for edge in ("start", "stop")
    ]
    starts, stops = (np.repeat(found, counts, axis=0) for found in edges)
    return devices, starts, stops


def _common(one: Sequence[slice], other: Sequence[slice]) -> tuple[slice, ...] | None:
    found = tuple(slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return found if all(part.start < part.stop for part in found) else None
