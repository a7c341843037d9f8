"""What one device holds while a compiled function runs.

The function is compiled for its devices and never run: the compiler says what it needs, and the shardings of the
arguments say which of them takes how much.
"""

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
from rich.text import Text

from shardbook._chips import chip_of, platform_of
from shardbook._compile import compiled_stage
from shardbook._display import Display
from shardbook._layout import Layout, bytes_of, layout
from shardbook._memory_view import memory_html, memory_lines
from shardbook._messages import messages
from shardbook._public import public


@public
class Leaf(NamedTuple):
    """An array among the arguments of a compiled function."""

    path: str
    """Where it stands in them: the argument's name as the program has it, and JAX's path in that."""
    layout: Layout
    """Its type, and how it lies on the devices."""
    bytes_per_device: int
    """Bytes of one piece as the compiler stores it: on a TPU in tiles, which may take more than its elements."""


@public
class Held(NamedTuple):
    """What a function holds in one memory while it runs, in bytes."""

    arguments: int
    """Of its arguments."""
    outputs: int
    """Of its results, and of the table of their addresses where there are several."""
    aliased: int
    """Of results that are written over donated arguments, and so count twice in the sum of both."""
    temporaries: int
    """Of all in between; on CPU also of arrays that the function has as constants."""
    code: int
    """Of the program itself; 0 where the compiler does not count it, and not in ``total``."""

    @property
    def total(self) -> int:
        """Arguments, outputs and temporaries, and what is aliased once."""
        return self.arguments + self.outputs - self.aliased + self.temporaries


@public
@dataclass(frozen=True, repr=False)
class Memory(Display):
    """What one device holds while a compiled function runs.

    Displays itself in a notebook, through rich, and by ``print``.

    Attributes
    ----------
    name
        The function's name.
    leaves
        The arrays among its arguments that are on the devices or in their host's memory, largest first.
    unused
        The paths of the arguments that it does not use: ``jax.jit`` does not pass them, and nothing here counts them.
    device
        What it holds in a device's own memory, as the compiler counts it.
    host
        What it holds for each device in the memory of the host, such as an offloaded optimizer's state. For GPUs of a
        topology an argument there counts as the device's, unless a result there is written into its buffer.
    peak
        The most bytes that are needed at once, by the compiler's count. None if it gives none, or one that is none of a
        device's memory: XLA for CPU leaves the temporaries out, XLA for TPU adds the host's memory.
    chip
        What the devices are, such as "H100"; "" for a CPU and for chips that are not known.
    capacity
        Bytes of memory that are published of the chip; None without one.
    platform
        "cpu", "gpu" or "tpu".
    devices
        How many devices run the function.
    language
        Of the words, "en" or "zh".
    """

    name: str
    leaves: tuple[Leaf, ...]
    unused: tuple[str, ...]
    device: Held
    host: Held
    peak: int | None
    chip: str
    capacity: int | None
    platform: str
    devices: int
    language: str = "en"

    @property
    def total(self) -> int:
        """How many bytes of its memory a device needs: arguments, outputs and temporaries, what is aliased once.

        On a TPU ``peak``, which is less where some of them take turns in one place: by that its compiler refuses.
        """
        return self.peak if self.platform == "tpu" and self.peak is not None else self.device.total

    @property
    def fits(self) -> bool | None:
        """Whether that is at most the memory of the chip; None if the chip is not known."""
        return None if self.capacity is None else self.total <= self.capacity

    @property
    def replicated(self) -> int:
        """How many bytes of the arguments on a device are a copy of what another device has too."""
        return sum(leaf.bytes_per_device for leaf in self.leaves if leaf.layout.replication > 1)

    def _html(self, messages: Mapping[str, str]) -> str:
        return memory_html(self, messages)

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        return memory_lines(self, messages, width)


