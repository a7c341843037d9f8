"""Say of a cell that did not run in its page's kernel where it ran."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.nodes import generated
from shardbook_sphinx.pins import pinned

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def mark_cells(_app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: put a line before each shown cell that names another JAX or processes of its own."""
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") != "cell_code" or not cell.children:
            continue
        if told := where(cell["cell_metadata"], cell[0].astext()):
            place = cell.parent.index(cell)
            cell.parent.insert(place, generated(nodes.Text(told), classes=["cell-where"]))


def where(metadata: dict[str, object], source: str) -> str:
    """Where a cell ran, and with what, in the reader's language; nothing for most."""
    if "kernel" in metadata:
        return _("On JAX {release}").format(release=pinned(str(metadata["kernel"]))["jax"])
    if metadata.get("processes") == 1:
        if any(isinstance(node, ast.Attribute) and node.attr == "argv" for node in ast.walk(ast.parse(source))):
            return _("As a program of its own, started with its number and the address where processes meet")
        return _("As a program of its own")
    if "processes" in metadata:
        count = str(metadata["processes"])
        told = _("As {count} processes, each started with its number and the address where they meet")
        return told.format(count={"2": _("two"), "3": _("three")}.get(count, count))
    return ""
