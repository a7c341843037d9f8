"""The site's search: an index of Pagefind's, in which each section and each entry is a record of its own.

Sphinx's own search is left out: it finds few Chinese compounds and loads its whole index with its page.

Pagefind takes words apart at spaces. Here every name and every Chinese character becomes a word: a phrase of
characters then finds a compound in any browser, whatever dictionary that has, and ``set_mesh`` is found in
``jax.set_mesh(mesh)``. What was parted can be joined again for the reader, since `CUT` stands at each place. The
script ``search.js`` cuts what a reader types in the same way.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

import lxml.html
from pagefind.service import get_executable

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.reference.links import OWNERS, Names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement
    from sphinx.application import Sphinx

    # The records of each page, with a hash of its HTML
    Pages = dict[str, tuple[str, list["Record"]]]

FOLDER = "pagefind"
LAST = "names.json"
# No page keeps a backquote, so that this can be told from what a page says.
CUT = "` "
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# On either side of a Chinese character, so that a comma between two parts them, and before each other word that follows
# a sign; but 0.4.33 is one word.
BOUNDARY = re.compile(rf"(?<=\S)(?=[{HAN}])|(?<=[{HAN}])(?=\S)|(?<=[^\s\w])(?<!\d\.)(?=\w)")
# The words that a title weighs more for: `PartitionSpec` and `psum_scatter` for two each, since Pagefind would count
# them with and without their parts.
PART = re.compile(rf"[{HAN}]|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+(?:\.\d+)*")
# Lines and blocks of pictures drawn in text.
DRAWING = re.compile("[\u2500-\u259f]+")

# What is no part of what a page says: the ways around, signs, pictures, fields, cells that are folded away, names of
# cards that are links as a whole; and of an entry what its title says already, and since when it is there.
LEFT_OUT = {"nav", "svg", "script", "style", "button"}
# The list of all messages would be found instead of each.
HIDDEN_CLASSES = {"error-messages", "visually-hidden", "hide", "sd-hide-link-text"}
LEFT_OUT_CLASSES = HIDDEN_CLASSES | {"headerlink", "gp", "sb-panels", "explorer", "sig", "api-history"}
# Between other elements there is a space, whether or not the HTML has one.
INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "var"}
UTF8 = lxml.html.HTMLParser(encoding="utf-8")
# Pages that teach come before the others that have the same words, those on what was and on what fails come after them.
TEACHING = ("learn/", "guides/", "explain/", "explorer", "index")
LATER = ("history/", "reference/retired", "errors/")
# What else a term of the glossary is called, what else readers look for who mean it, and where more is said of it: a
# paragraph each, in either language.
CALLED = re.compile(r"(?:(?:Also called|Related): |(?:又称|相关)：)(.+)[.。]")
MORE = re.compile(r"More: |另见：")
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}

# Sphinx's search, and what it would put on each page that one came to from it.
SPHINX_SCRIPTS = ("searchtools.js", "language_data.js", "sphinx_highlight.js")
# The site uses Pagefind's library, but not its own interface, nor the library in a worker.
UNUSED = re.compile(r"pagefind-.*\.(js|css)|wasm\.unknown\.pagefind")


class Record(NamedTuple):
    """What is found as one: a section without those below it, an entry of the reference, or a term."""

    anchor: str
    title: str
    names: Sequence[str]
    """What the record is called: the object of an entry in full, a term in either language, a page by its title."""
    text: str
    message: str = ""
    """What the first cell raises, if the record is an entry of an error."""
    called: Sequence[str] = ()
    """What else readers say who look for it, if it is a term."""
    more: Sequence[str] = ()
    """Where more is said of it, from its page, if it is a term."""


def cut_words(text: str) -> str:
    """Part a text into the words that can be found.

    >>> cut_words("Use jax.set_mesh(mesh) of 0.7.1 for 网格轴x")
    'Use jax.` set_mesh(` mesh) of 0.7.1 for 网` 格` 轴` x'
    """
    return BOUNDARY.sub(CUT, text.replace("`", ""))


def cut_page(article: HtmlElement) -> list[Record]:
    """Part the article of a page into records, in the order of the page.

    >>> page = '<article><section id="a"><h1>A<a class="headerlink">¶</a></h1><p>One</p><p>two.</p></section></article>'
    >>> [(record.anchor, record.title, record.text) for record in cut_page(lxml.html.fromstring(page))]
    [('a', 'A', 'One two.')]
    """
    begun: list[Record] = []
    pieces: list[list[str]] = []
    messages: dict[str, str] = {}

    def begin(anchor: str, title: str, names: Sequence[str] = ()) -> None:
        begun.append(Record(anchor, title, names, ""))
        pieces.append([])

    def visit(element: HtmlElement) -> None:
        if not is_said(element):
            return
        anchor = element.get("id", "")
        if element.tag == "section":
            # The title of a page is also its name.
            title = next((said(child) for child in element if child.tag in HEADINGS), "")
            begin(anchor, title, () if begun else (title,))
        elif element.tag in HEADINGS and element.getparent().tag == "section":
            return
        elif element.tag == "dl" and (names := entry_names(element)):
            begin(names[0], ", ".join(names), names)
        elif element.tag == "dt" and anchor.startswith("term-"):
            begin(anchor, said(element), said(element).split(" · "))
            return
        if not begun:
            raise HandbookError(f"{said(element)[:60]!r} stands before the first section: search cannot lead there")
        if begun[-1].anchor.startswith("error-") and "traceback" in element.get("class", "").split():
            messages.setdefault(begun[-1].anchor, said(element))
        if begun[-1].anchor.startswith("term-") and element.tag == "p":
            begun[-1] = with_paragraph(begun[-1], element)
        gap = "" if element.tag in INLINE else " "
        pieces[-1] += [gap, element.text or ""]
        for child in element:
            visit(child)
            pieces[-1].append(child.tail or "")
        pieces[-1].append(gap)

    for child in article:
        visit(child)
    texts = [" ".join(DRAWING.sub(" ", "".join(parts)).split()) for parts in pieces]
    records = [
        record._replace(text=text, message=messages.get(record.anchor, ""))
        for record, text in zip(begun, texts, strict=True)
    ]
    return [record for record, after in zip(records, [*records[1:], None], strict=True) if not repeats(record, after)]


def with_paragraph(term: Record, element: HtmlElement) -> Record:
    """A term with what a paragraph says of it: what else it is called, or where there is more.

    >>> term = Record("term-all-reduce", "all-reduce", (), "")
    >>> with_paragraph(term, lxml.html.fromstring("<p>Also called: allreduce, <code>psum</code>.</p>")).called
    ['allreduce', 'psum']
    >>> with_paragraph(term, lxml.html.fromstring("<p>另见：<a href='a.html#b'>A</a>。</p>")).more
    ['a.html#b']
    """
    text = said(element)
    if called := CALLED.fullmatch(text):
        return term._replace(called=[*term.called, *re.split(", |、", called[1])])
    if MORE.match(text):
        return term._replace(more=[str(href) for href in element.xpath(".//a/@href")])
    return term


def entry_names(element: HtmlElement) -> list[str]:
    """The names of the objects that a list describes, if it is an entry of the reference."""
    return [str(name) for name in element.xpath("./dt[contains(@class, 'sig')]/@id")]


def is_said(element: HtmlElement) -> bool:
    """Whether an element is a part of what the page says."""
    if not isinstance(element.tag, str) or element.tag in LEFT_OUT or element.get("aria-hidden") == "true":
        return False
    return LEFT_OUT_CLASSES.isdisjoint(element.get("class", "").split())


def said(element: HtmlElement) -> str:
    """The text of an element that says something itself."""
    parts = [element.text or ""]
    for child in element:
        parts += [said(child) if is_said(child) else "", child.tail or ""]
    return " ".join("".join(parts).split())


def repeats(section: Record, after: Record | None) -> bool:
    """Whether a section is but the heading of the entry after it, as ``make_mesh`` is of ``jax.make_mesh``."""
    names = after.names if after else ()
    return not section.text and any(name.endswith(f".{section.title}") for name in names)


def title_words(title: str) -> list[str]:
    """The words of a title, each once.

    >>> title_words("jax.lax.psum_scatter, of a PartitionSpec")
    ['jax', 'lax', 'psum', 'scatter', 'of', 'a', 'partition', 'spec']
    """
    return list(dict.fromkeys(part.lower() for part in PART.findall(title)))


def key_words(record: Record) -> list[str]:
    """The words that say what a record is about: those of its title and of its anchor.

    >>> key_words(Record("trap-zeros-like-jit", "“zeros_like keeps the layout”", (), ""))
    ['zeros_like', 'keeps', 'the', 'layout', 'zeros', 'like', 'jit']
    """
    # Of what has a name the title is that name; some headings have but a number for an anchor.
    own = "" if record.anchor in record.names else re.sub(r"^(error|trap|term|moving|id)\b|\d+$", "", record.anchor)
    return list(dict.fromkeys(re.findall(rf"[{HAN}]+|[^\W{HAN}]+", f"{record.title} {own.replace('-', ' ')}".lower())))


def known(pages: dict[str, list[Record]], ids: dict[str, str]) -> dict[str, Any]:
    """What the search knows beside Pagefind's index.

    ``records`` are all records: their ids in the index, whether they teach (1), tell of the past or of errors (-1) or
    neither, and their key words. The others are by their place among them: ``names`` are all names, of those that end
    alike first what most readers mean; ``terms`` are those of the glossary, each with all that it is called and the
    records that say more; ``messages`` are those of the errors. ``cut`` and ``han`` are how words are parted here.
    """
    all_records = [(page, record) for page, records in pages.items() for record in records]
    places = {url(page, record): place for place, (page, record) in enumerate(all_records)}
    named = [(name, page, record) for page, record in all_records for name in (*record.names, *record.called)]
    members = Names(frozenset(name for name, *_ in named)).members

    def key(item: tuple[str, str, Record]) -> tuple[bool, int, int]:
        name, page, record = item
        owner = members.get(name)
        if name.startswith("jax.") and not owner:
            kind = 0
        elif record is pages[page][0]:
            kind = 1  # a page
        elif record.anchor.startswith("term-"):
            kind = 2
        else:
            kind = 3  # a member of a class, or what our own package has
        return page.startswith(LATER), kind, OWNERS.index(owner) if owner in OWNERS else len(OWNERS)

    def destination(page: str, href: str) -> int:
        to, _, anchor = urljoin(page, href).partition("#")
        found = next((each for each in pages.get(to, []) if anchor in {"", each.anchor}), None)
        if found is None:
            raise HandbookError(f"{page}: the search has no record for {href}")
        return places[url(to, found)]

    return {
        "cut": CUT,
        "han": HAN,
        "records": [
            (ids[url(page, each)], page.startswith(TEACHING) - page.startswith(LATER), " ".join(key_words(each)))
            for page, each in all_records
        ],
        "names": [(name.lower(), places[url(page, record)]) for name, page, record in sorted(named, key=key)],
        "terms": [
            (places[url(page, each)], [*each.names, *each.called], [destination(page, href) for href in each.more])
            for page, each in all_records
            if each.anchor.startswith("term-")
        ],
        "messages": [(each.message, places[url(page, each)]) for page, each in all_records if each.message],
    }


def url(page: str, record: Record) -> str:
    """Where a record stands, from the folder of its language."""
    return f"{page}#{record.anchor}"


def make_index(pages: dict[str, list[Record]]) -> dict[str, bytes]:
    """The files of the index of some pages, by their names in its folder."""
    *_, answer = ask_pagefind(requests(pages))
    files = {file["path"]: base64.b64decode(file["content"]) for file in answer["files"]}
    fragments = {name: content for name, content in files.items() if name.startswith("fragment/")}
    # Pagefind's own filters could hold names, but are written in another order each time.
    beside = known(pages, {read_fragment(each)["url"]: Path(name).stem for name, each in fragments.items()})
    used = {name: content for name, content in files.items() if not UNUSED.fullmatch(name)}
    return used | {LAST: json.dumps(beside, ensure_ascii=False).encode()}


def read_fragment(content: bytes) -> dict[str, Any]:
    """What Pagefind's file of a record says."""
    record: dict[str, Any] = json.loads(gzip.decompress(content).removeprefix(b"pagefind_dcd"))
    return record


