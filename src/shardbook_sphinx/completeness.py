"""No page may show code that the build has not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util import logging

from shardbook_sphinx.pages import HandbookError

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

# What a fence may be called that a reader would paste into Python.
PYTHON = {"py", "python", "python3", "ipython", "ipython3", "pycon"}


def forbid_unrun_code(_app: Sphinx, doctree: nodes.document) -> None:
    """Warn of a Python block that is neither a cell nor a doctest: nothing would ever run it."""
    for block in doctree.findall(nodes.literal_block):
        if block.get("language") in PYTHON and "testnodetype" not in block and not is_cell(block):
            logger.warning(
                "this Python block is never run: make it a {code-cell} or a {doctest}",
                location=block,
                type="shardbook",
                subtype="unrun",
            )


def is_cell(block: nodes.literal_block) -> bool:
    """Whether a block is the source of a cell, or what a cell printed."""
    ancestor: nodes.Element | None = block
    while ancestor is not None:
        if ancestor.get("nb_element") in {"cell_code", "cell_code_source", "cell_code_output"}:
            return True
        ancestor = ancestor.parent
    return False


def check_all_ran(_app: Sphinx, env: BuildEnvironment) -> None:
    """Fail if a page with cells was rendered without running them, whichever setting left it out."""
    problems = []
    for docname, metadata in sorted(env.metadata.items()):
        if not metadata.keys() & {"file_format", "kernelspec", "jupytext"}:
            continue
        record = getattr(env, "nb_metadata", {}).get(docname, {}).get("exec_data") or {}
        if not record.get("succeeded"):
            problems.append(
                f"{env.doc2path(docname)}: its cells were not run; remove what excludes {docname!r} from execution"
            )
    if problems:
        raise HandbookError("\n".join(problems))
