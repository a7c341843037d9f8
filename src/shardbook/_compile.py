"""Compile a function, once, and keep what tells of it: the executable, its program, its meshes, what XLA warned of."""

import itertools
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
from jax.sharding import NamedSharding

from shardbook._stderr import stderr_kept
from shardbook._xla_warnings import split_log

MOST_CPU_DEVICES = 2048
"""JAX takes CPU devices numbered from this on for those of another process, for which XLA does not compile."""

_compilations = itertools.count(1 << 20)


class Program(NamedTuple):
    """A compiled function, as far as its communication goes."""

    text: str
    """Optimized HLO."""
    meshes: list[dict[str, int]]
    """Axis sizes of the meshes it may speak of, those of its arguments first."""
    devices: list[Any]
    """The devices of the first mesh that has some, in its order."""
    name: str
    """What the function is called."""
    warnings: list[str]
    """The messages of XLA's log that matter; none if it was compiled before."""


class Stage(NamedTuple):
    """A function that was lowered, if it had not been, and compiled, if it had not been."""

    compiled: jax.stages.Compiled
    lowered: str
    """The program before that; "" if it was compiled before."""
    name: str
    """What the function is called."""
    printed: str
    """What XLA printed to stderr meanwhile."""


def compiled_program(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Program:
    """Compile a function for its arguments, or take what is compiled already; see ``collectives``."""
    stage = compiled_stage(fn, args, kwargs)
    warnings, rest = split_log(stage.printed)
    sys.stderr.write(rest)
    text = stage.compiled.as_text() or ""
    shardings = (args, kwargs, stage.compiled.input_shardings, stage.compiled.output_shardings)
    meshes = [*_meshes(shardings), *_written_meshes(stage.lowered), *_written_meshes(text)]
    return Program(text, meshes, mesh_devices(shardings), stage.name, warnings)


def compiled_stage(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Stage:
    """Compile a function for its arguments, or take what is compiled already."""
    _refuse_abstract((args, kwargs))
    stage, name = _lowered(fn, args, kwargs)
    if not isinstance(stage, jax.stages.Lowered):
        return Stage(stage, "", name, "")
    compiled, printed = _compiled(stage)
    return Stage(compiled, stage.as_text(), name, printed)


def _lowered(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, str]:
    """What can be compiled or is, and the function's name."""
    wrapped = _unwrapped(fn)
    if isinstance(wrapped, jax.stages.Lowered | jax.stages.Compiled):
        if args or kwargs:
            raise TypeError(f"{type(fn).__name__} has its arguments already: give it alone")
        module = re.match(r"HloModule (?:jit_)?([\w.-]+)|module @(?:jit_)?([\w.-]+)", wrapped.as_text() or "")
        return wrapped, next(filter(None, module.groups()), "") if module else type(fn).__name__
    lowered = (fn if hasattr(fn, "lower") else jax.jit(fn)).lower(*args, **kwargs)
    return _unwrapped(lowered), getattr(fn, "__name__", type(fn).__name__)


def _unwrapped(stage: Any) -> Any:
    """JAX's own ``Lowered`` or ``Compiled`` in what Flax or Equinox have made of it; else what came."""
    for name in ("lowered", "compiled"):
        inner = getattr(stage, name, None)
        if isinstance(inner, jax.stages.Lowered | jax.stages.Compiled):
            return inner
    return stage


def _refuse_abstract(tree: Any) -> None:
    for leaf in jax.tree_util.tree_leaves(tree):
        mesh = getattr(getattr(leaf, "sharding", None), "mesh", None)
        if isinstance(leaf, jax.ShapeDtypeStruct) and isinstance(mesh, jax.sharding.AbstractMesh) and not mesh.empty:
            remedy = (
                f"on CPU jax.config.update('jax_num_cpu_devices', {mesh.size}) makes as many devices as it needs"
                if mesh.size <= MOST_CPU_DEVICES
                else f"XLA for CPU compiles for at most {MOST_CPU_DEVICES} of the {mesh.size}: make the axes smaller"
            )
            raise ValueError(
                f"{leaf} lies on an abstract mesh, and compiling needs devices: use jax.make_mesh with the same axes; "
                + remedy
            )


def _compiled(lowered: Any) -> tuple[Any, str]:
    """The executable, and what was printed to stderr meanwhile."""
    kept: list[str] = []
    try:
        with stderr_kept() as kept, _uncached() as options:
            compiled = lowered.compile(compiler_options=options)
    except BaseException:
        # What XLA said may be why.
        sys.stderr.write("".join(kept))
        raise
    return compiled, "".join(kept)


@contextmanager
def _uncached() -> Iterator[dict[str, int]]:
    """Options that make JAX compile anew: XLA warns while it compiles, and a cached program comes without a word."""
    name, unlimited = "jax_persistent_cache_min_compile_time_secs", 1e9
    config: Any = jax.config
    before = getattr(config, name)
    # A program that nobody else will ask for has no place in the cache on disk.
    config.update(name, unlimited)
    try:
        # The number has no effect but to differ: it limits what XLA prints when told to print buffers.
        yield {"xla_debug_buffer_assignment_show_max": next(_compilations)}
    finally:
        config.update(name, before)


def _named_shardings(tree: Any) -> Iterator[NamedSharding]:
    leaves = jax.tree_util.tree_leaves(tree, is_leaf=lambda leaf: isinstance(leaf, jax.sharding.Sharding))
    for leaf in leaves:
        sharding = leaf if isinstance(leaf, jax.sharding.Sharding) else getattr(leaf, "sharding", None)
        if isinstance(sharding, NamedSharding):
            yield sharding


def _meshes(tree: Any) -> Iterator[dict[str, int]]:
    """Axis sizes of the mesh of each array and sharding."""
    for sharding in _named_shardings(tree):
        if sharding.mesh.shape:
            yield dict(sharding.mesh.shape)


def _written_meshes(program: str) -> Iterator[dict[str, int]]:
    r"""Axis sizes of the meshes that a program's text names: those of shardings inside it too.

    >>> list(_written_meshes('sdy.mesh @mesh = <["x"=2, "y"=4]> ... replica_groups=mesh[\'z\'=8] {\'z\'}'))
    [{'x': 2, 'y': 4}, {'z': 8}]
    """
    for written in re.findall(r"sdy\.mesh @\w+ = <\[([^\]]*)\]|replica_groups=mesh\[([^\]]*)\]", program):
        sizes = {name: int(size) for name, size in re.findall(r"[\"']([^\"']+)[\"']=(\d+)", "".join(written))}
        # XLA calls the axes of a mesh that it has made up itself axis_0, axis_1, …
        if sizes and not all(re.fullmatch(r"axis_\d+", name) for name in sizes):
            yield sizes


def mesh_devices(tree: Any) -> list[Any]:
    """The devices of the first mesh that has some, in its order."""
    meshes = (sharding.mesh for sharding in _named_shardings(tree))
    return next((list(mesh.devices.flat) for mesh in meshes if isinstance(mesh, jax.sharding.Mesh)), [])
