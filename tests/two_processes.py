"""One of two processes of four devices each: what it shows of an array that both hold."""

import sys
from contextlib import redirect_stdout
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb


@jax.jit
def run(a):
    sb.show(a)
    return a + 1


def main(port: str, number: str) -> None:
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 4)
    jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=int(number), initialization_timeout=30)
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    x = jax.device_put(jnp.zeros((4, 8)), NamedSharding(mesh, P(None, "y")))
    print(sb.show(x))
    print("moves", sb.moves(x, P("x", "y")).bytes, sb.moves(x, P()).bytes)
    (found,) = sb.collectives(lambda a: a.sum(1), x)
    print("collectives", found.operation, found.axes, found.bytes_per_device)
    jax.block_until_ready(run(x))
    jax.effects_barrier()
    jax.distributed.shutdown()


if __name__ == "__main__":
    # Gloo writes to the other stdout, in the middle of anybody's line.
    with Path(sys.argv[3]).open("w", encoding="utf-8") as printed, redirect_stdout(printed):
        main(*sys.argv[1:3])
