"""The index of the Chinese pages: each word under the letter that its pinyin begins with, as in a Chinese book.

GB 2312 lists its common characters by their pinyin, and Python has that list: no package of readings is needed, and no
locale of the machine. A character that it lists under another reading, or not at all, has a stand-in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, Any

from shardbook_sphinx.exceptions import HandbookError

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HAN = re.compile("[\u4e00-\u9fff]")
# The letters, and the first character that GB 2312 lists under each.
LETTERS, FIRST = "ABCDEFGHJKLMNOPQRSTWXYZ", "啊芭擦搭蛾发噶哈击喀垃妈拿哦啪期然撒塌挖昔压匝"
BEGINNINGS = [character.encode("gb2312") for character in FIRST]
# What follows its common characters, by radical.
END = b"\xd7\xfa"
# Read as these are in the words of the index: 重 in 重新, where GB 2312 has it as in 重量.
STAND_INS = {"重": "虫"}

Entry = tuple[str, Any]


def place(word: str) -> bytes:
    """Where a word stands among others: its characters by pinyin.

    >>> sorted(["重新分片", "网格", "分片", "切分", "通信开销"], key=place)
    ['重新分片', '分片', '切分', '通信开销', '网格']
    """
    places = [STAND_INS.get(each, each).encode("gb2312", "replace") for each in word]
    for each, found in zip(word, places, strict=True):
        if HAN.match(each) and not BEGINNINGS[0] <= found < END:
            raise HandbookError(f"{word} in the index: name a common character read like {each} in theme/pinyin.py")
    return b"".join(places)


def letter(word: str) -> str:
    """The letter that the pinyin of a Chinese word begins with.

    >>> letter("网格"), letter("重计算")
    ('W', 'C')
    """
    return LETTERS[bisect_right(BEGINNINGS, place(word)[:2]) - 1]


def by_pinyin(groups: list[tuple[str, list[Entry]]]) -> list[tuple[str, list[Entry]]]:
    """The groups of an index, with Chinese words below the names that begin with the same letter.

    >>> by_pinyin([("W", [("with", 1)]), ("切", [("切片", 2)]), ("网", [("网格轴", 3), ("网格", 4)])])
    [('Q', [('切片', 2)]), ('W', [('with', 1), ('网格', 4), ('网格轴', 3)])]
    """
    every = [(key, entry) for key, entries in groups for entry in entries]
    names = [(key, entry) for key, entry in every if not HAN.match(entry[0])]
    words = sorted((entry for _, entry in every if HAN.match(entry[0])), key=lambda entry: place(entry[0]))
    lettered = [(letter(entry[0]), entry) for entry in words]
    both = sorted(names + lettered, key=lambda each: each[0])  # in each group names stay first
    return [(key, [entry for _, entry in group]) for key, group in groupby(both, key=lambda each: each[0])]


def sort_index(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Give the Chinese index its order."""
    if pagename == "genindex" and app.config.language == "zh_CN":
        context["genindexentries"] = by_pinyin(context["genindexentries"])
