"""A reader takes a page away by mouse or keyboard, opens the archive from a folder, and finds back from nowhere."""

import json
import zipfile
from pathlib import Path

import pytest
from browsing import LANGUAGES

from shardbook_sphinx.downloads.archive import ARCHIVE

NAMES = {"en": ("Notebook", "Markdown"), "zh": ("Notebook", "Markdown")}
NOWHERE = ("nowhere.html", "en/nowhere.html", "zh/learn/nowhere.html", "en/no/such/folder/nowhere.html")


def faults(page):
    """What went wrong, but for what a download or the next page cut short, and the answer to a wrong address."""
    return [fault for fault in page.watch.faults if "ERR_ABORTED" not in fault and "status of 404" not in fault]


def saved(page, act):
    """The name and the content of the file that an action saves."""
    with page.expect_download() as waited:
        act()
    return waited.value.suggested_filename, Path(waited.value.path()).read_bytes()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["learn/placing", "reference/mesh"])
def test_a_click_saves_the_page(visit, site, address, language, name):
    visit.goto(f"{address}/{language}/{name}.html")
    row = visit.locator(".downloads")
    assert row.bounding_box()["height"] < 40
    for label, suffix in zip(NAMES[language], (".ipynb", ".md"), strict=True):
        told, content = saved(visit, row.get_by_role("link", name=label, exact=True).click)
        assert told == name.replace("/", "-") + suffix
        assert content == (site / language / f"{name}{suffix}").read_bytes()
    assert faults(visit) == []


def test_the_keyboard_saves_the_page(visit, address):
    visit.goto(f"{address}/zh/learn/placing.html")
    link = visit.locator(".downloads a").first
    link.focus()
    assert link.evaluate("element => element.matches(':focus-visible')")
    _, content = saved(visit, lambda: visit.keyboard.press("Enter"))
    assert json.loads(content)["cells"][0]["source"][0].startswith("# 放置数组")


def test_a_page_without_code_offers_no_notebook(page, address):
    page.goto(f"{address}/en/glossary.html")
    assert page.locator(".downloads a").all_inner_texts() == ["Markdown"]


def test_made_pages_offer_nothing(page, address):
    page.goto(f"{address}/en/genindex.html")
    assert page.locator(".downloads").count() == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_site_opens_from_a_folder(visit, address, language, tmp_path):
    visit.goto(f"{address}/{language}/index.html")
    name, content = saved(visit, visit.locator(".downloads .archive").click)
    assert name == ARCHIVE
    (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / name) as archive:
        archive.extractall(tmp_path)
    visit.watch.origin = "file:"
    visit.goto((tmp_path / "shardbook/index.html").as_uri())
    visit.wait_for_url("**/shardbook/en/index.html")
    visit.goto((tmp_path / f"shardbook/{language}/index.html").as_uri())
    visit.locator(".next-page").click()
    visit.wait_for_url(f"**/{language}/learn/index.html")
    assert visit.evaluate("getComputedStyle(document.querySelector('.downloads')).display") == "flex"
    assert faults(visit) == []


@pytest.mark.parametrize("name", NOWHERE)
def test_a_wrong_address_is_answered_in_both_languages(visit, address, name):
    answer = visit.goto(f"{address}/{name}")
    assert answer.status == 404
    assert visit.title() == "404 · shardbook"
    assert [section.get_attribute("lang") for section in visit.locator("section").all()] == ["en", "zh-CN"]
    box = visit.locator("main").bounding_box()
    assert box["x"] > 300
    assert box["width"] < 700
    assert faults(visit) == []


@pytest.mark.parametrize("name", NOWHERE)
@pytest.mark.parametrize("lang", ["en", "zh-CN"])
def test_a_wrong_address_leads_back(visit, address, name, lang):
    """Going up as often as the page offers it ends in the handbook, and never above it."""
    visit.goto(f"{address}/{name}")
    for _ in range(5):
        if visit.locator("h1").inner_text() != "404":
            break
        first, up = visit.locator(f"section[lang='{lang}'] a").all()
        (first if name.count("/") == 0 else up).click()
        visit.wait_for_load_state()
    assert visit.url.startswith(f"{address}/")
    assert visit.locator("h1").inner_text() != "404"
