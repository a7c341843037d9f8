"""Entries of the API, of errors and of traps, and the tables of what releases changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Add the directives, and keep what each page describes."""
    from shardbook_sphinx.reference import (  # noqa: PLC0415
        api_entries,
        boxes,
        entry_pages,
        error_entries,
        helper,
        history,
        links,
        taught,
        titles,
        uses,
        verdicts,
    )

    app.add_builder(entry_pages.Builder, override=True)
    app.add_directive("api", api_entries.ApiEntry)
    app.add_directive("api-matrix", history.Matrix)
    app.add_directive("api-answers", history.Answers)
    app.add_directive("api-changes", history.Changes)
    app.add_directive("asked", error_entries.Asked)
    app.add_directive("message-box", error_entries.MessageBox)
    app.add_directive("error-messages", error_entries.AllMessages)
    app.add_node(error_entries.error_messages)
    app.connect("doctree-read", api_entries.note_entries)
    app.connect("doctree-read", error_entries.note_entries)
    app.connect("doctree-read", boxes.note_shown)
    app.connect("doctree-read", uses.note_names)
    app.connect("doctree-read", entry_pages.mark_sections)
    app.connect("doctree-read", verdicts.mark_cells, priority=600)  # after the lines that say where cells ran
    app.connect("handbook-check", api_entries.check_entries)
    app.connect("handbook-check", error_entries.check_entries)
    app.connect("handbook-check", history.check_releases)
    app.connect("handbook-check", taught.find_wrong)
    app.connect("env-updated", error_entries.rewrite_lists)
    app.connect("env-updated", boxes.rewrite_pages)
    app.connect("env-updated", uses.rewrite_reference)
    app.connect("env-updated", entry_pages.keep_whole)
    app.connect("doctree-resolved", error_entries.list_messages)
    app.connect("doctree-resolved", boxes.link_boxes)
    app.connect("doctree-resolved", helper.name_helper)
    app.connect("doctree-resolved", titles.mark_titles)
    app.connect("doctree-resolved", uses.link_pages)
    app.connect("doctree-resolved", taught.link_tutorials)
    app.connect("doctree-resolved", entry_pages.link_entries)
    app.connect("html-page-context", links.add_links, priority=600)  # once the body is whole
