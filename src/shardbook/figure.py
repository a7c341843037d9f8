"""The figure a reader sees: in a notebook, on a page, in a terminal, in plain text."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import jax
from rich.console import Console, ConsoleOptions
from rich.text import Text

from shardbook import svg, terminal
from shardbook.caption import facts, notes, spoken
from shardbook.layout import Layout, layout
from shardbook.picture import panels
from shardbook.words import words

LANGUAGES = "SHARDBOOK_LANGUAGES"
"""Environment variable: the languages a displayed figure comes in, such as "en,zh"."""
STYLE = "SHARDBOOK_STYLE"
"""Environment variable: "linked" leaves the stylesheet out of figures, for a site that links ``figure.css``."""

NARROW = 300
"""A drawing that can shrink to this many CSS pixels fits any phone."""


@dataclass(frozen=True)
class Unsharded:
    """A leaf of a pytree that is no array of JAX's, by the name of its type."""

    type: str


@dataclass(frozen=True)
class Figure:
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

    def html(self, language: str | None = None) -> str:
        """Return the figure as HTML with inline SVG: no script, no id, no request.

        >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
        >>> figure = show(layout(NamedSharding(AbstractMesh((2,), ("x",)), P("x")), (8,), "float32"))
        >>> "<svg" in figure.html() and "设备网格" in figure.html("zh")
        True
        """
        language = language or self.language
        said = words(language)
        style = "" if os.environ.get(STYLE) == "linked" else f"<style>{stylesheet()}</style>"
        drawn = "".join(_html(path, leaf, said) for path, leaf in self.leaves) or f"<p>{said['nothing']}</p>"
        return f'<div class="sb-figure" lang="{language}">{style}{drawn}</div>'

    def text(self, width: int = 80) -> list[Text]:
        """Return the figure as coloured lines for a terminal ``width`` characters wide."""
        said = words(self.language)
        found: list[Text] = []
        for at, (path, leaf) in enumerate(self.leaves):
            if at:
                found.append(Text(""))
            found += _text(path, leaf, said, width)
        return found or [Text(said["nothing"])]

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:  # noqa: ARG002
        # IPython asks with what it wants and takes its pick itself. A notebook knows the first two, the site all.
        listed = os.environ.get(LANGUAGES, "").replace(" ", "").split(",")
        others = [name for name in listed if name not in ("", self.language)]
        translated = {f"text/vnd.shardbook.{name}+html": self.html(name) for name in others}
        return {"text/html": self.html(), "text/plain": str(self)} | translated

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for line in self.text(options.max_width):
            line.no_wrap = True
            yield line

    def __str__(self) -> str:
        return "\n".join(line.plain.rstrip() for line in self.text())

    # At the prompt the figure is the answer, as it is in a notebook.
    __repr__ = __str__


def show(x: Any, *, language: str | None = None) -> Figure:
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

    Parameters
    ----------
    x
        A ``jax.Array``, a ``jax.ShapeDtypeStruct`` with a sharding, a ``Layout``, or a pytree of these. Other leaves
        of a tree are named, not drawn.
    language
        Of the figure's words, "en" (the default) or "zh"; the notation is the same in both.

    Raises
    ------
    TypeError
        ``x`` is none of these.
    ValueError
        There is no such language, or ``layout`` refuses.
    """
    language = language or "en"
    words(language)
    leaves, _ = jax.tree_util.tree_flatten_with_path(x)
    found = tuple((jax.tree_util.keystr(path), _leaf(leaf, alone=not path)) for path, leaf in leaves)
    return Figure(found, language)


def _leaf(leaf: Any, alone: bool) -> Layout | Unsharded:
    if isinstance(leaf, Layout):
        return leaf
    # In a tree of arrays a step counter or a numpy array is no mistake: it is named, and nothing is drawn.
    if alone or isinstance(leaf, jax.Array | jax.ShapeDtypeStruct):
        return layout(leaf)
    return Unsharded(type(leaf).__name__)


@cache
def stylesheet() -> str:
    """Return ``figure.css`` without its comment and line breaks."""
    text = files("shardbook").joinpath("figure.css").read_text(encoding="utf-8")
    rules = " ".join(line.strip() for line in text.split("*/", 1)[1].splitlines())
    for mark in ("{", "}", ";", ":", ","):
        rules = rules.replace(f"{mark} ", mark)
    return rules.replace(" {", "{").replace(";}", "}").strip()


def _html(path: str, leaf: Layout | Unsharded, said: dict[str, str]) -> str:
    name = f'<span class="sb-path">{escape(path)}</span> ' if path else ""
    if isinstance(leaf, Unsharded):
        return f"<p>{name}{escape(said['unsharded'].format(type=leaf.type))}</p>"
    arranged = panels(leaf)
    drawn = sum(cell is not None for panel in arranged if panel for row in panel.cells for cell in row)
    numbers = "".join(f"<div><dt>{label}</dt><dd>{escape(value)}</dd></div>" for label, value in facts(leaf, said))
    remarks = "".join(f"<p>{escape(note)}</p>" for note in notes(leaf, said, drawn))
    drawing, width = svg.draw(leaf, arranged, said["count"])
    # What may have to scroll must be reachable by keyboard.
    focus = ' tabindex="0"' if width > NARROW else ""
    return (
        f"<figure><figcaption>{name}{escape(str(leaf))}</figcaption>"
        f'<div class="sb-panels" role="img"{focus} aria-label="{escape(spoken(leaf, said))}">'
        f"{drawing}</div><dl>{numbers}</dl>{remarks}</figure>"
    )


def _text(path: str, leaf: Layout | Unsharded, said: dict[str, str], width: int) -> list[Text]:
    name = f"{path} " if path else ""
    if isinstance(leaf, Unsharded):
        return [Text(name + said["unsharded"].format(type=leaf.type))]
    arranged = panels(leaf)
    drawn = sum(cell is not None for panel in arranged if panel for row in panel.cells for cell in row)
    pairs = facts(leaf, said)
    # A Chinese character takes two columns: rich measures, len would not.
    wide = max(Text(label).cell_len for label, _ in pairs)
    return [
        Text(name + str(leaf), style="bold"),
        *terminal.draw(leaf, arranged, width, said["count"]),
        *(Text.assemble((label + " " * (wide + 2 - Text(label).cell_len), "dim"), value) for label, value in pairs),
        *(Text(note) for note in notes(leaf, said, drawn)),
    ]
