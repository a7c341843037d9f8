"""Keep the Chinese catalogues whole: python -m shardbook_sphinx.translation.catalogues update|check TEMPLATES.

A catalogue is whole when each message of its page has a translation that is neither fuzzy nor obsolete, keeps the
inline code, the links and the roles of the original, and is set and worded as Chinese is here.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from markdown_it import MarkdownIt
from mdit_py_plugins.myst_role import myst_role_plugin

from shardbook_sphinx.translation.chinese import HAN, can_be_found, slips, sought

if TYPE_CHECKING:
    from collections.abc import Iterator

    from babel.messages.catalog import Message
    from markdown_it.token import Token

LOCALE = Path("docs/locale/zh_CN/LC_MESSAGES")
# The words of Sphinx, its theme and its extensions; no page is its source.
INTERFACE = "sphinx.po"
GLOSSARY = "glossary.po"
# In the source of a page: its cells, what it describes, and code within lines.
CODE = re.compile(r"(?ms)^```.*?^```|^:{3,}\{[^\n]*|`[^`\n]+`")
# The title of a part of the handbook is one plain word, and so are those of the front page and the glossary.
PARTS = ("index", "glossary")

MARKDOWN = MarkdownIt("commonmark").use(myst_role_plugin)


def update(templates: Path, catalogues: Path) -> None:
    """Merge the messages of the pages, extracted to ``templates``, into the catalogues; drop what no page says."""
    found = sorted(templates.rglob("*.pot"))
    if not found:
        raise SystemExit(
            f"{templates} holds no messages: the pages could not be read. The catalogues stay as they are."
        )
    for template in found:
        target = catalogues / template.relative_to(templates).with_suffix(".po")
        source = read(template)
        catalogue = read(target) if target.exists() else Catalog(locale="zh_CN")
        catalogue.update(source, update_creation_date=False)
        catalogue.obsolete.clear()
        for message in catalogue:
            # Babel takes what it wrapped of an earlier message for comments of a translator's.
            message.user_comments.clear()
        write(catalogue, target)
    for orphan in orphans(templates, catalogues):
        orphan.unlink()


def write(catalogue: Catalog, target: Path) -> None:
    """Write a catalogue so that the same messages give the same bytes: no dates, no names, no line numbers."""
    buffer = BytesIO()
    write_po(buffer, catalogue, width=100, omit_header=True, no_location=True, include_previous=True)
    header = 'msgid ""\nmsgstr ""\n"Language: zh_CN\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(header + buffer.getvalue().decode().lstrip("\n"), encoding="utf-8", newline="\n")


def read(path: Path) -> Catalog:
    """Read a catalogue or a template."""
    with path.open("rb") as file:
        return read_po(file, locale=None if path.suffix == ".pot" else "zh_CN", charset="utf-8")


def orphans(templates: Path, catalogues: Path) -> list[Path]:
    """Catalogues whose page is gone."""
    wanted = {template.relative_to(templates).with_suffix(".po") for template in templates.rglob("*.pot")}
    found = {path.relative_to(catalogues) for path in catalogues.rglob("*.po")} - {Path(INTERFACE)}
    return [catalogues / path for path in sorted(found - wanted)]


def check(templates: Path, catalogues: Path) -> list[str]:
    """Everything that keeps the catalogues from being whole, a line each; empty if they are."""
    problems = [f"{path}: no page has these messages any more" for path in orphans(templates, catalogues)]
    if (words := catalogues / INTERFACE).exists():
        for message in filter(lambda message: message.id, read(words)):
            if message.fuzzy or not message.string:
                problems.append(f"{words}: untranslated or fuzzy: {shorten(message.id)}")
            problems += [f"{words}: {slip}: {shorten(message.id)}" for slip in slips(str(message.string))]
    glossary = catalogues / GLOSSARY
    known = sought([str(message.string) for message in read(glossary)]) if glossary.exists() else set()
    pages = {
        template: {str(message.id): Counter(inline_marks(str(message.id))) for message in read(template) if message.id}
        for template in sorted(templates.rglob("*.pot"))
    }
    named = {mark for marks in pages.values() for each in marks.values() for mark in each if mark.startswith("`")}
    # Of catalogues in docs/locale/zh_CN/LC_MESSAGES the pages are in docs; a name may stand in their cells alone.
    named |= {name for page in catalogues.parents[2].rglob("*.md") for name in names(page.read_text("utf-8"))}
    for template, marks in pages.items():
        path = catalogues / template.relative_to(templates).with_suffix(".po")
        if not path.exists():
            problems.append(f"{path}: there is no catalogue")
            continue
        catalogue = read(path)
        wanted = marks.keys()
        present = {message.id for message in catalogue if message.id}
        problems += [f"{path}: not in the catalogue: {shorten(text)}" for text in sorted(wanted - present)]
        problems += [f"{path}: obsolete: {shorten(text)}" for text in sorted(present - wanted)]
        problems += [f"{path}: obsolete: {shorten(str(key))}" for key in catalogue.obsolete]
        for message in catalogue:
            if message.id in wanted:
                found = faults(message, marks[message.id], named)
                problems += [f"{path}: {problem}: {shorten(message.id)}" for problem in found]
        title = first_message(template) if known and path.stem not in PARTS else None
        if title in present and not can_be_found(str(catalogue[title].string), known):
            problems.append(f"{path}: no word to search for in the title, such as a name or a term: {shorten(title)}")
    return problems


def first_message(template: Path) -> str | None:
    """The title of a page, which is the first that it says; of a page without text, None."""
    return next((str(message.id) for message in read(template) if message.id), None)


def faults(message: Message, marks: Counter[str], named: set[str]) -> Iterator[str]:
    """What is wrong with one translated message, which has ``marks``, in a handbook that has the code ``named``.

    Chinese says a name again where English says "it", and in a title for those who search for it: so it may have more
    code than its message, but none that the handbook does not name.
    """
    source, translation = str(message.id), str(message.string)
    if not translation:
        yield "untranslated"
        return
    if message.fuzzy:
        yield "fuzzy"
    translated = Counter(inline_marks(translation))
    lost, added = marks - translated, (translated - marks).keys() - named
    if lost:
        yield "the translation lost " + ", ".join(sorted(lost))
    if added:
        yield "the translation added " + ", ".join(sorted(added))
    if says_words(source) and not re.search(HAN, visible(translation)):
        yield "the translation is not Chinese"
    if "┌" not in source:  # the helper draws figures, see figures.py: they are no prose
        yield from slips(translation)


def names(page: str) -> Iterator[str]:
    """The names in the code of a page as marks, each also without the modules before it; no word of its prose.

    >>> list(names("It sums: `y = jax.lax.psum(x)`."))
    ['`y`', '`jax.lax.psum`', '`lax.psum`', '`psum`', '`x`']
    """
    for name in re.findall(r"\w+(?:\.\w+)*", " ".join(CODE.findall(page))):
        parts = name.split(".")
        yield from (f"`{'.'.join(parts[first:])}`" for first in range(len(parts)))


def says_words(text: str) -> bool:
    """Whether a message says something beside code and single names.

    >>> says_words("It is `six`."), says_words("shardbook"), says_words("`shape`, `dtype`")
    (True, False, False)
    """
    return len(re.findall(r"[A-Za-z]{2,}", visible(text))) > 1


def visible(text: str) -> str:
    """A message without its code and the targets of its links."""
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def inline_marks(text: str) -> Iterator[str]:
    """The code, link targets, images and roles of a message: what a translation must keep, in whatever order.

    >>> list(inline_marks("`jit` as in [the guide](a.md), {doc}`b`"))
    ['`jit`', '(a.md)', '{doc}`b`']
    >>> list(inline_marks("{term}`device mesh`, {doc}`the page <b>`"))
    ['{term}', '{doc}`<b>`']
    """

    def walk(tokens: list[Token]) -> Iterator[str]:
        for token, following in itertools.zip_longest(tokens, tokens[1:]):
            if token.type == "code_inline":
                yield f"`{token.content}`"
            elif token.type == "link_open":
                yield f"({token.attrs['href']})"
                if following.type == "link_close":
                    yield f"[]({token.attrs['href']})"
            elif token.type == "html_inline" or (token.type == "text" and "[^" in token.content):
                yield from re.findall(r"<[^>]*>|\[\^[^]]*\]", token.content)
            elif token.type == "image":
                yield f"!({token.attrs['src']})"
            elif token.type == "myst_role":
                yield role_mark(token.meta["name"], token.content)
            yield from walk(token.children or [])

    yield from walk(MARKDOWN.parse(text))


def role_mark(name: str, content: str) -> str:
    """A role without its visible text: that is translated. A term's target is its text, so only the role is left."""
    if "<" in content:
        content = "<" + content.rpartition("<")[2]
        return f"{{{name}}}`{content}`"
    return f"{{{name}}}" if name == "term" else f"{{{name}}}`{content}`"


def shorten(text: object) -> str:
    """A message on one line, cut to what is needed to find it."""
    line = " ".join(str(text).split())
    return line if len(line) <= 80 else line[:79] + "…"


def main() -> int:
    """Read the command line; list problems and say how much is translated."""
    command, folder = sys.argv[1], Path(sys.argv[2])
    if command == "update":
        update(folder, LOCALE)
        return 0
    problems = check(folder, LOCALE)
    total = sum(bool(message.id) for path in folder.rglob("*.pot") for message in read(path))
    print(*problems, sep="\n")
    print(f"{total} messages on {len(list(folder.rglob('*.pot')))} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
