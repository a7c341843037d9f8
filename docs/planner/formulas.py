"""What one device holds, receives and computes in a step of a plan: arithmetic, without a compiler.

A plan is that of step.py. docs/_static/explorer/model/plan.js says the same; the tests compare them case by case, and
docs/_data/plans.json is what compilers made of some plans.
"""

import itertools
import math

# L, D, F, H, K, k, V, gated, tied of step.py's Model, as the makers' configurations have them. Biases, norms of heads
# and second norms are left out; "padded" is the vocabulary, to a multiple of 1024.
MODELS = {
    "Llama 3.2 1B": (16, 2048, 8192, 32, 8, 64, 128256, True, True),
    "Llama 3.2 3B": (28, 3072, 8192, 24, 8, 128, 128256, True, True),
    "Llama 3.1 8B": (32, 4096, 14336, 32, 8, 128, 128256, True, False),
    "Llama 3.1 70B": (80, 8192, 28672, 64, 8, 128, 128256, True, False),
    "Llama 3.1 405B": (126, 16384, 53248, 128, 8, 128, 128256, True, False),
    "Llama 2 7B": (32, 4096, 11008, 32, 32, 128, 32000, True, False),
    "Mistral 7B": (32, 4096, 14336, 32, 8, 128, 32000, True, False),
    "Qwen3 0.6B": (28, 1024, 3072, 16, 8, 128, 151936, True, True),
    "Qwen3 8B": (36, 4096, 12288, 32, 8, 128, 151936, True, False),
    "Qwen3 32B": (64, 5120, 25600, 64, 8, 128, 151936, True, False),
    "Gemma 2 9B": (42, 3584, 14336, 16, 8, 256, 256000, True, True),
    "GPT-3 2.7B, padded": (32, 2560, 10240, 32, 32, 80, 51200, False, True),
    "GPT-3 175B, padded": (96, 12288, 49152, 96, 96, 128, 51200, False, True),
}
# Bytes for each score of attention, times the bytes of a number: scores, what softmax makes of them, and gradients.
OF_A_SCORE = 5
# GPUs that NVLink joins in a host, and bytes a second through the port that each of them has to other hosts: those of
# NVIDIA's DGX machines.
HOST, NETWORK = 8, {"A100": 25e9, "H100": 50e9, "H200": 50e9, "B200": 50e9}
# A TPU keeps a single number in this many bytes.
SCALAR = {"cuda": 4, "tpu": 512}


def width(plan):
    """Bytes of a number that products take."""
    return 2 if plan.half else 4


def parts_of_keys(plan):
    """In how many parts the heads of keys and values are split: too few for the axis, they are whole."""
    return plan.tensor if plan.model.K % plan.tensor == 0 else 1


def problems(plan):
    """What does not divide: a size, what it is of, the axis, and the devices that should share it."""
    _, D, F, H, K, k, V, _, _ = plan.model
    asked = (
        ("H", H, "K", K),
        ("k", k, "2", 2),
        ("D", D, "fsdp", plan.fsdp),
        ("H", H, "tensor", plan.tensor),
        ("F", F, "tensor", plan.tensor),
        ("V", V, "tensor", plan.tensor),
        ("B", plan.B, "data × fsdp", plan.data * plan.fsdp),
        ("S", plan.S, "sequence", plan.sequence),
    )
    return [each for each in asked if each[1] % each[3]]


