"""The index of the search has what the articles say and nothing else."""

import shutil
from pathlib import Path

import lxml.html
import pytest
import site_checks

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.search.index import make_index
from shardbook_sphinx.search.pagefind import ask_pagefind
from shardbook_sphinx.search.records import Record, cut_page


@pytest.fixture
def spoiled(built_small, tmp_path) -> Path:
    """A copy of the small site, to plant a fault in."""
    return Path(shutil.copytree(built_small.root / "site", tmp_path / "site"))


def plant(index, record):
    """Have an index with this record of now.html alone."""
    shutil.rmtree(index / "fragment")
    (index / "fragment").mkdir()
    for name, content in make_index({"now.html": [record]}).items():
        if name.startswith("fragment/"):
            (index / name).write_bytes(content)


def test_it_has_what_the_articles_say_and_no_more(built_small):
    assert site_checks.unequal_index(built_small.root / "site") == []


def test_each_section_and_each_entry_is_a_record(built_small):
    _, titles = site_checks.indexed(built_small.root / "site/en")
    assert sorted(titles["now.html"]) == ["The sum", "Today"]
    assert sorted(titles["names.html"]) == ["Changes", "Names", "jax.sharding.Mesh", "jax.sharding.Mesh.shape"]


def test_navigation_in_the_index_is_found(spoiled):
    around = site_checks.parse(spoiled / "zh/now.html").xpath("//aside[contains(@class, 'sidebar-drawer')]")[0]
    plant(spoiled / "zh/pagefind", Record("today", "今天", ["今天"], around.text_content()))
    assert "zh/now.html: the search has '页', the article does not" in site_checks.unequal_index(spoiled)


def test_a_paragraph_that_the_index_lacks_is_found(spoiled):
    plant(spoiled / "en/pagefind", Record("today", "Today", ["Today"], "Two devices, with jax.devices()."))
    assert "en/now.html: the search lacks 'six'" in site_checks.unequal_index(spoiled)


def test_navigation_within_the_article_fails_the_build(small):
    """As the language switch would, if it were not left out: no section leads there."""
    small.edit("src/shardbook_sphinx/search/records.py", 'LEFT_OUT = {"nav", ', "LEFT_OUT = {")
    result = small.build("--only", "en")
    assert not result.passed
    assert "stands before the first section: search cannot lead there" in result.printed


def test_text_before_the_first_section_is_refused():
    article = "<article><p>Early</p><section id='a'><h1>A</h1></section></article>"
    with pytest.raises(HandbookError, match="'Early' stands before the first section"):
        cut_page(lxml.html.fromstring(article))


def test_what_is_folded_away_or_no_text_is_left_out():
    parts = [
        "<details class='hide above-input'><summary>Show</summary><pre>folded = 6</pre></details>",
        "<pre><span class='gp'>&gt;&gt;&gt; </span>shown = 6</pre>",
        "<button class='copybtn'>Copy</button>",
        "<svg><text>drawn</text></svg>",
        "<p>said<span class='visually-hidden'>absent</span><span class='sign'>\u25cf</span><i aria-hidden='true'>i</i></p>",
        "<pre>\u250c\u2500\u2510\u2502CPU 0\u2502</pre>",
        "<section id='read-next'><h2>Read next</h2><ul><li>another page</li></ul></section>",
    ]
    article = f"<article><section id='a'><h1>A<a class='headerlink'>\u00b6</a></h1>{''.join(parts)}</section></article>"
    assert cut_page(lxml.html.fromstring(article)) == [Record("a", "A", ("A",), "shown = 6 said CPU 0")]


def test_what_pagefind_refuses_stops_the_build():
    with pytest.raises(HandbookError, match="Pagefind: Invalid index"):
        ask_pagefind([{"type": "GetFiles", "index_id": 7}])


def test_a_pagefind_that_ends_too_soon_stops_the_build(monkeypatch):
    monkeypatch.setattr("shardbook_sphinx.search.pagefind.get_executable", lambda: shutil.which("true"))
    with pytest.raises(HandbookError, match="Pagefind ended before it had answered all"):
        ask_pagefind([{"type": "NewIndex", "config": {}}])
