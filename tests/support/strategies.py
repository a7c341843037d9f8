"""Hypothesis strategies: meshes, and shapes with specs that fit them.

Importing this module gives the process 64 CPU devices, so it must come before JAX is first used.
``HYPOTHESIS_PROFILE=long`` runs 2,000 examples a property.
"""

import math
import os
from typing import NamedTuple

import jax
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 64)

settings.register_profile("quick", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("long", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

AXES = "abcd"

# What the oldest JAX that the package supports has not: nox -s floor.
OLD = not hasattr(jax, "set_mesh")
needs_unreduced = pytest.mark.skipif(OLD, reason="a JAX without unreduced axes")
needs_host_memory = pytest.mark.skipif(OLD, reason="a JAX whose CPU devices have one kind of memory")
set_mesh = jax.sharding.use_mesh if OLD else jax.set_mesh


class Arranged(NamedTuple):
    """A sharding that JAX accepts, and a shape for it."""

    sharding: NamedSharding
    shape: tuple[int, ...]


@st.composite
def meshes(draw: st.DrawFn, most: int = 64) -> Mesh:
    """A mesh of 1 to 4 axes over at most ``most`` of 64 devices, in any order.

    Sizes differ from each other (1 apart), so that a permutation of axes cannot hide.
    """
    sizes: list[int] = []
    for _ in range(draw(st.integers(1, 4))):
        room = most // math.prod(sizes)
        left = [size for size in (2, 3, 4, 5, 7, 8, 16) if size <= room and size not in sizes]
        sizes.append(draw(st.sampled_from([*left, 1])))
    count = math.prod(sizes)
    devices = draw(st.permutations(jax.devices()))[:count] if draw(st.booleans()) else jax.devices()[:count]
    kinds = st.sampled_from([AxisType.Auto, AxisType.Explicit])
    # Old JAX lets no two types split one dimension.
    types = (draw(kinds),) * len(sizes) if OLD else draw(st.tuples(*[kinds] * len(sizes)))
    return Mesh(np.array(devices).reshape(sizes), tuple(AXES[: len(sizes)]), axis_types=types)


@st.composite
def specs(draw: st.DrawFn, mesh: Mesh, rank: int) -> tuple[PartitionSpec, tuple[int, ...]]:
    """A spec for an array of ``rank`` dimensions, and into how many parts it splits each.

    Each axis splits one dimension or none; a dimension may be split by several, in any order.
    """
    entries: list[tuple[str, ...]] = [()] * rank
    for name in draw(st.permutations(mesh.axis_names)):
        dimension = draw(st.none() | st.integers(0, rank - 1)) if rank else None
        if dimension is not None:
            entries[dimension] += (name,)
    parts = tuple(math.prod(mesh.shape[name] for name in names) for names in entries)
    written = [names[0] if len(names) == 1 and draw(st.booleans()) else names or None for names in entries]
    while written and written[-1] is None and draw(st.booleans()):
        written.pop()
    return PartitionSpec(*written), parts


@st.composite
def arrangements(draw: st.DrawFn, most: int = 3) -> Arranged:
    """A sharding with a shape it divides; each shard has 0 to ``most`` elements along a dimension."""
    mesh = draw(meshes())
    rank = draw(st.integers(0, 5))
    spec, parts = draw(specs(mesh, rank))
    return Arranged(NamedSharding(mesh, spec), tuple(count * draw(st.integers(0, most)) for count in parts))


class Journey(NamedTuple):
    """Two shardings of one shape, on meshes that may differ."""

    before: NamedSharding
    after: NamedSharding
    shape: tuple[int, ...]


@st.composite
def journeys(draw: st.DrawFn) -> Journey:
    """Two shardings of one array of up to 3 dimensions, on the same mesh or on two."""
    rank = draw(st.integers(0, 3))
    first = draw(meshes(most=12))
    second = first if draw(st.booleans()) else draw(meshes(most=12))
    one, its_parts = draw(specs(first, rank))
    other, other_parts = draw(specs(second, rank))
    shape = tuple(math.lcm(*parts) * draw(st.integers(0, 2)) for parts in zip(its_parts, other_parts, strict=True))
    return Journey(NamedSharding(first, one), NamedSharding(second, other), shape)
