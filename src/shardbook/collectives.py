"""What communication a compiled function contains.

The function is compiled for its devices and never run: the optimized program says which collectives are in it.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding
from rich.text import Text

from shardbook import log, notation
from shardbook.communication import Found, Slices, find
from shardbook.display import Display, pairs_html, pairs_text, prose, table_html, table_text
from shardbook.hlo import Buffer, Groups, Module, Source
from shardbook.quiet import stderr_kept

SHOWN_GROUPS = 2
"""The table shows this many groups where no mesh axes say it."""

MOST_CPU_DEVICES = 2048
"""JAX takes CPU devices numbered from this on for those of another process, for which XLA does not compile."""

_compilations = itertools.count(1 << 20)


@dataclass(frozen=True)
class Collective:
    """One communicating operation of a compiled function.

    Attributes
    ----------
    operation
        "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute", "collective-broadcast" or
        "ragged-all-to-all"; "send" if one slice of TPUs sends to another and the program names none of these.
    axes
        The mesh axes along which devices communicate, in mesh order; None if the groups are not those of whole axes.
    groups
        The devices that communicate with each other, as positions in the mesh; for a collective-permute its
        (source, target) pairs. Empty if the program does not tell.
    operands, results
        What each device gives and gets: dtype and local shape of each array.
    bytes_per_device
        How many bytes a device receives each time, at most. For n devices in a group and B bytes of operands:
        all-gather (n-1)·B, reduce-scatter (n-1)/n·B, all-reduce 2·(n-1)/n·B, all-to-all (n-1)/n·B, permutation and
        broadcast B. These are what the bandwidth-optimal algorithms send (Thakur, Rabenseifner, Gropp: Optimization of
        collective communication operations in MPICH, 2005); other algorithms send more.
    times
        How often it runs in one call; None if a loop around it has no known trip count.
    branch
        The branches of ``lax.cond`` and ``lax.switch`` it stands in, outermost first: XLA's name of each and which of
        its branches. Of the branches of one name one is taken.
    op_name
        JAX's path of the operation that asked for it, such as "jit(f)/shard_map/psum".
    source
        The line of the user's code that asked for it, or that needs its result: the innermost that is in no installed
        package. None if the compiler lost it.
    asynchronous
        Whether it runs beside other work, as a start and a done.
    widened
        "bfloat16" or "float16" if the compiler has turned such values into float32 for this operation, as XLA for CPU
        does: elsewhere half as many bytes move. Else "".
    """

    operation: str
    axes: tuple[str, ...] | None
    groups: Groups
    operands: tuple[Buffer, ...]
    results: tuple[Buffer, ...]
    bytes_per_device: int
    times: int | None
    branch: tuple[tuple[str, int], ...]
    op_name: str
    source: Source | None
    asynchronous: bool
    widened: str

    @property
    def at_most(self) -> bool:
        """Whether it stands in a branch that may not be taken, so that it may run less often."""
        return bool(self.branch)


@dataclass(frozen=True, repr=False)
class Collectives(Display):
    """The communication of a compiled function.

    Displays itself as a table in a notebook, through rich, and by ``print``; iterates over its operations.

    Attributes
    ----------
    name
        The function's name.
    operations
        Every collective, those of the outermost program first.
    warnings
        XLA's warnings that matter here; it gives them while it compiles, so of a compiled function there are none.
    mesh
        Axis sizes of the mesh that ``axes`` refer to; empty if the function has none.
    devices
        How many devices run the program.
    language
        Of the words, "en" or "zh".
    """

    name: str
    operations: tuple[Collective, ...]
    warnings: tuple[log.Rematerialization, ...]
    mesh: Mapping[str, int]
    devices: int
    language: str = "en"

    @property
    def bytes_per_device(self) -> int | None:
        """How many bytes a device receives in one call, all operations together; None if one's count is unknown.

        Of the branches of a conditional the one that receives most counts: ``at_most`` says whether there is one.
        """
        return _total(self.operations)

    @property
    def at_most(self) -> bool:
        """Whether ``bytes_per_device`` is an upper bound, as some operation may not be reached."""
        return any(operation.at_most for operation in self.operations)

    def __iter__(self) -> Iterator[Collective]:
        return iter(self.operations)

    def __len__(self) -> int:
        return len(self.operations)

    def body(self, words: Mapping[str, str]) -> str:
        """Return the HTML inside the figure."""
        caption = f"<figcaption>{escape(self.name)}</figcaption>"
        table = table_html(self._head(words), self._rows(words), words["collectives_table"]) if self.operations else ""
        remarks = "".join(f"<p>{escape(text)}</p>" for text in self._remarks(words))
        return f"<figure>{caption}{table}{pairs_html(self._facts(words))}{remarks}</figure>"

    def lines(self, words: Mapping[str, str], width: int) -> list[Text]:
        """Return coloured lines of at most ``width`` characters."""
        return [
            Text(self.name, style="bold"),
            *(table_text(self._head(words), self._rows(words), width) if self.operations else []),
            *pairs_text(self._facts(words), width),
            *prose(self._remarks(words), width),
        ]

    def _facts(self, words: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        sizes = ", ".join(f"{name}={size}" for name, size in self.mesh.items())
        total = self.bytes_per_device
        return (
            (words["mesh"], sizes) if sizes else (words["devices"], str(self.devices)),
            (words["each_receives"], "?" if total is None else "≤ " * self.at_most + notation.size(total)),
        )

    def _remarks(self, words: Mapping[str, str]) -> list[str]:
        said = [] if self.operations else [words["no_collectives"]]
        if any(operation.times is None for operation in self.operations):
            said.append(words["unknown_trips"])
        if self.at_most:
            said.append(words["branch"])
        if any(not operation.groups for operation in self.operations):
            said.append(words["untold_groups"])
        if narrow := sorted({operation.widened for operation in self.operations} - {""}):
            said.append(words["widened"].format(types=words["list"].join(narrow)))
        for warning in self.warnings:
            at = words["at"].format(source=warning.source) if warning.source else ""
            said.append(words["rematerialization"].format(at=at, before=warning.before, after=warning.after))
        return said

    @staticmethod
    def _head(words: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(words[key] for key in ("operation", "along", "arrays", "receives_each", "times", "line"))

    def _rows(self, words: Mapping[str, str]) -> list[tuple[str, ...]]:
        return [
            (
                operation.operation,
                self._along(operation, words),
                _arrays(operation),
                notation.size(operation.bytes_per_device),
                "?" if operation.times is None else ("≤ " if operation.at_most else "") + str(operation.times),
                str(operation.source) if operation.source else "—",
            )
            for operation in self.operations
        ]

    def _along(self, operation: Collective, words: Mapping[str, str]) -> str:
        if not operation.groups:
            return "?"
        if operation.axes is not None:
            return words["list"].join(operation.axes) or "—"
        within = varying(operation.groups, self.mesh)
        if within:
            return words["part_of"].format(axes=words["list"].join(within))
        groups = [",".join(notation.device_runs(group)) for group in operation.groups[:SHOWN_GROUPS]]
        return " | ".join(groups) + (" | …" if len(operation.groups) > SHOWN_GROUPS else "")


def collectives(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Collectives:
    """Say what communication a function contains once it is compiled.

    Nothing is allocated or run: arrays may be ``jax.ShapeDtypeStruct``, whose shardings say where they would lie. The
    program is the one for these devices: for another kind of device XLA chooses other operations.

    >>> mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    >>> def struct(shape, *spec):
    ...     return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(mesh, jax.P(*spec)))
    >>> def multiply(a, b):
    ...     return a @ b

    Both matrices are split along the dimension that is summed, so the partial products are added: every device gives
    its 16 × 64 floats, and with four along ``y`` receives 2 · 3/4 of their 4096 bytes.

    >>> (found,) = collectives(multiply, struct((16, 32), None, "y"), struct((32, 64), "y"))
    >>> found.operation, found.axes, found.bytes_per_device, found.times
    ('all-reduce', ('y',), 6144, 1)
    >>> print(collectives(multiply, struct((16, 32), "x"), struct((32, 64), None, "y")))
    multiply
    mesh                  x=2, y=4
    each device receives  0 B
    The compiled function contains no communication.

    What has been lowered or compiled already is read as it is.

    >>> compiled = jax.jit(multiply).lower(struct((16, 32), None, "y"), struct((32, 64), "y")).compile()
    >>> [each.operation for each in collectives(compiled)]
    ['all-reduce']

    Parameters
    ----------
    fn
        Any function that ``jax.jit`` takes, or one it has returned; one with a ``lower`` of its own, such as those of
        ``flax.nnx.jit`` and ``equinox.filter_jit``; or what ``lower`` or ``compile`` has returned, without arguments.
        For static arguments or ``in_shardings`` give what ``jax.jit`` has returned.
    args, kwargs
        Its arguments: arrays, structs, or pytrees of them. Their shardings must be on real devices.

    Returns
    -------
    Collectives
        The operations, XLA's warnings about them, and a table of both. ``shardbook.show`` sets its language.

    Raises
    ------
    ValueError
        A struct's mesh is abstract: compiling needs devices, of which the CPU can have 2048. Or what ``jax.jit`` raises
        for these arguments.
    TypeError
        There are arguments for what has been lowered already.
    """
    _refuse_abstract((args, kwargs))
    stage, name = _lowered(fn, args, kwargs)
    warnings: list[str] = []
    program = ""
    if isinstance(stage, jax.stages.Lowered):
        program = stage.as_text()
        stage, printed = _compiled(stage)
        warnings, rest = log.split(printed)
        sys.stderr.write(rest)
    text = stage.as_text() or ""
    shardings = (args, kwargs, stage.input_shardings, stage.output_shardings)
    meshes = [*_meshes(shardings), *_written_meshes(program), *_written_meshes(text)]
    return read(text, meshes, _devices(shardings), name, warnings)


def read(
    text: str,
    meshes: Sequence[dict[str, int]],
    devices: Sequence[Any] = (),
    name: str = "",
    warnings: Sequence[str] = (),
) -> Collectives:
    """Read what communication the text of a compiled program contains.

    Parameters
    ----------
    text
        HLO, as a compiler wrote it.
    meshes
        Axis sizes of the meshes it may speak of.
    devices
        The devices in the mesh's order, with ``id`` and ``slice_index``; needed only if they are on several slices of
        TPUs.
    name
        What the function is called.
    warnings
        What XLA's log said of it.
    """
    module = Module(text)
    slices = None
    if len(devices) > module.partitions:
        # Each slice of TPUs runs a program of its own.
        slices = Slices([device.id for device in devices], [getattr(device, "slice_index", 0) for device in devices])
    count = module.partitions * (slices.count if slices else 1)
    possible = [mesh for at, mesh in enumerate(meshes) if mesh not in meshes[:at] and _size(mesh) == count]
    operations = tuple(_collective(found, possible) for found in find(module, slices))
    return Collectives(
        name=name,
        operations=operations,
        warnings=tuple(log.read(text, module) for text in warnings),
        mesh=_most_used(possible, operations),
        devices=count,
    )


def _lowered(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, str]:
    """What can be compiled or is, and the function's name."""
    wrapped = _unwrapped(fn)
    if isinstance(wrapped, jax.stages.Lowered | jax.stages.Compiled):
        if args or kwargs:
            raise TypeError(f"{type(fn).__name__} has its arguments already: collectives(it) takes no others")
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


