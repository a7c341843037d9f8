"""The model: which device holds which part of an array.

Nothing here draws, and nothing allocates: a layout is computed from axis sizes, a spec and a shape.
"""

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, Sharding

from shardbook import _notation
from shardbook._public import public


@public
class Axis(NamedTuple):
    """A mesh axis."""

    size: int
    """How many devices stand along it."""
    type: str
    """``"Auto"``, ``"Explicit"`` or ``"Manual"``."""


@public
class Piece(NamedTuple):
    """A part of an array, and who holds it."""

    index: tuple[slice, ...]  # type: ignore[assignment]  # it hides tuple.index, which nobody needs here
    """Where it lies: one slice a dimension, with int start and stop."""
    devices: tuple[int, ...]
    """Ids of the devices that hold it, in mesh order; positions in the mesh when the mesh is abstract."""


@public
@dataclass(frozen=True)
class Layout:
    """How an array lies on its devices.

    ``print`` of a layout gives its type; ``shardbook.show`` draws it.

    Attributes
    ----------
    shape
        The whole array's shape.
    dtype
        Its dtype, or None if none was given.
    shard_shape
        The shape of one piece.
    grid
        The number of pieces along each dimension.
    pieces
        Every piece, in row-major order over ``grid``.
    axes
        The mesh axes by name, in mesh order; empty for shardings that have no mesh.
    spec
        The partition spec, or None for shardings that have none.
    memory_kind
        Such as "device" or "pinned_host"; None when the sharding does not say.
    on_host
        Whether that is host memory of devices whose own memory is elsewhere.
    unreduced
        Mesh axes over which the devices hold partial results, in mesh order.
    replication
        How many devices hold a copy of each piece. Partial results are no copies.
    bytes_per_device
        Bytes of one piece's elements; None without a dtype. A TPU stores them in tiles, which can take more.
    total_bytes
        Bytes of the whole array, every element counted once; None without a dtype. Inside ``shard_map`` those of
        all blocks that may differ.
    remote
        Devices of other processes, which this process cannot address.
    abstract
        Whether ``devices`` are positions in an abstract mesh instead of device ids.
    kind
        The class name of the sharding it was read from.
    varying
        Inside ``shard_map`` the manual mesh axes along which blocks may differ, in mesh order; None elsewhere. There
        ``shape`` is that of one block, and ``pieces`` has every block in mesh order, each with its index in itself.
    checked
        Whether JAX knows along which axes blocks are equal; False inside ``shard_map(check_vma=False)``.
    """

    shape: tuple[int, ...]
    dtype: Any
    shard_shape: tuple[int, ...]
    grid: tuple[int, ...]
    pieces: tuple[Piece, ...]
    axes: Mapping[str, Axis]
    spec: PartitionSpec | None
    memory_kind: str | None
    on_host: bool
    unreduced: tuple[str, ...]
    replication: int
    bytes_per_device: int | None
    total_bytes: int | None
    remote: frozenset[int]
    abstract: bool
    kind: str
    varying: tuple[str, ...] | None = None
    checked: bool = True

    @property
    def device_count(self) -> int:
        """How many devices take part."""
        return sum(len(piece.devices) for piece in self.pieces)

    @property
    def splits(self) -> tuple[tuple[str, ...], ...]:
        """The mesh axes that split each dimension, one tuple a dimension.

        >>> mesh = jax.sharding.AbstractMesh((2, 4), ("x", "y"))
        >>> layout(NamedSharding(mesh, PartitionSpec(("x", "y"))), (8, 3)).splits
        (('x', 'y'), ())
        """
        return _padded(self.spec, len(self.shape))

    @property
    def replicated(self) -> tuple[str, ...]:
        """The mesh axes along which every piece is copied, in mesh order."""
        used = {*itertools.chain.from_iterable(self.splits), *self.unreduced, *(self.varying or ()), *self.undecided}
        return tuple(name for name in self.axes if name not in used)

    @property
    def undecided(self) -> tuple[str, ...]:
        """The mesh axes along which the compiler may yet split a block inside ``shard_map``, in mesh order."""
        if self.varying is None:
            return ()
        return tuple(name for name, axis in self.axes.items() if axis.type == "Auto" and axis.size > 1)

    @property
    def place_axes(self) -> tuple[str, ...]:
        """The mesh axes that say which block, or part of a block, a device has inside ``shard_map``."""
        return (*(self.varying or ()), *itertools.chain.from_iterable(self.splits))

    @property
    def reduction(self) -> str:
        """How partial results combine over the unreduced axes: "sum", "max" or "min"."""
        return str(getattr(getattr(self.spec, "unreduced_kind", None), "name", "sum"))

    def terms(self, piece: Piece) -> tuple[tuple[int, ...], ...]:
        """Group a piece's devices: one group a copy, and in it the devices whose partial results make the value.

        Without unreduced axes each group is one device.

        >>> mesh = jax.sharding.AbstractMesh((2, 4), ("x", "y"))
        >>> one = layout(NamedSharding(mesh, PartitionSpec("x")), (4,))
        >>> one.terms(one.pieces[0])
        ((0,), (1,), (2,), (3,))
        """
        if not self.unreduced:
            return tuple((device,) for device in piece.devices)
        free = [name for name in self.axes if name in self.unreduced or name in self.replicated]
        block = np.asarray(piece.devices).reshape([self.axes[name].size for name in free])
        order = sorted(range(len(free)), key=lambda position: free[position] in self.unreduced)
        groups = block.transpose(order).reshape(self.replication, -1)
        return tuple(map(tuple, groups.tolist()))

    def __str__(self) -> str:
        dtype = "" if self.dtype is None else self.dtype.name + ("<host>" if self.on_host else "")
        marks = [
            ("V", self.varying if self.varying and self.checked else ()),
            ("U" if self.reduction == "sum" else f"U_{self.reduction}", self.unreduced),
            ("R", _ordered(self.axes, getattr(self.spec, "reduced", ()))),
        ]
        return _notation.array_type(dtype, _notation.dimensions(self.shape, self.splits), marks)

    def __repr__(self) -> str:
        return f"<Layout {self}: pieces {len(self.pieces)}, devices {self.device_count}>"


