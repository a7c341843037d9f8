"""The numbers that a page says in its prose, and those that its cells assert or are given."""

import ast
import operator
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from myst_parser.config.main import MdParserConfig
from myst_parser.mdit_to_docutils.base import DocutilsRenderer
from myst_parser.parsers.mdit import create_md_parser

MARKDOWN = create_md_parser(MdParserConfig(enable_extensions={"dollarmath", "deflist"}), DocutilsRenderer)
# Not H100, v5e, 0.12.0.1 or 2-core: a name, a release, a word.
NUMBER = re.compile(r"(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w-]|[.,]\d)")
WRITTEN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"), re.compile(r"\d+(?:\.\d+)?")
OPERATORS = {
    ast.USub: operator.neg,
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
YEAR = re.compile(r"20[12]\d")
OPTION = re.compile(r":[\w-]+:")
FILE = re.compile(r"^:load: (\S+)$", re.MULTILINE)
# Below it digits count and number things, and an assertion has nearly each of them by chance.
LEAST = 10


class Said(NamedTuple):
    """A number as the prose of a page says it."""

    line: int
    text: str
    value: float
    in_table: bool


def said(markdown: str) -> Iterator[Said]:
    """The numbers outside code and formulas, in their order.

    >>> [each.text for each in said("A v5e has 15.75 GiB, `8` of them 2,048; JAX 0.12.0.1 says 16.")]
    ['15.75', '2,048', '16']
    """
    in_table = False
    for token in MARKDOWN.parse(markdown):
        if token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        if token.type != "inline":
            continue
        words = "".join(child.content if child.type == "text" else " " for child in token.children)
        for match in NUMBER.finditer(words):
            value = float(match[0].replace(",", ""))
            if (value >= LEAST or "." in match[0]) and not YEAR.fullmatch(match[0]):
                yield Said(token.map[0] + 1, match[0], value, in_table)


def cells(markdown: str) -> Iterator[ast.Module]:
    """The cells of a page and the files that they load, as far as they are Python."""
    for token in MARKDOWN.parse(markdown):
        if token.type == "fence" and token.info.strip().startswith("{code-cell}"):
            try:
                yield ast.parse("\n".join(line for line in token.content.splitlines() if not OPTION.match(line)))
            except SyntaxError:  # a magic of the notebook, or a cell that shows a mistake
                continue


def literals(tree: ast.AST) -> set[float]:
    """The numbers in a piece of code: those in its strings too, and what its arithmetic of numbers alone makes.

    >>> sorted(literals(ast.parse("assert x == 2_048 * 8 and '1 passed, 1,024' in said")))
    [1.0, 8.0, 24.0, 1024.0, 2048.0, 16384.0]
    """
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text):
                found |= {float(each.replace(",", "")) for pattern in WRITTEN for each in pattern.findall(text)}
            case ast.Constant() | ast.UnaryOp() | ast.BinOp() if isinstance(value := folded(node), int | float):
                found.add(float(value))
    return found


def folded(node: ast.AST) -> float | None:
    """What a piece of arithmetic makes, if it has nothing but numbers."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS and (value := folded(operand)) is not None:
            return OPERATORS[type(op)](value)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            sides = folded(left), folded(right)
            return None if None in sides else OPERATORS[type(op)](*sides)
    return None


def asserted(markdown: str) -> set[float]:
    """The numbers in what the cells of a page assert."""
    asserts = [node for tree in cells(markdown) for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return set().union(*map(literals, asserts))


def given(page: Path) -> set[float]:
    """The numbers that the code of a page has, or a file that it loads: what it is told, not what it finds."""
    markdown = page.read_text(encoding="utf-8")
    loaded = [ast.parse((page.parent / name).read_text(encoding="utf-8")) for name in FILE.findall(markdown)]
    return set().union(*map(literals, [*cells(markdown), *loaded]))


def unasserted(page: Path, others: frozenset[float] = frozenset()) -> list[Said]:
    """What a page says without an assertion; rows of a table may be carried from pages that assert `others`."""
    markdown = page.read_text(encoding="utf-8")
    known = asserted(markdown) | given(page)
    return [each for each in said(markdown) if each.value not in known and not (each.in_table and each.value in others)]
