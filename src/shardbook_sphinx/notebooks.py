"""The pages with cells, as notebooks: each is read once a build, and its outputs come from the cache."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_cache import get_cache
from myst_nb.core.read import create_nb_reader

from shardbook_sphinx import fingerprint
from shardbook_sphinx.domain import handbook
from shardbook_sphinx.recorded import recorded_file

if TYPE_CHECKING:
    from jupyter_cache.cache.main import JupyterCacheBase
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
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


def copied(_text: str, page: Page) -> NotebookNode:
    """What myst-nb is given of a page: it writes outputs into its notebook."""
    return deepcopy(page.notebook)


class Notebooks:
    """The pages of a build, each parsed when it is first asked for; myst-nb takes them from here too."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.env = env
        self.cache: JupyterCacheBase = get_cache(env.mystnb_config.execution_cache_path)  # type: ignore[attr-defined]
        self._pages: dict[str, Page | None] = {}
        self._executed: dict[str, NotebookNode] = {}

    def page(self, docname: str) -> Page | None:
        """A page with cells; ``None`` if it is plain Markdown without."""
        if docname not in self._pages:
            self._pages[docname] = self._read(docname)
        return self._pages[docname]

    def _read(self, docname: str) -> Page | None:
        path, config = Path(self.env.doc2path(docname)), self.env.mystnb_config  # type: ignore[attr-defined]
        text = path.read_text(encoding="utf-8")
        reader = create_nb_reader(str(path), self.env.myst_config, config, text)  # type: ignore[attr-defined]
        if reader is None:
            return None
        page = Page(docname, path, reader.read(text))
        if (records := recorded_file(Path(self.env.app.confdir), docname)).is_file():
            # Part of what the cache knows a page by.
            page.notebook.metadata.kernelspec["records"] = fingerprint.digest([records.read_bytes()])
        # How myst-nb is told who reads a file: by how its path ends, and by the name of a function.
        config.custom_formats[str(path)] = (f"{__name__}.{copied.__name__}", {"page": page}, False)
        return page

    def executed(self, docname: str) -> NotebookNode | None:
        """A page with the outputs of its cells, which must have been run; ``None`` if it has no cells."""
        page = self.page(docname)
        if page is None:
            return None
        if docname not in self._executed:
            self._executed[docname] = self.cache.merge_match_into_notebook(deepcopy(page.notebook))[1]
        return self._executed[docname]

    def is_cached(self, page: Page) -> bool:
        """Whether the cache holds outputs for exactly these cells on this kernel."""
        try:
            self.cache.get_cache_bundle(self.cache.match_cache_notebook(page.notebook).pk)
        except (KeyError, ValueError):  # never run; or its record is there and its file is gone or spoiled
            return False
        return True


def open_notebooks(app: Sphinx) -> None:
    """Before anything is read: make ready what reads the pages as notebooks."""
    handbook(app.env).notebooks = Notebooks(app.env)


def forget_readers(_app: Sphinx, env: BuildEnvironment) -> None:
    """Once all is read: take the notebooks out of what Sphinx keeps."""
    env.mystnb_config.custom_formats.clear()  # type: ignore[attr-defined]


def setup(app: Sphinx) -> None:
    """Have notebooks from the beginning of a build on."""
    app.connect("builder-inited", open_notebooks, priority=900)  # after myst-nb has made its configuration
    app.connect("env-updated", forget_readers)
