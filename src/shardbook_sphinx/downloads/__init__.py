"""Every page to take away: notebook, Markdown, llms.txt, archive of the site, and what a copy button copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Write the downloads of each page as it is written, and those of all pages at the end."""
    from shardbook_sphinx.downloads import copy_buttons, install, llms, pages  # noqa: PLC0415

    app.add_directive("install", install.Install)
    app.connect("env-get-outdated", pages.remove_deleted)
    app.connect("env-updated", pages.rewrite_missing)
    app.connect("html-page-context", copy_buttons.add_preludes)
    app.connect("html-page-context", pages.write_downloads)
    app.connect("build-finished", llms.write_llms, priority=400)
