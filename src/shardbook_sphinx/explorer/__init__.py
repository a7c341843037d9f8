"""The interactive explorer's page: its parts, its words, its script."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Add the directives, write the script, and load it on its page alone."""
    from shardbook_sphinx.explorer import directive, gallery, open_figures, script  # noqa: PLC0415

    app.add_directive("explorer", directive.Explorer)
    app.add_directive("schemes", gallery.Schemes)
    app.connect("write-started", script.write_script)
    app.connect("html-page-context", directive.add_scripts)
    app.connect("html-page-context", open_figures.link_figures, priority=600)  # once the body is whole
