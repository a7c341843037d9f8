"""What a copy button takes along, so that what it copies runs: the statements above that the block needs, and no more.

The build knows each page's blocks in their order. A block needs the statements above it that bind the names it uses,
and these need others in turn. The page carries these statements, each once, and for each button a list of their places;
copy.js puts them before what is copied. An entry of errors, a page of its own, shows what it takes from above too.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import json
import re
import symtable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.entries import ENTRY, entry_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sphinx.application import Sphinx

    from shardbook_sphinx.entries import EntryPage

CELLS, DOCTESTS = "cells", "doctests"
ALONE = ""  # the chain of a block that needs nothing and gives nothing: a shell command, a program
# What a statement does to the process, beside binding names: all that come after need it.
EFFECTS = ("jax.config.update(", "os.environ[", "sys.path.insert(")
# After it callbacks have come.
WAITS = "jax.effects_barrier("
# What makes something that later statements fill.
CONTAINERS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
CHANGERS = {"add", "append", "clear", "extend", "insert", "pop", "remove", "setdefault", "sort", "update", "write"}
MAKERS = {"list", "dict", "set", "defaultdict", "Counter", "StringIO", "BytesIO"}


# Where the first cell of an entry begins in HTML, with the lines above that tell of it.
FIRST_CELL = re.compile('<p class="(?:verdict|cell-where)|<div class="cell ')


class Block(NamedTuple):
    """A block of code with a copy button."""

    chain: str
    """Blocks of one chain share their names: a page's cells on its own kernel or on another, or its doctests."""
    statements: tuple[str, ...]
    raising: frozenset[int] = frozenset()
    """The places of statements that raise: nothing after them can need them."""
    entry: str = ""
    """The entry of an error in which it stands."""


class Statement(NamedTuple):
    """A statement, with what it takes from outside and leaves behind."""

    code: str
    needs: frozenset[str]
    binds: frozenset[str]
    inside: frozenset[str]
    """What functions within it use, which may be bound after it, before they are called."""
    has_effect: bool
    fills: bool
    """Whether what it binds is there to be filled by later statements."""
    asks: bool
    """Whether it only asks for what is there."""
    unpacks: frozenset[str]
    """What it only unpacks, which nobody can fill who is given it so."""


