"""Compare what a page on an old JAX printed with what today's page prints."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shardbook_sphinx.execution.run import cached_notebooks

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


class Cell(NamedTuple):
    """A cell that another one is compared with, or that is compared with another."""

    label: str | None
    """The name it carries, unique in its page."""
    same_as: str | None
    """The cell that it must print the same as: PAGE#LABEL."""
    source: str
    printed: str


def remember_cells(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Once the pages about to be read have run: keep what their cells print for the comparison.

    If ``shardbook_outputs`` names a file, what every cell of these pages says goes there, for the canary.
    """
    for docname in docnames:
        memory(env).pop(docname, None)
    notebooks = cached_notebooks(env, docnames)
    if file := app.config.shardbook_outputs:
        said = {
            docname: [[cell.source, printed(cell, plain=True)] for cell in book.cells if cell.cell_type == "code"]
            for docname, book in notebooks.items()
        }
        Path(file).write_text(json.dumps(said), encoding="utf-8")
    for docname, notebook in notebooks.items():
        cells = (
            Cell(cell.metadata.get("label"), cell.metadata.get("same-as"), cell.source, printed(cell))
            for cell in notebook.cells
            if cell.cell_type == "code"
        )
        memory(env)[docname] = [cell for cell in cells if cell.label or cell.same_as]


def memory(env: Any) -> dict[str, list[Cell]]:
    """The cells by page, kept from build to build."""
    if not hasattr(env, "shardbook_cells"):
        env.shardbook_cells = {}
    cells: dict[str, list[Cell]] = env.shardbook_cells
    return cells


def compare_cells(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Explain each cell with ``same-as: PAGE#LABEL`` that printed something else than that cell."""
    present = {docname: cells for docname, cells in memory(env).items() if docname in env.found_docs}
    return [] if app.config.shardbook_keep_going else find_differences(present)


def find_differences(pages: dict[str, list[Cell]]) -> list[str]:
    """Explain each ``same-as`` that names no cell, or a cell that printed something else; empty if all agree."""
    labelled: dict[str, Cell] = {}
    problems = []
    for docname, cells in sorted(pages.items()):
        for cell in cells:
            if cell.label:
                name = f"{docname}#{cell.label}"
                if name in labelled:
                    problems.append(f"{name}: two cells carry this label; give one of them another.")
                labelled[name] = cell
    for docname, cells in sorted(pages.items()):
        for cell in cells:
            if cell.same_as is None:
                continue
            if cell.same_as not in labelled:
                known = ", ".join(labelled) or "none"
                problems.append(f"{docname}: same-as: {cell.same_as} names no labelled cell; there are: {known}")
                continue
            theirs = labelled[cell.same_as].printed
            if cell is labelled[cell.same_as]:
                problems.append(f"{docname}: same-as: {cell.same_as} is the cell itself")
            elif not cell.printed:
                told = f"a cell that is to print the same as {cell.same_as} prints nothing"
                problems.append(f"{docname}: {told}:\n{cell.source}")
            elif cell.printed != theirs:
                told = f"a cell prints something else than {cell.same_as}"
                diff = difflib.unified_diff(
                    theirs.splitlines(), cell.printed.splitlines(), cell.same_as, docname, lineterm=""
                )
                problems.append(f"{docname}: {told}:\n" + "\n".join(diff))
    return problems


def printed(cell: NotebookNode, *, plain: bool = False) -> str:
    """What a cell printed, returned, displayed and raised, as text; ``plain`` leaves out the HTML of what has text."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "error":
            texts.append(f"{output.ename}: {output.evalue}\n")
        elif "text" in output:
            texts.append(output.text)
        elif plain and "text/plain" in output.data:
            texts.append(output.data["text/plain"])
        else:
            texts += map(str, output.data.values())
    return "".join(texts).strip()
