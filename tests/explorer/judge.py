"""What JAX says of a state of the explorer; also a program that reads states and has 4096 devices."""

import json
import os
import sys

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb


def partition_spec(spec):
    """A spec as JAX's."""
    return P(*map(tuple, spec))


def sharding_of(state, spec):
    """The sharding over the devices of this process."""
    mesh = state["mesh"]
    count = int(np.prod(mesh["sizes"]))
    devices = np.array(jax.devices()[:count])[mesh["order"] or range(count)].reshape(mesh["sizes"])
    types = tuple(AxisType[name] for name in mesh["types"])
    return NamedSharding(Mesh(devices, tuple(mesh["names"]), axis_types=types), partition_spec(spec))


def boxes(index, shape):
    """An index as JAX gives it, with open ends filled in."""
    return [list(part.indices(size)[:2]) for part, size in zip(index, shape, strict=True)]


def layout(state):
    """What the explorer's layout must be: by JAX where JAX has a word for it, else by the Python package."""
    shape = tuple(state["shape"])
    sharding = sharding_of(state, state["spec"])
    with jax.enable_x64(True):
        struct = jax.ShapeDtypeStruct(shape, state["dtype"], sharding=sharding)
        type_of = str(jax.typeof(struct))
        ours = sb.layout(struct)
    indices = sharding.devices_indices_map(shape)
    return {
        "shape": state["shape"],
        "dtype": state["dtype"],
        "by_device": {device.id: boxes(index, shape) for device, index in indices.items()},
        "shardShape": list(sharding.shard_shape(shape)),
        "type": type_of,
        "deviceCount": sharding.num_devices,
        "splits": [list(axes) for axes in ours.splits],
        "grid": list(ours.grid),
        "pieces": [
            {"index": [[part.start, part.stop] for part in piece.index], "devices": list(piece.devices)}
            for piece in ours.pieces
        ],
        "replication": ours.replication,
        "bytesPerDevice": ours.bytes_per_device,
        "totalBytes": ours.total_bytes,
        "notation": str(ours),
    }


def moves(state):
    """What the explorer's moves must be, by the Python package."""
    one, other = (sharding_of(state, spec) for spec in (state["spec"], state["to"]))
    with jax.enable_x64(True):
        found = sb.moves(jax.ShapeDtypeStruct(tuple(state["shape"]), state["dtype"], sharding=one), other)
    return {
        "bytes": found.bytes,
        "perDevice": [
            {
                "device": each.device,
                "index": [[part.start, part.stop] for part in each.index],
                "kept": None if each.kept is None else [[part.start, part.stop] for part in each.kept],
                "elements": each.elements,
                "bytes": each.bytes,
            }
            for each in found.receipts
        ],
    }


def refusal(state, shape, spec):
    """The first error of JAX's about one spec, as the explorer gives it; None if there is none."""
    call = "NamedSharding"
    try:
        sharding = sharding_of(state, spec)
        call = "jax.ShapeDtypeStruct"
        jax.ShapeDtypeStruct(tuple(shape), "float32", sharding=sharding)
        call = "shard_shape"
        sharding.shard_shape(tuple(shape))
    except Exception as error:  # noqa: BLE001  # one of JAX's classes is no ValueError
        return {"message": str(error), "error": type(error).__name__, "call": call}
    return None


def refusals(state):
    """JAX's error about each spec of a state, by field."""
    shape, product = state["shape"], state["product"]
    asked = {"spec": (shape, state["spec"])}
    if state["to"] is not None:
        asked["to"] = (shape, state["to"])
    if product:
        asked["b"] = ([shape[1], product["columns"]], product["b"])
        asked["out"] = ([shape[0], product["columns"]], product["out"])
    found = {field: refusal(state, *array) for field, array in asked.items()}
    return {field: each for field, each in found.items() if each}


if __name__ == "__main__":
    jax.config.update("jax_num_cpu_devices", 4096)
    json.dump([layout(state) for state in json.load(sys.stdin)], sys.stdout)
    sys.stdout.flush()
    # JAX takes seconds to let go of so many devices.
    os._exit(0)
