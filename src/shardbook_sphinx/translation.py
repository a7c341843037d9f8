"""While the Chinese pages are built: say which page still shows English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sphinx.util import logging

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)


def warn_untranslated(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of a page with messages that the catalogue lacks, leaves empty or marks fuzzy: readers would see English."""
    progress = doctree.get("translation_progress", {})
    missing = progress.get("total", 0) - progress.get("translated", 0)
    if app.config.language == "en" or not missing:
        return
    logger.warning(
        "%d of %d messages have no current translation; see python3 -m nox -s i18n",
        missing,
        progress["total"],
        location=app.env.docname,
        type="shardbook",
        subtype="untranslated",
    )
