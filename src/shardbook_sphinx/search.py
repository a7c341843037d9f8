"""The site's search: an index of Pagefind's, in which each section and each entry is a record of its own.

Sphinx's own search is left out: it finds few Chinese compounds and loads its whole index with its page.

Pagefind takes words apart at spaces. Here every name and every Chinese character becomes a word: a phrase of
characters then finds a compound in any browser, whatever dictionary that has, and ``set_mesh`` is found in
``jax.set_mesh(mesh)``. What was parted can be joined again for the reader, since `CUT` stands at each place. The
script ``search.js`` cuts what a reader types in the same way.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lxml.html
from pagefind.service import get_executable

from shardbook_sphinx.entries import site_records
from shardbook_sphinx.links import OWNERS, Names
from shardbook_sphinx.pages import HandbookError

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement
    from sphinx.application import Sphinx

FOLDER = "pagefind"
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

# What is no part of what a page says: the ways around, signs, pictures, cells that are folded away; and of an entry
# what its title says already, and since when it is there.
LEFT_OUT = {"nav", "svg", "script", "style", "button"}
LEFT_OUT_CLASSES = {"headerlink", "gp", "visually-hidden", "sb-panels", "hide", "sig", "api-history"}
# Between other elements there is a space, whether or not the HTML has one.
INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "var"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}

# Sphinx's search, and what it would put on each page that one came to from it.
SPHINX_SCRIPTS = ("searchtools.js", "language_data.js", "sphinx_highlight.js")
# Of what Pagefind writes, the site uses its library. What is deleted is its own interface, and a worker.
UNUSED = ("pagefind-*.js", "pagefind-*.css", "wasm.unknown.pagefind")


@dataclass
class Record:
    """What is found as one: a section without those below it, an entry of the reference, or a term."""

    anchor: str
    title: str
    names: tuple[str, ...] = ()
    """What the record is called: the object of an entry in full, a term in either language, a page by its title."""
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(DRAWING.sub(" ", "".join(self.pieces)).split())


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
    records: list[Record] = []

    def visit(element: HtmlElement) -> None:
        if not is_said(element):
            return
        parent = element.getparent()
        if element.tag == "section":
            records.append(Record(element.get("id", ""), ""))
        elif element.tag in HEADINGS and parent is not None and parent.tag == "section":
            records[-1].title = said(element)
            return
        elif element.tag == "dl" and (names := entry_names(element)):
            records.append(Record(names[0], ", ".join(names), names))
        elif element.tag == "dt" and element.get("id", "").startswith("term-"):
            title = said(element)
            records.append(Record(element.get("id", ""), title, tuple(title.split(" · "))))
            return
        if not records:
            raise HandbookError(f"{said(element)[:60]!r} stands before the first section: search cannot lead there")
        gap = "" if element.tag in INLINE else " "
        records[-1].pieces += [gap, element.text or ""]
        for child in element:
            visit(child)
            records[-1].pieces.append(child.tail or "")
        records[-1].pieces.append(gap)

    for child in article:
        visit(child)
    if records:
        records[0].names = (records[0].title,)
    return [record for record, after in zip(records, [*records[1:], None], strict=True) if not repeats(record, after)]


def entry_names(element: HtmlElement) -> tuple[str, ...]:
    """The names of the objects that a list describes, if it is an entry of the reference."""
    return tuple(str(name) for name in element.xpath("./dt[contains(@class, 'sig')]/@id"))


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


def spoken_names(name: str) -> list[str]:
    """What a reader may call an object: its name with or without the modules and classes it is in.

    >>> spoken_names("jax.sharding.Mesh.shape")
    ['jax.sharding.mesh.shape', 'sharding.mesh.shape', 'mesh.shape', 'shape']
    """
    parts = name.lower().split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


def rank_names(pages: dict[str, list[Record]], retired: Collection[str]) -> list[str]:
    """The URLs of all records with names: of those that have a name in common, first the one most readers mean."""
    named = [(page, record) for page, records in pages.items() for record in records if record.names]
    members = Names(frozenset(name for _, record in named for name in record.names)).members

    def kind(page: str, record: Record) -> int:
        """An object, a page, a term, then what has its name from a class or is of our own package."""
        name = record.names[0]
        if name.startswith("jax.") and name not in members:
            return 0
        return 1 if record is pages[page][0] else 2 if record.anchor.startswith("term-") else 3

    def key(item: tuple[str, Record]) -> tuple[bool, int, int]:
        page, record = item
        owner = members.get(record.names[0])
        old = record.names[0] in retired or page.startswith("history/")
        return old, kind(page, record), OWNERS.index(owner) if owner in OWNERS else len(OWNERS)

    return [url(page, record) for page, record in sorted(named, key=key)]


def url(page: str, record: Record) -> str:
    """Where a record stands, from the folder of its language."""
    return f"{page}#{record.anchor}"


def requests(pages: dict[str, list[Record]], retired: Collection[str], output: Path) -> list[dict[str, Any]]:
    """What is asked of Pagefind to index the records of some pages."""
    rank = {where: str(place) for place, where in enumerate(rank_names(pages, retired))}
    asked: list[dict[str, Any]] = [{"type": "NewIndex", "config": {}}]
    for page, records in pages.items():
        for record in records:
            where = url(page, record)
            meta = {"title": cut_words(record.title), "words": " ".join(title_words(record.title))}
            if record is not records[0]:
                meta["page"] = cut_words(records[0].title)
            found = {"name": sorted({each for name in record.names for each in spoken_names(name)})}
            asked.append(
                {
                    "type": "AddRecord",
                    "index_id": 0,
                    "url": where,
                    "content": cut_words(record.text),
                    # In either language the words are parted already, and English words have English endings.
                    "language": "en",
                    "meta": meta,
                    "filters": found if record.names else {},
                    "sort": {"rank": rank[where]} if record.names else {},
                }
            )
    asked.append({"type": "WriteFiles", "index_id": 0, "output_path": str(output)})
    return asked


def ask_pagefind(asked: list[dict[str, Any]]) -> None:
    """Have Pagefind do what is asked, in that order.

    Its own client waits a tenth of a second for each answer: more than a minute for the handbook.
    """
    messages = [json.dumps({"message_id": number, "payload": payload}) for number, payload in enumerate(asked)]
    written = b"".join(base64.b64encode(message.encode()) + b"," for message in messages)
    executable = get_executable()
    if executable is None:
        raise HandbookError("there is no Pagefind here: install pagefind-bin-extended")
    with subprocess.Popen([executable, "--service"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        assert service.stdin is not None
        assert service.stdout is not None
        service.stdin.write(written)
        service.stdin.flush()
        answers = b""
        while answers.count(b",") < len(asked) and (more := os.read(service.stdout.fileno(), 1 << 16)):
            answers += more
        service.stdin.close()
    for answer in answers.split(b",")[:-1]:
        payload = json.loads(base64.b64decode(answer))["payload"]
        if payload["type"] == "Error":
            raise HandbookError(f"Pagefind: {payload['message']}")
    if answers.count(b",") < len(asked):
        raise HandbookError("Pagefind ended before it had written the index")


def leave_out_sphinx_search(app: Sphinx) -> None:
    """Have Sphinx make no index and no search page; ``html_additional_pages`` names ours."""
    if app.builder.format == "html":
        app.builder.search = False  # type: ignore[attr-defined]


def index_site(app: Sphinx, exception: Exception | None) -> None:
    """At the end of a build: index the pages, if they say anything else than at the last."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for name in SPHINX_SCRIPTS:
        (site / "_static" / name).unlink(missing_ok=True)
    pages = {}
    for docname in sorted(app.env.found_docs):
        page = app.builder.get_target_uri(docname)
        article = lxml.html.parse(str(site / page)).getroot().find(".//article")
        pages[page] = cut_page(article)
    records = site_records(app.env)
    fates = {name: records.fate(name) for name in records.names}
    retired = [name for name, fate in fates.items() if fate.removed or fate.deprecated]
    output = site / FOLDER
    asked = requests(pages, retired, output)
    stamp, state = Path(app.doctreedir, "search"), hashlib.sha256(json.dumps(asked).encode()).hexdigest()
    if output.is_dir() and stamp.is_file() and stamp.read_text() == state:
        return
    shutil.rmtree(output, ignore_errors=True)
    ask_pagefind(asked)
    for pattern in UNUSED:
        for path in output.glob(pattern):
            path.unlink()
    stamp.write_text(state)
