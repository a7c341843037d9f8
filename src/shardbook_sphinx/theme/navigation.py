"""The ways around: the tree of all pages in the sidebar of each, made of titles alone, and the contents of a page."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import lxml.html
from docutils.nodes import Text, bullet_list, list_item, literal
from sphinx.addnodes import toctree
from sphinx.environment.adapters.toctree import global_toctree_for_doc

from shardbook_sphinx.entries import ENTRY
from shardbook_sphinx.theme.opengraph import description

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from sphinx.application import Sphinx
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.environment import BuildEnvironment

    from shardbook_sphinx.entries import EntryPage

WRAPPER = "toctree-wrapper"
LISTED = re.compile(r'<li class="toctree-l1"><a class="reference internal" href="(?P<href>[^"#]+)">.*?</a>')
# How a page begins the sentence that says what it is for.
PROMISES = ("After this page", "读完本页")
UTF8 = lxml.html.HTMLParser(encoding="utf-8")


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
    """The contents of a page as Sphinx makes them to show titles only; names are plain, as they stand on all pages."""
    short = contents.deepcopy()
    for name in list(short.findall(literal)):
        name.replace_self(Text(name.astext()))
    for entry in short.children:
        if isinstance(entry, list_item) and len(entry) > 1:
            sections = entry.pop(1)
            if trees := list(sections.findall(toctree)):
                entry.append(bullet_list("", *trees))
    return short


def told_once(contents: str) -> str:
    """The contents of a page without entries that only repeat the section they are in; what is below them stays.

    >>> below = '<ul><li><a href="#jax.f">f</a><ul><li><a href="#g">g</a></li></ul></li></ul>'
    >>> told_once(f'<ul><li><a href="#f">f（和）</a>{below}</li></ul>')
    '<ul><li><a href="#f">f（和）</a><ul><li><a href="#g">g</a></li></ul></li></ul>'
    """
    top = lxml.html.fragment_fromstring(contents, create_parent="div", parser=UTF8)
    for entry in list(top.iter("li")):
        for below in entry.findall("ul/li"):
            if title(below) == title(entry):
                for each in below.findall("ul/li"):
                    below.addprevious(each)
                below.drop_tree()
        for empty in entry.xpath("ul[not(li)]"):
            empty.drop_tree()
    return "".join(lxml.html.tostring(each, encoding="unicode") for each in top)


def title(entry: HtmlElement) -> str:
    """What an entry of the contents is called, without what a Chinese title explains in brackets."""
    return str(entry.find("a").text_content()).strip().partition("（")[0]


def promise(text: str) -> str:
    """Of a page's first paragraph the sentence that says what a reader will be able to do; otherwise the first.

    >>> promise("Axes have an order. After this page you can choose it. Then more."), promise("先看形状。再看规格。")
    ('After this page you can choose it.', '先看形状。')
    """
    sentences = re.split(r"(?<=[.!?])\s|(?<=[。！？])", text)
    return next((each for each in sentences if each.startswith(PROMISES)), sentences[0])


def say_what_pages_give(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """In the list of pages that a section begins with: what each gives, in its own words."""
    builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
    listed = app.env.toctree_includes.get(pagename, ())
    if WRAPPER not in context.get("body", ""):
        return
    said = {
        builder.get_relative_uri(pagename, name): promise(description(app.env, name))
        for name in listed
        if name in app.env.found_docs
    }

    def with_sentence(match: re.Match[str]) -> str:
        sentence = said.get(match["href"], "")
        return match[0] + (f'<p class="gives">{escape(sentence, quote=False)}</p>' if sentence else "")

    context["body"] = LISTED.sub(with_sentence, context["body"])


def tell_once(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Give a page that is about to be written contents without repetition."""
    if context.get("toc"):
        context["toc"] = told_once(context["toc"])


def prepare(app: Sphinx) -> None:
    """Give pages this tree, before furo asks for one."""
    if app.builder.format == "html":
        app.connect("html-page-context", Navigation(app).add, priority=400)
