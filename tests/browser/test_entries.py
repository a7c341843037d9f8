"""Each entry of an error or a trap is a page: old addresses lead to it, and the list of all shows what is like a message."""

import pytest
from browsing import CHECKOUT, LANGUAGES
from playwright.sync_api import expect

# What once was a place on a page, and where it is now; a heading was an address too.
MOVED = {
    "placing.html#error-put-indivisible": "error-put-indivisible.html",
    "placing.html#a-size-that-does-not-divide": "error-put-indivisible.html",
    "traps.html#trap-device-put-alias": "trap-device-put-alias.html",
    "processes.html#trap-put-compares": "trap-put-compares.html",
}
NOWHERE = ("", "#sizes-and-specs", "#error-no-such-entry", "#%", "#%E4%BD", "#" + "x" * 10_000, "#a'\"]<b>")
THEIRS = """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
ValueError: Sharding spec ('batch',) implies that array axis 0 is partitioned 27 times, but does not evenly divide the
dimension size 100. Got shape: (100,) and sharding NamedSharding(mesh=AbstractMesh('batch': 27))"""
# A paste, as a reader's keys do it.
PASTE = """(field, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    if (field.dispatchEvent(event)) {
        field.value = text;
        field.dispatchEvent(new Event("input"));
    }
}"""
# How long the page is busy with it.
TIMED_PASTE = f"""async (field, text) => {{
    const begin = performance.now();
    ({PASTE})(field, text);
    await new Promise(requestAnimationFrame);
    await new Promise(done => setTimeout(done));
    return performance.now() - begin;
}}"""


def box(page):
    return page.locator(".message-box textarea")


def shown(page):
    """The links to entries in the list of all messages."""
    return page.locator(".error-messages li a")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("old", MOVED)
def test_an_old_address_leads_to_the_entry(page, address, language, old):
    page.goto(f"{address}/{language}/errors/{old}")
    page.wait_for_url(f"{address}/{language}/errors/{MOVED[old]}")
    assert page.locator("h1").count() == 1


def test_a_fragment_that_comes_later_leads_there_too_and_back_leads_back(page, address):
    page.goto(f"{address}/en/index.html")
    page.goto(f"{address}/en/errors/placing.html")
    page.evaluate("location.hash = 'error-put-indivisible'")
    page.wait_for_url("**/error-put-indivisible.html")
    page.go_back()
    page.wait_for_url("**/placing.html")


@pytest.mark.parametrize("fragment", NOWHERE)
def test_an_unknown_fragment_leaves_the_list(page, address, fragment):
    page.goto(f"{address}/zh/errors/placing.html{fragment}")
    page.wait_for_load_state("networkidle")
    assert "/placing.html" in page.url
    page.locator("#error-put-indivisible a").click()
    page.wait_for_url("**/error-put-indivisible.html")


def test_a_page_that_forwards_nobody_is_found(page, address):
    text = (CHECKOUT / "docs/_static/entries.js").read_text(encoding="utf-8")
    assert "location.replace(link.href)" in text

    def without(route):
        body = route.fetch().text().replace("location.replace(link.href)", "undefined")
        route.fulfill(body=body, content_type="text/javascript")

    page.route("**/scripts.js*", without)
    page.goto(f"{address}/en/errors/placing.html#error-put-indivisible")
    page.wait_for_load_state("networkidle")
    assert page.url.endswith("/placing.html#error-put-indivisible")


