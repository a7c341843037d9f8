"""The site's search: an index of Pagefind's, in which each section and each entry is a record of its own.

Sphinx's own search is left out: it finds few Chinese compounds and loads its whole index with its page.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import lxml.html

from shardbook_sphinx import fingerprint
from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import page_of
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.reference.error_entries import SUBJECT
from shardbook_sphinx.reference.names import OWNERS, Names
from shardbook_sphinx.search.pagefind import ask_pagefind, read_fragment, requests
from shardbook_sphinx.search.records import CUT, HAN, UTF8, Record, cut_page, key_words, message_words, url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    # The records of each page, with a hash of what they were cut from
    Pages = dict[str, tuple[str, list[Record]]]

FOLDER = "pagefind"
LAST = "names.json"
# Pages that teach come before the others that have the same words, those on what was and on what fails come after them.
TEACHING = ("learn/", "train/", "guides/", "explain/", "explorer", "planner", "index")
BEGINNING = "learn/"
LATER = ("history/", "reference/retired", "errors/")
# Sphinx's search, and what it would put on each page that one came to from it.
SPHINX_SCRIPTS = ("searchtools.js", "language_data.js", "sphinx_highlight.js")
# The site uses Pagefind's library, but not its own interface, nor the library in a worker.
UNUSED = re.compile(r"pagefind-.*\.(js|css)|wasm\.unknown\.pagefind")


def known(pages: dict[str, list[Record]], ids: dict[str, str]) -> dict[str, Any]:
    """What the search knows beside Pagefind's index.

    Of all records: ``ids`` are theirs in the index, in one string and of one width, for hashes do not pack; ``kinds``
    whether they begin (2) or go on (1) to teach, tell of the past or of errors (-1) or neither, ``words`` their key
    words, unless these are but its names; what is alike stands together, which packs better.
    The others are by a record's place among them: ``names`` are all names, of those that end alike first what most
    readers mean; ``terms`` are those of the glossary, each with all that it is called and the records that say more;
    ``messages`` are the words of those of the errors. ``cut`` and ``han`` are how words are parted here.
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

    width = max(map(len, ids.values()))
    return {
        "cut": CUT,
        "han": HAN,
        "ids": "".join(ids[url(page, each)].ljust(width) for page, each in all_records),
        "kinds": [
            page.startswith(TEACHING) + page.startswith(BEGINNING) - page.startswith(LATER) for page, _ in all_records
        ],
        "words": ["" if each.anchor in each.names else " ".join(key_words(each)) for _, each in all_records],
        "names": [(name.lower(), places[url(page, record)]) for name, page, record in sorted(named, key=key)],
        "terms": [
            (places[url(page, each)], [*each.names, *each.called], [destination(page, href) for href in each.more])
            for page, each in all_records
            if each.anchor.startswith("term-")
        ],
        "messages": [
            (message_words(each.message), places[url(page, each)]) for page, each in all_records if each.message
        ],
    }


def make_index(pages: dict[str, list[Record]]) -> dict[str, bytes]:
    """The files of the index of some pages, by their names in its folder."""
    *_, answer = ask_pagefind(requests(pages))
    files = {file["path"]: base64.b64decode(file["content"]) for file in answer["files"]}
    fragments = {name: content for name, content in files.items() if name.startswith("fragment/")}
    # Pagefind's own filters could hold names, but are written in another order each time.
    ids = {read_fragment(each)["url"]: Path(name).stem.removeprefix("en_") for name, each in fragments.items()}
    used = {name: content for name, content in files.items() if not UNUSED.fullmatch(name)}
    return used | {LAST: json.dumps(known(pages, ids), ensure_ascii=False, separators=(",", ":")).encode()}


def leave_out_sphinx_search(app: Sphinx) -> None:
    """Have Sphinx make no index and no search page; ``html_additional_pages`` names ours."""
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]


def page_names(env: BuildEnvironment) -> Iterator[tuple[str, str]]:
    """The pages in their order, each followed by those of its entries, with the title that these stand under."""
    entries = handbook(env).pages(SUBJECT)
    for docname in sorted(env.found_docs):
        yield docname, ""
        for entry in entries.get(docname, []):
            yield page_of(docname, entry.anchor), env.titles[docname].astext()


def read_pages(app: Sphinx, before: Pages) -> Pages:
    """The records of all pages, each page with a hash of its HTML and of what indexes it.

    What was cut ``before`` is not cut again.
    """
    pages: Pages = {}
    wing = Path(__file__).parent
    indexer = fingerprint.files(wing.glob("*.py"), wing)
    for name, within in page_names(app.env):
        page = app.builder.get_target_uri(name)
        html = Path(app.outdir, page).read_bytes()
        state = fingerprint.digest([html, indexer])
        was, records = before.get(page, ("", []))
        if was != state:
            article = lxml.html.document_fromstring(html, parser=UTF8).find(".//article")
            assert article is not None, f"{page} has no article"
            first, *others = cut_page(article)
            records = [first._replace(within=within)]
            records += [each._replace(within=first.title) for each in others]
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
