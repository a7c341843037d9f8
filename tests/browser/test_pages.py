"""Every page is quiet, light and for everyone; each of VISITS is made once, and all that is wrong is told.

axe looks at as many pages as have every kind of element between them, and in the long run at each.
"""

import random
import re

import pytest
from axe import everywhere
from browsing import LANGUAGES, LONG, VISITS, Watch, heard
from copies import read_copies
from kinds import enough, kinds
from measures.weights import weight as weigh
from playwright.sync_api import expect

from shardbook._palette import DARK, HUES, LIGHT

# Bytes, gzipped, of a page with all that it loads before the reader searches.
HEAVIEST = 100_000
LOADS = 3
# Of a phone, of a laptop at twice the size, of laptops.
WIDTHS = (390, 640, 1280, 1440)
SHIFT = """
new Promise(done => {
  const moved = [];
  const tell = ({value, sources}) => moved.push([value, ...sources.map(({node, currentRect}) =>
    [node?.nodeName, node?.className, currentRect.x, currentRect.y])]);
  new PerformanceObserver(list => list.getEntries().forEach(tell)).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(moved), 150);
})
"""
# What is wider than its frame and shows neither a mark where it goes on nor a way for the keyboard to get there. Scripts
# hear of a new width once it has been painted.
CUT = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
    [...document.querySelectorAll("article, article *")].filter(element => {
        const { scrollWidth, clientWidth } = element;
        if (!clientWidth || scrollWidth <= clientWidth + 1 || !element.checkVisibility()) return false;
        if (element.closest(".visually-hidden, .explorer")) return false;
        const { overflowX, contentVisibility, maskImage } = getComputedStyle(element);
        if (overflowX === "visible") return contentVisibility === "auto";
        return overflowX === "hidden" || overflowX === "clip" || maskImage === "none" || element.tabIndex !== 0;
    }).map(element => `${element.tagName} ${element.className}: ${element.textContent.trim().slice(0, 60)}`))"""


def faults(page, url, *, for_everyone=True):
    """All that is wrong with a page, by what was looked at, found in one visit; without axe unless for everyone."""
    page.watch.faults = []
    with heard(page, "response") as answers:
        found = {"what jumps": shifts(page, url, answers)}
        headings = page.locator("h1").count()
        found["headings"] = [] if headings == 1 else [f"{headings} h1"]
        found["scrolls sideways"], found["is cut"] = sideways(page)
        found["axe"] = everywhere(page) if for_everyone else []
        weight = weigh(answers)
    # The page of the search is for those who search.
    if not 10_000 < weight <= HEAVIEST and not url.endswith("/search.html"):
        found["weight"] = [weight]
    found["console, policy, requests"] = page.watch.faults
    return {name: told for name, told in found.items() if told}


def shifts(page, url, answers):
    """What jumps whenever a page is loaded. On a slow machine the parser may pause within an element, once in a while."""
    moved = []
    for _ in range(LOADS):
        answers.clear()
        page.goto(url)
        if not (moved := page.evaluate(SHIFT)):
            break
    return moved


def sideways(page):
    """At which widths a page is wider than the window, and what of it is cut."""
    too_wide, cut = [], []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
            too_wide.append(f"{wide} px wide on {width}")
        cut += [f"{width}: {told}" for told in page.evaluate(CUT)]
    return too_wide, cut


@pytest.fixture(scope="session")
def of_every_kind(site):
    """The pages, each with its folder of a language, at which axe looks."""
    names = [f"{language}/{name}" for language, name in VISITS]
    return names if LONG else enough({name: kinds((site / name).read_text(encoding="utf-8")) for name in names})


@pytest.mark.parametrize(("language", "name"), VISITS)
def test_a_page(visit, address, of_every_kind, language, name):
    page = f"{language}/{name}"
    assert faults(visit, f"{address}/{page}", for_everyone=page in of_every_kind) == {}


def test_pages_of_every_kind_are_looked_at_in_both_languages(of_every_kind):
    assert {name.split("/")[0] for name in of_every_kind} == set(LANGUAGES)
    assert len(of_every_kind) >= len({name.rpartition("/")[0] for name in of_every_kind}) > len(LANGUAGES)


def test_the_front_door(page, address):
    """Most readers see but where it leads; this is for who waits there."""
    page.route("**/landing.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(f"{address}/index.html")
    assert page.url.endswith("/index.html")
    assert everywhere(page) == []


WIDE = "document.querySelector('h1').insertAdjacentHTML('afterend', '<hr style=\"width: 2000px\">')"
# Each fault, and what finds it.
PLANTED = {
    "setTimeout(() => document.querySelector('h1').before(document.createElement('hr')), 50)": "what jumps",
    "document.querySelector('article').append(document.createElement('h1'))": "headings",
    WIDE: "scrolls sideways",
    f"if (lang === 'zh-CN') {WIDE}": "scrolls sideways",
    f"if (innerWidth === 640) {WIDE}": "scrolls sideways",
    "document.querySelector('article pre').style.cssText = 'width: 9em; overflow: hidden'": "is cut",
    "document.querySelector('article pre').style.cssText = 'width: 9em; mask-image: none'": "is cut",
    "setInterval(() => document.querySelectorAll('pre').forEach(pre => pre.removeAttribute('tabindex')))": "is cut",
    "document.querySelector('article section p').style.cssText = 'white-space: nowrap; overflow: hidden'": "is cut",
    "document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=data:,>')": "axe",
    "fetch('planted.txt').then(answer => answer.text())": "weight",
    "console.error('planted')": "console, policy, requests",
    "fetch('https://elsewhere.example/').catch(() => {})": "console, policy, requests",
}


@pytest.mark.parametrize("script", PLANTED)
def test_a_fault_of_a_page_is_found(visit, address, script):
    heavy = random.Random(1).randbytes(HEAVIEST).hex()  # noqa: S311, it packs to as many bytes
    visit.route("**/planted.txt", lambda route: route.fulfill(body=heavy, content_type="text/plain"))
    visit.route("**/theme.js*", lambda route: with_fault(route, script))
    language = "zh" if "zh-CN" in script else "en"
    kind = PLANTED[script]
    found = faults(visit, f"{address}/{language}/learn/placing.html", for_everyone=kind == "axe")
    assert kind in found, found
    if language == "zh":
        assert kind not in faults(visit, f"{address}/en/learn/placing.html", for_everyone=False)


def with_fault(route, script):
    """Answer with a script of every page and a fault after it, once the page is loaded."""
    body = f"{route.fetch().text()}\n{{const {{lang}} = document.documentElement;"
    body += f"const plant = () => {{ {script} }}; addEventListener('load', plant);"
    body += "if (/innerWidth/.test(plant)) addEventListener('resize', plant);}"
    route.fulfill(body=body, content_type="text/javascript")


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
    "name", ["en/errors/error-donate-and-alias", "en/learn/placing", "en/reference/retired", "zh/reference/contexts"]
)
def test_a_copy_button_copies_what_is_run_in_the_tests(chromium, address, site, name):
    """tests/site/test_copying.py runs what copies.py says that each button copies."""
    copies = read_copies(site / f"{name}.html")
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}/{name}.html")
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    buttons = page.locator("article section button.copybtn")
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
    page.goto(f"{address}/en/glossary.html")
    page.evaluate("location.hash = 'term-fault-tolerance'")
    assert page.evaluate("document.getElementById('term-fault-tolerance').getBoundingClientRect().top") < 900


def test_figures_have_the_colours_of_the_theme(page, address):
    """The shades of the palette; on paper the light ones, whatever the theme."""
    fill = "getComputedStyle(document.querySelector('.sb-h0.sb-s0')).fill"
    page.goto(f"{address}/en/learn/placing.html")
    found = []
    for media, scheme in (("screen", "light"), ("screen", "dark"), ("print", "dark")):
        page.emulate_media(media=media, color_scheme=scheme)
        found.append(float(re.fullmatch(r"oklch\(([\d.]+) .*\)", page.evaluate(fill))[1]))
    offset = HUES[0][2]
    assert found == pytest.approx([LIGHT[0] + offset, DARK[0] + offset, LIGHT[0] + offset])


def borders(page):
    """Where the left border of a figure in text stands on each of its lines."""
    return page.locator("pre", has_text='language="zh"').evaluate(
        """block => {
            const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
            const found = [];
            let above = -1;
            while (walker.nextNode()) for (const { index } of walker.currentNode.data.matchAll(/[┌│├└]/g)) {
                const range = document.createRange();
                range.setStart(walker.currentNode, index);
                range.setEnd(walker.currentNode, index + 1);
                const { x, y } = range.getBoundingClientRect();
                if (Math.abs(y - above) > 5) found.push(x);
                above = y;
            }
            return found;
        }"""
    )


def test_the_lines_of_a_figure_with_chinese_words_meet(page, address):
    page.goto(f"{address}/zh/reference/mesh.html")
    found = borders(page)
    assert len(found) == 9
    assert max(found) - min(found) < 1
    page.locator(".wide").evaluate_all("all => all.forEach(each => each.style.width = 'auto')")
    assert max(borders(page)) - min(borders(page)) > 5


def test_a_device_that_is_pointed_at_lights_up_everywhere(page, address):
    page.goto(f"{address}/en/guides/figures.html")
    figure = page.locator(".sb-figure").first
    devices = figure.locator(".sb-p5")
    assert devices.count() == 2  # in the mesh and in the array
    width = "all => all.map(each => getComputedStyle(each).strokeWidth)"
    assert devices.evaluate_all(width) == ["1px", "1px"]
    devices.first.hover()
    assert devices.evaluate_all(width) == ["3px", "3px"]
    assert figure.locator(".sb-p4").evaluate_all(width) == ["1px", "1px"]


def test_devices_light_up_one_after_another(page, address):
    page.goto(f"{address}/zh/guides/figures.html")
    figure = page.locator(".sb-figure").first
    figure.locator(".sb-panels").focus()
    lit = "all => all.map(each => /sb-p\\d+/.exec(each.getAttribute('class'))[0])"
    for key, device in (("ArrowRight", 0), ("ArrowRight", 1), ("ArrowLeft", 0), ("ArrowLeft", 7)):
        page.keyboard.press(key)
        assert figure.locator(".sb-lit").evaluate_all(lit) == [f"sb-p{device}"] * 2
    assert figure.locator(".sb-lit").first.evaluate("box => getComputedStyle(box).strokeWidth") == "3px"
    page.keyboard.press("Tab")
    assert figure.locator(".sb-lit").count() == 0


def test_code_is_dark_in_the_dark(page, address):
    background = "getComputedStyle(document.querySelector('div.highlight')).backgroundColor"
    page.goto(f"{address}/en/learn/placing.html")
    light, dark = [], []
    for scheme, found in (("light", light), ("dark", dark)):
        page.emulate_media(color_scheme=scheme)
        found += [int(part) for part in page.evaluate(background).strip("rgb()").split(",")]
    assert min(light) > 200
    assert max(dark) < 60
