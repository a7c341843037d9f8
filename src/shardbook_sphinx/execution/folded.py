"""Cells that a reader opens: code that pages share, and answers to the questions that a page asks.

A cell with the tag ``answer`` stands under a paragraph that ends in a question. It runs and is checked as every cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)


class Folded(nodes.container):
    """A cell that a reader opens."""


def fold(cell: nodes.container, summary: str) -> None:
    """Put a cell into one."""
    folded = Folded(summary=summary)
    cell.replace_self(folded)
    folded += cell


def open_folded(translator: HTML5Translator, node: Folded) -> None:
    """Begin it in HTML."""
    translator.body.append(f'<details class="above"><summary>{node["summary"]}</summary>\n')


def close_folded(translator: HTML5Translator, _node: Folded) -> None:
    """End it in HTML."""
    translator.body.append("</details>\n")


def fold_answers(_app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: fold each answer; warn of one without a question."""
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code" and "answer" in cell["cell_metadata"].get("tags", []):
            above = cell.previous_sibling()
            if not isinstance(above, nodes.paragraph) or not above.astext().endswith(("?", "？")):
                told = "this answer needs a question: the paragraph above it does not end in a question mark"
                logger.warning(told, location=cell, type="shardbook", subtype="answer")
            fold(cell, _("Answer"))
