"""Entries of errors and of traps: each a program that misleads or fails, and one that does what was meant.

An entry is a section of a page below ``errors/`` whose label begins with ``error-`` or ``trap-``::

    (error-mesh-too-large)=
    ## A mesh larger than the machine

Its cells declare all that there is to check. Of an error, one cell raises it: ``raises`` names the type and ``says`` a
part of the message, so that a release which says it otherwise stops the build. A later cell is the remedy, and asserts
its result. A trap is titled by what is true, and ``One might think: …`` beneath says what is not; one cell asserts the
surprise and a later one the way out.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import FOLDER, KIND, page_of
from shardbook_sphinx.nodes import generated, short_literal
from shardbook_sphinx.reference.titles import section_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SUBJECT = "error entries"

logger = logging.getLogger(__name__)

# A label, the heading below it, or a heading alone: each begins something new.
HEADING = re.compile(r"^(?:\((?P<label>[\w.-]+)\)=\s*\n)?(?P<marks>#+) +(?P<title>.+)$", re.MULTILINE)
LINKS = re.compile(r"^```\{asked\}$.*?^```$", re.MULTILINE | re.DOTALL)
BELIEF = "One might think: "
ASSERTS = re.compile(r"^\s*assert ", re.MULTILINE)
THREAD = re.compile(r"https://github\.com/(?P<repository>[\w-]+/[\w.-]+)/(?:issues|pull|discussions)/(?P<number>\d+)")
SHORTEST = 8  # characters of a message that tell it from others
LONGEST_LINE = 140  # characters of a message in a list


class Raised(NamedTuple):
    """What a cell raised."""

    says: str
    """What the cell announces of the message."""
    name: str
    message: str
    code: str
    """The last line of the cell, which raised it."""


class ErrorEntry(NamedTuple):
    """An error or a trap of a page."""

    anchor: str
    title: str
    raised: tuple[Raised, ...]
    asserting: tuple[bool, ...]
    """Of each cell in order, whether it asserts something."""
    raising: tuple[bool, ...]
    """Of each cell in order, whether it raises."""
    prose: bool
    """Whether anything is said besides the cells."""
    belief: bool
    """Whether the first that is said is what one might think."""


def read_entries(notebook: NotebookNode) -> list[ErrorEntry]:
    """The entries of an executed page, in its order."""
    found: list[ErrorEntry] = []
    open_entry = False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            if open_entry:
                found[-1] = with_cell(found[-1], cell)
            continue
        for label, title, text in parts(cell.source):
            if title:
                open_entry = bool(KIND.match(label))
                if open_entry:
                    belief = text.lstrip().startswith(BELIEF)
                    found.append(ErrorEntry(label, title, (), (), (), prose=False, belief=belief))
            if open_entry and LINKS.sub("", text).strip():
                found[-1] = found[-1]._replace(prose=True)
    return found


def parts(source: str) -> Iterator[tuple[str, str, str]]:
    r"""A piece of Markdown, cut before each heading: the label, the title and the text below; first what has none.

    >>> list(parts("And so.\n\n(error-a)=\n## A\n\nWhy."))
    [('', '', 'And so.\n\n'), ('error-a', 'A', '\n\nWhy.')]
    """
    heads = list(HEADING.finditer(source))
    ends = [*(head.start() for head in heads), len(source)]
    yield "", "", source[: ends[0]]
    for head, end in zip(heads, ends[1:], strict=True):
        yield head["label"] or "", head["title"], source[head.end() : end]


def with_cell(entry: ErrorEntry, cell: NotebookNode) -> ErrorEntry:
    """An entry with one more cell."""
    errors = [output for output in cell.outputs if output.output_type == "error"]
    says, code = str(cell.metadata.get("says", "")), last_line(cell.source)
    return entry._replace(
        raised=(*entry.raised, *(Raised(says, error.ename, error.evalue, code) for error in errors[:1])),
        asserting=(*entry.asserting, bool(ASSERTS.search(cell.source))),
        raising=(*entry.raising, bool(errors)),
    )


def last_line(code: str) -> str:
    """The last line of code: of a program that raises, mostly the one that does."""
    return code.rstrip().rpartition("\n")[2]


def shortened(message: str) -> str:
    r"""What a message begins with, in whole words.

    >>> shortened("sizes must divide\nand more"), shortened("indivisible " * 40)[-13:]
    ('sizes must divide', 'indivisible …')
    """
    return textwrap.shorten(message.split("\n", maxsplit=1)[0], LONGEST_LINE, placeholder=" …")


def find_faults(pages: dict[str, list[ErrorEntry]]) -> list[str]:
    """Say of each entry what it lacks; empty if none lacks anything."""
    faults = []
    seen: dict[str, str] = {}
    for docname, entries in sorted(pages.items()):
        for entry in entries:
            name = f"{docname}#{entry.anchor}"
            if entry.anchor in seen:
                faults.append(f"{name}: {seen[entry.anchor]} has an entry of this name too")
            seen[entry.anchor] = docname
            faults += [f"{name}: {fault}" for fault in lacks(entry)]
    return faults


def lacks(entry: ErrorEntry) -> Iterator[str]:
    """What an entry lacks, a sentence each."""
    if not entry.prose:
        yield "nothing is said; say what it means and why"
    if entry.anchor.startswith("trap-"):
        if not entry.belief:
            yield f"the title says what is true; say beneath it what is not: {BELIEF}…"
        if sum(entry.asserting) < 2:
            yield "a trap has a cell that asserts the surprise and one that asserts the way out"
        return
    if not entry.raised:
        yield "no cell raises the error; give one raises and says"
        return
    for raised in entry.raised:
        if raised.message and len(raised.says) < SHORTEST:
            yield f"a cell raises and does not say what the message says: add says, {SHORTEST} characters or more"
    after = entry.asserting[entry.raising.index(True) + 1 :]
    if not any(after):
        yield "no cell after the error asserts the result of a remedy"


def note_entries(app: Sphinx, _doctree: nodes.document) -> None:
    """After a page of errors is read: keep its entries, with what their cells showed."""
    docname = app.env.current_document.docname
    domain = handbook(app.env)
    if docname.startswith(FOLDER) and (notebook := domain.notebooks.executed(docname)):
        domain.note(SUBJECT, read_entries(notebook))


def check_entries(_app: Sphinx, env: BuildEnvironment) -> None:
    """Once all pages are read: warn of each entry that lacks something."""
    for fault in find_faults(handbook(env).pages(SUBJECT)):
        logger.warning(fault, type="shardbook", subtype="errors")


class Asked(SphinxDirective):
    """``{asked}``: where users met this error or trap; the address of a thread on GitHub on each line."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A line of links; a warning for what is no thread's address."""
        line = generated(nodes.inline("", _("Asked in")), classes=["asked"])
        for at, address in enumerate(map(str.strip, self.content)):
            if not address:
                continue
            if not (thread := THREAD.fullmatch(address)):
                told = (
                    "%s is no thread: write https://github.com/OWNER/REPOSITORY/issues/NUMBER, or pull or discussions"
                )
                logger.warning(told, address, location=self.get_location(), type="shardbook", subtype="errors")
                continue
            name = f"{thread['repository']}#{thread['number']}"
            link = nodes.reference("", name, refuri=address)
            link.source, link.line = self.content.info(at)[0], self.lineno + 1 + at
            line += [nodes.Text(_(", ") if len(line) > 1 else _(": ")), link]
        return [line]


