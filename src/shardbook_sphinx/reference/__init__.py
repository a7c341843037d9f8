"""Entries of the API, of errors and of traps, and the tables of what releases changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Add the directives, and keep what each page describes."""
    from shardbook_sphinx.reference import api_entries, entry_pages, error_entries, history, links, verdicts  # noqa: PLC0415

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
    app.connect("doctree-read", entry_pages.mark_sections)
    app.connect("doctree-read", verdicts.mark_cells, priority=600)  # after the lines that say where cells ran
    app.connect("handbook-check", api_entries.check_entries)
    app.connect("handbook-check", error_entries.check_entries)
    app.connect("handbook-check", history.check_releases)
    app.connect("env-updated", error_entries.rewrite_lists)
    app.connect("env-updated", entry_pages.keep_whole)
    app.connect("doctree-resolved", error_entries.list_messages)
    app.connect("doctree-resolved", entry_pages.link_entries)
    app.connect("html-page-context", links.add_links, priority=600)  # once the body is whole