@public
def layout(x: Any, shape: Sequence[int] | None = None, dtype: Any = None) -> Layout:
    """Say which device holds which part of an array.

    >>> mesh = jax.make_mesh((2, 4), ("x", "y"))
    >>> x = jax.device_put(jnp.zeros((4, 8)), NamedSharding(mesh, PartitionSpec("x", "y")))
    >>> print(layout(x))
    float32[4@x, 8@y]
    >>> layout(x).pieces[1]
    Piece(index=(slice(0, 2, None), slice(2, 4, None)), devices=(1,))

    A sharding needs a shape, and need not have devices: with an abstract mesh they are positions 0..n-1.

    >>> mesh = jax.sharding.AbstractMesh((64, 64), ("data", "model"))
    >>> big = layout(NamedSharding(mesh, PartitionSpec("data", "model")), (8192, 50304 * 2), "bfloat16")
    >>> big.shard_shape, big.bytes_per_device
    ((128, 1572), 402432)

    Parameters
    ----------
    x
        A ``jax.Array``, a ``jax.ShapeDtypeStruct`` or anything else with shape, dtype and sharding, such as what Orbax
        says of a saved array; or a sharding, or a ``PartitionSpec`` for the mesh that ``jax.set_mesh`` has set. A
        traced value will do where its type has a sharding: under ``jit`` in Explicit mode, and inside ``shard_map``,
        where the layout is that of the blocks. Its devices are positions in the mesh.
    shape
        The whole array's shape; only with a sharding or spec.
    dtype
        Its dtype; only with a sharding or spec. Without it the layout has no bytes.

    Raises
    ------
    ValueError
        What JAX refuses too: a dimension its axes do not divide, an axis that the mesh lacks or that is used twice, a
        spec longer than the shape. And a ``ShapeDtypeStruct`` without a sharding.
    TypeError
        ``x`` has no sharding at all, or ``shape`` is missing or superfluous; or ``x`` is traced in Auto mode, where
        only the compiled function knows: ``shardbook.show`` draws it when that runs.
    """
    if isinstance(x, jax.core.Tracer) and shape is None and dtype is None:
        return _from_tracer(x)
    sharding, shape, dtype = _described(x, shape, dtype)
    if isinstance(sharding, PartitionSpec):
        return layout_on_mesh(_current_mesh(sharding), sharding, shape, dtype)
    if isinstance(sharding, NamedSharding):
        return layout_on_mesh(sharding.mesh, sharding.spec, shape, dtype, sharding)
    return _from_indices(sharding, shape, dtype)