class MessageBox(SphinxDirective):
    """``{message-box}``: where a reader pastes or types a message, and the list of all shows those that are like it."""

    def run(self) -> list[nodes.Node]:
        """Fill in the template; a script brings it to life, and where there is none it is not shown."""
        templates = getattr(self.env.app.builder, "templates", None)
        html = templates.render("message-box.html", {}) if templates else ""
        told = _("The page of the handbook has a box here that looks up the message you paste.")
        return [nodes.raw("", html, format="html", plain=told)]


class AllMessages(SphinxDirective):
    """``{error-messages}``: every message of the errors pages in one list, each a link to its entry, with its title."""

    def run(self) -> list[nodes.Node]:
        """Leave the place; the other pages may not have been read yet."""
        return [error_messages()]


class error_messages(nodes.General, nodes.Element):  # noqa: N801, docutils' way to name nodes
    """Where the list of messages comes."""


def list_messages(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page is written: put in the list of messages, sorted by type and text."""
    for place in list(doctree.findall(error_messages)):
        lines = sorted(
            (f"{raised.name}: {raised.message}".removesuffix(": "), page, entry.anchor)
            for page, entries in handbook(app.env).pages(SUBJECT).items()
            for entry in entries
            for raised in entry.raised[:1]
        )
        points = nodes.bullet_list(bullet="-", classes=["error-messages"])
        for message, page, anchor in lines:
            link = nodes.reference("", "", short_literal(shortened(message), message), internal=True)
            link["refuri"] = app.builder.get_relative_uri(docname, page_of(page, anchor))
            title = [nodes.Text(" "), *section_title(app.env, page, anchor)]
            points += nodes.list_item("", generated(link, nodes.inline("", "", *title, classes=["error-title"])))
        place.replace_self(points)


def rewrite_lists(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the list again when an entry has changed: Sphinx does not see that it shows them."""
    domain = handbook(env)
    shown = [(page, entry.anchor, entry.raised[:1]) for page, each in domain.pages(SUBJECT).items() for entry in each]
    return [f"{FOLDER}index"] if domain.changed("messages", shown) and f"{FOLDER}index" in env.found_docs else []
