"""A case as a program: lowered for a mesh, with nothing allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
from jax.sharding import AxisType, NamedSharding

from shardbook_sphinx.xla.cases import LETTERS

if TYPE_CHECKING:
    from shardbook_sphinx.xla.cases import Case, Spec

# JAX declares no types for calling these.
P: Any = jax.sharding.PartitionSpec
Struct: Any = jax.ShapeDtypeStruct


def axes_of(case: Case) -> dict[str, Any]:
    """What a mesh for a case is made with: its axes have type Auto, which leaves to XLA all between the ends."""
    return {"axis_names": tuple(LETTERS[: len(case.mesh)]), "axis_types": (AxisType.Auto,) * len(case.mesh)}


def lowered(case: Case, mesh: Any, shapes: list[tuple[int, int]], dtype: str) -> Any:
    """The program of a case: XLA knows how the operands lie and how the result shall, and chooses the steps."""

    def sharding(spec: Spec) -> NamedSharding:
        return NamedSharding(mesh, P(*(tuple(mesh.axis_names[axis] for axis in axes) for axes in spec)))

    function = jax.jit(
        (lambda x: x) if len(case.operands) == 1 else jax.numpy.matmul,
        in_shardings=tuple(map(sharding, case.operands)),
        out_shardings=sharding(case.result),
    )
    return function.lower(*(Struct(shape, dtype) for shape in shapes[: len(case.operands)]))