@lru_cache(maxsize=10_000)  # several pages begin alike, and a page of entries is gone through twice
def read_statement(code: str) -> Statement:
    """The names that a statement uses, at any depth, and those that it binds or changes.

    >>> found = read_statement("def f(a): return a + later")
    >>> sorted(found.needs), sorted(found.binds)
    (['later'], ['f'])
    >>> found = read_statement("x[0] = len(y)")
    >>> sorted(found.needs), sorted(found.binds)
    (['len', 'x', 'y'], ['x'])
    """
    (statement,) = ast.parse(code).body
    outermost = symtable.symtable(code, "block", "exec")
    symbols = outermost.get_symbols()
    binds = {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}
    needs = {symbol.get_name() for symbol in symbols if symbol.is_referenced()}
    inside: set[str] = set()
    inner = list(outermost.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        inside |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    binds |= {name for node in outside_functions(statement) if (name := changed_name(node))}
    has_effect = ast.unparse(statement).startswith(EFFECTS)
    sets = (frozenset(needs | inside), frozenset(binds), frozenset(inside))
    fills, asks = makes_container(statement), is_question(statement)
    return Statement(code, *sets, has_effect, fills, asks, frozenset(unpacked_names(statement)))


def outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and what is in it, but for what functions in it do once they are called."""
    yield node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from outside_functions(child)


def changed_name(node: ast.AST) -> str | None:
    """The name of what ``x[0] = 1``, ``x.y = 1`` or ``x.update(y)`` changes."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGERS:
        return node.func.value.id if isinstance(node.func.value, ast.Name) else None
    if not isinstance(node, ast.Subscript | ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return None
    inner: ast.expr = node
    while isinstance(inner, ast.Subscript | ast.Attribute):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) else None


def unpacked_names(statement: ast.stmt) -> set[str]:
    """The names that a statement uses only to unpack them.

    >>> sorted(unpacked_names(ast.parse("f(*a, **b, c=c)").body[0])), unpacked_names(ast.parse("f(a, *a)").body[0])
    (['a', 'b'], set())
    """
    used = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    holders = (node for node in ast.walk(statement) if isinstance(node, ast.Starred | ast.keyword))
    unpacked = {id(each.value) for each in holders if isinstance(each, ast.Starred) or each.arg is None}
    return {name.id for name in used} - {name.id for name in used if id(name) not in unpacked}


def makes_container(statement: ast.stmt) -> bool:
    """Whether a statement binds a list, a dictionary or the like.

    >>> [makes_container(ast.parse(code).body[0]) for code in ("x = []", "x, y = {}, io.StringIO()", "x = f([])")]
    [True, True, False]
    """
    if not isinstance(statement, ast.Assign):
        return False
    value = statement.value
    made = value.elts if isinstance(value, ast.Tuple) else [value]
    called = [ast.unparse(each.func).rpartition(".")[2] for each in made if isinstance(each, ast.Call)]
    return any(isinstance(each, CONTAINERS) for each in made) or not MAKERS.isdisjoint(called)


def read_blocks(blocks: Iterable[Block]) -> Iterator[tuple[Block, list[Statement], list[Statement]]]:
    """Each block with its statements, and with those above it in its chain."""
    above: dict[str, list[Statement]] = {}
    for block in blocks:
        before = above.setdefault(block.chain, [])
        own = [read_statement(code) for code in block.statements]
        yield block, own, list(before)
        for place, each in enumerate(own):
            if place not in block.raising:
                before.append(each)
            elif begun := without_last(each.code):
                before.append(read_statement(begun))


def preludes(blocks: Iterable[Block]) -> list[list[str]]:
    r"""For each block the statements that its copy begins with.

    >>> cells = [Block(CELLS, ("import jax", "x = 1", "print(x)")), Block(CELLS, ("y = 2",)), Block(CELLS, ("x + 1",))]
    >>> preludes([*cells, Block(DOCTESTS, ("x + 1",))])
    [[], [], ['x = 1'], []]
    """
    return [[each.code for each in needed(own, before)] for _block, own, before in read_blocks(blocks)]


def from_above(blocks: Iterable[Block]) -> dict[str, list[str]]:
    """For each entry the statements above it on its source page without which its blocks do not run, one by one.

    >>> cells = [Block(CELLS, ("x = 1", "y = 2")), Block(CELLS, ("z = y",), entry="a"), Block(CELLS, ("z",), entry="a")]
    >>> from_above(cells)
    {'a': ['y = 2']}
    """
    entries: dict[tuple[str, str], tuple[list[Statement], list[Statement]]] = {}
    for block, own, before in read_blocks(blocks):
        if block.entry:
            entries.setdefault((block.entry, block.chain), ([], before))[0].extend(own)
    found: dict[str, list[str]] = {}
    for (entry, _chain), (own, before) in entries.items():
        found.setdefault(entry, []).extend(each.code for each in needed(own, before))
    return found


def numbered(found: list[list[str]]) -> tuple[list[str], list[list[int]]]:
    """The statements of several blocks, each once, and for each block the places of its own.

    >>> numbered([["import jax"], [], ["x = 1", "import jax"]])
    (['import jax', 'x = 1'], [[0], [], [1, 0]])
    """
    told: dict[str, int] = {}
    places = [[told.setdefault(code, len(told)) for code in each] for each in found]
    return list(told), places


def without_last(code: str) -> str:
    r"""What a ``with`` did before the last statement in it raised; nothing of any other statement.

    >>> without_last("with a:\n    b = 1\n    b + c")
    'with a:\n    b = 1'
    """
    (statement,) = ast.parse(code).body
    if not isinstance(statement, ast.With) or len(statement.body) == 1:
        return ""
    return "\n".join(code.splitlines()[: statement.body[-1].lineno - 1])


def needed(own: list[Statement], before: list[Statement]) -> list[Statement]:
    """The statements before a block without which its own do not run, in their order."""
    found = {place for place, each in enumerate(before) if each.has_effect}
    open_ = [(place, name) for place in found for name in before[place].needs]
    bound: set[str] = set()
    for each in own:
        open_ += [(len(before), name) for name in each.needs - bound]
        bound |= each.binds
    seen = set()
    while open_:
        if (asked := open_.pop()) in seen:
            continue
        seen.add(asked)
        end, name = asked
        binder = next((place for place in reversed(range(end)) if name in before[place].binds), None)
        if binder is None:
            continue
        more = {binder, *(fillers(before[:end], binder, name) if before[binder].fills else ())}
        open_ += [(place, other) for place in more for other in before[place].needs]
        # A function needs what has its names when it is called: of those that call it early and late, each its own.
        open_ += [(end, other) for place in more for other in before[place].inside - {name}]
        found |= more
    return [before[place] for place in sorted(found)]


def fillers(before: list[Statement], binder: int, name: str) -> Iterator[int]:
    """The statements that may fill what one has made, themselves or through a function that they call."""
    names = {name}
    for place in range(binder + 1, len(before)):
        each = before[place]
        if (names.isdisjoint(each.needs - each.unpacks) or each.asks) and not each.code.startswith(WAITS):
            continue
        names |= each.binds
        yield place


def is_question(statement: ast.stmt) -> bool:
    """Whether a statement only asks for what is there.

    >>> asked = ast.parse("len(x), x[0]; print(x); assert x; f(x); f(x).y; y = f(x)").body
    >>> [is_question(statement) for statement in asked]
    [True, True, True, False, False, False]
    """
    called = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
    asks = all(isinstance(each, ast.Name) and hasattr(builtins, each.id) for each in called)
    return isinstance(statement, ast.Assert) or (isinstance(statement, ast.Expr) and asks)


def find_blocks(doctree: nodes.document) -> Iterator[Block]:
    """The blocks of a page that get a copy button, in its order: not what a cell printed."""
    for block in doctree.findall(nodes.literal_block):
        cell = cell_of(block)
        if block.get("testnodetype") == "doctest":
            examples = doctest.DocTestParser().get_examples(block["test"] if "test" in block else block.astext())
            made = as_block(DOCTESTS, [(example.source, example.exc_msg is not None) for example in examples])
        elif cell is None:
            made = Block(ALONE, ())
        elif block.parent.get("nb_element") == "cell_code_source":
            metadata = cell["cell_metadata"]
            chain = ALONE if "processes" in metadata else str(metadata.get("kernel", CELLS))
            made = as_block(chain, [(block.astext(), "raises" in metadata)] if chain != ALONE else [])
        else:
            continue
        yield made._replace(entry=entry_of(block))


def as_block(chain: str, sources: list[tuple[str, bool]]) -> Block:
    """A block of pieces of code, each with whether its last statement raises."""
    found: list[str] = []
    raising = set()
    for source, raises in sources:
        found += statements(source)
        if raises:
            raising.add(len(found) - 1)
    return Block(chain, tuple(found), frozenset(raising))


def statements(source: str) -> list[str]:
    r"""The statements of a program as they are written.

    >>> statements("@f\ndef g():\n    pass\n\nx = 1; y = 2")
    ['@f\ndef g():\n    pass', 'x = 1', 'y = 2']
    """
    lines = source.splitlines(keepends=True)
    found = []
    for statement in ast.parse(source).body:
        decorators = getattr(statement, "decorator_list", [])
        begin = min([statement.lineno, *(each.lineno for each in decorators)])
        if decorators:
            found.append("".join(lines[begin - 1 : statement.end_lineno]).rstrip())
        else:
            found.append(ast.get_source_segment(source, statement) or "")
    return found


def cell_of(node: nodes.Node) -> nodes.Element | None:
    """The cell in which a node stands."""
    above: nodes.Element | None = node.parent
    while above is not None and above.get("nb_element") != "cell_code":
        above = above.parent
    return above


@lru_cache(maxsize=1)  # after a page its entries are written
def read_page(doctree: nodes.document) -> tuple[list[tuple[str, list[str]]], dict[str, list[str]]]:
    """Of each block of a page its entry and what its copy begins with, and what each entry takes from above."""
    blocks = list(find_blocks(doctree))
    entries = [block.entry for block in blocks]
    return list(zip(entries, preludes(blocks), strict=True)), from_above(blocks)


def add_preludes(app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put into a page what its copy buttons take along, and on the page of an entry show what it takes from above."""
    entry: EntryPage | None = context.get(ENTRY)
    anchor, doctree = (entry.anchor, entry.doctree) if entry else ("", doctree)
    if doctree is None:
        return
    blocks, above = read_page(doctree)
    needs = [needs for of, needs in blocks if of == anchor]
    if anchor in above and (taken := "\n".join(above[anchor])):
        shown = app.builder.render_partial(nodes.literal_block(taken, taken, language="ipython3"))["fragment"]  # type: ignore[attr-defined]
        folded = f'<details class="above"><summary>{_("What these programs start from")}</summary>\n{shown}</details>\n'
        context["body"] = FIRST_CELL.sub(lambda first: folded + first[0], context["body"], count=1)
        needs.insert(0, [])
    code, places = numbered(needs)
    if code:
        told = json.dumps([code, places], ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        context["body"] += f'<script type="application/json" class="copies">{told}</script>\n'
