"""Titles as words of links: with their code, of which Sphinx keeps the text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes

from shardbook_sphinx.nodes import short_literal

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def page_title(env: BuildEnvironment, page: str) -> list[nodes.Node]:
    """The title of a page, to put into a link."""
    return [child.deepcopy() for child in env.titles[page].children]


def section_title(env: BuildEnvironment, page: str, anchor: str) -> list[nodes.Node]:
    """The title of a section, as the contents of its page have it, for a list of many: names in it lead nowhere."""
    found = next(link for link in env.tocs[page].findall(nodes.reference) if link["anchorname"] == f"#{anchor}")
    return [short_literal(each.astext()) if isinstance(each, nodes.literal) else each.deepcopy() for each in found]


def mark_titles(app: Sphinx, doctree: nodes.document, _docname: str) -> None:
    """When a page is written: give links that Sphinx has worded by a page's title the code of the title."""
    marked = {title.astext(): page for page, title in app.env.titles.items() if title.next_node(nodes.literal)}
    for words in doctree.findall(nodes.inline):
        if "std-doc" in words["classes"] and (page := marked.get(words.astext())):
            words[:] = page_title(app.env, page)
