"""A translation that is missing, stale or mutilated is found: by the build where readers would see it, by the check else."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import CATALOGUES, CHECKOUT, put_back
from faults import add_pages, told_by_page

from shardbook._messages import MESSAGES
from shardbook_sphinx.translation.catalogues import check, read, update
from shardbook_sphinx.translation.chinese import RULES, slips

NOW = f"{CATALOGUES}/now.po"


@pytest.fixture(scope="session")
def templates(built_small):
    """The messages of the small handbook's pages."""
    result = built_small.plain_build("-b", "gettext", into="gettext")
    assert result.passed, result.printed
    return built_small.root / ".build/gettext"


@pytest.fixture
def problems(small, templates):
    """The problems of the small handbook's catalogues, without their folder's name."""

    def find():
        found = check(templates, small.root / CATALOGUES)
        return [problem.removeprefix(str(small.root / CATALOGUES)).lstrip("/\\") for problem in found]

    return find


def test_whole_catalogues_have_no_problem(problems):
    assert problems() == []


def test_an_untranslated_message_is_found(small, problems):
    small.edit(NOW, 'msgstr "结果是六。"', 'msgstr ""')
    assert problems() == ["now.po: untranslated: It is six."]


def test_a_message_without_entry_is_found(small, problems):
    small.edit(NOW, 'msgid "It is six."\nmsgstr "结果是六。"\n', "")
    assert problems() == ["now.po: not in the catalogue: It is six."]


def test_a_page_without_catalogue_is_found(small, problems):
    (small.root / NOW).unlink()
    assert problems() == ["now.po: there is no catalogue"]


# What the build itself tells of: each a page with one fault, all of one Chinese build.
PAGE = "# Six\n\nIt is [six](../now.md#the-sum).\n\nIt is not seven.\n"
WHOLE = """\
msgid ""
msgstr ""
"Language: zh_CN\\n"
"Content-Type: text/plain; charset=utf-8\\n"

msgid "Six"
msgstr "六"

msgid "It is [six](../now.md#the-sum)."
msgstr "结果是[六](../now.md#the-sum)。"

msgid "It is not seven."
msgstr "结果不是七。"
"""
SEVEN = 'msgid "It is not seven."\nmsgstr "结果不是七。"\n'
LACKS = "faults/{}.md: WARNING: 1 of 3 messages have no current translation, the first: 'It is not seven.'"
FAULTS = {
    "untranslated": (WHOLE.replace("结果不是七。", ""), LACKS.format("untranslated")),
    "no_entry": (WHOLE.replace(SEVEN, ""), LACKS.format("no_entry")),
    "fuzzy": (WHOLE.replace(SEVEN, f"#, fuzzy\n{SEVEN}"), LACKS.format("fuzzy")),
    "no_catalogue": (None, "faults/no_catalogue.md: WARNING: all messages have no current translation"),
    "no_link": (WHOLE.replace("[六](../now.md#the-sum)", "六"), "inconsistent term references in translated message"),
}


@pytest.fixture(scope="module")
def chinese(workplace):
    """What the Chinese build says of pages with faulty catalogues, and of one without fault."""
    small = put_back(workplace)
    add_pages(small, dict.fromkeys([*FAULTS, "whole"], PAGE))
    for name, (catalogue, _) in (FAULTS | {"whole": (WHOLE, "")}).items():
        if catalogue:
            small.write(f"{CATALOGUES}/faults/{name}.po", catalogue)
    small.edit(f"{CATALOGUES}/index.po", 'msgstr "页面"', 'msgstr ""')
    return small.build("--only", "zh")


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_catalogue_fails_the_build(chinese, name):
    assert not chinese.passed
    assert FAULTS[name][1] in told_by_page(chinese)[name]


def test_an_untranslated_caption_fails_the_build(chinese):
    assert "index.md: WARNING: 1 of " in chinese.printed


def test_no_other_catalogue_is_told_of(chinese):
    assert set(told_by_page(chinese)) == set(FAULTS)
    assert not [page for page in ("now.md", "then.md", "names.md") if page in chinese.printed]


def test_an_untranslated_caption_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", 'msgstr "页面"', 'msgstr ""')
    assert problems() == ["index.po: untranslated: Pages"]


