"""Training steps of real libraries, of which nothing is ours: Flax NNX, Equinox and optax."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from strategies import Arranged  # noqa: F401, which gives the process its devices

import shardbook as sb

nnx = pytest.importorskip("flax.nnx")
eqx = pytest.importorskip("equinox")
MESH = jax.make_mesh((2, 4), ("fsdp", "tp"), axis_types=(AxisType.Auto,) * 2)
BATCH = jax.ShapeDtypeStruct((32, 64), "float32", sharding=NamedSharding(MESH, P("fsdp")))
F32 = 4


class Block(nnx.Module):
    """Two products and two relus."""

    def __init__(self, rngs):
        def split(*names):
            return nnx.with_partitioning(nnx.initializers.lecun_normal(), names)

        self.up = nnx.Linear(64, 256, rngs=rngs, kernel_init=split(None, "tp"))
        self.down = nnx.Linear(256, 64, rngs=rngs, kernel_init=split("tp", None))

    def __call__(self, x):
        return x + self.down(nnx.relu(self.up(nnx.relu(x))))


class Tower(nnx.Module):
    """Three blocks, so that every inner function occurs several times."""

    def __init__(self, rngs):
        self.blocks = nnx.List([Block(rngs) for _ in range(3)])

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, gradient = nnx.value_and_grad(lambda model: jnp.mean((model(x) - y) ** 2))(model)
    optimizer.update(model, gradient)
    return loss


@pytest.fixture(scope="module")
def flax_state():
    with jax.set_mesh(MESH):
        model = nnx.jit(lambda: Tower(nnx.Rngs(0)))()
        return model, nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)


def along(found, axis):
    """Bytes that a device receives along an axis, over all operations."""
    return sum(one.bytes_per_device * one.times for one in found if one.axes == (axis,))


def test_a_step_of_flax(flax_state):
    """Each block adds up its products over tp, and its input's gradient; the gradients are added over fsdp."""
    with jax.set_mesh(MESH):
        found = sb.collectives(train_step, *flax_state, BATCH, BATCH)
    activations = 16 * 64 * F32
    sums = [one for one in found if one.axes == ("tp",)]
    # Three blocks forward, two backward: the first one's input needs no gradient.
    assert along(found, "tp") == 5 * 2 * activations * 3 // 4
    assert {one.operation for one in sums} == {"all-reduce"}
    gradients = 3 * (64 * 64 + 64 + 64 * 64 + 64)
    assert along(found, "fsdp") == 2 * (gradients + 1) * F32 // 2
    assert (found.name, found.mesh) == ("train_step", {"fsdp": 2, "tp": 4})
    assert {one.source.file for one in found} == {__file__}
    # The table says it: five equal sums are one row, and a row of thirteen arrays is no wider than the terminal.
    assert [(total.axes, total.count) for total in found.totals] == [(("fsdp",), 1), (("tp",), 5)]
    assert [total.bytes_per_device for total in found.totals] == [along(found, "fsdp"), along(found, "tp")]
    assert sum(total.bytes_per_device for total in found.totals) == found.bytes_per_device
    assert len(found.text(80)) == 10


def test_what_flax_has_lowered_or_compiled(flax_state):
    """The same operations, though nothing is compiled again."""
    with jax.set_mesh(MESH):
        asked = sb.collectives(train_step, *flax_state, BATCH, BATCH)
        lowered = train_step.lower(*flax_state, BATCH, BATCH)
        compiled = lowered.compile()
    for stage in (lowered, compiled):
        found = sb.collectives(stage)
        assert found.operations == asked.operations
        assert (found.name, found.mesh) == ("train_step", asked.mesh)


def test_what_flax_holds(flax_state):
    """Weights, and two moments of each, split over tp; a counter and a step; and two parts of the batch."""
    with jax.set_mesh(MESH):
        found = sb.memory(train_step, *flax_state, BATCH, BATCH)
        assert sb.memory(train_step.lower(*flax_state, BATCH, BATCH)) == found
    weights = 3 * (64 * 64 + 256 + 64 * 64 + 64) * F32
    given = 2 * 16 * 64 * F32
    assert found.device.arguments == 3 * weights + 2 * F32 + given
    # NNX gives back all but the batch, and the loss, in a table of addresses; XLA splits the biases of 256 on their way.
    assert found.device.outputs == 3 * (weights - 3 * (256 - 64) * F32) + 3 * F32 + 8 * 39
    assert (found.replicated, len(found.leaves), found.unused) == (found.device.arguments, 40, ())
    assert {leaf.path.split(".")[0] for leaf in found.leaves} == {"model", "optimizer", "x", "y"}
    assert "144 KiB     9       float32[256@tp, 64]" in str(found)


