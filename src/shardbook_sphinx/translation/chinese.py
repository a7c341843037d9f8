"""How Chinese is set and worded here, as far as a program can see it.

Each rule is decided by the text alone and raises no false alarm: what needs a reader's judgement is no rule here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HAN = "[\u4e00-\u9fff]"
MARKS = "，。：；？！、（）《》“”"
NAMES = "jit|pjit|pmap|vmap|grad|shard_map|smap|set_mesh|auto_axes|explicit_axes|no_collectives"


class Rule(NamedTuple):
    """What Chinese text here does not say, why, and what to write instead."""

    pattern: str
    why: str
    remedy: str


RULES = (
    # Marks and spaces.
    Rule(rf'{HAN}[,.:;?!("]|[,.:;?!] ?{HAN}|[)"]{HAN}', "half-width mark beside Chinese", "，。：；？！（）“”"),
    Rule("(?<=`), ?(?=`)", "half-width comma between names", "、"),
    Rule(rf"{HAN}[A-Za-z0-9`]|[A-Za-z0-9`]{HAN}", "no space between Chinese and Latin, number or code", "one space"),
    Rule(rf"{HAN} {{2,}}\S|\S {{2,}}{HAN}", "more than one space", "one space"),
    Rule(f"[{MARKS}] (?!·)|(?<!·) [{MARKS}]", "space beside a full-width mark", "no space"),
    # Sentences.
    Rule("(?:^|[。；？])它", "a sentence begins with it", "the name of the thing"),
    Rule("意外之处", "no label in Chinese", "注意"),
    Rule("怪罪|不理会", "things do not act so", "指出、忽略"),
    Rule("(?:错误信息|类型|警告)[却仍则也还]?说(?!明)", "things do not speak", "写明、指出、标为"),
    Rule("沿之|无从|亦然|属实|徒有其名", "classical Chinese", "plain words"),
    # One word for one thing.
    Rule("次序", "a second word for order", "顺序"),
    Rule("笔记本(?!电脑)", "that is a laptop", "notebook"),
    Rule("不声不响|悄悄", "a second word for silently", "不作任何提示、静默"),
    Rule("即时执行", "too like 即时编译", "不用 jit 时、逐个执行（eager）"),
    Rule("(?<!分区)(?<!硬件)(?<!芯片)规格", "a second word for a partition spec", "分区规格；of a chip 硬件规格"),
    Rule(r"(?<![个每])设备 \d+ ?(?:上|的|得到|持有|为)", "a second way to name a device", "N 号设备"),
    Rule(
        "没有(?:任何)?错误信息|没有信息的|(?:^|[，。；：时出])信息为空|信息(?:是空的|也为空)",
        "no error, or an empty message?",
        "错误信息为空、不报错",
    ),
    Rule(r"[A-Za-z`] ?之下", "word for word from the English", "内"),
    Rule(rf"`(?:\w+\.)?(?:{NAMES})` ?(?:之内|内部|中(?!间))", "a second word for inside", "内"),
    Rule("(?<![这那哪公英傅])里(?![面程])", "a second word for in", "中；in jit, a function, a block: 内"),
    Rule("(?<![基版样])本书(?!写)", "a second word for the handbook", "本手册"),
    Rule("汇合|会合", "a second word for the coordinator", "协调器"),
    Rule("叶节点", "a second word for a leaf", "叶子"),
    Rule("代价", "a second word for cost", "通信开销、开销"),
    Rule(
        r"(?:[每两三四该这那某哪各几多另]|(?<!统)一|第 \d+ |\d )个?维度",
        "a dimension that is counted or pointed at",
        "维：每一维、两维、第 0 维",
    ),
    Rule(r"维度?的大小|大小为 \d+ 的维|大小不能(?:被|整除)", "bytes and meshes have a size, dimensions do not", "长度"),
    Rule("不写时|不给(?:时|就|则|，)|没有给出?(?:时| `)", "a second word for leaving an argument out", "省略"),
    Rule("由[^，。；：？]{1,24}[组构]成的", "word for word from the English", "A 的列表、A 元组、A 的 pytree"),
    Rule("应当", "weaker than what is meant", "the verb alone, or 要、必须"),
    Rule("词元", "a second word for token", "token"),
    Rule("非自愿|重物化", "a second name of XLA's warning", "involuntary full rematerialization（被迫完整重建数组）"),
    Rule("引发 ?`", "a second word for raising", "抛出"),
    Rule("(?:Auto|Explicit|Manual) ?轴", "English for a type of axes", "自动轴、显式轴、手动轴"),
    Rule(rf"{HAN} specs?(?![\w=-])", "English for a partition spec", "分区规格"),
    Rule("(?:一阶|二阶|两个|的)矩(?![阵形])", "a second word for the moments of Adam", "动量"),
    Rule("数据类型(?!（)", "a second word for dtype", "dtype; once 数据类型（dtype）"),
    Rule("在(?:本页|这里)可以查到|本页有 ", "a second way to begin a page", "本页列出、本页使用"),
    Rule("(?<!整)条(?:网格)?轴", "a second way to count axes", "个：一个轴"),
    Rule(r"\d %", "space before a percent sign", "no space"),
    Rule(
        "(?:TPU|GPU|NVLink|主机|芯片)[^，。；：？]{0,6}切片|切片(?:内|之间|数(?!组))|切片[^，。；：？]{0,4}(?:NVLink|芯片)",
        "a slice of an array",
        "slice, that of a TPU pod",
    ),
    Rule(
        "(?:用于|面向) CPU 的 XLA|CPU (?:版|上的) XLA|CPU 后端|(?:^|[^的]) ?CPU 编译器|XLA 的 CPU 编译器",
        "a second name for it",
        "CPU 的编译器",
    ),
    Rule(
        r"(?:\d |[每几四八])个 ?(?:H100|GPU|v5e|芯片)(?! ?(?:编译|集群|slice))",
        "a second way to count chips",
        "块：8 块 GPU；devices of JAX 个：8 个设备",
    ),
    Rule("指明", "a second word for giving an argument, or for saying", "指定；in words 写明"),
    Rule("(?:^|[。；？！])[还也要又]?要?注意，", "a second mark after the label", "注意："),
    Rule(
        "（(?:GPU|TPU)[^（）]{0,6}就?是显存）|内存（显存）|显存（内存）",
        "two words for one memory",
        "显存 of devices, 内存 of hosts",
    ),
    Rule("(?:[两多每]|同一)个分片方式(?!对象)", "a second way to count shardings", "种"),
    Rule(r"(?<!TPU )(?<![\w`:、\"])v5e(?![\w`:、\"])", "a second name for the chip", "TPU v5e"),
    Rule("没有(?:任何)?提示(?!词)", "a second way to say that JAX is silent", "不报错，也没有警告"),
    Rule("编译后的函数", "two things by one name", "用 `jit` 编译的函数; of AOT 提前编译的函数"),
    Rule(
        "现改用|(?<![出实表体呈])现为|现改为",
        "more ways to name what came in its place",
        "改用; of the same thing 改名为",
    ),
    Rule("命名轴|起始位置|(?<!内)核数(?!组)|并行方案", "a second word for it", "轴名、起点、核心数、并行策略"),
    Rule("假如|倘若", "a second if", "如果"),
    Rule("捐赠（donation", "a second form of the word", "捐赠（donate）"),
    Rule(rf"(?:{HAN}[^\u4e00-\u9fff。！？\n]*){{61}}", "more than 60 characters in a sentence", "two sentences"),
)
# Words that readers look for, besides those of the glossary.
PLAIN = {"数组", "显式模式", "报错"}


def slips(text: str) -> Iterator[str]:
    """What a Chinese text does that it should not: the words it is in, why, and what to write instead.

    >>> list(slips("设备的次序。"))
    ["'设备的次序。': a second word for order: write 顺序"]
    >>> list(slips("用 `jit` 编译，见[第 1 页](a,b.md)。"))
    []
    """
    if not re.search(HAN, text):
        return
    shown = prose(text)
    for rule in RULES:
        for match in re.finditer(rule.pattern, shown):
            near = shown[max(match.start() - 6, 0) : match.end() + 6]
            yield f"{near!r}: {rule.why}: write {rule.remedy}"


def sought(glossary: list[str]) -> set[str]:
    """The Chinese words by which a reader may look for a page: the terms of a glossary, and what else they are called.

    >>> sorted(sought(["设备网格 · device mesh", "又称：网格、Mesh。", "排成网格的设备 · 图。"]) - PLAIN)
    ['网格', '设备网格']
    """
    terms = [text.split(" · ")[0] for text in glossary if " · " in text and "。" not in text]
    listed = [text.split("：")[1].rstrip("。").split("、") for text in glossary if re.match("(?:又称|相关)：", text)]
    return PLAIN | {word for words in (terms, *listed) for word in words if re.search(HAN, word)}


def can_be_found(title: str, words: set[str]) -> bool:
    """Whether the title of a page has a word to look for: a name, a term in Latin letters, or one of ``words``.

    >>> can_be_found("网格（Mesh）", set()), can_be_found("网格", {"网格"}), can_be_found("它说了什么", {"网格"})
    (True, True, False)
    """
    return bool(re.search("[A-Za-z]", title)) or any(word in title for word in words)


def prose(text: str) -> str:
    """A text without the targets of its links, its emphasis, HTML and formulas, and what it quotes.

    That is the Chinese in its code, and the words which the glossary names after 又称 for those who look for them.

    >>> prose("**见** [`a`](b.md)：`用 x`，$y$")
    '见 [`a`]：` x`，'
    >>> prose("顺序（又称次序）。")
    '顺序（）。'
    """
    shown = re.sub(r"\]\([^)]*\)", "]", text)
    shown = re.sub(r"<[^>]*>|\$[^$]*\$|\*|又称[^。；）\n]*", "", shown)
    return re.sub(r"`[^`]*`", lambda code: re.sub(HAN, "", code[0]), shown)
