"""Nothing that axe finds, on any page, in either language, theme and width; and the keyboard reaches everything."""

from pathlib import Path

import axe_playwright_python
import pytest
from browsing import LANGUAGES, PAGES

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']})"
# Scripts have heard of the new size once it has been painted.
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
WIDTHS = (1280, 390)
THEMES = ("light", "dark")


def violations(page):
    """What axe finds on a page that is shown: rule, element and what to do, a line each."""
    found = page.evaluate(RUN, RULES)["violations"]
    return [
        f"{each['id']}: {node['html'][:120]}: {' '.join(node['failureSummary'].split())}"
        for each in found
        for node in each["nodes"]
    ]


def everywhere(page):
    """What axe finds in every theme and width."""
    found = []
    page.evaluate(AXE)
    for theme in THEMES:
        for width in WIDTHS:
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(PAINTED)
            found += [f"{theme}, {width} px: {told}" for told in violations(page)]
    return found


@pytest.mark.parametrize("name", ["index.html", *(f"{language}/{name}" for language in LANGUAGES for name in PAGES)])
def test_axe_finds_nothing(page, address, name):
    page.goto(f"{address}/{name}")
    assert everywhere(page) == []


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=data:,>')", "image-alt"),
        ("document.querySelector('article p').style.color = '#999'", "color-contrast"),
        ("document.querySelectorAll('nav').forEach(nav => { nav.ariaLabel = 'Lists' })", "landmark-unique"),
        ("document.querySelector('.caption').removeAttribute('aria-level')", "aria-required-attr"),
    ],
)
def test_axe_finds_a_planted_fault(page, address, fault, rule):
    page.goto(f"{address}/en/learn/placing.html")
    page.evaluate(fault)
    assert any(f": {rule}: " in told for told in everywhere(page))


def focused(page):
    """What has the focus, as the reader would name it."""
    return page.evaluate(
        "() => { const e = document.activeElement; return e === document.body ? null :"
        " (e.id || e.className || e.getAttribute('href') || e.tagName).toString() }"
    )


def stops(page, most=400):
    """Everything that Tab reaches, in order, once around."""
    found = []
    for _ in range(most):
        page.keyboard.press("Tab")
        here = focused(page)
        if here is None:
            break
        found.append(here)
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_the_keyboard_reaches_everything(page, address, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}/zh/learn/placing.html")
    page.wait_for_selector("pre[tabindex]")
    reached = stops(page)
    assert "skip-to-content" in reached[0] or "skip-to-content" in reached[2]
    if width < WIDTHS[0]:
        page.locator("label[for=__navigation] > .icon").first.press("Enter")
        page.wait_for_function("() => document.querySelector('.sidebar-drawer').getBoundingClientRect().left >= 0")
        reached += stops(page)
    for wanted in ("theme-toggle", "copybtn", "sidebar-search"):
        assert any(wanted in each for each in reached), (wanted, reached)
    scrolling = page.locator("pre[tabindex]").count()
    assert sum(each.startswith(("codecell", "PRE")) for each in reached) >= scrolling


def test_code_that_scrolls_moves_with_the_arrows_and_has_the_focus_only_then(page, address):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{address}/en/learn/placing.html")
    page.wait_for_selector("pre[tabindex]")
    block = page.locator("pre[tabindex]").first
    block.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    fitting = (
        "[...document.querySelectorAll('pre')].filter(e => e.scrollWidth <= e.clientWidth && e.tabIndex === 0).length"
    )
    assert page.evaluate(fitting) == 0


def test_on_a_phone_the_keyboard_opens_the_navigation(page, address):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{address}/en/learn/placing.html")
    button = page.locator("label[for=__navigation] > .icon").first
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    page.wait_for_function("() => document.querySelector('.sidebar-drawer').getBoundingClientRect().left >= 0")


def test_nothing_is_cut_off_at_twice_the_size(page, address):
    page.set_viewport_size({"width": 640, "height": 450})
    for name in PAGES:
        page.goto(f"{address}/zh/{name}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 640, f"{name} is {wide} px wide"


def test_no_page_scrolls_sideways(page, address):
    for name in PAGES:
        page.goto(f"{address}/en/{name}")
        for width in (390, 1280, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} px wide on {width}"


def test_only_the_explorer_has_a_wider_column(page, address):
    page.set_viewport_size({"width": 1920, "height": 900})
    wide = {}
    for name in ("learn/placing.html", "reference/shardbook.html", "explorer.html"):
        page.goto(f"{address}/en/{name}")
        wide[name] = page.locator(".main > .content").bounding_box()["width"]
    assert wide["learn/placing.html"] == wide["reference/shardbook.html"] < wide["explorer.html"]


def test_nothing_moves_for_who_asked_for_that(page, address):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{address}/en/learn/placing.html")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e);"
        " return s.transitionDuration !== '0s' || s.animationName !== 'none' || s.scrollBehavior === 'smooth' }).length"
    )
    assert moving == 0


def test_on_paper_stands_the_article_alone(page, address):
    page.goto(f"{address}/en/learn/placing.html")
    page.emulate_media(media="print")
    assert page.locator("article h1").is_visible()
    for name in (".sidebar-drawer", ".toc-drawer", ".languages", ".theme-toggle-content", ".copybtn"):
        assert not page.locator(name).first.is_visible(), name
