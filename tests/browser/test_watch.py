"""Collectives step by step: scrubbed by keyboard and by buttons; still pictures without script and in print."""

import re

import pytest
from axe import everywhere
from browsing import CHECKOUT, LANGUAGES
from playwright.sync_api import expect

PAGES = {"learn/manual": 1, "reference/collectives": 6, "guides/cost-of-moving": 1, "guides/hide-communication": 1}
ALL_REDUCE = 6
FLYING = "() => document.getAnimations().filter(each => each instanceof CSSAnimation).length"


def opened(page, address, name="reference/collectives", language="en"):
    page.goto(f"{address}/{language}/{name}.html")
    figures = page.locator(".watch.scrubbed")
    expect(figures).to_have_count(PAGES[name])
    return figures.first


def shown(figure):
    """Which steps are seen."""
    return figure.locator(".watch-steps > li").evaluate_all(
        "steps => steps.flatMap((step, place) => step.checkVisibility() ? [place] : [])"
    )


def test_a_step_at_a_time_by_keyboard(page, address):
    figure = opened(page, address)
    slider = figure.get_by_role("slider", name="Step")
    assert shown(figure) == [0]
    slider.focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", ALL_REDUCE), ("Home", 0)):
        page.keyboard.press(key)
        assert shown(figure) == [step]
        assert slider.input_value() == str(step)
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext").startswith("Step 6 of 6 Each device passes the whole sum")
    assert slider.get_attribute("aria-valuetext").endswith("A device has received 24 B.")
    assert figure.locator(".watch-told").text_content() == slider.get_attribute("aria-valuetext")
    label = figure.locator("li.now [role=img]").get_attribute("aria-label")
    assert label.startswith("device 0: 0+1+2+3, 0+1+2+3, 0+1+2+3, 0+1+2+3; device 1: ")


def test_the_buttons_end_where_the_steps_do_and_keep_the_focus(page, address):
    figure = opened(page, address)
    previous, following = (figure.get_by_role("button", name=f"{name} step") for name in ("Previous", "Next"))
    assert previous.get_attribute("aria-disabled") == "true"
    previous.press("Enter")
    assert shown(figure) == [0]
    for step in (*range(1, ALL_REDUCE + 1), ALL_REDUCE):
        following.press("Enter")
        assert shown(figure) == [step]
    assert following.get_attribute("aria-disabled") == "true"
    expect(following).to_be_focused()
    assert figure.locator(".watch-told").get_attribute("aria-live") == "polite"
    figure.get_by_role("slider").press("ArrowLeft")
    assert figure.locator(".watch-told").get_attribute("aria-live") is None


def test_the_figures_of_a_page_do_not_know_of_one_another(page, address):
    opened(page, address)
    figures = page.locator(".watch")
    figures.nth(1).get_by_role("slider").press("ArrowRight")
    assert [shown(figures.nth(place))[0] for place in range(6)] == [0, 1, 0, 0, 0, 0]


def test_pieces_fly_forward_unless_motion_is_unwanted(page, address):
    figure = opened(page, address)
    slider = figure.get_by_role("slider")
    slider.press("ArrowRight")
    assert page.evaluate(FLYING) == 4
    slider.press("Home")
    assert page.evaluate(FLYING) == 0
    page.emulate_media(reduced_motion="reduce")
    slider.press("ArrowRight")
    assert shown(figure) == [1]
    assert page.evaluate(FLYING) == 0


def test_print_has_all_steps_and_no_controls(page, address):
    figure = opened(page, address)
    figure.get_by_role("slider").press("End")
    page.emulate_media(media="print")
    assert shown(figure) == [*range(ALL_REDUCE + 1)]
    expect(figure.locator(".watch-said").first).to_be_visible()
    expect(figure.locator(".watch-controls")).to_be_hidden()
    expect(figure.locator(".watch-told")).to_be_hidden()


@pytest.mark.parametrize("name", PAGES)
def test_without_script_all_steps_stand_side_by_side(chromium, address, name):
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"{address}/zh/{name}.html")
    steps = page.locator(".watch-steps").first.locator("li")
    boxes = [step.bounding_box() for step in steps.all()]
    assert len(boxes) > 2
    assert all(box and box["height"] > 100 for box in boxes)
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    expect(page.locator(".watch-controls")).to_have_count(0)
    context.close()


def test_it_works_from_a_file(chromium, site):
    page = chromium.new_context().new_page()
    page.goto((site / "en/learn/manual.html").as_uri())
    figure = page.locator(".watch.scrubbed").first
    figure.get_by_role("slider").press("End")
    assert shown(figure) == [ALL_REDUCE]
    page.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
def test_it_is_for_everyone_and_for_phones(page, address, name, language):
    page.set_viewport_size({"width": 390, "height": 900})
    figure = opened(page, address, name, language)
    figure.get_by_role("slider").press("End")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for control in figure.locator(".watch-controls > *").all():
        assert control.bounding_box()["height"] >= 40
    # What else is on these pages is looked at with all pages.
    page.evaluate("figure => document.querySelector('article').replaceChildren(figure)", figure.element_handle())
    assert [told for told in everywhere(page) if "watch" in told or "sb-" in told or "slider" in told] == []


def test_only_pages_with_something_to_watch_load_the_script(site):
    loading = {
        path.relative_to(site / "en").with_suffix("").as_posix()
        for path in (site / "en").rglob("*.html")
        if re.search(r'<script[^>]*"[^"]*_static/watch\.js', path.read_text(encoding="utf-8"))
    }
    assert loading == set(PAGES)
    watching = [path for path in (CHECKOUT / "docs").rglob("*.md") if "```{watch}" in path.read_text(encoding="utf-8")]
    assert {path.relative_to(CHECKOUT / "docs").with_suffix("").as_posix() for path in watching} == set(PAGES)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (".watch.scrubbed .watch-steps > li { display: block !important }", "shows all"),
        ("@media print { .watch .watch-steps > li { display: none !important } }", "prints none"),
        (".watch .watch-new { animation: watch-arrive 9s !important }", "moves"),
    ],
)
def test_a_fault_in_the_style_is_found(page, address, fault, found):
    figure = opened(page, address)
    figure.get_by_role("slider").press("ArrowRight")
    page.evaluate(
        "fault => { const sheet = new CSSStyleSheet(); sheet.replaceSync(fault); "
        "document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]; }",
        fault,
    )
    if found == "shows all":
        assert shown(figure) != [1]
    elif found == "prints none":
        page.emulate_media(media="print")
        assert shown(figure) != [*range(ALL_REDUCE + 1)]
    else:
        page.emulate_media(reduced_motion="reduce")
        assert page.evaluate(FLYING) != 0
