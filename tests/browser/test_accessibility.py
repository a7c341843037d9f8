"""What axe finds is found, wherever it stands, and the keyboard reaches everything."""

import axe
import pytest
from axe import STATES, WIDTHS

STYLE = """css => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
DARK = "@media (prefers-color-scheme: dark)"
NARROW = "@media (max-width: 500px)"
PALE = "color: #999 !important; background: #aaa !important"
# What is planted, as a script and as a style; what finds it; and in which states it is to be seen.
FAULTS = {
    "image": (
        "document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=data:,>')",
        "",
        "image-alt",
        "light",
    ),
    "colour": ("", f"article p {{{PALE}}}", "color-contrast", ""),
    "landmarks": (
        "document.querySelectorAll('nav').forEach(nav => { nav.ariaLabel = 'Lists' })",
        "",
        "landmark-unique",
        "light",
    ),
    "level": ("document.querySelector('.caption').removeAttribute('aria-level')", "", "aria-required-attr", "light"),
    "dark": ("", f"{DARK} {{article p {{{PALE}}}}}", "color-contrast", "dark"),
    "narrow": ("", f"{NARROW} {{article p {{{PALE}}}}}", "color-contrast", "390 px"),
    "narrow and dark": ("", f"{DARK} {{{NARROW} {{article p {{{PALE}}}}}}}", "color-contrast", "dark, 390 px"),
    "shown in the dark": (
        "document.querySelector('h1').insertAdjacentHTML('afterend', '<img class=planted src=data:,>')",
        f".planted {{display: none}} {DARK} {{.planted {{display: block; width: 20px; height: 20px}}}}",
        "image-alt",
        "dark",
    ),
    "small when narrow": (
        "document.querySelector('h1').insertAdjacentHTML('afterend', '<p class=planted><a href=a>a</a><a href=b>b</a>')",
        f".planted a {{display: inline-block; width: 60px; height: 40px}} {NARROW} {{.planted a {{width: 8px; height: 8px}}}}",
        "target-size",
        "light, 390 px",
    ),
    # One of many spans that are alike.
    "span": (
        "(spans => { spans[Math.floor(spans.length / 2)].style.color = '#ccc' })(document.querySelectorAll('pre span.s2'))",
        "",
        "color-contrast",
        "",
    ),
    "span in the dark": ("", f"{DARK} {{pre span.s2:nth-child(10) {{{PALE}}}}}", "color-contrast", "dark"),
}


def plant(page, script, style):
    page.evaluate(f"() => {{ {script} }}")
    page.evaluate(STYLE, style)


@pytest.mark.parametrize("fault", FAULTS)
def test_axe_finds_a_planted_fault(page, address, fault):
    """Where it is and nowhere else; what is in every theme is looked for in the light."""
    script, style, rule, where = FAULTS[fault]
    page.goto(f"{address}/en/learn/placing.html")
    assert page.locator("pre span.s2").count() > 10
    plant(page, script, style)
    found = [told for told in axe.on_one_of_each(page) if f": {rule}: " in told]
    assert found
    if where:
        assert all(where in told for told in found)


@pytest.mark.parametrize("fault", ["narrow", "narrow and dark", "span in the dark"])
def test_a_page_that_changes_is_as_one_that_is_loaded_so(page, address, fault):
    """The theme and the width that a page is given after it was loaded show the same faults in the same states."""
    script, style, rule, _ = FAULTS[fault]
    anew = set()
    for theme, width in STATES:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{address}/en/learn/placing.html")
        plant(page, script, style)
        page.evaluate(axe.AXE)
        if any(f": {rule}: " in told for told in axe.told(page, (theme, width))):
            anew.add(f"{theme}, {width} px")
    in_place = {told.partition(": ")[0] for told in axe.on_one_of_each(page) if f": {rule}: " in told}
    assert in_place == anew


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
    if width < WIDTHS[0]:
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
