"""Where the entries of errors and of traps stand: each on a page of its own, named by its label.

A label is the name of an entry for good: it is the same in both languages, no other entry has it, and it stays when the
entry gets a better title or moves to another source. So it is the address too: ``errors/error-put-indivisible.html``.
What once was ``errors/placing.html#error-put-indivisible`` is there under its fragment, whatever page it was on.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from docutils import nodes

FOLDER = "errors/"
KIND = re.compile(r"(error|trap)-")
LABEL = re.compile(r"^\(((?:error|trap)-[\w.-]+)\)=\s*^#", re.MULTILINE)
# Of a section that is an entry its label, and of what templates and handlers are told of a page the entry that it is.
ENTRY = "entry"


class EntryPage(NamedTuple):
    """What a page shows that is an entry."""

    anchor: str
    docname: str
    """The source page."""
    doctree: nodes.document
    """All of the source page."""


def page_of(docname: str, anchor: str) -> str:
    """The name of the page of an entry: beside its source page, so that links in it lead where they did.

    >>> page_of("errors/placing", "error-put-indivisible")
    'errors/error-put-indivisible'
    """
    return f"{docname.rpartition('/')[0]}/{anchor}"


def in_sources(docs: Path) -> list[Path]:
    """The pages of all entries, relative to a folder of sources, from their text alone."""
    sources = sorted(docs.glob(f"{FOLDER}**/*.md"))
    found = [(path, anchor) for path in sources for anchor in LABEL.findall(path.read_text(encoding="utf-8"))]
    return [path.relative_to(docs).with_name(f"{anchor}.html") for path, anchor in found]


def entry_of(node: nodes.Node) -> str:
    """The label of the entry in which a node stands; "" if it stands in none."""
    above: nodes.Element | None = node.parent
    while above is not None and ENTRY not in above:
        above = above.parent
    return str(above[ENTRY]) if above is not None else ""
