"""Every page is quiet and light: no error, no violation of the policy, nothing from elsewhere, nothing that jumps."""

import random

import pytest
from browsing import LANGUAGES, PAGES, Watch
from copies import read_copies
from measures.weights import weigh
from playwright.sync_api import expect

# Bytes, gzipped, of a page with all that it loads before the reader searches.
HEAVIEST = 100_000
LOADS = 3
SHIFT = """
new Promise(done => {
  const moved = [];
  const tell = ({value, sources}) => moved.push([value, ...sources.map(({node, currentRect}) =>
    [node?.nodeName, node?.className, currentRect.x, currentRect.y])]);
  new PerformanceObserver(list => list.getEntries().forEach(tell)).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(moved), 150);
})
"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_quiet_and_nothing_jumps(page, address, language, name):
    moved = shifts(page, f"{address}/{language}/{name}")
    assert page.locator("h1").count() == 1
    assert moved == []


def shifts(page, address):
    """What jumps whenever a page is loaded. On a slow machine the parser may pause within an element, once in a while."""
    moved = []
    for _ in range(LOADS):
        page.goto(address)
        if not (moved := page.evaluate(SHIFT)):
            break
    return moved


def test_what_jumps_is_found(page, address):
    late = "setTimeout(() => document.querySelector('h1').before(document.createElement('hr')), 50)"
    page.add_init_script(f"addEventListener('load', () => {late})")
    assert shifts(page, f"{address}/en/learn/placing.html") != []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("learn/")])
def test_a_tutorial_page_is_light(page, address, language, name):
    weight, _ = weigh(page, f"{address}/{language}/{name}")
    assert 10_000 < weight <= HEAVIEST


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("console.error('planted')", "planted"),
        ("fetch('https://elsewhere.example/').catch(() => {})", "https://elsewhere.example/"),
        ("document.body.append(Object.assign(document.createElement('script'), {textContent: '1'}))", "inline script"),
        ("document.head.append(Object.assign(document.createElement('style'), {textContent: 'a{}'}))", "inline style"),
    ],
)
def test_a_page_that_is_not_quiet_is_found(chromium, address, fault, told):
    context = chromium.new_context()
    page = context.new_page()
    watch = Watch(page, address)
    page.goto(f"{address}/en/index.html")
    page.evaluate(f"() => {{ {fault} }}")
    page.wait_for_timeout(100)
    context.close()
    assert any(told in fault for fault in watch.faults), watch.faults


# What a reader does


def test_the_language_switch_keeps_the_section(page, address):
    page.goto(f"{address}/en/learn/placing.html#sizes-must-divide")
    page.locator(".languages a[lang=zh-CN]").click()
    assert page.url.endswith("/zh/learn/placing.html#sizes-must-divide")
    assert page.locator("html").get_attribute("lang") == "zh-CN"


@pytest.mark.parametrize(("locale", "folder"), [("zh-CN", "zh"), ("en-GB", "en"), ("fr-FR", "en")])
def test_the_front_door_leads_to_the_readers_language(chromium, address, locale, folder):
    context = chromium.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"{address}/")
    page.wait_for_url(f"**/{folder}/index.html")
    context.close()


def test_the_language_that_was_chosen_is_remembered(page, address):
    page.goto(f"{address}/en/index.html")
    page.locator(".languages a[lang=zh-CN]").click()
    page.wait_for_load_state("networkidle")
    page.goto(f"{address}/")
    page.wait_for_url("**/zh/index.html")


def test_the_theme_switch_changes_the_page_and_is_remembered(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    assert page.locator("body").get_attribute("data-theme") == "auto"
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    button = page.locator(".theme-toggle-content button")
    while page.locator("body").get_attribute("data-theme") != "dark":
        button.click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.goto(f"{address}/en/learn/devices.html")
    assert page.locator("body").get_attribute("data-theme") == "dark"


@pytest.mark.parametrize(
    "name", ["en/errors/configuration", "en/learn/placing", "en/reference/retired", "zh/reference/contexts"]
)
def test_a_copy_button_copies_what_is_run_in_the_tests(chromium, address, site, name):
    """tests/site/test_copying.py runs what copies.py says that each button copies."""
    copies = read_copies(site / f"{name}.html")
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}/{name}.html")
    buttons = page.locator("button.copybtn")
    expect(buttons).to_have_count(len(copies))
    texts = "[...document.querySelectorAll('div.highlight pre')].map(block => block.textContent)"
    shown = page.evaluate(texts)
    for number in random.Random(1).sample(range(len(copies)), min(8, len(copies))):  # noqa: S311
        page.locator("div.highlight:has(.copybtn)").nth(number).hover()
        buttons.nth(number).click()
        assert page.evaluate("navigator.clipboard.readText()") == copies[number].text
    assert any(copy.text != copy.own for copy in copies)
    assert page.evaluate(texts) == shown  # what was put in to be copied is gone
    context.close()


def test_a_name_of_the_api_leads_to_its_entry(page, address):
    page.goto(f"{address}/zh/learn/placing.html")
    page.locator("a.api", has_text="NamedSharding").first.click()
    page.wait_for_url(f"{address}/zh/reference/named-sharding.html#jax.NamedSharding")
    page.locator("dt[id='jax.NamedSharding']").wait_for()


def test_a_link_into_a_long_page_leads_there_at_once(page, address):
    page.goto(f"{address}/en/errors/traps.html")
    page.evaluate("location.hash = 'trap-two-device-counts'")
    assert page.evaluate("document.getElementById('trap-two-device-counts').getBoundingClientRect().top") < 900