@public
def memory(fn: Callable[..., Any], *args: Any, language: str | None = None, **kwargs: Any) -> Memory:
    """Say what one device holds while a function runs, once it is compiled.

    Nothing is allocated or run: arrays may be ``jax.ShapeDtypeStruct``, whose shardings say where they would lie. The
    numbers are those of the compiler for these devices: another compiler needs other temporaries.

    >>> import jax
    >>> from jax.sharding import NamedSharding, PartitionSpec
    >>> mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    >>> def struct(shape, *spec):
    ...     return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(mesh, PartitionSpec(*spec)))
    >>> def double(state):
    ...     return {name: 2 * array for name, array in state.items()}

    An eighth of the weights and all of the bias lie on each device, and so do the results, which take the place of the
    state if it is donated:

    >>> state = {"bias": struct((256,)), "weights": struct((512, 256), "x", "y")}
    >>> found = memory(jax.jit(double, donate_argnums=0), state)
    >>> [(leaf.path, leaf.bytes_per_device) for leaf in found.leaves]
    [("state['weights']", 65536), ("state['bias']", 1024)]
    >>> found.device.arguments, found.device.aliased, found.replicated
    (66560, 66560, 1024)
    >>> memory(double, state).device.aliased
    0

    Parameters
    ----------
    fn
        Any function that ``jax.jit`` takes, or one it has returned; one with a ``lower`` of its own, such as those of
        ``flax.nnx.jit`` and ``equinox.filter_jit``; or what ``lower`` or ``compile`` has returned, without arguments.
        For static or donated arguments or ``in_shardings`` give what ``jax.jit`` has returned.
    args, kwargs
        Its arguments: arrays, structs, or pytrees of them. Their shardings must be on real devices, or on those of a
        topology, for which its compiler compiles.
    language
        Of the figure's words, "en" (the default) or "zh". A function with an argument of that name gets it through
        ``functools.partial``.

    Returns
    -------
    Memory
        The bytes by argument and in all, and against the memory of the chip.

    Raises
    ------
    ValueError
        A struct's mesh is abstract: compiling needs devices, of which the CPU can have 2048. Or what ``jax.jit`` raises
        for these arguments. Or there is no such language.
    TypeError
        There are arguments for what has been lowered already.
    NotImplementedError
        The compiler tells nothing of memory.
    jax.errors.JaxRuntimeError
        The TPU's compiler refuses what does not fit. That of a GPU does not.
    """
    messages(language or "en")
    stage = compiled_stage(fn, args, kwargs)
    sys.stderr.write(stage.printed)
    return replace(read_memory(stage.compiled, stage.name), language=language or "en")


def read_memory(compiled: jax.stages.Compiled, name: str = "") -> Memory:
    """Read what a compiled function holds on one device.

    Raises
    ------
    NotImplementedError
        The compiler tells nothing of memory.
    """
    shardings = jax.tree_util.tree_leaves((compiled.input_shardings, compiled.output_shardings))
    devices: set[Any] = set().union(*(sharding.device_set for sharding in shardings)) or set(jax.devices()[:1])
    one = min(devices, key=lambda device: device.id)
    chip = chip_of(one)
    statistics = compiled.memory_analysis()
    try:
        device, host = _held(statistics, ""), _held(statistics, "host_")
    except AttributeError:
        raise NotImplementedError(
            f"JAX {jax.__version__} says nothing of memory for what it has compiled for {platform_of(one)}: "
            f"memory_analysis() of the compiled function gives {statistics!r}"
        ) from None
    leaves, unused = _leaves(compiled)
    # See Memory.peak for what these two compilers mean by it.
    telling = platform_of(one) != "cpu" and not host.total
    return Memory(
        name=name,
        leaves=tuple(sorted(leaves, key=lambda leaf: -leaf.bytes_per_device)),
        unused=tuple(unused),
        device=device,
        host=host,
        peak=getattr(statistics, "peak_memory_in_bytes", 0) or None if telling else None,
        chip=chip.name if chip else "",
        capacity=chip.memory if chip else None,
        platform=platform_of(one),
        devices=len(devices),
    )


def _held(statistics: Any, memory: str) -> Held:
    kinds = ("argument", "output", "alias", "temp", "generated_code")
    return Held(*(int(getattr(statistics, f"{memory}{kind}_size_in_bytes")) for kind in kinds))


