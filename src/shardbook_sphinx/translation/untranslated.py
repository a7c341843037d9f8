"""While the Chinese pages are built: say which page still shows English."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils.nodes import Element
from sphinx.addnodes import toctree
from sphinx.util import logging

if TYPE_CHECKING:
    from docutils.nodes import document
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)


def warn_untranslated(app: Sphinx, doctree: document) -> None:
    """Warn of a page with messages that the catalogue lacks, leaves empty or marks fuzzy: readers would see English."""
    if app.config.language == "en":
        return
    # Sphinx marks what it looked up; on a page without a catalogue, nothing. It marks every toctree as missing: there
    # the caption tells.
    nodes = [node for node in doctree.findall(Element) if "translated" in node]
    missing = [node for node in nodes if not (has_caption(node) if isinstance(node, toctree) else node["translated"])]
    if nodes and not missing:
        return
    first = f", the first: {missing[0].astext()[:60]!r}" if missing else ""
    logger.warning(
        "%s messages have no current translation%s; see python3 noxfile.py -s i18n",
        f"{len(missing)} of {len(nodes)}" if nodes else "all",
        first,
        location=app.env.docname,
        type="shardbook",
        subtype="untranslated",
    )


def has_caption(tree: toctree) -> bool:
    """Whether a toctree's caption, if it has one, is translated."""
    return not tree.get("rawcaption") or tree["caption"] != tree["rawcaption"]
