"""The one model of these pages: a decoder in plain JAX, its batches, its loss and its step of training."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.ad_checkpoint import checkpoint_name


class Size(NamedTuple):
    L: int = 4  # layers
    D: int = 64  # numbers that stand for a token
    F: int = 256  # hidden numbers of the feed-forward part
    H: int = 8  # heads, of D / H numbers each
    V: int = 256  # vocabulary
    B: int = 16  # sequences in a batch
    S: int = 32  # tokens in a sequence


SMALL = Size()
SEVEN_B = Size(L=32, D=4096, F=16384, H=32, V=32000, B=64, S=2048)

# Of one device, with key 0 and batches 0, 1 and 2: however the model is split, they are the same.
LOSSES = (5.701978, 5.467859, 5.275259)


def shapes(size):
    """Of each parameter. Layers come first: what all layers have of one kind is one array."""

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    L, D, F, H, V = size[:5]
    layers = {
        "norms": array(L, 2, D),
        "qkv": array(L, D, 3, H, D // H),
        "out": array(L, H, D // H, D),
        "up": array(L, D, F),
        "down": array(L, F, D),
    }
    return {"embed": array(V, D), "layers": layers, "norm": array(D), "unembed": array(D, V)}


def init(key, size):
    """Draw the parameters: the same numbers on every mesh."""
    tree = shapes(size)
    leaves, structure = jax.tree.flatten(tree)
    keys = jax.tree.unflatten(structure, jax.random.split(key, len(leaves)))
    bound = size.D**-0.5
    return jax.tree.map(lambda key, each: jax.random.uniform(key, each.shape, each.dtype, -bound, bound), keys, tree)


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * (1 + scale)


def rotate(x):
    """Turn each pair of numbers by an angle that grows with the position."""
    S, K = x.shape[1], x.shape[-1]
    angle = jnp.arange(S)[:, None, None] * 10000.0 ** (-jnp.arange(K // 2) / (K // 2))
    cos, sin = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def layer(x, w, mark=checkpoint_name):
    """One layer. ``mark(value, name)`` may keep, offload or place what has a name; it changes no number."""
    q, k, v = jnp.einsum("bsd,dthk->tbshk", norm(x, w["norms"][0]), w["qkv"])
    scores = jnp.einsum("bshk,bthk->bhst", rotate(q), rotate(k)) * q.shape[-1] ** -0.5
    scores = jnp.where(jnp.tri(x.shape[1], dtype=bool), scores, -jnp.inf).astype(jnp.float32)
    heads = jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores).astype(x.dtype), v)
    x = mark(x + jnp.einsum("bshk,hkd->bsd", mark(heads, "heads"), w["out"]), "stream")
    hidden = mark(jax.nn.relu(norm(x, w["norms"][1]) @ w["up"]), "hidden")
    return mark(x + hidden @ w["down"], "stream")


def loss(params, batch, layer=layer):
    """The mean cross-entropy of the next token."""
    x = params["embed"][batch["tokens"]]
    x, _ = jax.lax.scan(lambda x, w: (layer(x, w), None), x, params["layers"])
    logits = norm(x, params["norm"]) @ params["unembed"]
    losses = optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), batch["targets"])
    return losses.mean()


optimizer = optax.adamw(1e-3)


def start(key, size):
    """What training holds from step to step."""
    params = init(key, size)
    return {"params": params, "adam": optimizer.init(params)}


def step(state, batch, loss=loss):
    """One step of training: the new state, and the loss before it."""
    value, gradients = jax.value_and_grad(loss)(state["params"], batch)
    updates, adam = optimizer.update(gradients, state["adam"], state["params"])
    return {"params": optax.apply_updates(state["params"], updates), "adam": adam}, value


def batch(size, number=0):
    """Sequences that count up, on the host; those of another number begin elsewhere."""
    first = number + np.arange(size.B)[:, None] * (size.V // size.B)
    rows = ((first + np.arange(size.S + 1)) % size.V).astype(np.int32)
    return {"tokens": rows[:, :-1], "targets": rows[:, 1:]}
