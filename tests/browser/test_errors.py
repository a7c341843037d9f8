"""A message that JAX prints leads to its entry, also with the reader's own names, sizes and dtypes in place of ours."""

import re
from collections import Counter

import pytest
import site_checks
from browsing import LANGUAGES, LONG

FIND = """
async ([library, queries]) => {
  const { find } = await import(library);
  const urls = new Map();
  const first = [];
  for (const query of queries) {
    const [best] = await find(query);
    if (best && !urls.has(best.id)) urls.set(best.id, (await best.data()).raw_url);
    first.push(best ? urls.get(best.id) : null);
  }
  return first;
}
"""
# What a reader has of their own. Names of axes are words, those of the pages are mostly single letters.
OWN_NAMES = {"x": "batch", "y": "fsdp", "z": "tensor", "i": "stage", "data": "replica", "model": "tp"}
OWN_DTYPES = {"float32": "bfloat16", "int32": "uint8", "f32": "bf16", "i32": "u8"}
DTYPE = re.compile(r"\b(" + "|".join(OWN_DTYPES) + r")\b")
NAME = re.compile(r"(?<=['\"@])(" + "|".join(OWN_NAMES) + r")(?!\w)")
SIZE = re.compile(r"(?<![\w.])\d+(?![\w.]*\.\d)")
WORD = re.compile(r"[^\W\d]\w+")
# A sharding or a mesh that a message quotes is the reader's own.
SHARDING = re.compile(r"NamedSharding\(mesh=.*?memory_kind=\w+\)|(?:Abstract)?Mesh\((?:[^()]|\([^()]*\))*\)")
# This many words in a row are a distinctive part, if no other entry has them.
WORDS = 8


def own(message):
    """A message as another program would have raised it.

    >>> own("got float32[8@x,4] along 'x', of size 8, since 0.9.0")
    "got bfloat16[27@batch,15] along 'batch', of size 27, since 0.9.0"
    """
    message = DTYPE.sub(lambda match: OWN_DTYPES[match[0]], message)
    message = NAME.sub(lambda match: OWN_NAMES[match[0]], message)
    return SIZE.sub(lambda match: str(3 * int(match[0]) + 3), message)


def messages(site, language):
    """The entries of errors, each with its address and what it prints."""
    found = {}
    for page in sorted((site / language / "errors").glob("error-*.html")):
        (section,) = site_checks.parse(page).xpath("//section")
        printed = section.xpath(".//div[contains(@class, 'traceback')]")
        found[section.get("id")] = f"errors/{page.name}", printed[0].text_content().strip()
    return found


def words(message):
    """The words of a message that are JAX's. Two messages that differ in sizes and in how many axes there are, are one.

    >>> words("ValueError: got float32[8] for `x`, (Auto, Auto)")
    ['valueerror', 'got', 'for', 'auto']
    """
    found = [word for word in WORD.findall(message.lower()) if not DTYPE.fullmatch(word)]
    return [word for word, before in zip(found, [None, *found], strict=False) if word != before]


def runs(message):
    """Each run of words of a message, names and sizes left out, with the text from its first word to its last."""
    for sentence in SHARDING.split(message):
        places = [word for word in WORD.finditer(sentence) if not DTYPE.fullmatch(word[0])]
        for first, last in zip(places, places[WORDS - 1 :], strict=False):
            text = sentence[first.start() : last.end()]
            yield " ".join(words(text)), text


def parts(said):
    """Of each entry what it alone says, in whatever sizes: every other run of words that no other entry has."""
    found = {anchor: dict(runs(message)) for anchor, (_, message) in said.items()}
    count = Counter(run for each in found.values() for run in each)
    return [(anchor, text) for anchor, each in found.items() for run, text in each.items() if count[run] == 1][::2]


@pytest.fixture(scope="session")
def said(site):
    return {language: messages(site, language) for language in LANGUAGES}


def missed(page, address, language, said, asked):
    """Of some queries, each with the entry that should be first, those for which another one is."""
    page.goto(f"{address}/{language}/index.html")
    library = f"{address}/{language}/_static/search.js"
    first = page.evaluate(FIND, [library, [query for _, query in asked]])
    twins = {
        anchor: {place for place, text in said.values() if words(text) == words(said[anchor][1])} for anchor in said
    }
    return [
        f"{anchor}: {query!r} finds {place}"
        for (anchor, query), place in zip(asked, first, strict=True)
        if place not in twins[anchor]
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("change", [str, own], ids=["ours", "theirs"])
def test_a_message_finds_its_entry_first(page, address, said, language, change):
    entries = said[language]
    assert len(entries) >= 120
    asked = [(anchor, change(message)) for anchor, (_, message) in entries.items() if ": " in message]
    if not LONG:  # every other entry in one language, in our words or in theirs
        asked = asked[2 * LANGUAGES.index(language) + (change is own) :: 8]
    assert missed(page, address, language, entries, asked) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_distinctive_part_of_a_message_finds_its_entry_first(page, address, said, language):
    asked = parts(said[language])
    if not LONG:
        asked = asked[LANGUAGES.index(language) :: 16]
    assert missed(page, address, language, said[language], asked) == []


def test_a_message_that_finds_another_entry_is_told_of(page, address, said):
    entries = said["en"]
    one, other = sorted(entries)[:2]
    (fault,) = missed(page, address, "en", entries, [(one, entries[other][1])])
    assert fault.startswith(f"{one}: ")
