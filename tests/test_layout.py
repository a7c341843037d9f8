"""The model, against JAX itself and against counting by hand."""

import itertools
import math
import re
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P
from strategies import Arranged, arrangements, meshes, needs_host_memory, needs_unreduced, set_mesh

import shardbook as sb
from shardbook import _layout


def bounds(index, shape):
    """An index as JAX gives it, with open ends filled in."""
    return tuple(part.indices(size)[:2] for part, size in zip(index, shape, strict=True))


def by_device(layout):
    return {device: bounds(piece.index, layout.shape) for piece in layout.pieces for device in piece.devices}


@pytest.fixture
def mesh():
    return Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))


@given(arrangements())
def test_each_device_holds_what_jax_says(arranged: Arranged):
    """Same index on every device, same shard shape, replicated when JAX says so."""
    sharding, shape = arranged
    layout = sb.layout(sharding, shape)
    theirs = sharding.devices_indices_map(shape)
    assert by_device(layout) == {device.id: bounds(index, shape) for device, index in theirs.items()}
    assert layout.shard_shape == sharding.shard_shape(shape)
    assert (len(layout.pieces) == 1) == sharding.is_fully_replicated
    assert layout.device_count == sharding.num_devices
    assert layout.replication * len(layout.pieces) == layout.device_count


@given(arrangements())
def test_holders_stand_in_mesh_order(arranged: Arranged):
    """The devices of a piece come as the mesh lists them, and pieces in row-major order."""
    layout = sb.layout(*arranged)
    order = {device.id: place for place, device in enumerate(arranged.sharding.mesh.devices.flat)}
    for piece in layout.pieces:
        assert sorted(piece.devices, key=order.__getitem__) == list(piece.devices)
        assert all(type(part.start) is type(part.stop) is int for part in piece.index)
    starts = [tuple(part.start for part in piece.index) for piece in layout.pieces]
    # With a dimension of size 0 several pieces start, and end, at 0.
    assert starts == sorted(starts) or 0 in layout.shape
    assert len(starts) == math.prod(layout.grid)


@given(arrangements())
def test_an_abstract_mesh_has_positions_for_devices(arranged: Arranged):
    """The layout on an abstract mesh is the real one, with positions for ids."""
    sharding, shape = arranged
    real = sb.layout(sharding, shape)
    abstract = sb.layout(NamedSharding(sharding.mesh.abstract_mesh, sharding.spec), shape)
    ids = [device.id for device in sharding.mesh.devices.flat]
    assert [piece._replace(devices=tuple(ids[at] for at in piece.devices)) for piece in abstract.pieces] == list(
        real.pieces
    )
    assert (abstract.abstract, real.abstract) == (True, False)
    assert (abstract.axes, abstract.grid, abstract.shard_shape) == (real.axes, real.grid, real.shard_shape)


@given(arrangements())
def test_pieces_cover_every_element_once(arranged: Arranged):
    """No element is left out or in two pieces."""
    layout = sb.layout(*arranged)
    times = np.zeros(layout.shape, int)
    for piece in layout.pieces:
        times[piece.index] += 1
    assert (times == 1).all()


@given(arrangements(), st.data())
def test_an_indivisible_dimension_is_refused(arranged: Arranged, data: st.DataObject):
    """Where JAX finds a dimension it cannot divide, so does layout, and names it."""
    sharding, shape = arranged
    grid = sb.layout(sharding, shape).grid
    assume(any(parts > 1 for parts in grid))
    dimension = data.draw(st.sampled_from([at for at, parts in enumerate(grid) if parts > 1]))
    size = shape[dimension] + data.draw(st.integers(1, grid[dimension] - 1))
    uneven = (*shape[:dimension], size, *shape[dimension + 1 :])
    with pytest.raises(ValueError, match="should evenly divide"):
        sharding.devices_indices_map(uneven)
    with pytest.raises(
        ValueError, match=f"dimension {dimension} \\(size {size}\\) over axis .*multiple of {grid[dimension]}"
    ):
        sb.layout(sharding, uneven)


@given(meshes(), st.data())
def test_a_wrong_axis_is_refused(mesh: Mesh, data: st.DataObject):
    """An axis the mesh lacks, or one used twice, is refused by JAX and by layout."""
    name = data.draw(st.sampled_from(mesh.axis_names))
    shape = (mesh.shape[name] ** 2,) * 2
    with set_mesh(mesh):
        for spec, message in (
            (P(None, "q"), r"dimension 1 \(size .*over axis 'q', which the mesh does not have"),
            (P(name, name), rf"uses axis '{name}' \(size {mesh.shape[name]}\) twice"),
            (P((name, name)), rf"uses axis '{name}' .* twice"),
        ):
            # JAX has a class of its own for one of these, which is no ValueError.
            with pytest.raises(Exception, match=r"not found in mesh|duplicate entries"):
                NamedSharding(mesh, spec)
            with pytest.raises(ValueError, match=message):
                sb.layout(spec, shape)