def _described(x: Any, shape: Sequence[int] | None, dtype: Any) -> tuple[Any, tuple[int, ...], Any]:
    """Sharding, shape and dtype of whatever ``layout`` was given."""
    if isinstance(x, Sharding | PartitionSpec):
        if shape is None:
            raise TypeError(f"layout({type(x).__name__}) also needs a shape: layout(sharding, shape, dtype)")
        return x, tuple(map(int, shape)), None if dtype is None else _dtype(dtype)
    if shape is not None or dtype is not None:
        raise TypeError(f"layout of {type(x).__name__} takes no shape or dtype: it has its own")
    if not all(hasattr(x, name) for name in ("shape", "dtype", "sharding")):
        raise TypeError(
            f"layout expects a jax.Array, a jax.ShapeDtypeStruct or a sharding with a shape, not {type(x).__name__}; "
            "jax.device_put(value, sharding) makes an array of it"
        )
    # Orbax keeps shardings in a form of its own.
    sharding = x.sharding.to_jax_sharding() if hasattr(x.sharding, "to_jax_sharding") else x.sharding
    if sharding is None:
        raise ValueError(f"{x} has no sharding: give it one, jax.ShapeDtypeStruct(shape, dtype, sharding=...)")
    return sharding, tuple(x.shape), _dtype(x.dtype)


def _from_tracer(x: Any) -> Layout:
    """The layout that a traced value's type tells."""
    kind: Any = x.aval
    sharding: Any = getattr(kind, "sharding", None)
    mesh: Any = getattr(sharding, "mesh", None)
    types = dict(zip(mesh.axis_names, map(_type_name, mesh.axis_types or ()), strict=False)) if mesh else {}
    # JAX 0.10 renamed it.
    manual: Any = getattr(kind, "manual_axis_type", None)
    varies = getattr(kind, "vma", None) if manual is None else manual.varying
    names = [name for name, of in types.items() if of == "Manual"]
    if names and varies is not None:
        # Where JAX does not keep account of it, not even an axis' own index varies.
        index = jax.lax.axis_index(names[0]).aval
        known: Any = getattr(index, "manual_axis_type", None)
        checked = bool(index.vma if known is None else known.varying)
        varying = _ordered(mesh.shape, varies) if checked else tuple(names)
        return layout_on_mesh(mesh, sharding.spec, kind.shape, kind.dtype, varying=varying, checked=checked)
    if names or any(of == "Auto" and mesh.shape[name] > 1 for name, of in types.items()) or not types:
        raise TypeError(
            "layout cannot read a traced value here: the compiler has not chosen its devices yet; use "
            "shardbook.show(x), which draws it each time the function runs, or ask for the layout of what it returns"
        )
    return layout_on_mesh(mesh, sharding.spec, kind.shape, kind.dtype)


def _dtype(dtype: Any) -> Any:
    # The dtype of PRNG keys is JAX's own and no numpy dtype.
    return dtype if jnp.issubdtype(dtype, jax.dtypes.extended) else jnp.dtype(dtype)


