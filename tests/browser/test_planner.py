"""The planner: used by hand, by keyboard and by link, in either language; whatever is asked, the page stands."""

import json
import re

import pytest
from axe import everywhere
from browsing import LANGUAGES
from plan_links import HOSTILE, IMPOSSIBLE, link
from playwright.sync_api import expect

# The least of several times for each change: the machine may be busy with something else.
REDRAW = """(values) => values.map(([name, ...values]) => {
    const field = document.querySelector(`[name="${name}"]`);
    const shown = document.querySelector(".planner-shown");
    return Math.min(...values.map(value => {
        const before = performance.now();
        field.value = value;
        field.dispatchEvent(new InputEvent("input", {bubbles: true}));
        shown.getBoundingClientRect();
        return performance.now() - before;
    }));
})"""


@pytest.fixture
def planner(page, address):
    """The English page, begun."""
    return opened(page, address)


def opened(page, address, hash_="", language="en"):
    page.goto(f"{address}/{language}/planner.html{hash_}")
    page.wait_for_selector(".planner-begun")
    return page


def field(page, name):
    return page.locator(f"[name='{name}']")


def verdict(page):
    return page.locator(".planner-verdict")


def test_the_first_plan_is_shown(planner):
    expect(verdict(planner)).to_have_text("Fits: 12.23 GiB of 59.33 GiB that a program may use on each of 64 × H100.")
    assert field(planner, "model").input_value() == "Llama 3.1 8B"
    assert planner.locator(".planner-memory tbody tr").count() == 7
    assert planner.locator(".planner-sent tbody tr").count() == 3
    expect(planner.locator(".planner-sent")).to_contain_text("10.06 GiB")
    assert planner.locator(".planner-others button").count() == 3


def test_a_model_that_does_not_fit_is_told_and_a_press_mends_it(planner):
    field(planner, "model").select_option("Llama 3.1 70B")
    field(planner, "chip").select_option("v5e")
    expect(verdict(planner)).to_contain_text("Does not fit")
    expect(planner.locator(".planner-others p")).to_contain_text("No other mesh of as many devices fits. With ")
    planner.locator(".planner-others button").first.click()
    expect(verdict(planner)).to_contain_text("Fits by the formulas, but within their error: 13 GiB of 15.75 GiB")
    assert planner.evaluate("document.activeElement.className") == "planner-verdict"


def test_a_verdict_within_the_error_of_the_formulas_says_so(page, address):
    """One of the plans that were drawn: 15.13 GiB by the formulas, 19.33 by the compiler's count, of 15.75."""
    gemma = {"L": 42, "D": 3584, "H": 16, "k": 256, "V": 256000, "tied": 1, "B": 128, "S": 2048}
    opened(page, address, link(**gemma, fsdp=8, sequence=2, tensor=4, chip="v5e"))
    expect(verdict(page)).to_contain_text("Fits by the formulas, but within their error: 15.13 GiB of 15.75 GiB")


def test_a_gpu_of_which_more_may_be_taken_is_told_of(page, address):
    large = {"L": 80, "D": 8192, "F": 28672, "H": 64, "B": 64, "S": 2048}
    opened(page, address, link(**large, fsdp=4, tensor=16))
    expect(verdict(page)).to_contain_text("Does not fit: 67.27 GiB, and a program may use 59.33 GiB")
    expect(verdict(page)).to_contain_text("with XLA_PYTHON_CLIENT_MEM_FRACTION=.9 in the environment it fits.")
    expect(page.locator(".planner-others p")).to_have_text("What fits, with as many devices:")


def test_what_does_not_divide_is_said_at_its_field(planner):
    field(planner, "tensor").fill("6")
    refusal = planner.locator(".planner-refusal")
    expect(refusal).to_contain_text("heads (H) = 32 does not divide by tensor = 6: change one of them.")
    assert field(planner, "H").get_attribute("aria-invalid") == "true"
    expect(planner.locator(".planner-stale")).to_be_visible()
    field(planner, "tensor").fill("8")
    expect(refusal).to_be_hidden()


@pytest.mark.parametrize("text", ["0", "-3", "1000000000000000000", "NaN", "", "3.5", "<b>", "1e3", "四"])
def test_any_text_is_told_of_in_a_sentence(planner, text):
    for name in ("L", "B", "tensor"):
        if not field(planner, name).is_visible():
            planner.locator(".planner-sizes summary").click()
        field(planner, name).fill(text)
        expect(planner.locator(".planner-refusal")).to_contain_text("must be a whole number from 1 to 16777216.")
        field(planner, name).fill("64" if name == "B" else "4")
        expect(planner.locator(".planner-refusal")).to_be_hidden()