@given(meshes(), st.integers(0, 4), st.data())
def test_a_spec_that_is_too_long_is_refused(mesh: Mesh, rank: int, data: st.DataObject):
    """An entry for a dimension that the array does not have: an axis, or even None."""
    last = data.draw(st.sampled_from([None, *mesh.axis_names]))
    sharding = NamedSharding(mesh, P(*[None] * rank, last))
    shape = (1,) * rank
    with pytest.raises(ValueError, match=r"incompatible with its sharding annotation|Length of sharding"):
        jax.device_put(np.zeros(shape), sharding)
    with pytest.raises(ValueError, match=rf"too long .* {rank + 1} entries, the array {rank} dimension"):
        sb.layout(sharding, shape)


@pytest.mark.parametrize(
    ("spec", "shape", "message"),
    [
        (
            P("x", "y"),
            (4, 9),
            (
                "P('x', 'y') cannot split dimension 1 (size 9) over axis 'y' (size 4): 9 is not a multiple of 4; "
                "pad the dimension to 12, or put None for it in the spec"
            ),
        ),
        (
            P(("x", "y")),
            (9,),
            (
                "P(('x', 'y'),) cannot split dimension 0 (size 9) over axis 'x' (size 2), axis 'y' (size 4): "
                "9 is not a multiple of 8; pad the dimension to 16, or put None for it in the spec"
            ),
        ),
        (
            P("z"),
            (8,),
            (
                "P('z',) splits dimension 0 (size 8) over axis 'z', which the mesh does not have; "
                "its axes are axis 'x' (size 2), axis 'y' (size 4)"
            ),
        ),
        (
            P("x", "x"),
            (2, 4),
            (
                "P('x', 'x') uses axis 'x' (size 2) twice, for dimension 0 (size 2) and dimension 1 (size 4); "
                "an axis can split one dimension, once: remove it from one of them"
            ),
        ),
        (
            P("x", "y"),
            (8,),
            (
                "P('x', 'y') is too long for shape (8,): it has 2 entries, the array 1 dimension, so axis 'y' (size 4) "
                "at dimension 1 splits nothing; shorten the spec or reshape the array"
            ),
        ),
        (
            P(None, P.UNCONSTRAINED),
            (8, 8),
            (
                "P(None, UNCONSTRAINED) leaves dimension 1 (size 8) UNCONSTRAINED: the compiler chooses its axes; "
                "name an axis or None, or ask for the layout of the array that jit returns"
            ),
        ),
    ],
)
def test_refusals_say_what_and_how_to_mend_it(mesh, spec, shape, message):
    """Each message names dimension, size, axis and remedy."""
    with set_mesh(mesh), pytest.raises(ValueError, match="P") as refused:
        sb.layout(spec, shape)
    # Old JAX writes a spec at full length.
    assert str(refused.value).replace("PartitionSpec(", "P(") == message


def test_a_spec_alone_needs_a_mesh():
    """A bare spec is read with the mesh that is set."""
    with pytest.raises(ValueError, match=r"\('x',\) has no mesh: use NamedSharding"):
        sb.layout(P("x"), (8,))


def test_what_has_no_sharding_is_refused(mesh):
    """A numpy array, a struct without a sharding, a shape too many or too few."""
    with pytest.raises(TypeError, match=r"not ndarray; jax\.device_put"):
        sb.layout(np.zeros(3))
    with pytest.raises(ValueError, match="has no sharding"):
        sb.layout(jax.ShapeDtypeStruct((3,), "float32"))
    with pytest.raises(TypeError, match="also needs a shape"):
        sb.layout(NamedSharding(mesh, P()))
    with pytest.raises(TypeError, match="takes no shape"):
        sb.layout(jnp.zeros(3), (3,))


def test_arrays_structs_and_shardings_agree(mesh):
    """The same layout from an array, from its description and from its sharding."""
    sharding = NamedSharding(mesh, P("x", "y"))
    x = jax.device_put(jnp.zeros((4, 8)), sharding)
    struct = jax.ShapeDtypeStruct((4, 8), "float32", sharding=sharding)
    assert sb.layout(x) == sb.layout(struct) == sb.layout(sharding, (4, 8), "float32")
    assert by_device(sb.layout(x)) == {s.device.id: bounds(s.index, (4, 8)) for s in x.addressable_shards}
    assert (sb.layout(x).bytes_per_device, sb.layout(x).total_bytes) == (16, 128)
    assert sb.layout(sharding, (4, 8)).bytes_per_device is None


@pytest.mark.parametrize("dtype", ["bool", "int4", "uint2", "bfloat16", "float8_e4m3fn", "float4_e2m1fn", "complex64"])
def test_bytes_are_those_on_the_device(mesh, dtype):
    """The bytes of a shard are what its device stores: int4 is packed."""
    x = jax.device_put(jnp.zeros((8, 6), dtype), NamedSharding(mesh, P("y")))
    assert sb.layout(x).bytes_per_device == x.addressable_shards[0].data.on_device_size_in_bytes()
    assert str(sb.layout(x)) == f"{dtype}[8@y, 6]"


