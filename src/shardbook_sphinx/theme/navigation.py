"""The tree of all pages in the sidebar of each, made of titles alone."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docutils.nodes import bullet_list, list_item
from sphinx.addnodes import toctree
from sphinx.environment.adapters.toctree import global_toctree_for_doc

from shardbook_sphinx.entries import ENTRY

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.environment import BuildEnvironment

    from shardbook_sphinx.entries import EntryPage


class Navigation:
    """The tree of all pages in the sidebar of each.

    Sphinx copies the contents of every page, all sections with them, for the sidebar of every page, and drops the
    sections again: a fifth of the time that writing takes. Here they are dropped once.
    """

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self.beside_entries: dict[str, str] = {}

    @cached_property
    def titles(self) -> BuildEnvironment:
        """The environment, in which the contents of a page are its title and the trees in it."""
        env = copy(self.app.env)
        env.tocs = {name: without_sections(toc) for name, toc in env.tocs.items()}
        return env

    def add(self, app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
        """Give a page that is about to be written the tree of titles, in place of the one with all sections."""
        builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
        whole = context["toctree"]
        entry: EntryPage | None = context.get(ENTRY)

        def titles(docname: str, **options: Any) -> str:
            found = global_toctree_for_doc(self.titles, docname, builder, tags=app.tags, **options)
            return str(builder.render_partial(found)["fragment"])

        def tree(**options: Any) -> str:
            if not options.get("titles_only"):
                return str(whole(**options))
            if entry is None:
                return titles(pagename, **options)
            # Beside an entry stands what is beside its source page, which is no longer the page one is on.
            if entry.docname not in self.beside_entries:
                there = builder.get_relative_uri(pagename, entry.docname)
                beside = titles(entry.docname, **options).replace('href="#"', f'href="{there}"')
                self.beside_entries[entry.docname] = beside
            return self.beside_entries[entry.docname]

        context["toctree"] = tree


def without_sections(contents: bullet_list) -> bullet_list:
    """The contents of a page as Sphinx makes them to show titles only."""
    short = contents.deepcopy()
    for entry in short.children:
        if isinstance(entry, list_item) and len(entry) > 1:
            sections = entry.pop(1)
            if trees := list(sections.findall(toctree)):
                entry.append(bullet_list("", *trees))
    return short


def prepare(app: Sphinx) -> None:
    """Give pages this tree, before furo asks for one."""
    if app.builder.format == "html":
        app.connect("html-page-context", Navigation(app).add, priority=400)