def _leaves(compiled: jax.stages.Compiled) -> tuple[list[Leaf], list[str]]:
    """The arrays that are passed to the program, and the paths of those that are not."""
    tree: Any
    with_paths, tree = jax.tree_util.tree_flatten_with_path(compiled.args_info)
    # Of an argument that is not passed the sharding is None, which would be no leaf of a tree.
    shardings = tree.flatten_up_to(compiled.input_shardings)
    formats = getattr(compiled, "input_formats", None)
    stored = [None] * len(shardings) if formats is None else tree.flatten_up_to(formats)
    passed = [path for (path, _), sharding in zip(with_paths, shardings, strict=True) if sharding is not None]
    names = _argument_names(compiled.as_text() or "", passed)
    leaves, unused = [], []
    known: dict[Any, Layout] = {}
    for (path, info), sharding, form in zip(with_paths, shardings, stored, strict=True):
        written = names.get(path[:2], _written(path[:2])) + jax.tree_util.keystr(path[2:])
        if sharding is None:
            unused.append(written)
            continue
        key = (sharding, info.shape, info.dtype)
        # A state of hundreds of arrays has few that differ.
        found = known.get(key) or known.setdefault(key, layout(sharding, info.shape, info.dtype))
        leaves.append(Leaf(written, found, _stored_bytes(found, getattr(form, "layout", None))))
    return leaves, unused


Path = tuple[Any, ...]
"""Of a leaf: first 0 for positional arguments or 1 for keywords, then which."""


def _written(argument: Path) -> str:
    """Write an argument of which only its place is known; a keyword is its name."""
    kind, which = argument
    return str(which.key) if kind.idx else f"args[{which.idx}]"


def _argument_names(program: str, paths: Sequence[Path]) -> dict[Path, str]:
    r"""The names that a program has for the arguments, by the first two keys of their leaves' paths.

    >>> number = jax.tree_util.SequenceKey
    >>> path = (number(0), number(0), jax.tree_util.DictKey("w"))
    >>> program = "ENTRY %m {\n  %p = f32[8]{0} parameter(0), metadata={op_name=\"state[\\'w\\']\"}\n}"
    >>> _argument_names(program, [path])[path[:2]]
    'state'
    """
    entry = program[program.find("ENTRY ") :].partition("\n}")[0]
    # Effects in order pass a token, which is no argument.
    lines = re.findall(r"^ +(?:ROOT )?%\S+ = (?!token)\S+ parameter\((\d+)\)(.*)$", entry, re.MULTILINE)
    if len(lines) != len(paths):
        return {}
    found = {}
    for (_, rest), path in zip(sorted(lines, key=lambda line: int(line[0])), paths, strict=True):
        named = re.search(r'op_name="((?:[^"\\]|\\.)*)"', rest)
        name = re.sub(r"\\(.)", r"\1", named.group(1)) if named else ""
        inside = jax.tree_util.keystr(path[2:])
        if name and name.endswith(inside):
            found[path[:2]] = name.removesuffix(inside)
    return found


def _stored_bytes(layout: Layout, stored: Any) -> int:
    """Bytes of a piece in the memory layout that the compiler has chosen for it."""
    tiling = getattr(stored, "tiling", None)
    if not tiling:
        return layout.bytes_per_device or 0
    shape, dtype = layout.shard_shape, layout.dtype
    if jax.numpy.issubdtype(dtype, jax.dtypes.prng_key):
        shape, dtype = (*shape, dtype.itemsize // 4), jax.numpy.dtype("uint32")
    return _tiled_bytes([shape[at] for at in stored.major_to_minor], tiling[0], dtype)


def _tiled_bytes(sizes: Sequence[int], tile: Sequence[int], dtype: Any) -> int:
    """Bytes of an array, its dimensions from major to minor, if its last ones are cut into whole tiles.

    >>> _tiled_bytes((100, 100), (8, 128), jax.numpy.dtype("float32")) == 104 * 128 * 4
    True
    """
    missing = (1,) * (len(tile) - len(sizes))
    whole = (1,) * (len(sizes) - len(tile)) + tuple(tile)
    padded = (-(-size // part) * part for size, part in zip((*missing, *sizes), whole, strict=True))
    return bytes_of(math.prod(padded), dtype)