@pytest.mark.parametrize("donate", ["all", "none"])
def test_what_equinox_holds(donate):
    """Every device has all weights and their moments; if they are donated, the new ones take their place."""
    model, optimizer = eqx.nn.MLP(64, 64, 256, 2, key=jax.random.key(0)), optax.adam(1e-3)
    weights = eqx.filter(model, eqx.is_array)

    @eqx.filter_jit(donate=donate)
    def step(model, state, x, y):
        gradient = eqx.filter_grad(lambda model: jnp.mean((jax.vmap(model)(x) - y) ** 2))(model)
        updates, state = optimizer.update(gradient, state, weights)
        return eqx.apply_updates(model, updates), state

    x = jax.device_put(jnp.ones((32, 64)), NamedSharding(MESH, P("fsdp")))
    found = sb.memory(step, model, optimizer.init(weights), x, x)
    state = 3 * sum(leaf.size for leaf in jax.tree.leaves(weights)) * F32 + F32
    batch = 2 * 16 * 64 * F32
    assert (found.device.arguments, found.replicated) == (state + batch, state + batch)
    assert found.device.aliased == (state if donate == "all" else 0)
    assert found.total == state + batch + found.device.outputs - found.device.aliased + found.device.temporaries


@pytest.mark.parametrize(
    "optimizer",
    [
        optax.adamw(1e-3),
        optax.MultiSteps(optax.adam(1e-3), 2),
        optax.chain(optax.clip_by_global_norm(1.0), optax.adafactor(1e-3)),
    ],
    ids=["adamw", "MultiSteps", "adafactor with clipping"],
)
def test_a_step_of_equinox(optimizer):
    """Every device has the weights and a part of the batch: their gradients and the loss are added."""
    model = eqx.nn.MLP(64, 64, 256, 2, key=jax.random.key(0))
    weights = eqx.filter(model, eqx.is_array)

    @eqx.filter_jit
    def step(model, state, x, y):
        def loss(model):
            return jnp.mean((jax.vmap(model)(x) - y) ** 2)

        value, gradient = eqx.filter_value_and_grad(loss)(model)
        updates, state = optimizer.update(gradient, state, eqx.filter(model, eqx.is_array))
        return eqx.apply_updates(model, updates), state, value

    x = jax.device_put(jnp.ones((32, 64)), NamedSharding(MESH, P("fsdp")))
    found = sb.collectives(step, model, optimizer.init(weights), x, x)
    given = sum(leaf.size for leaf in jax.tree.leaves(weights)) + 1
    assert found.name == "step"
    assert {one.operation for one in found} == {"all-reduce"}
    assert along(found, "fsdp") == 2 * given * F32 // 2
    assert all(one.source.file == __file__ for one in found)
    assert sb.collectives(step.lower(model, optimizer.init(weights), x, x).compile()).operations == found.operations


def test_states_are_shown(flax_state):
    """Of a model, of an optimizer, and before anything is allocated."""
    model, optimizer = flax_state
    assert str(sb.show(model)).count("float32[64, 256@tp]") == 3
    assert str(sb.show(nnx.state(optimizer))).count("float32[256@tp, 64]") == 6
    with jax.set_mesh(MESH):
        planned = nnx.eval_shape(lambda: Tower(nnx.Rngs(0)))
    assert str(sb.show(planned)).count("float32[64, 256@tp]") == 3


def test_a_leaf_whose_sharding_is_undecided_is_named():
    """eval_shape of an optimizer's init knows no sharding for its counter, and for the rest what params say."""
    params = {"w": jax.ShapeDtypeStruct((8, 64), "float32", sharding=NamedSharding(MESH, P("fsdp")))}
    text = str(sb.show({"params": params, "state": jax.eval_shape(optax.adam(1e-3).init, params)}))
    assert "['params']['w'] float32[8@fsdp, 64]" in text
    assert re.search(r"\.count int32\[\]: its sharding is not decided", text)


def test_shardings_in_a_tree_are_named_for_what_they_are():
    """They lie nowhere themselves; what Orbax says of a saved array does."""

    class Saved:
        shape, dtype, sharding = (8, 8), np.dtype("float32"), NamedSharding(MESH, P("tp"))

    figure = sb.show({"a": P("tp"), "b": NamedSharding(MESH, P("tp")), "c": Saved(), "d": np.ones(3)})
    text = str(figure).replace("\n", " ")
    assert "['a'] P: a sharding without an array; shardbook.layout(sharding, shape, dtype) draws one" in text
    assert "['b'] NamedSharding: a sharding without an array" in text
    assert "['c'] float32[8@tp, 8]" in text
    assert "['d'] ndarray: not a jax.Array" in text


def test_what_orbax_says_of_a_saved_array(tmp_path):
    """Its own form of shardings is understood."""
    orbax = pytest.importorskip("orbax.checkpoint")
    x = jax.device_put(jnp.ones((8, 16)), NamedSharding(MESH, P("fsdp", "tp")))
    saver = orbax.StandardCheckpointer()
    saver.save(tmp_path / "state", {"w": x})
    saver.wait_until_finished()
    saved = saver.metadata(tmp_path / "state").item_metadata.tree
    assert str(sb.layout(saved["w"])) == "float32[8@fsdp, 16@tp]"
    assert str(sb.show(saved)).startswith("['w'] float32[8@fsdp, 16@tp]")
