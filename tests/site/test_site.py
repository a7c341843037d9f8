"""The real site is whole in both languages; each check is shown to find a planted fault."""

import json
import re
import shutil
from pathlib import Path

import pytest
import site_checks
from checkout import CATALOGUES, CHECKOUT, Handbook, spoil
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec
from site_checks import LANGUAGES

from shardbook import layout, show
from shardbook._messages import MESSAGES
from shardbook_sphinx.commands.checkouts import copy_checkout
from shardbook_sphinx.entries import KIND
from shardbook_sphinx.translation.catalogues import check, read, write

ENGLISH_WORDS = sorted(
    {
        text
        for key, text in MESSAGES["en"].items()
        if text.isascii() and text.replace(" ", "").isalpha() and key != "operation"
    }
)


ALIKE = {"explain", "guides", "history", "train"}
KEPT = {"error-put-indivisible.html", "error-collective-one-process.html", "trap-timing.html"}


@pytest.fixture
def spoiled(site, tmp_path) -> Path:
    """A copy of some of the site, to plant a fault in: of the parts that are alike, and of the entries, a few."""

    def left_out(folder, names):
        parts = ALIKE if Path(folder).parent == site else ()
        return [name for name in names if name in parts or (KIND.match(name) and name not in KEPT)]

    return Path(shutil.copytree(site, tmp_path / "site", ignore=left_out))


@pytest.fixture
def spoiled_whole(site, tmp_path) -> Path:
    """A copy of all of the site, to plant a fault in."""
    return Path(shutil.copytree(site, tmp_path / "site"))


def test_every_page_was_built_in_both_languages(handbook, site):
    sources = {
        path.relative_to(handbook.root / "docs").with_suffix(".html") for path in handbook.root.glob("docs/**/*.md")
    }
    for language in LANGUAGES:
        assert sources <= set(site_checks.pages(site / language))
    assert (site / "index.html").is_file()


def test_the_chinese_index_is_by_pinyin(site):
    root = site_checks.parse(site / "zh/genindex.html")
    headings = root.xpath("//section[@class='genindex-section']/h2/text()")
    assert headings == sorted(headings)
    assert "".join(headings).isascii()
    below = [link.text_content().strip() for link in root.xpath("//section[@id='W']//li/a")]
    assert [word for word in below if word.startswith("网格")] == ["网格轴 · mesh axis"]
    assert below.index("网格轴 · mesh axis") > max(at for at, word in enumerate(below) if word.startswith("with_"))
    assert "built-in" not in root.text_content()


@pytest.mark.long
def test_a_build_from_scratch_elsewhere_is_the_same_file_for_file(site, tmp_path):
    """Without any output of this checkout: what cells print, and what XLA inserts, is made anew."""
    again = Handbook(copy_checkout(CHECKOUT, tmp_path / "elsewhere"))
    result = again.build()
    assert result.passed, result.printed
    assert "index" in result.ran
    assert site_checks.different_files(site, again.root / "site") == []


def test_a_difference_between_two_builds_is_found(site, spoiled_whole):
    spoiled = spoiled_whole
    spoil(spoiled / "en/learn/devices.html", "twelve", "eleven")
    (spoiled / "zh/index.html").unlink()
    assert site_checks.different_files(site, spoiled) == [
        str(Path("en/learn/devices.html")),
        str(Path("zh/index.html")),
    ]


def test_no_link_is_broken(site):
    assert site_checks.broken_links(site) == []


def test_a_broken_link_is_found(spoiled):
    spoil(spoiled / "zh/learn/placing.html", 'href="devices.html"', 'href="device.html"')
    assert "zh/learn/placing.html: device.html leads to no file" in site_checks.broken_links(spoiled)


def test_a_broken_anchor_is_found(spoiled):
    spoil(spoiled / "en/learn/placing.html", 'id="sizes-must-divide"', 'id="sizes"')
    assert "en/learn/placing.html: #sizes-must-divide leads to no such place" in site_checks.broken_links(spoiled)


def test_every_api_name_in_a_cell_leads_to_its_entry(handbook, site):
    assert site_checks.unlinked_names(site, handbook.root / "docs") == []