def _size(mesh: Mapping[str, int]) -> int:
    return math.prod(mesh.values())


def _devices(tree: Any) -> list[Any]:
    """The devices of the first mesh that has some, in its order."""
    meshes = (sharding.mesh for sharding in _named_shardings(tree))
    return next((list(mesh.devices.flat) for mesh in meshes if isinstance(mesh, jax.sharding.Mesh)), [])


def _most_used(meshes: Sequence[dict[str, int]], operations: Iterable[Collective]) -> dict[str, int]:
    """The first mesh that has the axes of every operation; the first of all if there is none."""
    used = set(itertools.chain.from_iterable(operation.axes or () for operation in operations))
    return next((mesh for mesh in meshes if used <= set(mesh)), meshes[0] if meshes else {})


def _collective(found: Found, meshes: Sequence[dict[str, int]]) -> Collective:
    return Collective(
        operation=found.kind,
        axes=_axes(found, meshes),
        groups=found.groups,
        operands=found.operands,
        results=found.results,
        bytes_per_device=_received(found),
        times=found.times.turns,
        branch=found.times.branch,
        op_name=found.op_name,
        source=found.source,
        asynchronous=found.asynchronous,
        widened=found.widened,
    )


def _axes(found: Found, meshes: Sequence[dict[str, int]]) -> tuple[str, ...] | None:
    """The mesh axes whose devices communicate; None if no mesh has such axes."""
    for mesh in meshes if found.groups else ():
        axes = varying(found.groups, mesh)
        if found.kind == "collective-permute" or _along(mesh, axes) == {frozenset(group) for group in found.groups}:
            return axes
    return None


