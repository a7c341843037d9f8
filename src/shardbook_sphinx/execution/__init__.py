"""Run the cells of pages, check what they do against what they announce, and hold the outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Run stale pages before reading, and look at each page that was read."""
    from shardbook_sphinx.execution import folded, loaded, same_as, unrun, where  # noqa: PLC0415

    # For the canary, which builds on a JAX that the pages were not written for
    app.add_config_value("shardbook_keep_going", default=False, rebuild="", types=[bool])
    app.add_config_value("shardbook_outputs", default="", rebuild="", types=[str])
    app.connect("doctree-read", same_as.note_cells)
    app.connect("doctree-read", unrun.forbid_unrun_code)
    app.connect("doctree-read", where.mark_cells)
    app.add_node(folded.Folded, html=(folded.open_folded, folded.close_folded))
    app.connect("doctree-read", loaded.fold_loaded)
    app.connect("doctree-read", folded.fold_answers)
    app.connect("handbook-check", unrun.find_unrun)
    app.connect("handbook-check", loaded.find_unused)
    app.connect("handbook-check", same_as.check_cells)