def test_a_name_that_leads_nowhere_is_found(handbook, spoiled_whole):
    spoiled = spoiled_whole
    page = spoiled / "zh/learn/placing.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("#jax.sharding.NamedSharding", "#somewhere"), encoding="utf-8")
    found = site_checks.unlinked_names(spoiled, handbook.root / "docs")
    assert found == ["zh/learn/placing.html: jax.sharding.NamedSharding leads to no entry"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_worded_by_a_title_has_its_code(site, language):
    glossary, index = (site_checks.parse(site / language / page) for page in ("glossary.html", "errors/index.html"))
    assert "set_mesh" in glossary.xpath("//article//a[@href='reference/contexts.html']/code/text()")
    assert "JAX_PLATFORMS=cuda" in index.xpath("//span[@class='error-title']/code/text()")
    assert index.xpath("//span[@class='error-title']//a") == []


def test_nothing_is_fetched_from_elsewhere(site):
    assert site_checks.foreign_requests(site) == []


def test_a_foreign_request_is_found(spoiled):
    spoil(spoiled / "en/index.html", "</head>", '<script src="https://cdn.example/x.js"></script></head>')
    assert site_checks.foreign_requests(spoiled) == ["en/index.html: <script> asks https://cdn.example/x.js"]


def test_a_link_out_of_the_site_is_found(spoiled):
    spoil(spoiled / "en/learn/placing.html", 'href="devices.html"', 'href="/etc/hosts"')
    assert "en/learn/placing.html: /etc/hosts leads out of the site" in site_checks.broken_links(spoiled)


def test_a_foreign_request_of_a_stylesheet_is_found(spoiled):
    sheet = spoiled / "en/_static/shardbook.css"
    sheet.write_text(
        sheet.read_text(encoding="utf-8") + 'b { background: url("https://cdn.example/x.png") }', encoding="utf-8"
    )
    assert site_checks.foreign_requests(spoiled) == [
        f"{Path('en/_static/shardbook.css')}: asks https://cdn.example/x.png"
    ]


def test_no_english_stands_in_the_chinese_interface(site):
    assert site_checks.english_interface(site) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("本页内容", "On this page"), ("切换浅色、深色或跟随系统", "Toggle Light / Dark / Auto color theme")],
)
def test_english_in_the_chinese_interface_is_found(spoiled, old, new):
    spoil(spoiled / "zh/learn/placing.html", old, new)
    found = site_checks.english_interface(spoiled)
    assert found == [f"zh/learn/placing.html: {new!r} is English"]


def test_figures_on_chinese_pages_speak_chinese(site):
    assert site_checks.english_figures(site, ENGLISH_WORDS) == []


def test_an_english_figure_on_a_chinese_page_is_found(spoiled):
    spoil(spoiled / "zh/learn/placing.html", f"<dt>{MESSAGES['zh']['shard']}", f"<dt>{MESSAGES['en']['shard']}")
    assert site_checks.english_figures(spoiled, ENGLISH_WORDS) == ["zh/learn/placing.html: a figure says 'shard shape'"]


def test_both_languages_have_the_same_cells_figures_and_places(site):
    assert site_checks.unequal_pages(site) == []


def test_another_number_of_cells_is_found(spoiled):
    outputs = (spoiled / "en/learn/placing.html").read_text(encoding="utf-8").count('class="cell_output')
    spoil(spoiled / "zh/learn/placing.html", 'class="cell_output', 'class="no_output')
    assert site_checks.unequal_pages(spoiled) == [
        f"{Path('learn/placing.html')}: cell_output: {outputs} in English, {outputs - 1} in Chinese"
    ]


def test_another_number_of_figures_is_found(spoiled):
    spoil(spoiled / "zh/learn/placing.html", "<figure", "<div")
    assert any("figure: 2 in English, 1 in Chinese" in finding for finding in site_checks.unequal_pages(spoiled))


def test_a_page_in_one_language_only_is_found(spoiled):
    (spoiled / "zh/learn/placing.html").unlink()
    assert f"{Path('learn/placing.html')}: only in one language" in site_checks.unequal_pages(spoiled)


def test_a_chinese_page_leads_where_the_english_does(site):
    assert site_checks.unlike_links(site) == []


def test_a_link_that_leads_elsewhere_in_chinese_is_found(spoiled):
    page = Path("learn/placing.html")
    spoil(spoiled / "zh" / page, '../errors/error-put-indivisible.html"', '../errors/explicit.html"')
    assert site_checks.unlike_links(spoiled) == [
        f"{page}: ../errors/error-put-indivisible.html only in English",
        f"{page}: ../errors/explicit.html only in Chinese",
    ]


