"""A page as a notebook that runs as it is: its prose, its cells and its doctests, each as cells of Jupyter."""

from __future__ import annotations

import ast
import doctest
import json
import re
from typing import TYPE_CHECKING, Any

from shardbook_sphinx.downloads.markdown import Block, Cell, Doctest, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NAMED = {
    "python3": ["jax"],
    "chips": ["jax", "libtpu", "jax-cuda12-plugin", "jax-cuda12-pjrt", "nvidia-cuda-nvcc-cu12"],
}
DISPLAY_NAMES = {"python3": "Python 3 (ipykernel)"}
# What a page may import besides.
LIBRARIES = re.compile(r"^(?:import|from) (equinox|flax|optax)\b", re.MULTILINE)
SHARDBOOK = re.compile(r"\b(?:sb|shardbook)\b")
PRINTS = re.compile(r"print\(")
FLAGS = re.compile(r"\s*#\s*doctest:.*$", re.MULTILINE)


def runnable(blocks: Iterable[Block]) -> Iterator[str | Cell]:
    """The blocks of a page with its doctests made cells; what ran elsewhere is text that shows what it printed."""
    for block in blocks:
        if isinstance(block, Doctest):
            yield from doctest_cells(block.text)
        elif isinstance(block, Cell) and block.apart:
            yield as_text([block]).rstrip("\n")
        else:
            yield block


def doctest_cells(text: str) -> list[Cell]:
    r"""An example without prompts and expected output, cut so that each cell shows or raises one thing.

    >>> for cell in doctest_cells(">>> x = 6\n>>> x + 1\n7\n>>> x()\nTraceback (most recent call last):\n  ...\nE: e"):
    ...     print(repr(cell.source), *cell.tags)
    'x = 6\nx + 1'
    'x()' raises-exception
    """
    cells, begun = [], ""
    examples = doctest.DocTestParser().get_examples(text)
    for place, example in enumerate(examples, 1):
        source = FLAGS.sub("", example.source)
        begun += displayed(source) if example.want else source
        if example.want or place == len(examples):
            tags = ("raises-exception",) if example.exc_msg is not None else ()
            cells.append(Cell(begun.strip("\n"), tags))
            begun = ""
    return cells


def displayed(source: str) -> str:
    r"""A statement that shows what it ends with: a prompt shows it at any depth, a notebook only on the outermost.

    >>> print(displayed("with mesh:\n    x.sharding\n"))
    with mesh:
        display(x.sharding)
    <BLANKLINE>
    """
    outermost = last = ast.parse(source).body[-1]
    while isinstance(last, ast.With | ast.For | ast.If):
        last = last.body[-1]
    if last is outermost or not isinstance(last, ast.Expr) or PRINTS.match(ast.unparse(last)):
        return source
    # Python counts columns in bytes.
    lines = source.encode().splitlines(keepends=True)
    begin = sum(map(len, lines[: last.lineno - 1])) + last.col_offset
    end = sum(map(len, lines[: (last.end_lineno or 1) - 1])) + (last.end_col_offset or 0)
    encoded = source.encode()
    return b"".join([encoded[:begin], b"display(", encoded[begin:end], b")", encoded[end:]]).decode()


def setup(blocks: Iterable[Block]) -> Cell | None:
    """What must run first where there is code: the environment of the kernels that ran the page."""
    if all(isinstance(block, str) for block in blocks):
        return None
    return Cell('import os\n\nos.environ["JAX_PLATFORMS"] = "cpu"')


def uses_shardbook(blocks: Iterable[Block]) -> bool:
    """Whether the code of a page needs our own package."""
    return any(SHARDBOOK.search(block.source) for block in runnable(blocks) if isinstance(block, Cell))


def requirements(blocks: Iterable[Block], kernel: str, pins: dict[str, str]) -> list[str]:
    """What pip must install for a page to run as it did here, but for our own package."""
    # An old JAX goes with the NumPy of its time, chips with their compilers.
    named = NAMED.get(kernel, ["jax", "numpy", "scipy"])
    sources = [block.source for block in runnable(blocks) if isinstance(block, Cell)]
    named = [*named, *sorted({name for source in sources for name in LIBRARIES.findall(source)})]
    needed = [f"{name}=={pins[name]}" for name in named]
    drawn = any("jax.debug.visualize" in source for source in sources)
    return [*needed, "rich"] if drawn else needed


def as_notebook(blocks: Iterable[Block], kernel: str) -> str:
    """The file: prose between two pieces of code is one cell. Equal blocks give equal bytes."""
    cells: list[dict[str, Any]] = []
    for block in runnable(blocks):
        if isinstance(block, Cell):
            tags = {"tags": list(block.tags)} if block.tags else {}
            cells.append({"cell_type": "code", "metadata": tags, "source": block.source})
            cells[-1] |= {"execution_count": None, "outputs": []}
        elif cells and cells[-1]["cell_type"] == "markdown":
            cells[-1]["source"] += f"\n\n{block}"
        else:
            cells.append({"cell_type": "markdown", "metadata": {}, "source": block})
    for number, cell in enumerate(cells, 1):
        cell["id"] = str(number)
        cell["source"] = cell["source"].splitlines(keepends=True)
    kernel = "python3" if kernel == "chips" else kernel  # that runs here too, once the compilers are installed
    kernelspec = {"display_name": DISPLAY_NAMES.get(kernel, kernel), "language": "python", "name": kernel}
    metadata = {"kernelspec": kernelspec, "language_info": {"name": "python"}}
    notebook: dict[str, Any] = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
