"""From a message to its entry: below each error that a cell or a doctest of another page shows stands what explains it.

An entry announces a part of its message, ``says``; a message of the same type that has this part is that of the entry.
"""

from __future__ import annotations

import re
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import FOLDER, page_of
from shardbook_sphinx.nodes import generated
from shardbook_sphinx.reference.error_entries import SUBJECT as ENTRIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SUBJECT = "errors shown"
# What a doctest shows of an error, after the frames that it leaves out.
RAISED = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)*(?P<told>\w.*(?:\n(?!>>>|\.\.\. ).+)*)")

# What Python says, or a helper within JAX, of many mistakes: such a message does not tell which it was.
ANYWHERE = (
    "list index out of range",
    "tuple index out of range",
    "assignment destination",
    "safe_zip()",
    "got an unexpected keyword argument",
    "object has no attribute 'shape'",
    "should evenly divide the shape",
)
WORD = re.compile(r"[A-Za-z_]{2,}")
MESSAGE = 44  # characters of a message that tell it from others
ALIKE = 0.6  # of the words of a message that its entry's message has too; names in it are the reader's own


class Known(NamedTuple):
    """An error that has an entry."""

    name: str
    says: str
    message: str
    docname: str
    anchor: str


def known(env: BuildEnvironment) -> list[Known]:
    """All of them."""
    return [
        Known(name.rpartition(".")[2], says, message, docname, entry.anchor)
        for docname, entries in handbook(env).pages(ENTRIES).items()
        for entry in entries
        for says, name, message in entry.raised
        if says and not says.startswith(ANYWHERE)
    ]


def entry_of(text: str, errors: list[Known]) -> Known | None:
    """The entry of a message that begins with the name of its type, if it has one.

    >>> errors = [Known("ValueError", "sizes differ", "the sizes differ: 2 and 3", "errors/specs", "error-sizes")]
    >>> entry_of("ValueError: the sizes differ", errors).anchor
    'error-sizes'
    >>> entry_of("TypeError: the sizes differ", errors)
    """
    name, _, message = text.partition(":")
    told = " ".join(message.split())
    words = set(WORD.findall(told))

    def share(error: Known) -> float:
        return len(words & set(WORD.findall(error.message))) / (len(words) or 1)

    said = [each for each in errors if each.name == name.rpartition(".")[2] and " ".join(each.says.split()) in told]
    best = max(said, key=share, default=None)
    return best if best and share(best) >= ALIKE else None


def shown(doctree: nodes.document) -> Iterator[tuple[nodes.Element, str]]:
    """The blocks of a page that show an error, each with its message."""
    for block in doctree.findall(nodes.Element):
        if isinstance(block, nodes.literal_block) and "traceback" in block.get("classes", ()):
            yield block, block.astext().strip()
        elif block.get("testnodetype") == "doctest" or isinstance(block, nodes.doctest_block):
            for raised in RAISED.finditer(block.astext()):
                yield block, raised["told"]


def note_shown(app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: keep the errors that it shows, if it is not itself of them."""
    told = [message for _block, message in shown(doctree)]
    if told and not app.env.current_document.docname.startswith(FOLDER):
        handbook(app.env).note(SUBJECT, told)


def rewrite_pages(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write pages that show errors again when an entry has changed: Sphinx does not see that they lead there."""
    domain = handbook(env)
    return list(domain.pages(SUBJECT)) if domain.changed(SUBJECT, known(env)) else []


def link_boxes(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page is written: put the links in."""
    if not handbook(app.env).said(docname, SUBJECT):
        return
    errors = known(app.env)
    labels = app.env.domaindata["std"]["labels"]
    explained: dict[nodes.Element, dict[Known, str]] = {}
    for block, told in shown(doctree):
        if entry := entry_of(told, errors):
            # A block may show two errors of one entry.
            explained.setdefault(block, {}).setdefault(entry, told)
    for block, entries in explained.items():
        lines = []
        for entry, told in entries.items():
            # Below a block that shows several errors each line says which it is about.
            error = told if len(entries) > 1 else ""
            link = nodes.reference("", labels.get(entry.anchor, ("", "", entry.anchor))[2], internal=True)
            link["refuri"] = app.builder.get_relative_uri(docname, page_of(entry.docname, entry.anchor))
            lines.append(generated(*what_it_means(error), link, classes=["explained"]))
        place = block.parent.index(block) + 1
        block.parent[place:place] = lines


def what_it_means(error: str) -> list[nodes.Node]:
    """The words before the link to an entry; ``error`` is the message that it explains where there are several.

    >>> "".join(node.astext() for node in what_it_means("ValueError: sizes differ: 2 and 3 do not go together here"))
    'What ValueError: sizes differ: 2 and 3 do not go… means: '
    """
    if not error:
        return [nodes.Text(_("What this means: "))]
    begun = shorten(error, MESSAGE, placeholder="…")
    before, after = _("What {error} means: ").split("{error}")
    return [nodes.Text(before), nodes.literal(begun, begun), nodes.Text(after)]
