"""A translation that is missing, stale or mutilated is found: by the build where readers would see it, by the check else."""

import shutil
import subprocess
import sys

import pytest

from shardbook_sphinx.catalogues import check, read, typography, update

CATALOGUES = "docs/locale/zh_CN/LC_MESSAGES"
NOW = f"{CATALOGUES}/now.po"


@pytest.fixture(scope="session")
def templates(built_small):
    """The messages of the small handbook's pages."""
    folder = built_small.root / ".build/gettext"
    command = ["-q", "-b", "gettext", "-c", ".", "-d", ".build/doctrees/gettext", "docs", str(folder)]
    _, environment = built_small.command()
    subprocess.run([sys.executable, "-m", "sphinx", *command], cwd=built_small.root, env=environment, check=True)
    return folder


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
    result = small.build()
    assert not result.passed
    assert "1 of 5 messages have no current translation, the first: 'It is six.'" in result.printed


def test_a_message_without_entry_is_found(small, problems):
    small.edit(NOW, 'msgid "It is six."\nmsgstr "结果是六。"\n', "")
    assert problems() == ["now.po: not in the catalogue: It is six."]
    assert not small.build().passed


def test_a_page_without_catalogue_is_found(small, problems):
    (small.root / NOW).unlink()
    assert problems() == ["now.po: there is no catalogue"]
    result = small.build()
    assert not result.passed
    assert "now.md: WARNING: all messages have no current translation" in result.printed


def test_an_untranslated_caption_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", 'msgstr "页面"', 'msgstr ""')
    assert problems() == ["index.po: untranslated: Pages"]
    assert not small.build().passed


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
    assert not small.build().passed


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


def test_a_lost_cross_reference_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", "[第一页](now.md#the-sum)", "第一页")
    assert problems() == [
        "index.po: the translation lost (now.md#the-sum): Two pages, see [the first](now.md#the-sum)."
    ]
    result = small.build()
    assert not result.passed
    assert "inconsistent term references in translated message" in result.printed


def test_a_cross_reference_that_leads_elsewhere_is_found(small, problems):
    small.edit(f"{CATALOGUES}/index.po", "第一页](now.md#the-sum)", "第一页](then.md)")
    assert "index.po: the translation lost (now.md#the-sum)" in problems()[0]


@pytest.mark.parametrize("text", ["设备,网格", "共6个", "用`jit`编译", "JAX里"])
def test_slips_of_typography_are_found(text):
    assert list(typography(text))


@pytest.mark.parametrize(
    "text", ["设备，网格", "共 6 个", "用 `jit` 编译", "见[第 1 页](a,b.md)。", "all-reduce（全归约）"]
)
def test_good_typography_passes(text):
    assert not list(typography(text))


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