def test_prng_keys(mesh):
    """Typed keys have a layout like any array."""
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), NamedSharding(mesh, P("x")))
    assert (str(sb.layout(keys)), sb.layout(keys).bytes_per_device) == ("key<fry>[8@x]", 32)
    assert sb.layout(keys.sharding, (8,), keys.dtype) == sb.layout(keys)


def test_one_device():
    """An array on one device is one piece."""
    layout = sb.layout(jax.device_put(jnp.zeros((2, 3)), jax.devices()[5]))
    assert layout.pieces == (sb.Piece((slice(0, 2), slice(0, 3)), (5,)),)
    assert (layout.axes, layout.spec, layout.kind) == ({}, None, "SingleDeviceSharding")
    assert sb.layout(SingleDeviceSharding(jax.devices()[5]), (2, 3), "float32") == layout


@needs_unreduced
def test_unreduced_axes_hold_terms_not_copies():
    """Devices along an unreduced axis hold parts of a sum; along a free one, copies."""
    mesh = AbstractMesh((2, 2, 2), ("x", "y", "z"))
    layout = sb.layout(NamedSharding(mesh, P("x", unreduced={"z"})), (4,), "float32")
    assert (layout.unreduced, layout.replicated, layout.replication) == (("z",), ("y",), 2)
    assert layout.pieces[0].devices == (0, 1, 2, 3)
    assert layout.terms(layout.pieces[0]) == ((0, 1), (2, 3))
    first = sb.layout(NamedSharding(mesh, P("x", unreduced={"y"})), (4,), "float32")
    assert first.terms(first.pieces[0]) == ((0, 2), (1, 3))
    assert str(layout) == "float32[4@x]{U:z}"
    assert str(sb.layout(NamedSharding(mesh, P("x", reduced={"y", "z"})), (4,), "float32")) == "float32[4@x]{R:(y,z)}"


def test_types_read_as_jax_writes_them(mesh):
    """The notation is jax.typeof's, with a space after each comma."""
    explicit = Mesh(mesh.devices, ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    for spec in (P("x", "y"), P(("x", "y")), P(None, ("y", "x")), P("x"), P()):
        x = jax.device_put(jnp.zeros((8, 8)), NamedSharding(explicit, spec))
        # Old JAX says ShapedArray(...) around it.
        (theirs,) = re.findall(r"float32\[[^]]*\]", str(jax.typeof(x)))
        assert str(sb.layout(x)) == re.sub(r",(?=\d)", ", ", theirs)


@needs_host_memory
def test_host_memory_is_told(mesh):
    """In the type, and whether it is the device's own."""
    explicit = Mesh(mesh.devices, ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    host = jax.device_put(jnp.zeros((8, 8)), NamedSharding(explicit, P("x"), memory_kind="pinned_host"))
    assert str(sb.layout(host)) == "float32<host>[8@x, 8]"
    assert (sb.layout(host).memory_kind, sb.layout(host).on_host) == ("pinned_host", True)


def test_a_device_of_a_topology_tells_not_its_memories():
    """What is on the host there is asked of the kind alone."""

    class Topology:
        platform = "tpu"

        def default_memory(self):
            raise jax.errors.JaxRuntimeError("UNIMPLEMENTED: DefaultMemory is not supported")

    for kind, on_host in (("pinned_host", True), ("device", False)):
        sharding = SimpleNamespace(memory_kind=kind, device_set={Topology()})
        assert _layout._on_host(sharding, abstract=False) is on_host


def test_axes_say_size_and_type():
    """Mesh axes come in mesh order with their types."""
    mesh = AbstractMesh((2, 3), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Explicit))
    assert sb.layout(NamedSharding(mesh, P()), ()).axes == {"x": sb.Axis(2, "Auto"), "y": sb.Axis(3, "Explicit")}


def test_zero_sizes_keep_their_pieces(mesh):
    """A dimension of size 0 can be split: nothing, many times."""
    layout = sb.layout(NamedSharding(mesh, P("x", "y")), (0, 8), "float32")
    assert (layout.grid, layout.shard_shape, layout.bytes_per_device) == ((2, 4), (0, 2), 0)
    assert [piece.devices for piece in layout.pieces] == [(at,) for at in range(8)]


def test_four_thousand_devices():
    """Nothing is allocated: any abstract mesh has a layout."""
    layout = sb.layout(NamedSharding(AbstractMesh((64, 64), ("x", "y")), P("y", "x")), (640, 6400), "bfloat16")
    assert len(layout.pieces) == 4096
    assert layout.pieces[1].devices == (64,)
    assert set(itertools.chain.from_iterable(piece.devices for piece in layout.pieces)) == set(range(4096))
