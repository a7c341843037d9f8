"""Compare what a page on an old JAX printed with what today's page prints."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from shardbook_sphinx.execute import cached_notebooks
from shardbook_sphinx.pages import HandbookError

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def compare_cells(app: Sphinx, env: BuildEnvironment) -> None:
    """Once all pages are read: fail if a cell with ``same-as: PAGE#LABEL`` printed something else than that cell."""
    if app.config.language != "en":
        return  # the outputs are the same ones
    notebooks = cached_notebooks(env, sorted(env.found_docs))
    if differences := find_differences(notebooks):
        raise HandbookError("\n\n".join(differences))


def find_differences(notebooks: dict[str, NotebookNode]) -> list[str]:
    """Explain each ``same-as`` that names no cell, or a cell that printed something else; empty if all agree."""
    labelled: dict[str, NotebookNode] = {}
    problems = []
    for docname, notebook in notebooks.items():
        for cell in notebook.cells:
            if label := cell.metadata.get("label"):
                name = f"{docname}#{label}"
                if name in labelled:
                    problems.append(f"{name}: two cells carry this label; give one of them another.")
                labelled[name] = cell
    for docname, notebook in notebooks.items():
        for cell in notebook.cells:
            target = cell.metadata.get("same-as")
            if target is None:
                continue
            if target not in labelled:
                known = ", ".join(sorted(labelled)) or "none"
                problems.append(f"{docname}: same-as: {target} names no labelled cell; there are: {known}")
                continue
            ours, theirs = printed(cell), printed(labelled[target])
            if not ours:
                problems.append(
                    f"{docname}: a cell that is to print the same as {target} prints nothing:\n{cell.source}"
                )
            elif ours != theirs:
                diff = difflib.unified_diff(theirs.splitlines(), ours.splitlines(), target, docname, lineterm="")
                problems.append(f"{docname}: a cell prints something else than {target}:\n" + "\n".join(diff))
    return problems


def printed(cell: NotebookNode) -> str:
    """What a cell printed and returned, as plain text."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return "\n".join(text.strip() for text in texts)
