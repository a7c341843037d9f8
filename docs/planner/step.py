"""A decoder, how each axis of a mesh splits it, and its step of training: what the planner plans."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P


class Model(NamedTuple):
    L: int  # layers
    D: int  # numbers that stand for a token
    F: int  # hidden numbers of the feed-forward part
    H: int  # heads of queries
    K: int  # heads of keys and values
    k: int  # numbers of a head
    V: int  # vocabulary
    gated: bool = True  # the feed-forward part has a gate
    tied: bool = False  # one table of tokens for both ends


class Plan(NamedTuple):
    model: Model
    B: int  # sequences in a batch
    S: int  # tokens in a sequence
    data: int = 1  # devices with copies of the state, and sequences of their own
    fsdp: int = 1  # devices that split the state, and have sequences of their own
    sequence: int = 1  # devices that split each sequence
    tensor: int = 1  # devices that split heads, hidden numbers and vocabulary
    half: bool = True  # compute in bfloat16; the state is float32
    again: bool = True  # compute each layer again in the backward pass


AXES = ("data", "fsdp", "sequence", "tensor")  # devices of the last one are neighbours
ROWS = ("data", "fsdp")


def mesh_of(plan):
    """All devices, as the plan has them."""
    lengths = tuple(getattr(plan, axis) for axis in AXES)
    return jax.make_mesh(lengths, AXES, axis_types=(AxisType.Auto,) * len(AXES))


def shapes(model):
    """Of each parameter. Layers come first: what all layers have of one kind is one array."""
    L, D, F, H, K, k, V, gated, tied = model

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    layers = {
        "norms": array(L, 2, D),
        "q": array(L, D, H, k),
        "kv": array(L, D, 2, K, k),
        "out": array(L, H, k, D),
        "up": array(L, D, 1 + gated, F),
        "down": array(L, F, D),
    }
    ends = {"embed": array(V, D), "norm": array(D)}
    return ends | ({} if tied else {"unembed": array(D, V)}) | {"layers": layers}


def heads_of_keys(plan):
    """Whether keys and values are split by heads: with fewer heads than devices they are whole."""
    return "tensor" if plan.model.K % plan.tensor == 0 else None


def shardings(mesh, plan, tree):
    """Of a state: Adam's moments have the names of their parameters in their paths."""
    rules = {
        "norms": P(),
        "norm": P(),
        "q": P(None, "fsdp", "tensor"),
        "kv": P(None, "fsdp", None, heads_of_keys(plan)),
        "out": P(None, "tensor", None, "fsdp"),
        "up": P(None, "fsdp", None, "tensor"),
        "down": P(None, "tensor", "fsdp"),
        "embed": P("tensor", "fsdp"),
        "unembed": P("fsdp", "tensor"),
        "adam": P(),  # of Adam itself: the number of the step
    }

    def place(path, _):
        names = [entry.key for entry in path if isinstance(entry, jax.tree_util.DictKey)]
        return NamedSharding(mesh, rules[names[-1]])

    return jax.tree.map_with_path(place, tree)


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * (1 + scale)


def rotate(x):
    """Turn each pair of numbers by an angle that grows with the position."""
    S, k = x.shape[1], x.shape[-1]
    angle = jnp.arange(S)[:, None, None] * 10000.0 ** (-jnp.arange(k // 2) / (k // 2))
    cos, sin = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def loss_on(mesh, plan):
    """The loss of a plan, the mean cross-entropy of the next token, with each value held where the plan says."""
    H, K, k, gated, tied = plan.model.H, plan.model.K, plan.model.k, plan.model.gated, plan.model.tied

    def held(value, *spec):
        return jax.lax.with_sharding_constraint(value, NamedSharding(mesh, P(ROWS, *spec)))

    def keys(value):
        """Of the whole sequence; if they are too few for the axis, a copy for each head of queries."""
        value = held(value, None, heads_of_keys(plan))
        return value if heads_of_keys(plan) else jnp.repeat(value, H // K, axis=2)

    def attention(queries, key, value):
        grouped = queries.reshape(*queries.shape[:2], key.shape[2], -1, k)
        scores = jnp.einsum("bsngk,btnk->bngst", grouped, key) * k**-0.5
        scores = jnp.where(jnp.tri(key.shape[1], dtype=bool), scores, -jnp.inf).astype(jnp.float32)
        heads = jnp.einsum("bngst,btnk->bsngk", jax.nn.softmax(scores).astype(value.dtype), value)
        return held(heads.reshape(queries.shape), "sequence", "tensor")

    def layer(x, w):
        h = norm(x, w["norms"][0])
        queries = held(rotate(jnp.einsum("bsd,dhk->bshk", h, w["q"])), "sequence", "tensor")
        key, value = jnp.einsum("bsd,dthk->tbshk", h, w["kv"])
        heads = attention(queries, keys(rotate(key)), keys(value))
        x = held(x + jnp.einsum("bshk,hkd->bsd", heads, w["out"]), "sequence")
        hidden = jnp.einsum("bsd,dtf->tbsf", norm(x, w["norms"][1]), w["up"])
        hidden = jax.nn.silu(hidden[0]) * hidden[1] if gated else jax.nn.gelu(hidden[0])
        return held(x + held(hidden, "sequence", "tensor") @ w["down"], "sequence")

    turn = jax.checkpoint(layer) if plan.again else layer

    def loss(params, batch):
        if plan.half:
            params = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), params)
        x = held(params["embed"][batch["tokens"]], "sequence")
        x, _ = jax.lax.scan(lambda x, w: (turn(x, w), None), x, params["layers"])
        unembed = params["embed"].T if tied else params["unembed"]
        logits = held(norm(x, params["norm"]) @ unembed, "sequence", "tensor").astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["targets"]).mean()

    return loss


optimizer = optax.adamw(1e-3)


def start(key, model):
    """What training holds from step to step."""
    leaves, structure = jax.tree.flatten(shapes(model))
    keys = jax.random.split(key, len(leaves))
    bound = model.D**-0.5
    pairs = zip(keys, leaves, strict=True)
    drawn = [jax.random.uniform(key, each.shape, each.dtype, -bound, bound) for key, each in pairs]
    params = jax.tree.unflatten(structure, drawn)
    return {"params": params, "adam": optimizer.init(params)}


def described(plan):
    """Shapes and dtypes of what the step takes: the state and a batch."""
    rows = jax.ShapeDtypeStruct((plan.B, plan.S), jnp.int32)
    return jax.eval_shape(lambda: start(jax.random.key(0), plan.model)), {"tokens": rows, "targets": rows}


def step_on(mesh, plan):
    """The step of training: it takes a state and a batch, and returns the new state and the loss before it."""
    loss = loss_on(mesh, plan)

    def step(state, batch):
        value, gradients = jax.value_and_grad(loss)(state["params"], batch)
        updates, adam = optimizer.update(gradients, state["adam"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "adam": adam}, value

    state = shardings(mesh, plan, described(plan)[0])
    rows = NamedSharding(mesh, P(ROWS, "sequence"))
    return jax.jit(step, in_shardings=(state, rows), out_shardings=(state, None), donate_argnums=0)
