"""The Chinese catalogues: complete, current, and in the words that the handbook chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Warn of each page that still shows English."""
    from shardbook_sphinx.translation import untranslated  # noqa: PLC0415

    app.connect("doctree-read", untranslated.warn_untranslated)