def test_a_name_that_leads_to_another_entry_in_chinese_is_found(spoiled):
    """A name in code may be said once more, and then leads to its own entry."""
    page = Path("learn/placing.html")
    spoil(spoiled / "zh" / page, 'placing.html#jax.device_put"', 'mesh.html#jax.make_mesh"')
    found = site_checks.unlike_links(spoiled)
    assert f"{page}: ../reference/mesh.html#jax.make_mesh only in Chinese" in found


def test_an_attribute_that_was_a_method_is_told_so(site):
    page = site_checks.parse(site / "en/reference/arrays.html")
    (told,) = page.xpath("//dt[@id='jax.Array.device']/following-sibling::dd/p[1]")
    assert told.text_content().endswith("a property since 0.4.31")


def test_every_page_says_its_language_and_leads_to_the_other(site):
    assert site_checks.missing_ways(site) == []


def test_a_missing_language_or_way_is_found(spoiled):
    spoil(spoiled / "zh/learn/placing.html", 'lang="zh-CN"', 'lang="zh"')
    spoil(spoiled / "en/learn/placing.html", "../../zh/learn/placing.html", "../../zh/index.html")
    found = site_checks.missing_ways(spoiled)
    assert "zh/learn/placing.html: lang is 'zh', not 'zh-CN'" in found
    assert any(finding.startswith("en/learn/placing.html: the alternate in zh") for finding in found)


def test_the_chinese_catalogues_are_whole(handbook):
    templates = handbook.root / ".build/tests-gettext"
    shutil.rmtree(templates, ignore_errors=True)
    result = handbook.plain_build("-b", "gettext", into=templates.name)
    assert result.passed, result.printed
    assert check(templates, handbook.root / CATALOGUES) == []


def test_no_page_has_more_elements_than_a_browser_goes_through_at_once(site):
    assert site_checks.heavy_pages(site) == []


def test_a_page_with_too_many_elements_is_found(spoiled):
    spoil(spoiled / "zh/learn/placing.html", "</article>", "<i></i>" * site_checks.MOST + "</article>")
    [found] = site_checks.heavy_pages(spoiled)
    assert found.startswith("zh/learn/placing.html: 4")


def test_no_output_is_coloured_as_in_a_terminal(site):
    assert site_checks.coloured_outputs(site) == []


def test_a_coloured_output_is_found(spoiled):
    spoil(spoiled / "zh/learn/placing.html", "</article>", '<span class=" -Color -Color-Red">Error</span></article>')
    assert site_checks.coloured_outputs(spoiled) == ["zh/learn/placing.html: 'Error' is coloured"]


def test_every_page_says_in_which_section_it_is(site):
    assert site_checks.lost_pages(site) == []


# What the breadcrumbs of its pages lead to.
TUTORIALS = "JAX 分片（sharding）入门教程"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('class="breadcrumbs"', 'class="bread"'),
        (f'<li><a href="index.html">{TUTORIALS}', f'<li><a href="devices.html">{TUTORIALS}'),
    ],
)
def test_a_page_that_does_not_say_its_section_is_found(spoiled, old, new):
    spoil(spoiled / "zh/learn/placing.html", old, new)
    [found] = site_checks.lost_pages(spoiled)
    assert found.startswith(f"zh/learn/placing.html: does not lead to '{TUTORIALS}'")


def run_doctests(handbook, language="en", pages=()):
    """The examples, of all pages if none are named, from what the build of a language has read."""
    locale = "zh_CN" if language == "zh" else language
    return handbook.plain_build("-b", "doctest", "-D", f"language={locale}", into="doctest", read=language, pages=pages)


def test_figures_that_examples_print_are_what_the_helper_draws_in_chinese(handbook):
    texts = {
        f"docs/reference/{path.name}": path.read_text("utf-8") for path in handbook.root.glob("docs/reference/*.md")
    }
    printed = {page: count for page, text in texts.items() if (count := text.count(">>> print(sb.show("))}
    assert sum(printed.values()) >= 9
    result = run_doctests(handbook, "zh", printed)
    assert result.passed, result.printed
    for page, count in printed.items():
        assert handbook.read(page.replace("docs", "site/zh")).count(', language="zh"))\n') == count


