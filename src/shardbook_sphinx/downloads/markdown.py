"""A page as plain Markdown, CommonMark with GitHub's tables: from the doctree, so resolved and in the page's language.

Our own, for sphinx-markdown-builder 0.6.11 is a builder, a third reading of all pages; it loses figures and the signs
of signatures, writes definition lists that few readers know, and its text cannot be taken apart into cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import indent
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils import get_source_line
from sphinx import addnodes
from sphinx.locale import _

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.nodes import span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HIDDEN = "remove-cell"

# What would be taken for markup, in running text and at the beginning of a line. Notebooks take "$" for mathematics.
MARKUP = re.compile(r"[\\`*$]|\](?=[(\[:])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|~(?=~)")
LINE_START = re.compile(r"^(?=>|(?:[#+-]+|=+)(?:\s|$))", re.MULTILINE)
NUMBER = re.compile(r"^(\d+)(?=[.)](?:\s|$))", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """A code cell of the page, with what it showed there as text."""

    source: str
    tags: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    apart: bool = False
    """Whether it ran in other processes than the page's kernel."""


@dataclass(frozen=True)
class Doctest:
    """An example of the reference, with its prompts and what it must print."""

    text: str


Block = str | Cell | Doctest


def as_text(blocks: Iterable[Block]) -> str:
    """The blocks of a page as one text: cells as code, each followed by its outputs, but for the hidden ones.

    >>> print(as_text(["# Sums", Cell("1 + 1", outputs=("2",)), Cell("assert True", tags=("remove-cell",))]))
    # Sums
    <BLANKLINE>
    ```python
    1 + 1
    ```
    <BLANKLINE>
    ```text
    2
    ```
    <BLANKLINE>
    """
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Doctest):
            texts.append(fenced(block.text, "pycon"))
        elif HIDDEN not in block.tags:
            texts += [fenced(block.source, "python"), *(fenced(output, "text") for output in block.outputs)]
    return "\n\n".join(texts) + "\n"


