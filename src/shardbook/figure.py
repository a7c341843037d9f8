"""The figure a reader sees: in a notebook, on a page, in a terminal, in plain text."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any, TypeVar, overload

import jax
from jax.sharding import PartitionSpec, Sharding
from rich.text import Text

from shardbook import inside, notation, svg, terminal
from shardbook.caption import facts, notes, spoken
from shardbook.display import Display, pairs_html, pairs_text, prose
from shardbook.layout import Layout, layout
from shardbook.picture import panels
from shardbook.words import words

Shown = TypeVar("Shown", bound=Display)

NARROW = 300
"""A drawing that can shrink to this many CSS pixels fits any phone."""


@dataclass(frozen=True)
class Unsharded:
    """A leaf that is not drawn, and what is said instead.

    Attributes
    ----------
    type
        Its type, such as "ndarray" or "float32[4]".
    why
        The key of the sentence in ``words``.
    spec
        How it is sharded, if that is known and cannot be drawn.
    """

    type: str
    why: str = "unsharded"
    spec: str = ""


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

    def body(self, words: Mapping[str, str]) -> str:
        """Return the HTML inside the figure."""
        return "".join(_html(path, leaf, words) for path, leaf in self.leaves) or f"<p>{words['nothing']}</p>"

    def lines(self, words: Mapping[str, str], width: int) -> list[Text]:
        """Return coloured lines of at most ``width`` characters."""
        found: list[Text] = []
        for at, (path, leaf) in enumerate(self.leaves):
            if at:
                found.append(Text(""))
            found += _text(path, leaf, words, width)
        return found or [Text(words["nothing"])]


@overload
def show(x: Shown, *, language: str | None = None) -> Shown: ...
@overload
def show(x: Any, *, language: str | None = None) -> Figure: ...
def show(x: Any, *, language: str | None = None) -> Display:
    """Draw how an array lies on its devices.

    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> show(layout(NamedSharding(AbstractMesh((2, 2), ("x", "y")), P("x", "y")), (4, 6), "float32"))
    float32[4@x, 6@y]
                  6@y
               0:3   3:6
             ┌─────┬─────┐
         0:2 │  0  │  1  │
    4@x      ├─────┼─────┤
         2:4 │  2  │  3  │
             └─────┴─────┘
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
    ┌─────┬─────┐
    │  0  │  1  │
    └─────┴─────┘
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
        words(language or x.language)
        return replace(x, language=language or x.language)  # type: ignore[type-var]  # each of them is a dataclass
    language = language or "en"
    words(language)
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
        return Unsharded(notation.array_type(str(leaf.dtype), tuple(map(str, leaf.shape))), "undecided_yet")
    return Unsharded(type(leaf).__name__)


def _later(leaf: Any, name: str, language: str) -> Unsharded:
    """Have a traced value drawn when the function runs."""
    try:
        known = layout(leaf)
    except TypeError:
        known = None
    if known is not None and known.varying is not None:
        manual = tuple(axis for axis, found in known.axes.items() if found.type == "Manual")
        inside.once(manual, Figure(((name, known),), language))
        return Unsharded(str(known), "traced")

    def answer(shape: tuple[int, ...], sharding: Any) -> Figure:
        written = notation.array_type(leaf.dtype.name, tuple(map(str, shape)))
        if sharding is None:
            return Figure(((name, Unsharded(written, "one_device")),), language)
        try:
            return Figure(((name, layout(sharding, shape, leaf.dtype)),), language)
        except ValueError:
            # The compiler may cut a dimension unevenly, padding the last piece.
            spec = getattr(sharding, "spec", sharding)
            return Figure(((name, Unsharded(written, "irregular", str(spec))),), language)

    inside.when_run(leaf, answer)
    return Unsharded(notation.array_type(leaf.dtype.name, tuple(map(str, leaf.shape))), "traced")


def picture(leaf: Layout, said: Mapping[str, str]) -> tuple[str, int]:
    """Return the drawing of a layout with its text equivalent, and how many pieces it shows."""
    arranged = panels(leaf)
    drawn = sum(cell is not None for panel in arranged if panel for row in panel.cells for cell in row)
    drawing, width = svg.draw(leaf, arranged, said["count"])
    # What may have to scroll must be reachable by keyboard.
    focus = ' tabindex="0"' if width > NARROW else ""
    return f'<div class="sb-panels" role="img"{focus} aria-label="{escape(spoken(leaf, said))}">{drawing}</div>', drawn


def _html(path: str, leaf: Layout | Unsharded, said: Mapping[str, str]) -> str:
    name = f'<span class="sb-path">{escape(path)}</span> ' if path else ""
    if isinstance(leaf, Unsharded):
        return f"<p>{name}{escape(said[leaf.why].format(type=leaf.type, spec=leaf.spec))}</p>"
    drawing, drawn = picture(leaf, said)
    remarks = "".join(f"<p>{escape(note)}</p>" for note in notes(leaf, said, drawn))
    caption = f"<figcaption>{name}{escape(str(leaf))}</figcaption>"
    return f"<figure>{caption}{drawing}{pairs_html(facts(leaf, said))}{remarks}</figure>"


def _text(path: str, leaf: Layout | Unsharded, said: Mapping[str, str], width: int) -> list[Text]:
    name = f"{path} " if path else ""
    if isinstance(leaf, Unsharded):
        return prose([name + said[leaf.why].format(type=leaf.type, spec=leaf.spec)], width)
    arranged = panels(leaf)
    drawn = sum(cell is not None for panel in arranged if panel for row in panel.cells for cell in row)
    return [
        Text(name + str(leaf), style="bold"),
        *terminal.draw(leaf, arranged, width, said["count"]),
        *pairs_text(facts(leaf, said), width),
        *prose(notes(leaf, said, drawn), width),
    ]
