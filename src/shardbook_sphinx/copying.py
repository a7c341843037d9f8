"""What a copy button takes along, so that what it copies runs: the code above that the block needs, and no more.

The build knows each page's blocks in their order. A block needs those above it that bind the names it uses, and these
need others in turn. The page carries the places of these blocks, a list for each button; copy.js puts the text together
from what stands on the page.
"""

from __future__ import annotations

import ast
import doctest
import json
import symtable
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes

from shardbook_sphinx.notebook import DOCTEST_DEVICES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

ALONE = ""  # the chain of a block that needs nothing and gives nothing: a shell command, a program
CELLS, DOCTESTS = "cells", "doctests"
PROMPT = ">>> "
# The examples of the reference run on this many devices; whoever pastes one has not set them.
DEVICES = f'jax.config.update("jax_num_cpu_devices", {DOCTEST_DEVICES})'
# What a block does to the process, beside binding names: all that come after need it.
EFFECTS = ("jax.config.update(", "os.environ[")


class Block(NamedTuple):
    """A block of code with a copy button."""

    chain: str
    """Blocks of one chain share their names: a page's cells on its own kernel or on another, or its doctests."""
    source: str
    raises: bool = False


class Uses(NamedTuple):
    """What a piece of code takes from outside and leaves behind."""

    needs: frozenset[str]
    binds: frozenset[str]
    has_effect: bool


def uses(source: str) -> Uses:
    r"""The names that a program uses before it binds them, and those it binds or changes.

    >>> found = uses("y = x + 1\nx[0] = len(y)\ndef f(a): return a + later\nlater = 2")
    >>> sorted(found.needs), sorted(found.binds)
    (['later', 'len', 'x'], ['f', 'later', 'x', 'y'])
    """
    needs: set[str] = set()
    binds: set[str] = set()
    has_effect = False
    for statement in ast.parse(source).body:
        code = ast.unparse(statement)
        bound, used = names(code)
        changed = {name for node in ast.walk(statement) if (name := changed_name(node))}
        needs |= used - binds
        binds |= bound | changed
        has_effect |= code.startswith(EFFECTS)
    return Uses(frozenset(needs), frozenset(binds), has_effect)


def names(code: str) -> tuple[set[str], set[str]]:
    """The names that a statement binds on the outermost level, and those it uses from there, at any depth."""
    outermost = symtable.symtable(code, "block", "exec")
    symbols = outermost.get_symbols()
    bound = {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in symbols if symbol.is_referenced()}
    inner = list(outermost.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        used |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return bound, used


def changed_name(node: ast.AST) -> str | None:
    """The name of what ``x[0] = 1`` or ``x.y = 1`` changes."""
    if not isinstance(node, ast.Subscript | ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return None
    inner: ast.expr = node
    while isinstance(inner, ast.Subscript | ast.Attribute):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) else None


def preludes(blocks: list[Block], setup: str) -> list[list[int | str]]:
    r"""For each block what is to be copied before it: blocks by their places, and lines of the doctests' ``setup``.

    >>> first, second = Block(CELLS, "import jax\nx = 1"), Block(CELLS, "y = 2")
    >>> preludes([first, second, Block(CELLS, "x + 1"), Block(DOCTESTS, "jax.devices()")], "import jax")
    [[], [], [0], ['>>> import jax', '>>> jax.config.update("jax_num_cpu_devices", 8)']]
    """
    known = [uses(block.source) if block.chain else None for block in blocks]
    imported = {name: line for line in expand(setup) for name in uses(line).binds}

    def needed(place: int) -> tuple[set[int], set[str]]:
        """The blocks and the lines of the setup that a block needs itself."""
        found: set[int] = set()
        lines: set[str] = set()
        above = [at for at in range(place) if blocks[at].chain == blocks[place].chain and not blocks[at].raises]
        found.update(at for at in above if (each := known[at]) and each.has_effect)
        own = known[place]
        assert own is not None
        for name in own.needs:
            binder = next((at for at in reversed(above) if (each := known[at]) and name in each.binds), None)
            if binder is not None:
                found.add(binder)
            elif blocks[place].chain == DOCTESTS and name in imported:
                lines.add(imported[name])
        return found, lines

    result: list[list[int | str]] = []
    for place, block in enumerate(blocks):
        found: set[int] = set()
        lines: set[str] = set()
        open_ = [place] if block.chain else []
        while open_:
            more, needs = needed(open_.pop())
            lines |= needs
            open_ += more - found
            found |= more
        begin = [line for line in expand(setup) if line in lines]
        if block.chain == DOCTESTS:
            begin = ["import jax", DEVICES, *(line for line in begin if line != "import jax")]
        result.append([*(PROMPT + line for line in begin), *sorted(found)])
    return result


def expand(setup: str) -> list[str]:
    """The imports of a program, each on a line of its own.

    >>> expand("import jax, numpy as np")
    ['import jax', 'import numpy as np']
    """
    return [
        f"import {ast.unparse(alias)}"
        for statement in ast.parse(setup).body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    ]


def find_blocks(doctree: nodes.document) -> Iterator[Block]:
    """The blocks of a page that get a copy button, in its order: not what a cell printed."""
    for block in doctree.findall(nodes.literal_block):
        cell = cell_of(block)
        if block.get("testnodetype") == "doctest":
            examples = doctest.DocTestParser().get_examples(block["test"] if "test" in block else block.astext())
            yield Block(DOCTESTS, "".join(example.source for example in examples))
        elif cell is None:
            yield Block(ALONE, block.astext())
        elif block.parent.get("nb_element") == "cell_code_source":
            metadata = cell["cell_metadata"]
            chain = ALONE if "processes" in metadata else str(metadata.get("kernel", CELLS))
            yield Block(chain, block.astext(), "raises" in metadata)


def cell_of(node: nodes.Node) -> nodes.Element | None:
    """The cell in which a node stands."""
    above: nodes.Element | None = node.parent
    while above is not None and above.get("nb_element") != "cell_code":
        above = above.parent
    return above


def add_preludes(app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put into a page what its copy buttons take along."""
    if doctree is None:
        return
    found = preludes(list(find_blocks(doctree)), app.config.doctest_global_setup)
    if any(found):
        told = json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")
        context["body"] += f'<script type="application/json" class="copies">{told}</script>\n'
