"""What a tab and a search engine show of a page, and the order of the index of the Chinese pages."""

import re

import pytest
from checkout import CATALOGUES, CHECKOUT
from lxml import html

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.theme.pinyin import by_pinyin, letter, place
from shardbook_sphinx.translation.catalogues import read

TITLES = {
    "en/index.html": "JAX array sharding handbook · shardbook",
    "zh/index.html": "JAX 数组分片手册 · shardbook",
    "en/now.html": "Today · JAX array sharding handbook",
    "zh/now.html": "今天 · JAX 数组分片手册",
    "en/genindex.html": "Index · JAX array sharding handbook",
    "zh/genindex.html": "索引 · JAX 数组分片手册",
    "en/search.html": "Search · JAX array sharding handbook",
    "zh/search.html": "搜索 · JAX 数组分片手册",
    "index.html": "JAX array sharding handbook · JAX 数组分片手册 · shardbook",
}
# The terms of the glossary, as their readers say them.
SAID = {
    "分片方式": "F", "下标范围": "X", "整除": "Z", "网格轴": "W", "轴的顺序": "Z", "进程": "J", "集合通信": "J", "全收集": "Q",
    "归约散射": "G", "收缩维": "S", "重新编译": "C", "重新分片": "C", "重计算": "C", "缓冲区捐赠": "H", "容错": "R",
    "卡死": "K", "降级": "J", "追踪": "Z", "逐个执行": "Z", "优化器状态": "Y", "检查点": "J", "序列并行": "X",
}  # fmt: skip


@pytest.mark.parametrize("page", TITLES)
def test_a_title_says_the_page_and_what_the_handbook_is_of(built_small, page):
    root = html.fromstring((built_small.root / "site" / page).read_bytes())
    assert root.xpath("//head/title/text()") == [TITLES[page]]


def test_the_front_page_says_in_the_words_of_its_readers_what_it_is_for():
    first = next(str(message.string) for message in read(CHECKOUT / CATALOGUES / "index.po") if len(message.id) > 100)
    assert [word for word in ("多卡", "分布式训练", "显存", "JAX", "jax.sharding") if word not in first] == []


@pytest.mark.parametrize("word", SAID)
def test_a_word_stands_under_the_letter_that_it_is_said_with(word):
    assert letter(word) == SAID[word]


def test_each_term_of_the_glossary_has_its_place():
    messages = read(CHECKOUT / CATALOGUES / "glossary.po")
    terms = [term for message in messages for term in str(message.string).split(" · ")]
    chinese = [term for term in terms if len(term) < 9 and re.fullmatch("[\u4e00-\u9fff]+", term)]
    assert len(chinese) > 40
    assert set(SAID) <= set(chinese)
    assert {letter(term) for term in chinese} <= set("ABCDEFGHJKLMNOPQRSTWXYZ")


def test_a_character_without_a_place_is_told():
    with pytest.raises(HandbookError, match="name a common character read like 鑫"):
        place("鑫")


def test_names_come_before_words_and_what_is_neither_last():
    groups = [("符号", [("@x", 1)]), ("Z", [("zeros", 2)]), ("轴", [("轴类型", 3)]), ("整", [("整除", 4)])]
    assert by_pinyin(groups) == [("Z", [("zeros", 2), ("整除", 4), ("轴类型", 3)]), ("符号", [("@x", 1)])]