def fenced(code: str, language: str) -> str:
    """Code in a fence longer than any in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", code))])
    return "\n".join([fence + language, code.strip("\n"), fence])


def quoted(texts: list[str]) -> str:
    return "\n".join(f"> {line}".rstrip() for line in "\n\n".join(texts).split("\n"))


def escape(text: str) -> str:
    r"""Text without anything that Markdown would take for markup.

    >>> print(escape("f(*args), a_b, _c, P['x'] < 4"))
    f(\*args), a_b, \_c, P['x'] < 4
    """
    return MARKUP.sub(r"\\\g<0>", text)


class Writer:
    """Turns the doctree of one page into blocks.

    Parameters
    ----------
    link
        What to write for the address of a link within the site, which is given relative to the page.
    cells
        The code cells of the page, hidden ones too, each with its place among all cells of the notebook.
    """

    def __init__(self, link: Callable[[str], str], cells: Iterable[tuple[int, Cell]]) -> None:
        self.link = link
        self.waiting = list(cells)

    def page(self, document: nodes.document) -> list[Block]:
        """All blocks of a page."""
        blocks = [block for block in self.blocks(document, 0) if block]
        return [*blocks, *(cell for _, cell in self.waiting)]

    def blocks(self, node: nodes.Node, level: int) -> Iterator[Block]:
        """The blocks of a node that stands below ``level`` headings."""
        match node:
            case nodes.section():
                yield from self.children(node, level + 1)
            case addnodes.desc_signature():
                yield f"{'#' * min(level + 1, 6)} {span(node.astext())}"
            case addnodes.desc():
                yield from self.children(node, level)
            case nodes.container() if node.get("nb_element") == "cell_code":
                yield from self.cells_up_to(node["cell_index"])
            case nodes.container() if node.get("design_component") == "card":
                yield self.card(node)
            case nodes.literal_block() if node.get("testnodetype") == "doctest":
                yield Doctest(node.astext())
            case nodes.literal_block():
                yield fenced(node.astext(), node.get("language", "").replace("none", ""))
            case nodes.math_block():
                yield f"$$\n{node.astext().strip()}\n$$"
            case nodes.title() if isinstance(node.parent, nodes.section):
                yield f"{'#' * level} {self.line(node)}"
            case nodes.title():
                yield f"**{self.line(node)}**"
            case addnodes.compact_paragraph() if node.get("toctree"):
                yield from self.children(node, level)
            case nodes.paragraph():
                yield self.paragraph(node)
            case nodes.bullet_list() | nodes.enumerated_list() | nodes.definition_list():
                yield self.list(node)
            case nodes.block_quote() | nodes.note() | nodes.tip() | nodes.important() | nodes.warning():
                yield quoted(self.texts(node))  # Sphinx has put in the title when it wrote the HTML
            case nodes.table():
                yield from self.table(node)
            case (
                nodes.document() | nodes.compound() | nodes.container() | addnodes.glossary() | addnodes.desc_content()
            ):
                yield from self.children(node, level)
            case nodes.raw() if "plain" in node:
                yield str(node["plain"])
            case addnodes.index() | nodes.target() | nodes.comment():
                pass
            case _:
                raise unknown(node)

    def children(self, node: nodes.Element, level: int) -> Iterator[Block]:
        for child in node.children:
            yield from self.blocks(child, level)

    def cells_up_to(self, place: int) -> Iterator[Block]:
        """The cell at a place, after the hidden ones before it, and the hidden ones that follow: they guard it."""
        while self.waiting and (self.waiting[0][0] <= place or HIDDEN in self.waiting[0][1].tags):
            yield self.waiting.pop(0)[1]

    def texts(self, node: nodes.Element) -> list[str]:
        """The blocks within a list, a table or a quotation, where a notebook can have no cell."""
        found: list[str] = []
        for block in self.children(node, 6):
            if not isinstance(block, str):
                source, line = get_source_line(node)
                raise HandbookError(
                    f"{source}:{line}: a {node.tagname} holds code that runs: a notebook has cells on its "
                    "outermost level only. Move it out"
                )
            found.append(block)
        return found

    def list(self, node: nodes.Element) -> str:
        """A list; definitions follow their terms in bold, since GitHub's Markdown has no lists of definitions."""
        items: list[list[str]] = []
        for child in node.children:
            assert isinstance(child, nodes.Element)
            if isinstance(child, nodes.definition_list_item):
                definition = child.children[-1]
                assert isinstance(definition, nodes.definition)
                terms = ", ".join(f"**{self.line(term)}**" for term in child.children if isinstance(term, nodes.term))
                told = self.texts(definition) or [""]
                if isinstance(definition.next_node(), nodes.bullet_list | nodes.enumerated_list):
                    told.insert(0, "")  # a list begins on a line of its own
                items.append([f"{terms}{_(': ')}{told[0]}".rstrip(), *told[1:]])
            else:
                items.append(self.texts(child))
        tight = all(len(item) == 1 or (len(item) == 2 and item[1].startswith("- ")) for item in items)
        between = "\n" if tight else "\n\n"
        written = []
        for number, item in enumerate(items, node.get("start", 1)):
            mark = f"{number}. " if isinstance(node, nodes.enumerated_list) else "- "
            written.append(mark + indent(between.join(item), " " * len(mark)).lstrip(" "))
        return between.join(written)

    def table(self, node: nodes.table) -> Iterator[str]:
        """A table, its title before it."""
        yield from (f"**{self.line(title)}**" for title in node.children if isinstance(title, nodes.title))
        rows = [[self.entry(entry) for entry in row.findall(nodes.entry)] for row in node.findall(nodes.row)]
        if not next(node.findall(nodes.thead), None):
            rows.insert(0, [""] * len(rows[0]))
        rows.insert(1, ["---"] * len(rows[0]))
        yield "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def entry(self, node: nodes.entry) -> str:
        """A cell of a table: one line, in which a list's points are broken off by hand."""
        points = [point for child in node.children for point in (child.findall(nodes.paragraph))]
        return "<br>".join(self.line(point) for point in points).replace("|", r"\|")

    def paragraph(self, node: nodes.Element) -> str:
        """Running text, with the line breaks of its source."""
        text = "\n".join(line.strip() for line in self.inline(node).strip().split("\n"))
        return NUMBER.sub(r"\1\\", LINE_START.sub(r"\\", text))

    def card(self, node: nodes.container) -> str:
        """A card that leads somewhere: its title as the link, and its text."""
        title = next(each for each in node.findall(nodes.container) if each.get("design_component") == "card-title")
        link = next(iter(node.findall(nodes.reference)))
        told = " ".join(self.line(paragraph) for paragraph in node.findall(nodes.paragraph))
        return f"[**{escape(title.astext())}**]({self.address(link)}){_(': ')}{told}"

    def line(self, node: nodes.Element) -> str:
        """Running text on one line."""
        return " ".join(self.inline(node).split())

    def inline(self, node: nodes.Element) -> str:
        """What stands in a paragraph, a heading or a term."""
        return "".join(map(self.piece, node.children))

    def piece(self, node: nodes.Node) -> str:
        """A part of running text."""
        match node:
            case nodes.Text():
                return escape(node.astext())
            case nodes.literal():
                return span(node.astext())
            case nodes.math():
                return f"${node.astext()}$"
            case nodes.strong():
                return f"**{self.inline(node)}**"
            case nodes.emphasis():
                return f"*{self.inline(node)}*"
            case nodes.reference():
                return f"[{self.inline(node)}]({self.address(node)})"
            case nodes.raw() if "plain" in node:
                return str(node["plain"])
            case nodes.inline() | nodes.abbreviation():
                return self.inline(node)
            case addnodes.index() | nodes.target() | nodes.comment():
                return ""
            case _:
                raise unknown(node)

    def address(self, node: nodes.reference) -> str:
        """Where a link leads."""
        if "refid" in node:
            return self.link(f"#{node['refid']}")
        return self.link(node["refuri"]) if node.get("internal") else str(node["refuri"])


def unknown(node: nodes.Node) -> HandbookError:
    """What to do about a node that has no Markdown yet; raw HTML says what it means in an attribute ``plain``."""
    told = 'give it its text: nodes.raw(…, plain="…")' if isinstance(node, nodes.raw) else "teach markdown.py"
    source, line = get_source_line(node)
    return HandbookError(f"{source}:{line}: there is no Markdown for {node.__class__.__name__}: {told}")
