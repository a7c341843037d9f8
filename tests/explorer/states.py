"""Random states of the explorer. The same ones in every run; ``HYPOTHESIS_PROFILE=long`` draws others each time."""

import math
import os
import random

NAMES = ["x", "y", "z", "data", "model", "expert", "stage", "_a", "B2"]
DTYPES = ["float32", "bfloat16", "float64", "int8", "int4", "bool", "complex64", "float4_e2m1fn", "uint16"]


def dice() -> random.Random:
    """A source of random numbers; print its ``seed`` where a test fails."""
    seed = random.SystemRandom().randrange(2**32) if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 2026
    made = random.Random(seed)  # noqa: S311  # no secrets
    made.seed_used = seed
    return made


def mesh(draw: random.Random, most: int):
    """A mesh of 1 to 6 axes over at most so many devices, in half of all cases in another order than 0, 1, 2, …"""
    sizes = []
    for _ in range(draw.randint(1, draw.choice([2, 3, 4, 6]))):
        room = most // math.prod(sizes)
        sizes.append(draw.choice([size for size in (1, 2, 2, 3, 4, 5, 7, 8, 16) if size <= room]))
    draw.shuffle(sizes)
    count = math.prod(sizes)
    return {
        "names": draw.sample(NAMES, len(sizes)),
        "sizes": sizes,
        "types": [draw.choice(["Auto", "Explicit"]) for _ in sizes],
        "order": draw.sample(range(count), count) if draw.random() < 0.5 else None,
    }


def spec(draw: random.Random, mesh, rank: int):
    """A spec for so many dimensions: each axis splits one or none, several one in any order."""
    entries = [[] for _ in range(rank)]
    for name in draw.sample(mesh["names"], len(mesh["names"])):
        if rank and draw.random() < 0.75:
            draw.choice(entries).append(name)
    while entries and not entries[-1] and draw.random() < 0.5:
        entries.pop()
    return entries


def parts(mesh, spec, rank: int):
    """Into how many parts a spec splits each dimension."""
    sizes = dict(zip(mesh["names"], mesh["sizes"], strict=True))
    found = [math.prod(sizes[name] for name in axes) for axes in spec]
    return found + [1] * (rank - len(found))


def valid(draw: random.Random, most: int = 64, largest: int = 3):
    """A state that JAX accepts: half of them with a move, a quarter of those of two dimensions with a product."""
    chosen = mesh(draw, most)
    rank = draw.choice([0, 1, 2, 2, 2, 3, 3, 4, 5, 6])
    one, to = spec(draw, chosen, rank), spec(draw, chosen, rank) if draw.random() < 0.5 else None
    divisors = [parts(chosen, each, rank) for each in (one, to or [])]
    product = None
    if rank == 2 and draw.random() < 0.5:
        b, out = spec(draw, chosen, 2), spec(draw, chosen, 2)
        (inner, columns), (rows, as_many) = parts(chosen, b, 2), parts(chosen, out, 2)
        divisors.append([rows, inner])
        product = {"b": b, "out": out, "columns": math.lcm(columns, as_many) * draw.randint(1, 2)}
    shape = [math.lcm(*each) * draw.randint(draw.randint(0, 1), largest) for each in zip(*divisors, strict=True)]
    return {
        "shape": shape,
        "dtype": draw.choice(DTYPES),
        "mesh": chosen,
        "spec": one,
        "to": to,
        "product": product,
    }


def doubtful(draw: random.Random, most: int = 64):
    """A state within the explorer's limits of which JAX may refuse anything."""
    state = valid(draw, most)
    names = [*state["mesh"]["names"], *(["q"] if draw.random() < 0.3 else [])]

    def entries(shape):
        # Short entries of few names: else nearly all would name an axis twice.
        length = max(0, len(shape) + draw.choice([-1, 0, 0, 0, 1, 2]))
        pool = names * draw.choice([1, 1, 1, 2])
        draw.shuffle(pool)
        return [[pool.pop() for _ in range(draw.choice([0, 1, 1, 2])) if pool] for _ in range(length)]

    if draw.random() < 0.8:
        state["shape"] = [draw.choice([size, size * 2, size + 1, draw.randint(0, 99)]) for size in state["shape"]]
    if draw.random() < 0.8:
        state["spec"] = entries(state["shape"])
    if state["to"] is not None:
        state["to"] = entries(state["shape"])
    if state["product"]:
        state["product"] = {"b": entries([0, 0]), "out": entries([0, 0]), "columns": draw.randint(0, 40)}
    return state
