"""The Chinese catalogues: complete, current, and in the words that the handbook chose."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Translate figures that examples print, and warn of each page that still shows English."""
    from myst_parser.mdit_to_docutils import base  # noqa: PLC0415

    from shardbook_sphinx.translation import figures, untranslated  # noqa: PLC0415

    # myst-parser 5.1 makes docutils' default settings for each message that it parses and throws them away: a fifth of
    # the time that the Chinese pages take.
    settings = functools.cache(base.get_default_settings)  # type: ignore[attr-defined]
    base.get_default_settings = settings  # type: ignore[attr-defined, assignment]
    app.add_transform(figures.FindFigures)
    app.add_transform(figures.ForgetFigures)
    app.connect("html-page-context", figures.keep_columns, priority=820)  # once lines of output are one element
    app.connect("doctree-read", untranslated.warn_untranslated)
