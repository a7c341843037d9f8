"""A source page of errors is one notebook and one catalogue; written it is a list, and each entry a page of its own.

The page is read, run and translated as a whole, and taken away as a whole. Only its HTML is split: an entry is light to
load, has an address, and its title is the title of its page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import document_toc

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import ENTRY, FOLDER, KIND, EntryPage, page_of
from shardbook_sphinx.nodes import generated, short_literal
from shardbook_sphinx.reference.error_entries import SUBJECT, shortened

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

DESCRIPTION = 300  # characters of what an entry's page says of itself to search engines
WHOLE_WORDS = re.compile(rf".{{1,{DESCRIPTION}}}(?=$|\s|[\u3000-\u9fff])")  # Chinese has no spaces


class Builder(StandaloneHTMLBuilder):
    """Sphinx's builder of HTML, which writes the entries of a page of errors as pages of their own."""

    whole: nodes.document | None = None
    """The page that is written as a list of its entries."""

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        """Write a page; one with entries as their list, then each of them."""
        sections = [section for section in doctree.findall(nodes.section) if ENTRY in section]
        if not sections:
            super().write_doc(docname, doctree)
            return
        messages = first_messages(self.env)
        self.whole = doctree
        doctree.settings = self.docsettings
        super().write_doc(docname, listing(doctree, messages))
        self.whole = None
        around = self.around(docname)
        links = [{"link": f"{each[ENTRY]}{self.link_suffix}", "title": self.title_as_html(each)} for each in sections]
        for place, section in enumerate(sections):
            visitor: Any = self.create_translator(doctree, self)
            section.walkabout(visitor)
            told = {
                "body": "".join(visitor.body),
                "title": links[place]["title"],
                "description": about(section, messages.get(section[ENTRY], "")),
                "prev": links[place - 1] if place else around["parents"][-1],
                "next": links[place + 1] if place + 1 < len(links) else None,
                ENTRY: EntryPage(section[ENTRY], docname, doctree),
            }
            self.handle_page(page_of(docname, section[ENTRY]), around | told)

    def around(self, docname: str) -> dict[str, Any]:
        """What stands around all entries of a page: the way back to it, and no contents."""
        context = self.get_doc_context(docname, "", "")
        source = {"link": self.get_target_uri(docname).rpartition("/")[2], "title": context["title"]}
        return context | {"parents": [*context["parents"], source], "toc": "", "display_toc": False}

    def title_as_html(self, section: nodes.section) -> str:
        """The title of an entry."""
        return str(self.render_partial(title_of(section).deepcopy())["title"])

    def get_doc_context(self, docname: str, body: str, metatags: str) -> dict[str, Any]:
        """What a template is told of a page; the contents of a list of entries are its sections."""
        context = super().get_doc_context(docname, body, metatags)
        if self.whole is not None:
            contents = without_entries(document_toc(self.env, docname, self.tags))
            context["toc"] = self.render_partial(contents)["fragment"]
        return context

    def handle_page(self, pagename: str, addctx: dict[str, Any], *rest: Any, **options: Any) -> None:
        """Write a page; who asks what is on a list of entries is given all of it."""
        if self.whole is not None:
            options["event_arg"] = self.whole
        super().handle_page(pagename, addctx, *rest, **options)


def first_messages(env: BuildEnvironment) -> dict[str, str]:
    """Of each entry that raises, the type and the message."""
    return {
        entry.anchor: f"{raised.name}: {raised.message}".removesuffix(": ")
        for entries in handbook(env).pages(SUBJECT).values()
        for entry in entries
        for raised in entry.raised[:1]
    }


def addresses(env: BuildEnvironment) -> dict[str, str]:
    """Of each entry the page that it has for itself."""
    pages = handbook(env).pages(SUBJECT)
    return {entry.anchor: page_of(docname, entry.anchor) for docname, entries in pages.items() for entry in entries}


def listing(node: nodes.Element, messages: dict[str, str]) -> Any:
    """A copy of a page, or of a section of it, with links in place of its entries."""
    copy = node.copy()
    points: nodes.bullet_list | None = None
    for child in node.children:
        if isinstance(child, nodes.section) and ENTRY in child:
            if points is None:
                points = nodes.bullet_list(bullet="-", classes=["error-messages", "page-entries"])
                copy += points
            points += point(child, messages.get(child[ENTRY], ""))
            continue
        points = None
        copy += listing(child, messages) if isinstance(child, nodes.section) else child.deepcopy()
    return copy


def title_of(section: nodes.section) -> nodes.title:
    """The title of an entry, which may stand after a target."""
    return next(child for child in section.children if isinstance(child, nodes.title))


def point(section: nodes.section, message: str) -> nodes.list_item:
    """A link to an entry, under all names that the entry has had on this page, with the message's first line."""
    link = nodes.reference("", "", *(child.deepcopy() for child in title_of(section).children), internal=True)
    link["refuri"] = f"{section[ENTRY]}.html"
    said = [nodes.Text(" "), short_literal(shortened(message))] if message else []
    return nodes.list_item("", generated(link, *said), ids=section["ids"])


def without_entries(contents: Any) -> Any:
    """The contents of a page without its entries."""
    for item in list(contents.findall(nodes.list_item)):
        link = next(iter(item.findall(nodes.reference)))
        if KIND.match(link.get("anchorname", "").removeprefix("#")):
            item.parent.remove(item)
    for points in [points for points in contents.findall(nodes.bullet_list) if not points.children]:
        points.parent.remove(points)
    return contents


def about(section: nodes.section, message: str) -> str:
    """What an entry says to search engines: its message, then its first words; of a trap more than the belief."""
    said = (each.astext() for each in section.children if isinstance(each, nodes.paragraph) and not each["classes"])
    told = " ".join(" ".join([shortened(message), *said]).split())
    fits = WHOLE_WORDS.match(told)
    return fits[0] if fits else told[:DESCRIPTION]


def mark_sections(app: Sphinx, doctree: nodes.document) -> None:
    """After a page of errors is read: mark the sections that are entries."""
    if app.env.current_document.docname.startswith(FOLDER):
        for section in doctree.findall(nodes.section):
            if label := next(filter(KIND.match, section["ids"]), None):
                section[ENTRY] = label


def link_entries(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page is written: have links to entries lead to their own pages, not to the list on which they are."""
    if app.builder.format != "html":
        return
    entries = addresses(app.env)
    for link in doctree.findall(nodes.reference):
        address = link["refuri"] if link.get("internal") and "refuri" in link else f"#{link.get('refid', '')}"
        anchor = address.partition("#")[2]
        if anchor in entries:
            del link.attributes["refid" if "refid" in link else "refuri"]
            link["internal"], link["refuri"] = True, app.builder.get_relative_uri(docname, entries[anchor])


def keep_whole(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Once all is read: remove the pages of entries that are gone, and write again the pages whose entries lack one."""
    if app.builder.format != "html":
        return []
    builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
    pages = {
        docname: {builder.get_output_path(page_of(docname, entry.anchor)) for entry in entries}
        for docname, entries in handbook(env).pages(SUBJECT).items()
    }
    there = {path for path in Path(app.outdir, FOLDER).rglob(f"*{builder.out_suffix}") if KIND.match(path.name)}
    for path in there.difference(*pages.values()):
        path.unlink()
    return [docname for docname, files in pages.items() if files - there]
