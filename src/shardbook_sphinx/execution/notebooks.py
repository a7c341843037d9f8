"""The executable pages: which kernel each names, and its cells as a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from myst_nb.core.read import create_nb_reader

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from sphinx.environment import BuildEnvironment


@dataclass(frozen=True)
class Page:
    """A page with code cells, as myst-nb reads it."""

    docname: str
    path: Path
    notebook: NotebookNode

    @property
    def kernel(self) -> str:
        """The kernel that the front matter names, or "" when it names none."""
        return str(self.notebook.metadata.get("kernelspec", {}).get("name", ""))

    @property
    def options(self) -> dict[str, Any]:
        """The page's own ``mystnb:`` settings, such as ``execution_timeout`` in seconds."""
        return dict(self.notebook.metadata.get("mystnb", {}))

    def cell(self, index: int) -> tuple[int, NotebookNode]:
        """A cell by its place in the notebook, with the line of the page on which a code cell begins."""
        return self.notebook.metadata.source_map[index], self.notebook.cells[index]

    def code_cells(self) -> list[tuple[int, NotebookNode]]:
        """The code cells, each with its line."""
        cells = map(self.cell, range(len(self.notebook.cells)))
        return [(line, cell) for line, cell in cells if cell.cell_type == "code"]


def read_page(env: BuildEnvironment, docname: str) -> Page | None:
    """Read a page as a notebook; ``None`` if it is plain Markdown without cells."""
    path = Path(env.doc2path(docname))
    text = path.read_text(encoding="utf-8")
    reader = create_nb_reader(str(path), env.myst_config, env.mystnb_config, text)  # type: ignore[attr-defined]
    return None if reader is None else Page(docname, path, reader.read(text))
