"""Code that several pages share: a file beside them, which each runs as a cell and shows folded.

A page of another folder may load it too, by its relative path; it need not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.execution.folded import fold

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SUBJECT = "loaded files"


def fold_loaded(app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: fold each cell that is a file, and note which they are."""
    files = []
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code" and (name := cell["cell_metadata"].get("load")):
            files.append(name)
            told = _("{name}: what the cells of this page use ({count} lines)")
            count = len(cell.astext().splitlines())
            fold(cell, told.format(name=f"<code>{Path(name).name}</code>", count=count))
    handbook(app.env).note(SUBJECT, files)


def find_unused(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Name each page with cells that leaves out a file beside it: what it had instead would be a copy."""
    problems = []
    for docname, metadata in sorted(env.metadata.items()):
        page = Path(env.doc2path(docname))
        missing = {file.name for file in page.parent.glob("*.py")} - set(handbook(env).said(docname, SUBJECT, []))
        if "kernelspec" in metadata:
            problems += [
                f"{page}: does not use {name}, which its folder's pages share: a {{code-cell}} with :load: {name}"
                for name in sorted(missing)
            ]
    return problems