def varying(groups: Groups, mesh: Mapping[str, int]) -> tuple[str, ...]:
    """The axes along which some members of a group differ from each other."""
    if not mesh:
        return ()
    found = np.zeros(len(mesh), bool)
    for group in groups:
        places = np.stack(np.unravel_index(np.array(group, int), tuple(mesh.values())))
        found |= (places != places[:, :1]).any(axis=1)
    return tuple(name for name, varies in zip(mesh, found, strict=True) if varies)


def _along(mesh: Mapping[str, int], axes: Sequence[str]) -> set[frozenset[int]]:
    """Positions in the mesh, grouped by those that differ along ``axes`` only."""
    names = list(mesh)
    order = [at for at, name in enumerate(names) if name not in axes] + [names.index(name) for name in axes]
    numbers = np.arange(np.prod(list(mesh.values()))).reshape(tuple(mesh.values())).transpose(order)
    rows = numbers.reshape(-1, int(np.prod([mesh[name] for name in axes])))
    return set(map(frozenset, rows.tolist()))


def _received(found: Found) -> int:
    """Bytes that a device receives each time; see ``Collective.bytes_per_device``."""
    given = sum(buffer.bytes for buffer in found.operands)
    if found.kind == "send":
        return sum(buffer.bytes for buffer in found.results)
    if found.kind == "collective-permute":
        return given if any(source != target for source, target in found.groups) else 0
    size = max(map(len, found.groups), default=1)
    if found.kind == "collective-broadcast":
        return given if size > 1 else 0
    if found.kind == "all-gather":
        return given * (size - 1)
    if found.kind == "ragged-all-to-all":
        # Its other operands say where the pieces go.
        given = found.operands[0].bytes
    # One of n parts is the device's own; rounded up, as the whole may not be a multiple of n bytes.
    once = 2 if found.kind == "all-reduce" else 1
    return -(-once * given * (size - 1) // size)


def _total(operations: Iterable[Collective], depth: int = 0) -> int | None:
    """Bytes of all operations; of the branches at ``depth`` of a conditional those of the one with the most."""
    total = 0
    conditionals: dict[str, dict[int, list[Collective]]] = {}
    for operation in operations:
        if operation.times is None:
            return None
        if len(operation.branch) == depth:
            total += operation.bytes_per_device * operation.times
        else:
            name, number = operation.branch[depth]
            conditionals.setdefault(name, {}).setdefault(number, []).append(operation)
    for branches in conditionals.values():
        total += max(_total(taken, depth + 1) or 0 for taken in branches.values())
    return total


def _arrays(operation: Collective) -> str:
    given, got = operation.operands, operation.results
    carried = f" ({operation.widened})" if operation.widened else ""
    if given == got:
        return _counted(given) + carried
    written = _counted(got)
    if len({buffer.dtype for buffer in (*given, *got)}) == 1:
        written = written.replace(got[0].dtype, "")
    return f"{_counted(given)} → {written}{carried}"


def _counted(buffers: Sequence[Buffer]) -> str:
    """Write arrays, equal ones that follow each other as a multiple."""
    runs = [(buffer, len(list(same))) for buffer, same in itertools.groupby(buffers)]
    return ", ".join(f"{count}×{buffer}" if count > 1 else str(buffer) for buffer, count in runs)