def test_without_a_script_the_old_address_shows_the_link(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/en/errors/placing.html#error-put-indivisible")
    expect(page.locator("#error-put-indivisible a")).to_be_in_viewport()
    page.goto(f"{address}/en/errors/index.html")
    expect(page.locator(".message-box")).to_be_hidden()
    assert shown(page).count() > 300
    context.close()


@pytest.mark.parametrize(("language", "other"), [("en", "zh"), ("zh", "en")])
def test_the_language_switch_keeps_the_entry(page, address, language, other):
    page.goto(f"{address}/{language}/errors/trap-device-put-alias.html")
    page.locator(".languages a:not([aria-current])").click()
    page.wait_for_url(f"{address}/{other}/errors/trap-device-put-alias.html")
    page.locator(".breadcrumbs a").last.click()
    page.wait_for_url(f"{address}/{other}/errors/traps.html")


def test_the_sidebar_marks_the_source_page_and_leads_to_it(page, address):
    page.goto(f"{address}/en/errors/trap-device-put-alias.html")
    current = page.locator(".sidebar-tree .current-page > a")
    assert current.get_attribute("href") == "traps.html"
    assert page.locator('.sidebar-tree a[href*="trap-"]').count() == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_all_is_filtered_as_one_types(page, address, language):
    page.goto(f"{address}/{language}/errors/index.html")
    every = shown(page).count()
    box(page).press_sequentially("evenly DIVIDE")
    expect(shown(page)).not_to_have_count(every)
    told = shown(page).locator("code").evaluate_all("all => all.map(code => code.dataset.whole ?? code.textContent)")
    assert told
    assert all("evenly" in each.lower() and "divide" in each.lower() for each in told)
    expect(page.locator(".message-status")).to_contain_text(str(len(told)))
    box(page).fill("")
    expect(shown(page)).to_have_count(every)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pasted_message_with_the_readers_own_names_shows_its_entry_first(page, address, language):
    page.goto(f"{address}/{language}/errors/index.html")
    box(page).evaluate(PASTE, THEIRS)
    expect(shown(page).first).to_have_attribute("href", "error-put-indivisible.html")
    assert shown(page).count() <= 8


def test_from_a_file_too(chromium, site):
    context = chromium.new_context()
    page = context.new_page()
    page.goto((site / "en/errors/index.html").as_uri())
    box(page).evaluate(PASTE, "ValueError: " + THEIRS.split("ValueError: ")[1])
    expect(page.locator('.error-messages a[href="error-put-indivisible.html"]')).to_be_visible()
    assert shown(page).count() <= 8
    page.goto((site / "en/errors/placing.html").as_uri() + "#error-put-indivisible")
    page.wait_for_url("**/error-put-indivisible.html")
    context.close()


def test_a_megabyte_leaves_the_page_usable(page, address):
    """A log that ends with its error: the end counts."""
    page.goto(f"{address}/en/errors/index.html")
    log = "step 1 of 2 took 3.4 seconds\n" * 40_000
    assert len(log) > 1_000_000
    took = box(page).evaluate(TIMED_PASTE, f"{log}ValueError: {THEIRS.split('ValueError: ')[1]}")
    assert took < 2000
    expect(shown(page).first).to_have_attribute("href", "error-put-indivisible.html")
    assert len(box(page).input_value()) <= 4000
    box(page).fill("")
    assert shown(page).count() > 300


@pytest.mark.parametrize("text", ["zzyzx", "'\"<b>&", "zzyzx " * 20, "网格" * 3000, "\x00\ufffe"])
def test_what_no_message_has_says_so(page, address, text):
    page.goto(f"{address}/en/errors/index.html")
    box(page).fill(text)
    expect(page.locator(".message-status")).to_contain_text("No message here is like this one.")
    assert shown(page).count() == 0
    box(page).fill("")
    assert shown(page).count() > 300


def test_a_message_is_looked_for_in_the_whole_handbook_too(page, address):
    page.goto(f"{address}/en/errors/index.html")
    box(page).fill("does not evenly divide")
    page.locator(".message-box button").click()
    page.wait_for_url("**/search.html?q=does+not+evenly+divide")
    page.locator(".search-list a").first.wait_for()


@pytest.mark.parametrize(("language", "fails", "works"), [("en", "✗ Fails", "✓ Works"), ("zh", "✗ 报错", "✓ 不报错")])
def test_what_fails_and_what_works_is_read_aloud(page, address, language, fails, works):
    page.goto(f"{address}/{language}/errors/error-put-indivisible.html")
    heard = page.locator("article").aria_snapshot()
    # A title may hold words of the message: what is shown of it comes after the mark.
    shown = heard.index("does not evenly divide", heard.index(fails))
    assert shown < heard.index(works)


def test_what_programs_start_from_opens(page, address):
    page.goto(f"{address}/en/errors/error-put-indivisible.html")
    code = page.locator("details.above pre")
    expect(code).to_be_hidden()
    page.locator("details.above summary").click()
    expect(code).to_contain_text("rows = NamedSharding(mesh")