def requests(pages: dict[str, list[Record]]) -> list[dict[str, Any]]:
    """What is asked of Pagefind to index the records of some pages, and at last to give the files of its index."""
    asked: list[dict[str, Any]] = [{"type": "NewIndex", "config": {}}]
    for page, records in pages.items():
        for record in records:
            meta = {"title": cut_words(record.title), "words": " ".join(title_words(record.title))}
            if record is not records[0]:
                meta["page"] = cut_words(records[0].title)
            asked.append(
                {
                    "type": "AddRecord",
                    "index_id": 0,
                    "url": url(page, record),
                    # What says nothing would be left out.
                    "content": cut_words(record.text or record.title),
                    # In either language the words are parted already, and English words have English endings.
                    "language": "en",
                    "meta": meta,
                }
            )
    # Asked to write them itself, it answers before it has written all, and ends.
    asked.append({"type": "GetFiles", "index_id": 0})
    return asked


def ask_pagefind(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pagefind's answers to what is asked, in that order.

    Its own client waits a tenth of a second for each answer: almost a minute for the handbook.
    """
    messages = [json.dumps({"message_id": number, "payload": payload}) for number, payload in enumerate(asked)]
    executable = get_executable()
    if executable is None:
        raise HandbookError("there is no Pagefind here: install pagefind-bin-extended")
    told, missing = bytearray(), len(asked)
    service = [str(executable), "--service"]
    # One that ends at once is found by the answers that are missing.
    with (
        suppress(BrokenPipeError),
        subprocess.Popen(service, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(base64.b64encode(message.encode()) + b"," for message in messages))
        process.stdin.flush()
        while missing and (more := os.read(process.stdout.fileno(), 1 << 20)):
            told += more
            missing -= more.count(b",")
    answers = [json.loads(base64.b64decode(answer))["payload"] for answer in told.split(b",")[:-1]]
    for answer in answers:
        if answer["type"] == "Error":
            raise HandbookError(f"Pagefind: {answer['message']}")
    if missing:
        raise HandbookError("Pagefind ended before it had answered all")
    return answers


def leave_out_sphinx_search(app: Sphinx) -> None:
    """Have Sphinx make no index and no search page; ``html_additional_pages`` names ours."""
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]


def read_pages(app: Sphinx, before: Pages) -> Pages:
    """The records of all pages, each page with a hash of its HTML; what was cut ``before`` is not cut again."""
    pages: Pages = {}
    for docname in sorted(app.env.found_docs):
        page = app.builder.get_target_uri(docname)
        html = Path(app.outdir, page).read_bytes()
        state = hashlib.sha256(html).hexdigest()
        was, records = before.get(page, ("", []))
        if was != state:
            article = lxml.html.document_fromstring(html, parser=UTF8).find(".//article")
            assert article is not None, f"{page} has no article"
            records = cut_page(article)
        pages[page] = state, records
    return pages


def index_site(app: Sphinx, exception: Exception | None) -> None:
    """At the end of a build: index the pages, if any has changed."""
    if exception or app.builder.format != "html":
        return
    for name in SPHINX_SCRIPTS:
        Path(app.outdir, "_static", name).unlink(missing_ok=True)
    memory, output = Path(app.doctreedir, "search.json"), Path(app.outdir, FOLDER)
    kept = json.loads(memory.read_text(encoding="utf-8")) if memory.is_file() else {}
    before = {page: (state, [Record(*record) for record in records]) for page, (state, records) in kept.items()}
    pages = read_pages(app, before)
    if pages == before and (output / LAST).is_file():
        return
    shutil.rmtree(output, ignore_errors=True)
    for name, content in make_index({page: records for page, (_, records) in pages.items()}).items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_bytes(content)
    memory.write_text(json.dumps(pages), encoding="utf-8")