def _current_mesh(spec: PartitionSpec) -> Any:
    try:
        mesh: Any = jax.sharding.get_mesh()
        if mesh.empty:
            mesh = jax.sharding.get_abstract_mesh()
    except (AttributeError, ValueError):
        # Older JAX has no get_mesh, and under jit there is none: both know the abstract one.
        mesh = jax.sharding.get_abstract_mesh()
    if mesh is None or mesh.empty:
        raise ValueError(f"{spec} has no mesh: use NamedSharding(mesh, spec), or jax.set_mesh(mesh) first")
    return mesh


def layout_on_mesh(
    mesh: Any,
    spec: PartitionSpec,
    shape: tuple[int, ...],
    dtype: Any,
    sharding: NamedSharding | None = None,
    *,
    varying: tuple[str, ...] | None = None,
    checked: bool = True,
) -> Layout:
    """Return the layout of ``shape`` split over a mesh as ``spec`` says.

    The device of each piece needs no search: transpose the mesh so that the axes that split come first, in
    dimension order; then its rows are the pieces, and each row is the piece's holders.
    """
    sizes: dict[str, int] = dict(mesh.shape)
    types = getattr(mesh, "axis_types", None) or itertools.repeat("Auto")
    splits = _checked(spec, sizes, shape)
    grid = tuple(math.prod(map(sizes.__getitem__, axes)) for axes in splits)
    shard_shape = tuple(size // parts for size, parts in zip(shape, grid, strict=True))

    used = [*(varying or ()), *itertools.chain.from_iterable(splits)]
    blocks = math.prod(sizes[name] for name in varying or ())
    names = list(sizes)
    order = [names.index(name) for name in used] + [at for at, name in enumerate(names) if name not in used]
    abstract = isinstance(mesh, jax.sharding.AbstractMesh)
    if abstract:
        numbers = np.arange(math.prod(sizes.values())).reshape(tuple(sizes.values()))
    else:
        numbers = mesh.device_ids
        sharding = sharding or NamedSharding(mesh, spec)
    holders = numbers.transpose(order).reshape(blocks * math.prod(grid), -1)

    unreduced = _ordered(sizes, getattr(spec, "unreduced", ()))
    found = Layout(
        shape=shape,
        dtype=dtype,
        shard_shape=shard_shape,
        grid=grid,
        pieces=_pieces(grid, shard_shape, holders, blocks),
        axes={name: Axis(size, _type_name(kind)) for (name, size), kind in zip(sizes.items(), types, strict=False)},
        spec=spec,
        memory_kind=None if sharding is None else sharding.memory_kind,
        on_host=sharding is not None and _on_host(sharding, abstract),
        unreduced=unreduced,
        replication=holders.shape[1] // math.prod(sizes[name] for name in unreduced),
        bytes_per_device=_nbytes(shard_shape, dtype),
        total_bytes=_nbytes((blocks, *shape), dtype),
        remote=frozenset() if abstract or sharding is None else _remote(sharding),
        abstract=abstract,
        kind="NamedSharding",
        varying=varying,
        checked=checked,
    )
    if not found.undecided:
        return found
    return replace(found, replication=found.replication // math.prod(sizes[name] for name in found.undecided))


def _pieces(
    grid: Sequence[int], shard_shape: Sequence[int], holders: np.ndarray[Any, Any], blocks: int = 1
) -> tuple[Piece, ...]:
    parts = [
        [slice(at * size, (at + 1) * size) for at in range(count)]
        for count, size in zip(grid, shard_shape, strict=True)
    ]
    # With 512 devices this is where the time goes. Columns zipped give the rows' tuples without a loop over rows, and
    # tuple.__new__ makes a Piece without running any Python.
    rows = zip(*holders.T.tolist(), strict=True)
    make = functools.partial(tuple.__new__, Piece)
    indices: Iterable[tuple[slice, ...]] = itertools.product(*parts)
    if blocks > 1:
        indices = itertools.chain.from_iterable(itertools.repeat(tuple(indices), blocks))
    return tuple(map(make, zip(indices, rows, strict=True)))


def _from_indices(sharding: Sharding, shape: tuple[int, ...], dtype: Any) -> Layout:
    """The layout of a sharding that has no mesh axes, from JAX's own map of devices to indices."""
    try:
        placed = sharding.devices_indices_map(shape)
        shard_shape = tuple(sharding.shard_shape(shape))
    except (ValueError, IndexError) as error:
        raise ValueError(f"{type(sharding).__name__} cannot hold shape {shape}: {error}") from error
    holders: dict[tuple[tuple[int, int], ...], list[int]] = {}
    device: Any
    for device, index in placed.items():
        holders.setdefault(tuple(map(_bounds, index or (), shape)), []).append(device.id)
    devices = [device for found in holders.values() for device in found]
    return Layout(
        shape=shape,
        dtype=dtype,
        shard_shape=shard_shape,
        grid=tuple(len(set(bounds)) for bounds in zip(*holders, strict=True)),
        pieces=tuple(
            Piece(tuple(slice(start, stop) for start, stop in bounds), tuple(holders[bounds]))
            for bounds in sorted(holders)
        ),
        axes={},
        spec=None,
        memory_kind=sharding.memory_kind,
        on_host=_on_host(sharding, abstract=False),
        unreduced=(),
        replication=len(devices) // len(holders),
        bytes_per_device=_nbytes(shard_shape, dtype),
        total_bytes=_nbytes(shape, dtype),
        remote=_remote(sharding),
        abstract=False,
        kind=type(sharding).__name__,
    )


def _bounds(part: slice | int, size: int) -> tuple[int, int]:
    # PmapSharding gives a bare number for the dimension it maps over.
    return (part, part + 1) if isinstance(part, int) else part.indices(size)[:2]


def _remote(sharding: Sharding) -> frozenset[int]:
    remote: Any = sharding.device_set - sharding.addressable_devices
    return frozenset(device.id for device in remote)


def _on_host(sharding: Sharding, abstract: bool) -> bool:
    if "host" not in (sharding.memory_kind or ""):
        return False
    if abstract:
        return True
    device: Any = next(iter(sharding.device_set))
    # Older JAX calls a CPU device's own memory "unpinned_host": nothing was offloaded there. Of others one cannot ask:
    # a TPU of a topology does not tell its memories.
    return bool(device.platform != "cpu" or sharding.memory_kind != device.default_memory().kind)


def device_grid(layout: Layout) -> np.ndarray[Any, Any]:
    """Return the ids of a layout's devices at their places in its mesh; without one, in a row, the lowest id first.

    >>> mesh = jax.sharding.AbstractMesh((2, 3), ("x", "y"))
    >>> device_grid(layout(NamedSharding(mesh, PartitionSpec("y")), (6,)))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    devices = np.array([piece.devices for piece in layout.pieces])
    if not layout.axes:
        return np.sort(devices.ravel())
    names = list(layout.axes)
    used = [names.index(name) for name in layout.place_axes]
    order = used + [at for at in range(len(names)) if at not in used]
    sizes = [layout.axes[names[at]].size for at in order]
    return devices.reshape(sizes).transpose(np.argsort(order))


def bits(dtype: Any) -> int:
    """Return the bits that an element takes on a device: int4 and the like are packed there.

    >>> bits(jnp.dtype("int4")), bits(jnp.dtype("bfloat16"))
    (4, 16)
    """
    found, numbers = 8 * int(dtype.itemsize), cast("Any", jnp)
    # numpy gives int4 a whole byte.
    if found == 8 and jnp.issubdtype(dtype, jnp.integer):
        return int(numbers.iinfo(dtype).bits)
    if found == 8 and jnp.issubdtype(dtype, jnp.floating):
        return int(numbers.finfo(dtype).bits)
    return found


def bytes_of(elements: int, dtype: Any) -> int:
    """Return the bytes of so many elements, without padding."""
    return -(-elements * bits(dtype) // 8)


def element_count(index: Sequence[slice]) -> int:
    """Return how many elements a part of an array has."""
    return math.prod(part.stop - part.start for part in index)


def _nbytes(shape: Sequence[int], dtype: Any) -> int | None:
    return None if dtype is None else bytes_of(math.prod(shape), dtype)


def _ordered(axes: Mapping[str, Any], chosen: Any) -> tuple[str, ...]:
    return tuple(name for name in axes if name in chosen)


def _type_name(kind: Any) -> str:
    return str(getattr(kind, "name", kind))


def _entries(spec: PartitionSpec | None) -> tuple[Any, ...]:
    # A spec with unreduced axes refuses to be iterated; an old one is a tuple and has no ``partitions``.
    return () if spec is None else tuple(getattr(spec, "partitions", spec))


def _padded(spec: PartitionSpec | None, rank: int) -> tuple[tuple[str, ...], ...]:
    """The axes that split each dimension: a spec may end before the shape does."""
    entries = _entries(spec)
    return tuple(map(_axes_of, entries + (None,) * (rank - len(entries))))


def _axes_of(entry: Any) -> tuple[str, ...]:
    """The axis names in one entry of a spec: None, a name, or a tuple of names."""
    if entry is None:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)


def _checked(spec: PartitionSpec, sizes: Mapping[str, int], shape: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    """The mesh axes that split each dimension, once nothing is wrong with them.

    JAX says the same no, but with as many kinds of error as there are ways to ask.
    """
    entries = _entries(spec)
    if len(entries) > len(shape):
        rank = len(shape)
        raise ValueError(
            f"{spec} is too long for shape {shape}: it has {len(entries)} entries, the array {rank} "
            f"{'dimension' if rank == 1 else 'dimensions'}, so {_described_axes(entries[rank:], sizes)} at dimension "
            f"{rank} splits nothing; shorten the spec or reshape the array"
        )
    splits = _padded(spec, len(shape))
    unconstrained: Any = PartitionSpec.UNCONSTRAINED
    user: dict[str, int] = {}
    for dimension, (axes, size) in enumerate(zip(splits, shape, strict=True)):
        for axis in axes:
            if axis is unconstrained:
                raise ValueError(
                    f"{spec} leaves dimension {dimension} (size {size}) UNCONSTRAINED: the compiler chooses its axes; "
                    f"name an axis or None, or ask for the layout of the array that jit returns"
                )
            if axis not in sizes:
                raise ValueError(
                    f"{spec} splits dimension {dimension} (size {size}) over axis {axis!r}, which the mesh does not "
                    f"have; its axes are {_described_axes(tuple(sizes), sizes)}"
                )
            if axis in user:
                raise ValueError(
                    f"{spec} uses axis {axis!r} (size {sizes[axis]}) twice, for dimension {user[axis]} (size "
                    f"{shape[user[axis]]}) and dimension {dimension} (size {size}); an axis can split one dimension, "
                    f"once: remove it from one of them"
                )
            user[axis] = dimension
        parts = math.prod(map(sizes.__getitem__, axes))
        if parts and size % parts:
            over = _described_axes(axes, sizes)
            raise ValueError(
                f"{spec} cannot split dimension {dimension} (size {size}) over {over}: {size} is not a multiple of "
                f"{parts}; pad the dimension to {size + -size % parts}, or put None for it in the spec"
            )
    return splits


def _described_axes(entries: Sequence[Any], sizes: Mapping[str, int]) -> str:
    listed = [axis for entry in entries for axis in _axes_of(entry)]
    return ", ".join(f"axis {axis!r} (size {sizes.get(axis, 'unknown')})" for axis in listed) or "None"
