"""The figure a reader sees: in a notebook, on a page, in a terminal, in plain text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

import jax
from jax.sharding import PartitionSpec, Sharding
from rich.text import Text

from shardbook import _notation, _traced
from shardbook._display import Display
from shardbook._layout import Layout, layout
from shardbook._layout_view import leaf_html, leaf_lines
from shardbook._mesh_picture import same_mesh
from shardbook._messages import messages
from shardbook._public import public

Shown = TypeVar("Shown", bound=Display)


@public
@dataclass(frozen=True)
class Unsharded:
    """A leaf that is not drawn, and what is said instead.

    Attributes
    ----------
    type
        Its type, such as "ndarray" or "float32[4]".
    why
        Which sentence says why: its key in the package's messages, such as "unsharded" or "traced".
    spec
        How it is sharded, if that is known and cannot be drawn.
    """

    type: str
    why: str = "unsharded"
    spec: str = ""


@public
@dataclass(frozen=True, repr=False)
class Figure(Display):
    """Pictures of layouts, one below the other.

    Displays itself in a notebook, through rich, and by ``print``.

    Attributes
    ----------
    leaves
        The path in the pytree ("" for a single array) and the layout of each.
    language
        "en" or "zh".
    """

    leaves: tuple[tuple[str, Layout | Unsharded], ...]
    language: str = "en"

    def _html(self, messages: Mapping[str, str]) -> str:
        drawn = [leaf_html(path, leaf, messages, mesh=mesh) for path, leaf, mesh in self._each()]
        return "".join(drawn) or f"<p>{messages['nothing']}</p>"

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        found: list[Text] = []
        for path, leaf, mesh in self._each():
            if found:
                found.append(Text(""))
            found += leaf_lines(path, leaf, messages, width, mesh=mesh)
        return found or [Text(messages["nothing"])]

    def _each(self) -> Iterator[tuple[str, Layout | Unsharded, bool]]:
        """Each leaf with its path, and whether its mesh has not been drawn before."""
        before: list[Layout] = []
        for path, leaf in self.leaves:
            new = isinstance(leaf, Layout) and not any(same_mesh(leaf, other) for other in before)
            if new and isinstance(leaf, Layout):
                before.append(leaf)
            yield path, leaf, new


@overload
def show(x: Shown, *, language: str | None = None) -> Shown: ...
@overload
def show(x: Any, *, language: str | None = None) -> Figure: ...
@public
def show(x: Any, *, language: str | None = None) -> Display:
    """Draw how an array lies on its devices.

    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> show(layout(NamedSharding(AbstractMesh((2, 2), ("x", "y")), P("x", "y")), (4, 6), "float32"))
    float32[4@x, 6@y]
                               6@y
                            0:3   3:6
                          ┌─────┬─────┐
    mesh              0:2 │  0  │  1  │
        y →      4@x      ├─────┼─────┤
    x ↓  0  1         2:4 │  2  │  3  │
         2  3             └─────┴─────┘
    mesh               x=2, y=2 · Explicit
    shard shape        [2, 3]
    per device         24 B
    whole array        96 B
    pieces             4
    devices per piece  1
    Abstract mesh: the numbers are positions in it, not device ids.

    Of a traced value it returns a promise, and draws each time the function runs, in a notebook or on stdout: under
    ``jit`` how the compiler has split it, inside ``shard_map`` the blocks at their places in the mesh.
    ``jax.effects_barrier()`` waits for it. ``show(layout(x))`` draws at once what is known while tracing.

    >>> mesh = jax.sharding.Mesh(jax.devices()[:2], ("x",))
    >>> @jax.jit
    ... def double(x):
    ...     show(x)
    ...     return 2 * x
    >>> y = double(jax.device_put(jax.numpy.arange(4), NamedSharding(mesh, P("x")))); jax.effects_barrier()
    int32[4@x]
                  4@x
               0:2   2:4
    mesh     ┌─────┬─────┐
    x →      │  0  │  1  │
     0  1    └─────┴─────┘
    mesh               x=2 · Auto
    shard shape        [2]
    per device         8 B
    whole array        16 B
    pieces             2
    devices per piece  1

    Parameters
    ----------
    x
        A ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a ``Layout``, or a pytree of these. Other leaves
        of a tree are named, not drawn. What ``moves`` and ``collectives`` return is shown as it is.
    language
        Of the figure's words, "en" (the default) or "zh"; the notation is the same in both.

    Raises
    ------
    TypeError
        ``x`` is none of these.
    ValueError
        There is no such language, or ``layout`` refuses.
    """
    if isinstance(x, Display):
        messages(language or x.language)
        return replace(x, language=language or x.language)  # type: ignore[type-var]  # each of them is a dataclass
    language = language or "en"
    messages(language)
    leaves, _ = jax.tree_util.tree_flatten_with_path(x)
    found = tuple((name, _leaf(leaf, name, language)) for path, leaf in leaves for name in [jax.tree_util.keystr(path)])
    return Figure(found, language)


def _leaf(leaf: Any, name: str, language: str) -> Layout | Unsharded:
    if isinstance(leaf, Layout):
        return leaf
    if isinstance(leaf, jax.core.Tracer):
        return _later(leaf, name, language)
    # In a tree of arrays a step counter or a numpy array is no mistake: it is named, and nothing is drawn.
    if not name or getattr(leaf, "sharding", None) is not None:
        return layout(leaf)
    if isinstance(leaf, Sharding | PartitionSpec):
        return Unsharded(type(leaf).__name__, "no_shape")
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return Unsharded(_notation.array_type(str(leaf.dtype), tuple(map(str, leaf.shape))), "undecided_yet")
    return Unsharded(type(leaf).__name__)


def _later(leaf: Any, name: str, language: str) -> Unsharded:
    """Have a traced value drawn when the function runs."""
    try:
        known = layout(leaf)
    except TypeError:
        known = None
    if known is not None and known.varying is not None:
        manual = tuple(axis for axis, found in known.axes.items() if found.type == "Manual")
        _traced.once(manual, Figure(((name, known),), language))
        return Unsharded(str(known), "traced")

    def answer(shape: tuple[int, ...], sharding: Any) -> Figure:
        written = _notation.array_type(leaf.dtype.name, tuple(map(str, shape)))
        if sharding is None:
            return Figure(((name, Unsharded(written, "one_device")),), language)
        try:
            return Figure(((name, layout(sharding, shape, leaf.dtype)),), language)
        except ValueError:
            # The compiler may cut a dimension unevenly, padding the last piece.
            spec = getattr(sharding, "spec", sharding)
            return Figure(((name, Unsharded(written, "irregular", str(spec))),), language)

    _traced.when_run(leaf, answer)
    return Unsharded(_notation.array_type(leaf.dtype.name, tuple(map(str, leaf.shape))), "traced")
