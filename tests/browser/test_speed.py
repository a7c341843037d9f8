"""How soon a page answers on a machine of a quarter of the speed: switching the theme repaints all of it.

What is measured is how long the page's thread works: when a frame is shown depends on what else this machine paints in
software meanwhile. And a browser that is slowed counts its idling too, so the factor is put on afterwards.
"""

from statistics import median

import pytest
from axe import ALL_DRAWN
from browsing import LONG, PAGES
from measures.work import Work, least

# Milliseconds from a press to the next frame (INP's "good"), of work a frame of scrolling, and how much slower the
# machine is made.
SOON, FRAME, SLOWER = 200, 16, 4
THEMES = 3  # that the button goes through
PRESSES = 7
MEASURED = 600  # until offscreen.js has left out what is off the screen
HEAVIEST = ("errors/index.html", "history/names.html", "reference/named-sharding.html", "explain/product-cost.html")
FRAMES, FLICK = 20, 120  # pixels a frame: 7,200 a second
SCROLL = """far => new Promise(done => {
    scrollBy(0, far);
    requestAnimationFrame(() => requestAnimationFrame(done));
})"""
BUSY = """([event, long]) => addEventListener(event, () => {
    const end = performance.now() + long;
    while (performance.now() < end);
})"""


def pressing(page):
    """How long the page works, until it is painted, for a press of the theme's button: of the slowest of its themes."""
    button = page.locator("button.theme-toggle:visible").first.bounding_box()
    page.mouse.move(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)

    def press():
        page.mouse.down()
        page.mouse.up()
        page.evaluate(SCROLL, 0)

    took = Work(page).of(press, THEMES * PRESSES)
    return SLOWER * max(median(took[theme::THEMES]) for theme in range(THEMES))


def scrolling(page):
    """How long the page works for a frame of scrolling: less what it takes to ask for a frame in which nothing scrolls."""
    page.evaluate("scrollTo(0, 0)")
    work = Work(page)
    asking = median(work.of(lambda: page.evaluate(SCROLL, 0), FRAMES))
    return SLOWER * (median(work.of(lambda: page.evaluate(SCROLL, FLICK), FRAMES)) - asking)


@pytest.mark.parametrize("name", PAGES if LONG else HEAVIEST)
def test_a_press_is_answered_and_a_page_scrolls(page, address, name):
    page.goto(f"{address}/en/{name}")
    page.wait_for_timeout(MEASURED)
    assert least(lambda: pressing(page), SOON) <= SOON
    assert least(lambda: scrolling(page), FRAME) <= FRAME


def test_a_page_of_which_all_is_drawn_is_noticed(page, address):
    page.goto(f"{address}/en/reference/named-sharding.html")
    page.evaluate(ALL_DRAWN)
    assert least(lambda: pressing(page), SOON) > SOON


def test_a_page_that_is_busy_is_noticed(page, address):
    page.goto(f"{address}/en/{HEAVIEST[0]}")
    page.evaluate(BUSY, ["click", 60])
    assert least(lambda: pressing(page), SOON) > SOON
    page.evaluate(BUSY, ["scroll", 10])
    assert least(lambda: scrolling(page), FRAME) > FRAME
