"""Say of the cells of an error's entry whether they fail or work, by what they do in the build.

In words, which are read aloud and which no reader needs to tell colours apart for. A cell before the one that fails
prepares it; what works comes after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.entries import ENTRY
from shardbook_sphinx.nodes import generated

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WHERE = "cell-where"
STOPPED = "TimeoutExpired"  # what a program raises in the build that had to be stopped


def mark_cells(_app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: put a line before each shown cell of an entry that fails, and before what then works."""
    for section in doctree.findall(nodes.section):
        if not section.get(ENTRY, "").startswith("error-"):
            continue
        failed = False
        for cell in [node for node in section.findall(nodes.container) if node.get("nb_element") == "cell_code"]:
            fails = "raises" in cell["cell_metadata"]
            failed = failed or fails
            if failed and cell.children:
                told, kind = verdict(cell["cell_metadata"])
                place = cell.parent.index(cell)
                # Above the line that says where it ran.
                if place and WHERE in getattr(cell.parent[place - 1], "attributes", {}).get("classes", ()):
                    place -= 1
                cell.parent.insert(place, generated(nodes.Text(told), classes=["verdict", kind]))


def verdict(metadata: dict[str, str]) -> tuple[str, str]:
    """What to say of a cell, and its class in HTML.

    >>> [str(verdict(told)[0]) for told in ({"raises": "ValueError"}, {"raises": "TimeoutExpired"}, {})]
    ['✗ Fails', '✗ Hangs', '✓ Works']
    """
    if "raises" not in metadata:
        return _("✓ Works"), "works"
    return _("✗ Hangs") if metadata["raises"] == STOPPED else _("✗ Fails"), "fails"
