"""What stands beside a picture: the numbers that are always shown, and what else is true."""

import math
from collections.abc import Iterator, Mapping

from shardbook import _notation
from shardbook._device_labels import short_tokens
from shardbook._layout import Layout, Piece
from shardbook._panels import Cell, panels

SPOKEN_PIECES = 16
"""The text equivalent names the holders of each piece up to this many."""


def facts(layout: Layout, messages: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the label and the value of each number that is always shown.

    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> from shardbook import layout
    >>> from shardbook._messages import messages
    >>> two = layout(NamedSharding(AbstractMesh((2,), ("x",)), P("x")), (8,), "float32")
    >>> dict(facts(two, messages("en")))["per device"]
    '16 B'
    """
    if layout.axes:
        found = [(messages["mesh"], _mesh(layout, messages))]
    else:
        found = [(messages["sharding"], layout.kind), (messages["devices"], str(layout.device_count))]
    block = layout.varying is not None
    found.append((messages["block" if block else "shard"], _shape(layout.shard_shape)))
    if layout.bytes_per_device is not None and layout.total_bytes is not None:
        found.append((messages["per_device"], _notation.size(layout.bytes_per_device)))
        found.append((messages["all_blocks" if block else "total"], _notation.size(layout.total_bytes)))
    found.append((messages["blocks" if block else "pieces"], str(len(layout.pieces))))
    found.append((messages["block_holders" if block else "holders"], _copies(layout, messages)))
    if layout.on_host:
        found.append((messages["memory"], str(layout.memory_kind)))
    return tuple(found)


def notes(layout: Layout, messages: Mapping[str, str], drawn: int) -> tuple[str, ...]:
    """Return a sentence for each thing that is not so by default; ``drawn`` is the number of pieces in the picture."""
    axes = messages["list"].join(layout.unreduced)
    together = _together(layout)
    holds = {
        "inside": layout.varying is not None,
        "together": bool(together),
        "unchecked": not layout.checked,
        "undecided": bool(layout.undecided),
        "unreduced": bool(layout.unreduced),
        "on_host": layout.on_host,
        "remote": bool(layout.remote),
        "abstract": layout.abstract,
        "empty": 0 in layout.shape,
        "elided": drawn < len(layout.pieces),
    }
    return tuple(
        messages[key].format(
            axes=messages["list"].join(layout.undecided) if key == "undecided" else axes,
            **together,
            operation=layout.reduction,
            pieces=len(layout.pieces),
            drawn=drawn,
        )
        for key, true in holds.items()
        if true
    )


def spoken(layout: Layout, messages: Mapping[str, str]) -> str:
    """Return the picture's text equivalent."""
    text = messages["spoken"].format(
        type=layout,
        pieces=len(layout.pieces),
        devices=layout.device_count,
        shard=_shape(layout.shard_shape),
    )
    if len(layout.pieces) > SPOKEN_PIECES:
        return text
    named = {cell.piece.devices: cell.name for cell in _cells(layout)}
    placed = [
        messages["spoken_piece"].format(
            index=named[piece.devices] or messages["every_block"],
            devices=_holders(layout, piece, messages),
        )
        for piece in layout.pieces
    ]
    return text + messages["sentence"] + messages["clause"].join(placed) + messages["stop"]


def _cells(layout: Layout) -> Iterator[Cell]:
    for panel in panels(layout):
        for row in panel.cells if panel else ():
            yield from (cell for cell in row if cell)


def _together(layout: Layout) -> dict[str, str]:
    """The spec that puts the blocks together along one dimension an axis, and the type of what they then make."""
    splits = layout.splits
    if not layout.varying or not layout.shape or not layout.checked or any(splits) or 0 in layout.shape:
        return {}
    # More axes than dimensions share the first one.
    extra = max(0, len(layout.varying) - len(layout.shape)) + 1
    named = [layout.varying[:extra], *((name,) for name in layout.varying[extra:])]
    named += [()] * (len(layout.shape) - len(named))
    sizes = [
        size * math.prod(layout.axes[name].size for name in axes)
        for size, axes in zip(layout.shape, named, strict=True)
    ]
    written = ", ".join(repr(axes[0]) if len(axes) == 1 else repr(axes) for axes in named if axes)
    dtype = "" if layout.dtype is None else layout.dtype.name
    return {"spec": f"P({written})", "made": _notation.array_type(dtype, _notation.dimensions(sizes, named))}


def _holders(layout: Layout, piece: Piece, messages: Mapping[str, str]) -> str:
    written = short_tokens(layout, piece)
    return "".join(written).strip() if layout.unreduced else messages["list"].join(token.strip() for token in written)


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _mesh(layout: Layout, messages: Mapping[str, str]) -> str:
    kinds = {axis.type for axis in layout.axes.values()}
    if len(kinds) == 1:
        sizes = ", ".join(f"{name}={axis.size}" for name, axis in layout.axes.items())
        return f"{sizes} · {messages.get(*kinds, *kinds)}"
    typed = (f"{name}={axis.size} {messages.get(axis.type, axis.type)}" for name, axis in layout.axes.items())
    return messages["list"].join(typed)


def _copies(layout: Layout, messages: Mapping[str, str]) -> str:
    count = layout.device_count // len(layout.pieces)
    if layout.replication == 1:
        return str(count)
    if layout.replication == layout.device_count:
        return messages["fully_replicated"].format(count=count)
    axes = [name for name in layout.replicated if layout.axes[name].size > 1]
    return messages["replicated"].format(count=count, axes=messages["list"].join(axes)) if axes else str(count)
