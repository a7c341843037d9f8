"""What the package does on every JAX that it supports: nox -s floor runs this on the oldest and on the newest."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from strategies import OLD

import shardbook as sb

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

MESH = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))


def struct(shape, *spec):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(MESH, P(*spec)))


def test_an_array_is_drawn():
    """Where JAX has put it, in words, text and HTML."""
    x = jax.device_put(jnp.zeros((4, 8)), NamedSharding(MESH, P("x", "y")))
    layout = sb.layout(x)
    placed = {piece.devices[0]: piece.index for piece in layout.pieces}
    assert placed == {
        shard.device.id: tuple(slice(*part.indices(size)[:2]) for part, size in zip(shard.index, x.shape, strict=True))
        for shard in x.addressable_shards
    }
    figure = sb.show({"x": x, "step": 3})
    assert "['x'] float32[4@x, 8@y]" in str(figure)
    assert figure.html("zh").count("<rect") == 8 + 8  # the mesh and the array
    assert str(sb.show(layout)).splitlines()[0] == "float32[4@x, 8@y]"


def test_moves_are_counted():
    found = sb.moves(struct((8, 8), "x"), P(None, "y"))
    assert (found.bytes, found.bytes_per_device) == (256, 32)


def multiply(a, b):
    return a @ b


def test_a_product_is_read():
    """The compiler's own operation: axis, bytes and line."""
    (found,) = sb.collectives(multiply, struct((16, 32), None, "y"), struct((32, 64), "y"))
    assert (found.operation, found.axes, found.bytes_per_device, found.times) == ("all-reduce", ("y",), 6144, 1)
    assert (found.source.file, found.source.line) == (__file__, multiply.__code__.co_firstlineno + 1)


def test_a_collective_in_a_loop_is_read():
    """Asked for by name, three times."""

    def three(block):
        return jax.lax.fori_loop(0, 3, lambda _, a: jax.lax.psum(a, "y") / 4, block)

    options = {"check_rep" if OLD else "check_vma": False}
    fn = shard_map(three, mesh=MESH, in_specs=P("x", "y"), out_specs=P("x", "y"), **options)
    found = sb.collectives(fn, struct((32, 64), "x", "y"))
    assert [(each.operation, each.axes, each.times) for each in found] == [("all-reduce", ("y",), 3)]
    assert found.bytes_per_device == 3 * 2 * (16 * 16 * 4) * 3 // 4


def test_what_is_traced_is_drawn_or_refused(capsys):
    """Old JAX would drop the drawing, so show says so; today's draws."""

    @jax.jit
    def double(x):
        sb.show(x)
        return 2 * x

    x = jax.device_put(jnp.zeros((4, 8)), NamedSharding(MESH, P("x", "y")))
    if OLD:
        with pytest.raises(NotImplementedError, match="return the value and show that"):
            double(x)
    else:
        double(x)
        jax.effects_barrier()
        assert "float32[4@x, 8@y]" in capsys.readouterr().out