@pytest.mark.parametrize("english", ["It is six.", "The result happens to be six."])
def test_english_in_place_of_a_translation_is_found(small, problems, english):
    small.edit(NOW, 'msgstr "结果是六。"', f'msgstr "{english}"')
    assert problems() == ["now.po: the translation is not Chinese: It is six."]


def test_an_untranslated_word_of_the_interface_is_found(small, problems):
    small.edit(f"{CATALOGUES}/sphinx.po", 'msgstr "回到顶部"', 'msgstr ""')
    assert problems() == ["sphinx.po: untranslated or fuzzy: Back to top"]


def test_a_link_without_words_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", "[第一页](now.md#the-sum)", "[](now.md#the-sum)")
    assert problems() == [
        "index.po: the translation added [](now.md#the-sum): Two pages, see [the first](now.md#the-sum)."
    ]


def test_a_fuzzy_message_is_found(small, problems):
    small.edit(NOW, 'msgid "It is six."', '#, fuzzy\nmsgid "It is six."')
    assert problems() == ["now.po: fuzzy: It is six."]


@pytest.mark.parametrize("mark", ["", "#~ "])
def test_an_obsolete_message_is_found(small, problems, mark):
    text = small.read(NOW) + f'\n{mark}msgid "It was five."\n{mark}msgstr "结果是五。"\n'
    (small.root / NOW).write_text(text, encoding="utf-8")
    assert problems() == ["now.po: obsolete: It was five."]


def test_the_catalogue_of_a_deleted_page_is_found(small, problems):
    shutil.copy(small.root / NOW, small.root / CATALOGUES / "gone.po")
    assert problems() == ["gone.po: no page has these messages any more"]


def test_lost_inline_code_is_found(small, problems):
    small.edit(NOW, "，用 `jax.devices()` 查看", "")
    assert problems() == ["now.po: the translation lost `jax.devices()`: Two devices, with `jax.devices()`."]


def test_changed_inline_code_is_found(small, problems):
    small.edit(NOW, "，用 `jax.devices()`", "，用 `jax.device()`")
    assert [problem.split(":")[1] for problem in problems()] == [
        " the translation lost `jax.devices()`",
        " the translation added `jax.device()`",
    ]


@pytest.mark.parametrize("said", ["jax.devices()", "jax.devices", "devices", "print"])
def test_a_name_of_the_handbook_may_be_said_again(small, problems, said):
    small.edit(NOW, 'msgstr "结果是六。"', f'msgstr "`{said}` 的结果是六。"')
    assert problems() == []


@pytest.mark.parametrize("said", ["jax.gadgets", "six"])  # the second is a word of the prose
def test_a_name_that_is_nowhere_in_code_is_found(small, problems, said):
    small.edit(NOW, 'msgstr "结果是六。"', f'msgstr "`{said}` 的结果是六。"')
    assert problems() == [f"now.po: the translation added `{said}`: It is six."]


def test_a_lost_cross_reference_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", "[第一页](now.md#the-sum)", "第一页")
    assert problems() == [
        "index.po: the translation lost (now.md#the-sum): Two pages, see [the first](now.md#the-sum)."
    ]


def test_a_cross_reference_that_leads_elsewhere_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", "第一页](now.md#the-sum)", "第一页](then.md)")
    assert "index.po: the translation lost (now.md#the-sum)" in problems()[0]


# For each rule, what breaks it and no other.
SLIPS = [
    (0, "设备,网格。"),
    (0, "设备(网格。"),
    (0, "已绑定(committed)的数组。"),
    (0, "打印 x: 一个数组。"),
    (1, "有 `shape`, `dtype` 两项。"),
    (2, "共6 个。"),
    (2, "用`jit` 编译。"),
    (2, "JAX中的网格。"),
    (3, "在  JAX 中。"),
    (4, "提问： 一条。"),
    (4, "打印 “警告”。"),
    (5, "它返回一个数组。"),
    (5, "这是网格。它有两个轴。"),
    (6, "意外之处：结果是空的。"),
    (7, "结果不理会网格。"),
    (8, "错误信息说的是长度。"),
    (9, "大小无从得知。"),
    (10, "设备的次序。"),
    (11, "在笔记本中运行。"),
    (12, "数组悄悄移动。"),
    (13, "即时执行时没有类型。"),
    (14, "每个参数一个规格。"),
    (15, "块在设备 0 上。"),
    (16, "网格没有这个轴，没有错误信息。"),
    (16, "错误信息是空的。"),
    (17, "在 `jit` 之下没有数组。"),
    (18, "在 `jax.shard_map` 内部只有块。"),
    (18, "在 `nnx.jit` 中创建模型。"),
    (19, "程序里有一个网格。"),
    (20, "本书使用 8 个设备。"),
    (21, "进程在这个地址会合。"),
    (22, "分区规格是叶节点。"),
    (23, "移动的代价。"),
    (24, "每个维度一项。"),
    (24, "第 0 个维度。"),
    (25, "维度的大小必须能整除。"),
    (26, "不给时使用当前网格。"),
    (26, "不写时使用当前网格。"),
    (27, "这是由轴名组成的元组。"),
    (27, "这是由进程构成的网格。"),
    (28, "应当改用另一个函数。"),
    (29, "每个词元一行。"),
    (30, "非自愿的重建。"),
    (30, "完全重物化。"),
    (31, "这会引发 `KeyError`。"),
    (32, "在 Explicit 轴上不报错。"),
    (33, "同一个 spec 用两次。"),
    (34, "Adam 的矩也切分。"),
    (35, "结果的数据类型不变。"),
    (36, "在本页可以查到网格。"),
    (36, "本页有 8 个设备。"),
    (37, "网格的两条轴。"),
    (38, "占 85 %。"),
    (39, "两台主机是两个切片。"),
    (39, "第二个参数是切片数。"),
    (40, "用于 CPU 的 XLA 先求和。"),
    (40, "XLA 的 CPU 后端先求和。"),
    (40, "XLA 的 CPU 编译器先求和。"),
    (40, "这是 CPU 编译器的结果。"),
    (41, "共 8 个 H100。"),
    (41, "每个芯片一份。"),
    (42, "用参数指明轴类型。"),
    (43, "注意，网格只有一个轴。"),
    (43, "网格有两个轴。还要注意，顺序不同。"),
    (44, "每个设备占用的内存（显存）。"),
    (44, "设备的内存（GPU 上是显存）。"),
    (45, "两个分片方式等价。"),
    (45, "数组都用同一个分片方式。"),
    (46, "在 v5e 上先求和。"),
    (47, "这样写没有提示。"),
    (48, "编译后的函数不能求梯度。"),
    (49, "`use_mesh` 现改用 `set_mesh`。"),
    (49, "`a` 现为 `b`。"),
    (50, "命名轴的顺序。"),
    (50, "写入的起始位置。"),
    (50, "每个设备的核数。"),
    (50, "几种并行方案。"),
    (51, "假如有 8 个设备。"),
    (52, "缓冲区捐赠（donation）。"),
    (53, "数" * 61 + "。"),
]


@pytest.mark.parametrize(("number", "text"), SLIPS)
def test_each_slip_is_found_by_its_rule(number, text):
    _, why, remedy = RULES[number]
    found = list(slips(text))
    assert found
    assert all(slip.endswith(f": {why}: write {remedy}") for slip in found)


def test_each_rule_has_a_slip():
    assert {number for number, _ in SLIPS} == set(range(len(RULES)))


@pytest.mark.parametrize(
    "text",
    [
        "设备，网格",
        "共 6 个",
        "用 `jit` 编译",
        "见[第 1 页](a,b.md)。",
        "all-reduce（全归约）",
        "收到 2(n−1)/n · B，位置 (i, j) 上的设备除外。",
        "在 `program.py 编号, 地址` 中",
        "这里、那里和里面都一样，距离是 3 公里。",
        "快速傅里叶变换 · FFT",
        "在笔记本电脑上运行。",
        "这块芯片的硬件规格。",
        "每个设备 4 个数，共 8 个设备，5 号设备除外。",
        "布局由类型说明。",
        "错误信息为空。",
        "相比之下，数组的维度更多；统一维度之后再相加。",
        "字节数就是大小，第 0 维的长度是 4。",
        "段首不是它，它在句中；由它返回。",
        "程序由三步组成，结果是分片方式的列表。",
        "数据类型（dtype）、显式轴、Explicit 类型的轴。",
        "两个矩阵，一个矩形。",
        "分区规格 · partition spec",
        "沿整条轴通信。",
        "`jit` 中间的值写在 `set_mesh.prev_mesh` 中，打印出“警告”两个字。",
        "每个切片一个整数，切片的长度与数组相同。",
        "8 个设备，8 块 H100，两个 TPU v5e slice，v4、v5e、v5p，核数组，每个 GPU 集群，四个芯片编译器。",
        "结果表现为、实现为、出现为两块，没有提示词，内核数相同，用 CPU 的编译器为 CPU 编译。",
        "数" * 60 + "。" + "`a` 是数，" * 15 + "？" + "数" * 60,
        "首页。 · [English](README.md)",
        "顺序（又称次序、即时执行）。",
        "It is here, (and there): *nothing*.",
    ],
)
def test_good_chinese_passes(text):
    assert not list(slips(text))


@pytest.mark.parametrize("page", [NOW, f"{CATALOGUES}/sphinx.po"])
def test_a_slip_is_told_with_its_page_its_sentence_the_rule_and_the_remedy(small, templates, page):
    before, after = {NOW: ("结果是六。", "次序是六。")}.get(page, ("回到顶部", "次序的顶部"))
    small.edit(page, before, after)
    command = [sys.executable, "-m", "shardbook_sphinx.translation.catalogues", "check", str(templates)]
    result = subprocess.run(command, cwd=small.root, capture_output=True, text=True, encoding="utf-8", check=False)
    assert result.returncode == 1
    told, counted = result.stdout.splitlines()
    english = {NOW: "It is six."}.get(page, "Back to top")
    assert told == f"{Path(page)}: {after[:8]!r}: a second word for order: write 顺序: {english}"
    assert counted.endswith("1 problems")


GLOSSARY = """\
msgid ""
msgstr ""
"Language: zh_CN\\n"
"Content-Type: text/plain; charset=utf-8\\n"

msgid "today"
msgstr "今天 · today"

msgid "Also called: now."
msgstr "又称：现在、眼下。"
"""


@pytest.mark.parametrize(
    ("title", "found"), [("今天", True), ("眼下的六", True), ("六（six）", True), ("两个数组", True), ("六", False)]
)
def test_a_title_that_no_search_finds_is_told(small, problems, title, found):
    small.write(f"{CATALOGUES}/glossary.po", GLOSSARY)
    small.edit(NOW, 'msgstr "今天"', f'msgstr "{title}"')
    told = [problem for problem in problems() if problem.startswith("now.po")]
    assert told == ([] if found else ["now.po: no word to search for in the title, such as a name or a term: Today"])


def test_the_words_of_figures_keep_the_rules_too():
    assert [slip for text in MESSAGES["zh"].values() for slip in slips(text)] == []


def slips_of_file(text):
    """Those of a Markdown file, line by line, without its blocks of code."""
    prose = re.sub(r"(?ms)^( *)(`{3,}).*?^\1\2$", "", text)
    return [slip for line in prose.splitlines() for slip in slips(line.lstrip("-|#0123456789. "))]


@pytest.mark.parametrize("name", ["README.zh.md", ".github/CONTRIBUTING.zh.md"])
def test_what_stands_beside_the_handbook_keeps_the_rules_too(name):
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    assert slips_of_file(text) == []
    assert len(slips_of_file(f"{text}\n1. 次序\n\n   ```sh\n   次序\n   ```\n\n   次序\n")) == 2


def test_updating_keeps_translations_marks_changed_ones_and_drops_obsolete_ones(small, templates):
    text = small.read(NOW).replace('msgid "It is six."', 'msgid "It is sixty."')
    (small.root / NOW).write_text(text + '\nmsgid "Something else entirely"\nmsgstr "别的"\n', encoding="utf-8")
    update(templates, small.root / CATALOGUES)
    messages = {message.id: message for message in read(small.root / NOW) if message.id}
    assert "Something else entirely" not in messages
    assert messages["It is six."].fuzzy
    assert messages["It is six."].string == "结果是六。"
    assert messages["Today"].string == "今天"


def test_updating_whole_catalogues_twice_changes_nothing_the_second_time(small, templates):
    update(templates, small.root / CATALOGUES)
    first = small.read(NOW)
    update(templates, small.root / CATALOGUES)
    assert small.read(NOW) == first


def test_no_messages_leave_the_catalogues_as_they_are(tmp_path):
    catalogue = tmp_path / "catalogues/now.po"
    catalogue.parent.mkdir()
    catalogue.write_text('msgid "one"\nmsgstr "一"\n', encoding="utf-8")
    with pytest.raises(SystemExit, match="holds no messages"):
        update(tmp_path / "templates", catalogue.parent)
    assert catalogue.exists()
