"""A process that compiles cases and prints what XLA inserted: python -m shardbook_sphinx.xla.worker SHARE OF.

Nothing is allocated and nothing runs: each case is compiled for forced CPU devices and its program read. The axes have
type Auto: XLA knows how the operands lie and how the result shall, and chooses all between. Ends with its input, so
that none is left over from a build that was stopped.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from typing import Any

import jax
from jax.sharding import AxisType, NamedSharding

from shardbook import Collective, collectives
from shardbook._mesh_axes import varying
from shardbook_sphinx.xla.cases import DEVICES, DTYPE, MOVED, PRODUCT, Case, Spec, cases

# JAX declares no types for calling these.
config: Any = jax.config
P: Any = jax.sharding.PartitionSpec
Struct: Any = jax.ShapeDtypeStruct


def measure(case: Case) -> dict[str, Any]:
    """Compile a case; its steps in the order of the program, and whether XLA warned that it copies a whole matrix."""
    names = tuple("xyz"[: len(case.mesh)])
    auto = (AxisType.Auto,) * len(names)
    mesh = jax.make_mesh(case.mesh, names, auto, devices=jax.devices()[: math.prod(case.mesh)])

    def sharding(spec: Spec) -> NamedSharding:
        return NamedSharding(mesh, P(*(tuple(names[axis] for axis in axes) for axes in spec)))

    matrices = {"x": MOVED} if len(case.operands) == 1 else PRODUCT
    given = [Struct(shape, DTYPE) for shape in list(matrices.values())[: len(case.operands)]]
    function = jax.jit(
        (lambda x: x) if len(given) == 1 else jax.numpy.matmul,
        in_shardings=tuple(map(sharding, case.operands)),
        out_shardings=sharding(case.result),
    )
    found = collectives(function, *given)
    sizes = dict(zip(names, case.mesh, strict=True))
    return {"steps": [step(each, sizes, matrices) for each in found], "warned": bool(found.warnings)}


def step(found: Collective, sizes: dict[str, int], matrices: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """A collective, its axes by their places, and its bytes as a share of the matrix it is of."""
    if found.times != 1 or found.at_most:
        raise ValueError(f"{found.operation} does not run once: the tables have no word for that")
    pieces = sum(math.prod(buffer.shape) for buffer in found.operands)
    of = [name for name, shape in matrices.items() if is_piece(pieces, shape)]
    if len(of) != 1:
        raise ValueError(f"{found.operation} of {found.operands} is of {of or 'none'} of {matrices}")
    whole = math.prod(matrices[of[0]]) * found.operands[0].bits // 8
    return {
        "kind": found.operation,
        "axes": [list(sizes).index(name) for name in varying(found.groups, sizes)],
        "members": len(found.groups[0]),
        "of": of[0],
        "fraction": found.bytes_per_device / whole,
    }


def is_piece(elements: int, shape: tuple[int, int]) -> bool:
    """Whether so many elements can be a piece of a matrix of this shape, cut along the mesh, or several.

    >>> is_piece(101 * 103, (1648, 1616)), is_piece(101 * 107, (1648, 1616))
    (True, False)
    """
    odd = [math.prod(sizes) // (math.prod(sizes) & -math.prod(sizes)) for sizes in (shape, (elements,))]
    return odd[0] == odd[1]


def end_with_input() -> None:
    """Wait for the end of the input, below Python's own reader, which may not be in use when the process ends."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def main() -> None:
    """Measure every so-many-th case, beginning with the one that has our number, and print them as JSON."""
    threading.Thread(target=end_with_input, daemon=True).start()
    share, of = map(int, sys.argv[1:])
    config.update("jax_num_cpu_devices", DEVICES)
    json.dump({"jax": jax.__version__, "found": [measure(case) for case in cases()[share::of]]}, sys.stdout)


if __name__ == "__main__":
    main()
