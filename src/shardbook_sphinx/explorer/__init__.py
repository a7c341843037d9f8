"""The interactive explorer's page: its parts, its words, its script."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Add the directive, write the script, and load it on its page alone."""
    from shardbook_sphinx.explorer import directive, script  # noqa: PLC0415

    app.add_directive("explorer", directive.Explorer)
    app.connect("write-started", script.write_script)
    app.connect("html-page-context", directive.add_scripts)
