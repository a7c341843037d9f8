"""Time the helper package against JAX's own: nox -s bench.

Medians of fresh shapes, so that no cache of JAX's answers; nothing is allocated.
"""

import itertools
import time
from collections.abc import Callable
from statistics import median

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb

RUNS = 21
_numbers = itertools.count(1)


def milliseconds(action: Callable[[int], object]) -> float:
    """The median time of ``action``, which gets another number each time."""
    times = []
    for _ in range(RUNS):
        number = next(_numbers)
        start = time.perf_counter()
        action(number)
        times.append(time.perf_counter() - start)
    return 1000 * median(times)


def main() -> None:
    """Measure and print."""
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", 512)
    sharding = NamedSharding(Mesh(np.array(jax.devices()).reshape(16, 32), ("x", "y")), P("x", "y"))
    big = AbstractMesh((64, 64), ("x", "y"))

    def layout(number: int, *spec: str) -> sb.Layout:
        return sb.layout(NamedSharding(big, P(*spec)), (64 * number, 64), "float32")

    theirs = milliseconds(lambda number: sharding.devices_indices_map((16 * number, 32)))
    ours = milliseconds(lambda number: sb.layout(sharding, (16 * number, 32), "float32"))
    drawn = sb.layout(sharding, (1024, 50304), "float32")
    after = sb.layout(NamedSharding(sharding.mesh, P("y", "x")), (1024, 50304), "float32")
    rows = [
        ("devices_indices_map of JAX, 512 devices", theirs),
        ("layout, 512 devices", ours),
        ("layout, 4096 devices, abstract mesh", milliseconds(lambda number: layout(number, "x", "y"))),
        ("show as HTML, 512 devices", milliseconds(lambda _: sb.show(drawn).html())),
        ("show as text, 512 devices", milliseconds(lambda _: str(sb.show(drawn)))),
        ("moves, 512 devices", milliseconds(lambda _: sb.moves(drawn, after))),
        ("moves, 4096 devices", milliseconds(lambda _: sb.moves(layout(64, "x", "y"), layout(64, "y", "x")))),
    ]
    for label, value in rows:
        print(f"{label:62} {value:7.2f} ms")
    print(f"{'(e) layout / devices_indices_map':62} {ours / theirs:7.2f}  (target ≤ 1.00)")


if __name__ == "__main__":
    main()
