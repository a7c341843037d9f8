"""Below the first code of a page that imports the helper: what it is, for whoever copies a cell elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.nodes import generated, sentence

if TYPE_CHECKING:
    from sphinx.application import Sphinx

IMPORT = re.compile(r"^(?:>>> )?import shardbook as sb$", re.MULTILINE)
# They say it at length.
TELLING = {"index", "reference/shardbook"}


def importing(doctree: nodes.document) -> nodes.Element | None:
    """The first block of code that imports the helper: the cell, or the doctest."""
    for block in doctree.findall(nodes.literal_block):
        if IMPORT.search(block.astext()):
            cell = block.parent
            while cell is not None and cell.get("nb_element") != "cell_code":
                cell = cell.parent
            return cell or block
    return None


def name_helper(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page is written: put the line in; its name becomes a link as all names do."""
    code = None if docname in TELLING else importing(doctree)
    if code is not None:
        link = nodes.reference("", _("how to install it"), internal=True)
        link["refuri"] = app.builder.get_relative_uri(docname, "learn/index") + "#installing"
        line = _("`sb` is shardbook, the small package that comes with this book ({link}).")
        before, after = line.split("{link}")
        told = [*sentence(before), link, *sentence(after)]
        if app.config.language != "en":  # what a page shows is in its language, and a copied cell answers in English
            told += sentence(_('Your own figures are in English, unless you ask for `language="zh"`.'))
        code.parent.insert(code.parent.index(code) + 1, generated(*told, classes=["explained"]))