def test_a_link_brings_the_plan_back(planner, address):
    field(planner, "model").select_option("Qwen3 8B")
    field(planner, "sequence").fill("2")
    field(planner, "half").select_option("0")
    field(planner, "again").uncheck()
    expect(planner).to_have_url(re.compile("sequence=2.*half=0&again=0"))
    said, where = verdict(planner).inner_text(), planner.url
    planner.goto("about:blank")
    planner.goto(where)
    planner.wait_for_selector(".planner-begun")
    assert verdict(planner).inner_text() == said
    assert field(planner, "model").input_value() == "Qwen3 8B"
    assert not field(planner, "again").is_checked()


def test_hostile_links_do_no_harm(page, address):
    """The page's policy, its errors and requests are looked at by the fixture."""
    opened(page, address)
    said = verdict(page).inner_text()
    for hash_ in HOSTILE:
        page.evaluate("hash => { location.hash = hash; }", hash_)
        expect(page.locator(".planner-link-problem")).to_contain_text("This link cannot be followed")
        assert verdict(page).inner_text() == said
    opened(page, address, IMPOSSIBLE[0])
    assert verdict(page).inner_text() == said
    for hash_ in IMPOSSIBLE:
        page.evaluate("hash => { location.hash = hash; }", hash_)
        expect(page.locator(".planner-refusal")).to_be_visible()
        assert "undefined" not in page.locator(".planner").inner_text()
        assert "{" not in page.locator(".planner-refusal").inner_text()
    page.evaluate("hash => { location.hash = hash; }", link())
    expect(verdict(page)).to_have_text(said)


def test_the_program_can_be_copied_and_read(planner):
    planner.context.grant_permissions(["clipboard-read", "clipboard-write"])
    planner.get_by_role("button", name="Copy the Python").click()
    expect(planner.locator(".planner-said")).to_have_text("Copied.")
    copied = planner.evaluate("navigator.clipboard.readText()")
    assert "plan = Plan(model, B=64, S=4096, fsdp=16, tensor=4)" in copied
    planner.locator(".planner-python summary").click()
    shown = planner.locator(".planner-python pre")
    expect(shown).to_contain_text("tokens = draw(jax.random.key(1))")
    assert shown.inner_text().strip() == copied.strip()


def test_by_keyboard(planner):
    field(planner, "tensor").focus()
    planner.keyboard.press("Control+a")
    planner.keyboard.type("2")
    planner.keyboard.press("Shift+Tab")
    planner.keyboard.press("Shift+Tab")
    assert planner.evaluate("document.activeElement.name") == "fsdp"
    planner.keyboard.press("Control+a")
    planner.keyboard.type("32")
    expect(verdict(planner)).to_contain_text("each of 64 × H100")
    expect(planner.locator(".planner-said")).to_contain_text("Fits: ")


def test_a_redraw_fits_into_a_frame(planner):
    """With the layout of the page, of 16 ms."""
    changes = [("tensor", *"1248124812"), ("fsdp", *["8", "16", "32"] * 4), ("B", *["64", "128", "192"] * 4)]
    times = planner.evaluate(REDRAW, changes)
    assert max(times) < 16, times


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_the_language_of_the_page(page, address, language):
    opened(page, address, link(tensor=6), language)
    said = page.locator(".planner-refusal").inner_text()
    assert ("整除" in said) == (language == "zh")
    assert ("放得下" in verdict(page).inner_text()) == (language == "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing(page, address, language):
    opened(page, address, language=language)
    assert everywhere(page) == []


def test_without_a_script_it_says_so(chromium, address):
    page = chromium.new_page(java_script_enabled=False)
    page.goto(f"{address}/en/planner.html")
    expect(page.locator(".planner .explorer-waiting")).to_have_text(
        "The planner needs JavaScript. The formulas below need Python alone."
    )
    page.close()


def test_a_phone_shows_all_of_it(page, address):
    page.set_viewport_size({"width": 360, "height": 700})
    opened(page, address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert json.loads(page.evaluate("JSON.stringify(document.querySelectorAll('.planner-bar').length)")) == 1
