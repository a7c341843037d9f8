"""Compare what a page on an old JAX printed with what today's page prints."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shardbook_sphinx.domain import handbook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docutils import nodes
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


SUBJECT = "compared cells"


class Compared(NamedTuple):
    """A cell that another one is compared with, or that is compared with another."""

    label: str | None
    """The name it carries, unique in its page."""
    same_as: str | None
    """The cell that it must print the same as: PAGE#LABEL."""
    source: str
    printed: str


def note_cells(app: Sphinx, _doctree: nodes.document) -> None:
    """After a page is read: keep what its cells print that are compared."""
    domain = handbook(app.env)
    notebook = domain.notebooks.executed(app.env.current_document.docname)
    cells = (cell for cell in notebook.cells if cell.cell_type == "code") if notebook else ()
    compared = [
        Compared(cell.metadata.get("label"), cell.metadata.get("same-as"), cell.source, printed(cell))
        for cell in cells
        if cell.metadata.keys() & {"label", "same-as"}
    ]
    if compared:
        domain.note(SUBJECT, compared)


def check_cells(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Explain each cell with ``same-as: PAGE#LABEL`` that printed something else than that cell."""
    return [] if app.config.shardbook_keep_going else find_differences(handbook(env).pages(SUBJECT))


def write_outputs(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str]) -> None:
    """If ``shardbook_outputs`` names a file, write there what every cell of some pages says: for the canary."""
    if not (file := app.config.shardbook_outputs):
        return
    books = {name: book for name in docnames if (book := handbook(env).notebooks.executed(name))}
    said = {
        docname: [[cell.source, printed(cell, plain=True)] for cell in book.cells if cell.cell_type == "code"]
        for docname, book in books.items()
    }
    Path(file).write_text(json.dumps(said), encoding="utf-8")


def find_differences(pages: dict[str, list[Compared]]) -> list[str]:
    """Explain each ``same-as`` that names no cell, or a cell that printed something else; empty if all agree."""
    labelled: dict[str, Compared] = {}
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
