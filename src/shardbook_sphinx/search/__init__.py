"""The site's search: Pagefind's index of sections, entries and terms, with words cut by ourselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Leave out Sphinx's own search, and index what was written."""
    from shardbook_sphinx.search import index  # noqa: PLC0415

    app.connect("builder-inited", index.leave_out_sphinx_search)
    app.connect("build-finished", index.index_site)
