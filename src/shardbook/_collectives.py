"""What communication a compiled function contains.

The function is compiled for its devices and never run: the optimized program says which collectives are in it.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.text import Text

from shardbook._collectives_view import collectives_html, collectives_lines
from shardbook._compile import compiled_program
from shardbook._display import Display
from shardbook._hlo import Buffer, Groups, Module, Source
from shardbook._hlo_collectives import HloCollective, Slices, find
from shardbook._mesh_axes import communication_axes
from shardbook._messages import messages
from shardbook._public import public
from shardbook._totals import Total, received, totals
from shardbook._xla_warnings import Rematerialization, read_warning


@public
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
    times_once, times_per_turn
        How often it runs in one call if the loops whose number of turns is unknown do not turn, and how much more often
        if each of them turns once. In no such loop the latter is 0; in the body of one the former.
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
    times_once: int
    times_per_turn: int
    branch: tuple[tuple[str, int], ...]
    op_name: str
    source: Source | None
    asynchronous: bool
    widened: str

    @property
    def times(self) -> int | None:
        """How often it runs in one call; None if a loop around it has no known trip count."""
        return None if self.times_per_turn else self.times_once

    @property
    def at_most(self) -> bool:
        """Whether it stands in a branch that may not be taken, so that it may run less often."""
        return bool(self.branch)


@public
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
    warnings: tuple[Rematerialization, ...]
    mesh: Mapping[str, int]
    devices: int
    language: str = "en"

    @property
    def bytes_per_device(self) -> int | None:
        """How many bytes a device receives in one call, all operations together; None if one's count is unknown.

        Of the branches of a conditional the one that receives most counts: ``at_most`` says whether there is one.
        """
        return received(self.operations).known

    @property
    def bytes_once(self) -> int:
        """The same without the turns of loops of which nobody knows how often they turn."""
        return received(self.operations).once

    @property
    def bytes_per_turn(self) -> int:
        """How many bytes more if each of these loops turns once; 0 if there is none."""
        return received(self.operations).per_turn

    @property
    def bytes_at_least(self) -> int:
        """How many bytes a device receives in any case: those that no branch and no turn of an unknown loop decides."""
        return received(operation for operation in self.operations if not operation.at_most).once

    @property
    def at_most(self) -> bool:
        """Whether ``bytes_per_device`` is an upper bound, as some operation may not be reached."""
        return any(operation.at_most for operation in self.operations)

    @property
    def totals(self) -> tuple[Total, ...]:
        """A sum for each operation and the axes it goes along, most expensive first.

        What grows with a loop of unknown turns comes before what does not. A sum with ``at_most`` counts the branches
        of a conditional that are costliest for it, which may not be those that are so for all together: the sums can
        then add up to more than ``bytes_per_device``, and never to less.
        """
        return totals(self.operations)

    def __iter__(self) -> Iterator[Collective]:
        return iter(self.operations)

    def __len__(self) -> int:
        return len(self.operations)

    def _html(self, messages: Mapping[str, str]) -> str:
        return collectives_html(self, messages)

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        return collectives_lines(self, messages, width)


@public
def collectives(fn: Callable[..., Any], *args: Any, language: str | None = None, **kwargs: Any) -> Collectives:
    """Say what communication a function contains once it is compiled.

    Nothing is allocated or run: arrays may be ``jax.ShapeDtypeStruct``, whose shardings say where they would lie. The
    program is the one for these devices: for another kind of device XLA chooses other operations.

    >>> import jax
    >>> from jax.sharding import NamedSharding, PartitionSpec
    >>> mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    >>> def struct(shape, *spec):
    ...     return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(mesh, PartitionSpec(*spec)))
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
    language
        Of the table's words, "en" (the default) or "zh". A function with an argument of that name gets it through
        ``functools.partial``.

    Returns
    -------
    Collectives
        The operations, XLA's warnings about them, and a table of both.

    Raises
    ------
    ValueError
        A struct's mesh is abstract: compiling needs devices, of which the CPU can have 2048. Or what ``jax.jit`` raises
        for these arguments. Or there is no such language.
    TypeError
        There are arguments for what has been lowered already.
    """
    messages(language or "en")
    found = read_program(*compiled_program(fn, args, kwargs))
    return replace(found, language=language or "en")


def read_program(
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
        warnings=tuple(read_warning(message, module) for message in warnings),
        mesh=_most_used(possible, operations),
        devices=count,
    )


def _size(mesh: Mapping[str, int]) -> int:
    return math.prod(mesh.values())


def _most_used(meshes: Sequence[dict[str, int]], operations: Iterable[Collective]) -> dict[str, int]:
    """The first mesh that has the axes of every operation; the first of all if there is none."""
    used = set(itertools.chain.from_iterable(operation.axes or () for operation in operations))
    return next((mesh for mesh in meshes if used <= set(mesh)), meshes[0] if meshes else {})


def _collective(found: HloCollective, meshes: Sequence[dict[str, int]]) -> Collective:
    return Collective(
        operation=found.kind,
        axes=communication_axes(found.kind, found.groups, meshes),
        groups=found.groups,
        operands=found.operands,
        results=found.results,
        bytes_per_device=_bytes_received(found),
        times_once=found.times.once,
        times_per_turn=found.times.per_turn,
        branch=found.times.branch,
        op_name=found.op_name,
        source=found.source,
        asynchronous=found.asynchronous,
        widened=found.widened,
    )


def _bytes_received(found: HloCollective) -> int:
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
