"""Collectives that one can watch: what each device holds, step by step, computed and not drawn by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Add the directive, and load its script on pages that have one."""
    from shardbook_sphinx.watch import directive  # noqa: PLC0415

    app.add_directive("watch", directive.Watch)
    app.connect("html-page-context", directive.add_script)
