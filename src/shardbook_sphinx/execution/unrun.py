"""No page may show code that the build has not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logger = logging.getLogger(__name__)

UNNAMED = {"", "none", "default"}


def forbid_unrun_code(_app: Sphinx, doctree: nodes.document) -> None:
    """Warn of code that nothing runs: a block that is Python or does not say what it is, a doctest that is skipped."""
    for block in doctree.findall(lambda node: isinstance(node, nodes.literal_block | nodes.doctest_block)):
        assert isinstance(block, nodes.Element)
        if "testnodetype" in block:
            told = "this example is skipped" if "+SKIP" in block.get("test", "") or block.get("skipif") else ""
        elif is_cell(block):
            told = ""
        elif (language := block.get("language", "none")) in UNNAMED:
            told = "this block does not say what language it is in"
        else:
            told = "this Python block is never run: make it a {code-cell} or a {doctest}" if is_python(language) else ""
        if told:
            logger.warning(told, location=block, type="shardbook", subtype="unrun")


def is_python(language: str) -> bool:
    """Whether Pygments would colour a block of that language as Python.

    >>> [is_python(name) for name in ("python", "Py3", "ipython", "pycon", "console", "toml")]
    [True, True, True, True, False, False]
    """
    try:
        name = get_lexer_by_name(language.lower()).name
    except ClassNotFound:
        return "py" in language.lower()
    return "python" in name.lower()


def is_cell(block: nodes.Element) -> bool:
    """Whether a block is the source of a cell, or what a cell printed."""
    ancestor: nodes.Element | None = block
    while ancestor is not None:
        if ancestor.get("nb_element") in {"cell_code", "cell_code_source", "cell_code_output"}:
            return True
        ancestor = ancestor.parent
    return False


def find_unrun(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Name each page with cells that was rendered without running them, whichever setting left it out."""
    problems = []
    for docname, metadata in sorted(env.metadata.items()):
        if not metadata.keys() & {"file_format", "kernelspec", "jupytext"}:
            continue
        record = getattr(env, "nb_metadata", {}).get(docname, {}).get("exec_data") or {}
        if not record.get("succeeded"):
            problems.append(
                f"{env.doc2path(docname)}: its cells were not run; remove what excludes {docname!r} from execution"
            )
    return problems