def pieces(plan):
    """The shape of what one device has of each parameter."""
    L, D, F, H, K, k, V, gated, tied = plan.model
    f, t = plan.fsdp, plan.tensor
    layers = {
        "norms": (L, 2, D),
        "q": (L, D // f, H // t, k),
        "kv": (L, D // f, 2, K // parts_of_keys(plan), k),
        "out": (L, H // t, k, D // f),
        "up": (L, D // f, 1 + gated, F // t),
        "down": (L, F // t, D // f),
    }
    ends = {"embed": (V // t, D // f), "norm": (D,)} | ({} if tied else {"unembed": (D // f, V // t)})
    return layers | ends


def in_tiles(shape):
    """How many float32 a TPU stores: in tiles of 8 × 128, in the order that wastes least, or of 1024 in a row."""

    def padded(rows, lanes):
        tile = min(8, 1 << (shape[rows] - 1).bit_length())
        whole = -(-shape[rows] // tile) * tile * -(-shape[lanes] // 128) * 128
        return math.prod(shape) // (shape[rows] * shape[lanes]) * whole

    if len(shape) == 1:
        return -(-shape[0] // 1024) * 1024
    return min(padded(rows, lanes) for rows, lanes in itertools.permutations(range(len(shape)), 2))


def sizes(plan):
    """What the other formulas are made of, of one device: numbers, not bytes."""
    _, D, F, H, K, k, V, gated, _ = plan.model
    rows, t = plan.B // (plan.data * plan.fsdp), plan.tensor
    return {
        "tokens": rows * (plan.S // plan.sequence),
        "keys": 2 * (K // parts_of_keys(plan)) * k,  # of a token
        "weights": 2 * D * (H // t) * k
        + 2 * D * (K // parts_of_keys(plan)) * k
        + (2 + gated) * D * (F // t),  # a layer, gathered
        "table": V // t * D,  # gathered
        "scores": rows * (H // t) * (plan.S // plan.sequence) * plan.S,
    }


def held(plan, platform):
    """Bytes on one device, by what they are for; together they are the most that it holds at once."""
    L, D, F, _, _, _, V, gated, _ = plan.model
    number = in_tiles if platform == "tpu" else math.prod
    shapes = pieces(plan)
    parameters = 4 * sum(number(shape) for shape in shapes.values())
    rows = (plan.B // (plan.data * plan.fsdp), plan.S // plan.sequence)
    c, own = width(plan), sizes(plan)
    tokens, layers = own["tokens"], L * own["weights"] // plan.fsdp
    stream = c * tokens * D
    # Of a layer: its scores, its hidden numbers, and its streams.
    inside = OF_A_SCORE * c * own["scores"] + 2 * c * tokens * (1 + gated) * (F // plan.tensor) + 6 * stream
    logits = (4 + c) * tokens * (V // plan.tensor) + c * own["table"]
    gathered = c * own["weights"] * (2 if plan.fsdp > 1 else 1)  # whole, and their gradients
    return {
        "parameters": parameters,
        "optimizer": 2 * parameters + SCALAR[platform],
        "batch": 2 * 4 * number(rows),
        "rounded": 2 * sum(map(math.prod, shapes.values())) if plan.half else 0,
        "gradients": c * layers,
        "kept": L * (stream if plan.again else stream + inside),
        "working": max(logits, inside + gathered),
    }


def arguments(plan, platform):
    """Bytes that the step takes: parameters, Adam's state and the batch."""
    of = held(plan, platform)
    return of["parameters"] + of["optimizer"] + of["batch"]


def temporaries(plan, platform):
    """Bytes that the step needs beside its arguments."""
    return sum(held(plan, platform).values()) - arguments(plan, platform)


def received(plan):
    """Bytes that a device receives in a step, by what for."""
    L, D, _, _, K, k, _, _, _ = plan.model
    f, s, t, copies = plan.fsdp, plan.sequence, plan.tensor, plan.data * plan.sequence
    c, own = width(plan), sizes(plan)
    stream = own["tokens"] * D
    # In layers and at the ends. A gather or a scatter brings (n - 1)/n of what is whole, a sum twice that.
    gathers = 3 * L * own["weights"] + (2 if t == 1 else 3) * own["table"] + 2 * stream
    sums = (5 if plan.again else 4) * L + 2
    # Keys and values that lie whole on all of `tensor` have gradients to be summed.
    whole = L * 2 * D * K * k // f if t > 1 and parts_of_keys(plan) == 1 else 0
    return {
        "gradients": c * 2 * (copies - 1) * (L * own["weights"] + 2 * own["table"]) // f // copies,
        "fsdp": c * (f - 1) * gathers // f,
        "sequence": c * 3 * L * (s - 1) * own["tokens"] * own["keys"],
        "tensor": c * 2 * (t - 1) * (sums * stream + whole) // t,
    }


def operations(plan):
    """Operations of one device in a step; a multiplication and an addition are two."""
    L, D, F, H, K, k, V, gated, _ = plan.model
    weights = 2 * D * H * k + 2 * D * K * k + (2 + gated) * D * F
    layer = 2 * weights + 4 * H * k * plan.S  # of a token, forward
    each = (4 if plan.again else 3) * L * layer + 3 * 2 * D * V
    return plan.B * plan.S * each / (plan.data * plan.fsdp * plan.sequence * plan.tensor)


def in_a_host(plan):
    """How many devices of each axis are in one host of GPUs: hosts are filled from the last axis on."""
    room, found = HOST, {}
    for axis in ("tensor", "sequence", "fsdp", "data"):
        found[axis] = math.gcd(getattr(plan, axis), room)
        room //= found[axis]
    return found


def bandwidth(plan, chip, axes):
    """Bytes a second that a device can receive from the others along these axes.

    What crosses hosts of GPUs enters each host once, by the ports of all its GPUs in the group; NVLink passes it on.
    """
    here = math.prod(in_a_host(plan)[axis] for axis in axes)
    if chip.platform == "tpu" or here == math.prod(getattr(plan, axis) for axis in axes):
        return chip.link
    return min(chip.link, here * NETWORK[chip.name])


def seconds(plan, chip):
    """How long each part takes at best: products, and what is received, by what for."""
    groups = {"gradients": ("data", "sequence"), "fsdp": ("fsdp",), "sequence": ("sequence",), "tensor": ("tensor",)}
    links = {name: amount / bandwidth(plan, chip, groups[name]) for name, amount in received(plan).items()}
    # JAX multiplies float32 on a GPU as TF32, at half the rate of bfloat16, and on a TPU as bfloat16.
    rate = chip.flops / (2 if chip.platform == "cuda" and not plan.half else 1)
    return {"products": operations(plan) / rate} | links
