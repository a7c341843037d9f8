"""What search finds as one: each section, entry and term of a page, with its words cut.

Pagefind takes words apart at spaces. Here every name and every Chinese character becomes a word: a phrase of
characters then finds a compound in any browser, whatever dictionary that has, and ``set_mesh`` is found in
``jax.set_mesh(mesh)``. What was parted can be joined again for the reader, since `CUT` stands at each place. The
script ``search.js`` cuts what a reader types in the same way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import lxml.html

from shardbook_sphinx.entries import KIND
from shardbook_sphinx.exceptions import HandbookError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

# No page keeps a backquote, so that this can be told from what a page says.
CUT = "` "
HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# On either side of a Chinese character, so that a comma between two parts them, and before each other word that follows
# a sign; but 0.4.33 is one word.
BOUNDARY = re.compile(rf"(?<=\S)(?=[{HAN}])|(?<=[{HAN}])(?=\S)|(?<=[^\s\w])(?<!\d\.)(?=\w)")
# Words of an anchor, that of the English title, by which nobody finds a Chinese record.
TELLING_NOTHING = re.compile(
    "an?|and|are|as|at|be|by|each|for|from|has|have|in|into|is|its?|no|not|of|on|one|or|than|that|the|their|them|there|"
    "this|to|was|what|when|which|who|with|without|your?|how|does|do|other|about|where|"
    "but|only|if|after|every|another|these|those|again|can|cannot|got|here|must|own|s|says?|t|then|too|"
    "all|along|beside|both|did|elsewhere|goes|itself|let|many|more|nothing|once|same|some|they|under|use|used|while|"
    "two|three|four|seven|eight|several|few|apart|around|between|over|per|ways?|wrong|comes?|gets?|tell|small|large"
)
# What parts a title from a part that explains it: of "Placing an array: device_put" the rest.
EXPLAINED = re.compile("[：（]|: ")
# The words that a title weighs more for: `PartitionSpec` and `psum_scatter` for two each, since Pagefind would count
# them with and without their parts.
PART = re.compile(rf"[{HAN}]|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+(?:\.\d+)*")
# What of a message can be told from another's: ``messages.js`` has the same.
MESSAGE_WORD = re.compile(r"[^\W\d]\w+")
# Lines and blocks of pictures drawn in text.
DRAWING = re.compile("[\u2500-\u259f]+")

# What is no part of what a page says: the ways around, signs, pictures, fields, cells that are folded away, names of
# cards that are links as a whole; and of an entry what its title says already, and since when it is there.
LEFT_OUT = {"nav", "svg", "script", "style", "button"}
# The list of all messages would be found instead of each.
# Nor what an entry takes from above, and whether a cell of it fails: all entries have them.
HIDDEN_CLASSES = {"error-messages", "message-box", "above", "verdict", "visually-hidden", "hide", "sd-hide-link-text"}
# Nor what leads on from a figure, a message, a list or a page's end to what is found for itself.
WAYS = {"sb-open", "explained", "gives"}
ONWARD = "read-next"
DRAWN = {"sb-panels", "explorer", "explorer-small", "scheme-array", "watch-steps"}
LEFT_OUT_CLASSES = HIDDEN_CLASSES | WAYS | DRAWN | {"headerlink", "sign", "gp", "sig", "api-history"}
# Between other elements there is a space, whether or not the HTML has one.
INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup", "var"}
UTF8 = lxml.html.HTMLParser(encoding="utf-8")
# What else a term of the glossary is called, what else readers look for who mean it, and where more is said of it: a
# paragraph each, in either language.
CALLED = re.compile(r"(?:(?:Also called|Related): |(?:又称|相关)：)(.+)[.。]")
MORE = re.compile(r"More: |另见：")
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


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
    within: str = ""
    """The title of its page, if it is only a part of that, or is an entry."""


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
            # The title of a page is also its name; an entry is found by what it says.
            title = next((said(child) for child in element if child.tag in HEADINGS), "")
            begin(anchor, title, () if begun or KIND.match(anchor) else names_of(title))
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
    return element.get("id") != ONWARD and LEFT_OUT_CLASSES.isdisjoint(element.get("class", "").split())


def said(element: HtmlElement) -> str:
    """The text of an element that says something itself."""
    parts = [element.text or ""]
    for child in element:
        parts += [said(child) if is_said(child) else "", child.tail or ""]
    return " ".join("".join(parts).split())


def repeats(section: Record, after: Record | None) -> bool:
    """Whether a section is but the heading of what comes after it: of one entry, or of terms.

    >>> entry = Record("jax.make_mesh", "", ["jax.make_mesh"], "")
    >>> [repeats(Record("m", title, (), ""), entry) for title in ("make_mesh", "make_mesh（网格）", "Meshes")]
    [True, True, False]
    >>> term = Record("term-all-reduce", "", ["all-reduce"], "")
    >>> repeats(Record("c", "Communication", (), ""), term), repeats(Record("c", "Communication", (), "More."), term)
    (True, False)
    """
    if section.text or not after:
        return False
    named = tuple(f".{name}" for name in names_of(section.title))
    return after.anchor.startswith("term-") or any(name.endswith(named) for name in after.names)


def names_of(title: str) -> tuple[str, ...]:
    """What a page is called: its title, and what of it stands before a part that explains it.

    >>> names_of("Collectives: psum and all_gather"), names_of("放置数组（device_put）"), names_of("Serve")
    (('Collectives: psum and all_gather', 'Collectives'), ('放置数组（device_put）', '放置数组'), ('Serve',))
    """
    return tuple(dict.fromkeys([title, EXPLAINED.split(title)[0].strip(f"{CUT} ")]))


def title_words(title: str) -> list[str]:
    """The words of a title, each once.

    >>> title_words("jax.lax.psum_scatter, of a PartitionSpec")
    ['jax', 'lax', 'psum', 'scatter', 'of', 'a', 'partition', 'spec']
    """
    return list(dict.fromkeys(part.lower() for part in PART.findall(title)))


def key_words(record: Record) -> list[str]:
    """The words that say what a record is about: those of its title, and those of its anchor that tell anything.

    A Chinese title has a piece of its error's message in brackets: a first search loads that once, with the messages.

    >>> key_words(Record("trap-zeros-like-in-a-jit", "“zeros_like keeps the layout”", (), ""))
    ['zeros_like', 'keeps', 'the', 'layout', 'zeros', 'like', 'jit']
    >>> key_words(Record("error-put", "放置（pad：does not divide）", (), "", message="3 does not divide 8"))
    ['放置', 'pad', 'put']
    """
    # Of what has a name the title is that name; some headings have but a number for an anchor.
    own = "" if record.anchor in record.names else re.sub(r"^(error|trap|term|moving|id)\b|\d+$", "", record.anchor)
    telling = (word for word in own.split("-") if not TELLING_NOTHING.fullmatch(word))
    said = set(message_words(record.message).split())
    title = re.sub("（.*?）", lambda bracket: " ".join(w for w in words_of(bracket[0]) if w not in said), record.title)
    return list(dict.fromkeys(words_of(f"{title} {' '.join(telling)}")))


def words_of(text: str) -> list[str]:
    """The words of a text in small letters; Chinese that stands together is one."""
    return re.findall(rf"[{HAN}]+|[^\W{HAN}]+", text.lower())


def message_words(message: str) -> str:
    """The words of a message in small letters: signs, numbers and capitals are left out of what a first search loads.

    >>> message_words("IndivisibleError: int32[8] over ('x',) does not divide 30")
    'indivisibleerror int32 over does not divide'
    """
    return " ".join(MESSAGE_WORD.findall(message.lower()))


def url(page: str, record: Record) -> str:
    """Where a record stands, from the folder of its language.

    >>> url("a/b.html", Record("b", "", (), "")), url("errors/error-a.html", Record("error-a", "", (), ""))
    ('a/b.html#b', 'errors/error-a.html')
    """
    is_entry = KIND.match(record.anchor) and page.endswith(f"/{record.anchor}.html")
    return page if is_entry else f"{page}#{record.anchor}"
