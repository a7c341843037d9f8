"""Runs pasted Python: programs that configure JAX alike in one process, a fork of this one, which has only imported JAX.

Reads a list of groups of programs, writes what each one's arrays are: {name: {device: box}}, or {"failed": traceback}.
"""

import contextlib
import io
import json
import os
import sys
import traceback
import warnings

import jax
import jax.numpy as jnp  # noqa: F401  # so that no program waits for it
import judge

NAMES = ("x", "moved", "b", "c")


def arrays_of(program):
    """Run a program and say where each of its arrays lies, and what it printed."""
    scope = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(program, "<pasted>", "exec"), scope)  # noqa: S102
    found = {name: held(scope[name]) for name in NAMES if name in scope}
    return {"arrays": found, "printed": printed.getvalue().splitlines()}


def held(x):
    """What each device holds of an array: of one that is made, by its shards."""
    if isinstance(x, jax.Array):
        x.block_until_ready()
        indices = {shard.device.id: shard.index for shard in x.addressable_shards}
        assert all(shard.data.shape == x.sharding.shard_shape(x.shape) for shard in x.addressable_shards)
    else:
        indices = {device.id: index for device, index in x.sharding.devices_indices_map(x.shape).items()}
    boxes = {device: judge.boxes(index, x.shape) for device, index in sorted(indices.items())}
    return {"dtype": str(x.dtype), "boxes": boxes}


def answer(program):
    """What a program gives, or how it fails."""
    try:
        return arrays_of(program)
    except BaseException:  # noqa: BLE001  # the parent must be told, whatever it is
        return {"failed": traceback.format_exc()}


def in_a_fork(group):
    """The answers for one group, as text."""
    receive, send = os.pipe()
    child = os.fork()
    if not child:
        os.close(receive)
        with os.fdopen(send, "w") as sink:
            json.dump([answer(program) for program in group], sink)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive) as source:
        text = source.read()
    os.waitpid(child, 0)
    return text or json.dumps([{"failed": "it crashed"}] * len(group))


if __name__ == "__main__":
    print(f"[{','.join(map(in_a_fork, json.load(sys.stdin)))}]")