@pytest.mark.parametrize(("name", "passes"), [("分片形状", True), ("分片大小", False)])
def test_a_figure_that_is_wrong_in_chinese_is_found(small, name, passes):
    figure = show(layout(NamedSharding(AbstractMesh((2,), ("x",)), PartitionSpec("x")), (2,)))
    example = f"""```{{doctest}}
>>> import shardbook as sb
>>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
>>> rows = NamedSharding(AbstractMesh((2,), ("x",)), P("x"))
>>> print(sb.show(sb.layout(rows, (2,))))
{figure.plain()}
```

Two pages"""
    small.edit("docs/index.md", "Two pages", example)
    path = small.root / CATALOGUES / "index.po"
    catalogue = read(path)
    catalogue.add(figure.plain(), figure.plain("zh").replace("分片形状", name))
    write(catalogue, path)
    result = run_doctests(small, "zh")
    assert result.passed == passes, result.printed
    assert passes or "分片大小" in result.printed


def test_the_examples_of_the_reference_run(handbook):
    result = run_doctests(handbook)
    assert result.passed, result.printed
    tried = int((handbook.root / ".build/doctest/output.txt").read_text().split("tests\n")[0].split()[-1])
    assert tried > 0


def test_an_example_that_is_wrong_is_found(small):
    small.edit(
        "docs/index.md", "Two pages", "```{doctest}\n>>> import jax\n>>> jax.device_count()\n7\n```\n\nTwo pages"
    )
    result = run_doctests(small)
    assert not result.passed
    assert "Expected:\n    7\nGot:\n    8" in result.printed


def test_nothing_of_sphinx_own_search_is_left(site):
    assert site_checks.sphinx_search(site) == []


def test_what_is_left_of_sphinx_own_search_is_found(spoiled):
    (spoiled / "zh/searchindex.js").touch()
    (spoiled / "en/_static/english-stemmer.js").touch()
    assert site_checks.sphinx_search(spoiled) == [
        str(Path("en/_static/english-stemmer.js")),
        str(Path("zh/searchindex.js")),
    ]


def test_the_search_has_what_the_articles_say_and_no_more(site):
    assert site_checks.unequal_index(site) == []


def test_there_is_an_entry_for_each_error_and_trap_in_either_language(site):
    for language in site_checks.LANGUAGES:
        pages = sorted(path.stem for path in (site / language / "errors").glob("*.html"))
        entries = {
            page: site_checks.parse(site / language / f"errors/{page}.html").xpath("//section/@id") for page in pages
        }
        assert [name for name, ids in entries.items() if KIND.match(name) and ids != [name]] == []
        assert [name for name, ids in entries.items() if not KIND.match(name) and any(map(KIND.match, ids))] == []
        assert sum(name.startswith("error-") for name in entries) >= 380
        assert sum(name.startswith("trap-") for name in entries) >= 55


def test_each_entry_says_which_cell_fails_and_which_works(site):
    assert site_checks.unmarked_cells(site) == []


@pytest.mark.parametrize(
    ("entry", "old", "new"),
    [
        ("put-indivisible", "✗ Fails", "✓ Works"),
        ("put-indivisible", '<p class="verdict works">✓ Works</p>', ""),
        ("collective-one-process", "✗ Hangs", "✗ Fails"),
    ],
)
def test_a_cell_with_a_wrong_mark_or_none_is_found(spoiled, entry, old, new):
    spoil(spoiled / f"en/errors/error-{entry}.html", old, new)
    (found,) = site_checks.unmarked_cells(spoiled)
    assert found.startswith(f"en/errors/error-{entry}.html: ")


def test_old_addresses_of_entries_are_listed_where_they_were(handbook, site):
    assert site_checks.lost_addresses(site, handbook.root / "docs") == []


def test_an_old_address_that_leads_nowhere_is_found(handbook, spoiled):
    spoil(spoiled / "zh/errors/traps.html", 'href="trap-timing.html"', 'href="trap-padding.html"')
    assert site_checks.lost_addresses(spoiled, handbook.root / "docs") == [
        "zh/errors/traps.html#trap-timing leads nowhere"
    ]


def test_every_address_that_a_page_names_is_checked(handbook):
    """By nox -s links; here nothing is asked. What the English build has read is not read again."""
    ignored = ["-D", "linkcheck_ignore=.*", "-D", "language=en"]
    result = handbook.plain_build("-b", "linkcheck", *ignored, into="links", read="en")
    assert result.passed, result.printed
    found = [json.loads(line) for line in handbook.read(".build/links/output.json").splitlines()]
    checked = {link["uri"] for link in found if link["status"] == "ignored"}
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (handbook.root / "docs").rglob("*.md"))
    pages = re.sub(r"^```\{code-cell\}.*?^```", "", pages, flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"https?://[^\s)>\"'`]+", pages))
    assert len(named) > 100
    assert named - checked == set()
