"""How a page is set, and what stands around it: lines, code and outputs, contents, a phone's header, paper."""

from statistics import median

import pytest
from browsing import LANGUAGES

PHONE = {"width": 390, "height": 844}
# The lines of running text, as a reader sees them: of each paragraph all but the last.
LINES = """() => {
    const found = [];
    for (const paragraph of document.querySelectorAll("article section > p:not([class])")) {
        const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
        const lines = new Map();
        let bottom = -Infinity, line = 0;
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            for (let at = 0; at < node.length; at++) {
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + 1);
                const box = range.getClientRects()[0];
                if (!box) continue;
                // Code stands a little higher or lower than the text around it.
                if (box.top > bottom - 4) line++;
                bottom = Math.max(bottom, box.bottom);
                lines.set(line, (lines.get(line) ?? 0) + (/[\u3000-\u9fff\uff00-\uffef]/.test(node.data[at]) ? 2 : 1));
            }
        }
        found.push(...[...lines.values()].slice(0, -1));
    }
    return found;
}"""
# By language: Latin characters a line; a Chinese one is as wide as two.
LONG_ENOUGH = {"en": (64, 74), "zh": (72, 84)}


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_has_about_seventy_characters(page, address, language, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}/{language}/learn/placing.html")
    lines = page.evaluate(LINES)
    least, most = LONG_ENOUGH[language]
    assert len(lines) > 15
    assert least <= median(lines) <= most
    page.evaluate("document.querySelector('.content').style.setProperty('--line', '46em')")
    assert median(page.evaluate(LINES)) > most


LOOK = """selector => {
    const { backgroundColor, borderInlineStartStyle } = getComputedStyle(document.querySelector(selector));
    return [backgroundColor, borderInlineStartStyle];
}"""


@pytest.mark.parametrize(("theme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_output_is_told_from_code_by_more_than_colour(page, address, theme, media):
    page.goto(f"{address}/en/learn/placing.html")
    page.emulate_media(color_scheme=theme, media=media)
    looks = [page.evaluate(LOOK, name) for name in (".cell_input", ".output.stream", ".output.traceback")]
    assert [line for _, line in looks] == ["solid", "dotted", "double"]
    assert looks[1][0] == looks[2][0] != looks[0][0]


@pytest.mark.parametrize(("language", "label"), [("en", "Output"), ("zh", "输出")])
def test_output_is_announced(page, address, language, label):
    page.goto(f"{address}/{language}/learn/placing.html")
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")  # an answer's too
    outputs = page.get_by_role("group", name=label, exact=True)
    assert outputs.count() == page.locator(".cell_output").count() > 5


def test_what_the_text_speaks_of_is_seen(page, address):
    """The next sentence explains the last word of that output."""
    page.goto(f"{address}/en/learn/placing.html")
    box = page.locator(".output.stream", has_text="memory_kind=device").bounding_box()
    assert box["x"] + box["width"] <= 1280
    assert page.locator("pre", has_text="memory_kind=device").evaluate("pre => pre.scrollWidth <= pre.clientWidth")


@pytest.mark.parametrize("language", LANGUAGES)
def test_contents_say_nothing_twice_and_can_be_read(page, address, language):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}/{language}/reference/mesh.html")
    links = page.locator(".toc-tree a")
    assert [text.partition("（")[0] for text in links.all_text_contents()].count("make_mesh") == 1
    sizes = "links => links.map(link => Math.min(...[link, ...link.children].map(e => parseFloat(getComputedStyle(e).fontSize))))"
    assert min(links.evaluate_all(sizes)) >= 12


def test_the_contents_lead_back_to_the_top_and_nothing_covers_the_page(page, address):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{address}/en/learn/placing.html")
    page.evaluate("scrollTo(0, 3000)")
    page.mouse.wheel(0, -500)
    page.wait_for_function("() => document.documentElement.matches('.show-back-to-top')")
    assert not page.locator(".back-to-top").is_visible()
    page.locator(".toc-tree a", has_text="Placing an array").click()
    page.wait_for_function("() => scrollY === 0")


@pytest.mark.parametrize("width", [390, 1280, 1440, 1920])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_history_shows_the_newest_release_at_every_width(page, address, language, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}/{language}/history/names.html")
    for wrapper in page.locator(".api-matrix.table-wrapper").all():
        releases = wrapper.locator("thead th").all_text_contents()[1:]
        assert releases == sorted(
            releases, key=lambda release: [int(part) for part in release.split(".")], reverse=True
        )
        frame, newest = wrapper.bounding_box(), wrapper.locator("thead th").nth(1).bounding_box()
        assert newest["x"] + newest["width"] <= frame["x"] + frame["width"]
        scrolls = wrapper.evaluate("frame => frame.scrollWidth > frame.clientWidth")
        assert scrolls == (width == 390)
        if scrolls:
            name = wrapper.locator("tbody th").first
            before = name.bounding_box()["x"]
            wrapper.evaluate("frame => { frame.scrollLeft = 200 }")
            assert name.bounding_box()["x"] == pytest.approx(before, abs=4)


def test_paper_is_light_and_wide_enough_for_a_history(page, address):
    """A4 with the margins that browsers leave is 718 px wide."""
    page.set_viewport_size({"width": 718, "height": 1000})
    page.goto(f"{address}/en/history/names.html")
    page.emulate_media(media="print", color_scheme="dark")
    for theme in ("auto", "dark"):
        page.evaluate("theme => { document.body.dataset.theme = theme }", theme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    for wrapper in page.locator(".api-matrix.table-wrapper").all():
        assert wrapper.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    assert not page.locator(".search").first.is_visible()


# A phone


@pytest.fixture
def phone(chromium):
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


SMALL = """selector => [...document.querySelectorAll(selector)].filter(e => e.checkVisibility())
    .map(e => [e.className || e.textContent, e.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 44 || height < 44)
    .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""
PRESSED = ".mobile-header .icon, .mobile-header button, .mobile-header a, .languages a, .copybtn"


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_what_is_pressed_is_as_large_as_a_finger(phone, address, language):
    phone.goto(f"{address}/{language}/learn/placing.html")
    phone.locator(".copybtn").first.wait_for()
    assert phone.evaluate(SMALL, PRESSED) == []
    phone.evaluate("document.querySelector('.mobile-header button').style.height = '24px'")
    assert phone.evaluate(SMALL, PRESSED) == ["theme-toggle: 44 x 24"]


def test_on_a_phone_copy_buttons_are_shown(phone, address):
    phone.goto(f"{address}/en/learn/placing.html")
    button = phone.locator(".copybtn").first
    button.wait_for()
    assert button.evaluate("button => getComputedStyle(button).opacity") == "1"


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_the_search_is_in_the_header(phone, address, language):
    phone.goto(f"{address}/{language}/learn/placing.html")
    phone.evaluate("scrollTo(0, 1500)")
    field, header = (phone.locator(name).bounding_box() for name in (".sidebar-search", ".mobile-header"))
    assert header["y"] == 0
    assert 0 <= field["y"] < field["y"] + field["height"] <= header["height"]
    for other in phone.locator(".mobile-header :is(.icon, button, a)").all():
        box = other.bounding_box()
        assert box["x"] + box["width"] <= field["x"] or field["x"] + field["width"] <= box["x"]
    phone.locator(".sidebar-search").tap()
    phone.keyboard.insert_text("NamedSharding")
    phone.locator(".search-panel a").first.wait_for()
    panel = phone.locator(".search-panel").bounding_box()
    assert 0 <= panel["x"] < panel["x"] + panel["width"] <= PHONE["width"]
    phone.locator(".search-panel a").first.tap()
    phone.wait_for_url("**/reference/**")


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_phone_the_last_column_of_a_table_can_be_reached(phone, address, language):
    phone.goto(f"{address}/{language}/explain/product-cost.html")
    wrapper = phone.locator(".product-cost.table-wrapper").first
    phone.wait_for_function("() => document.querySelector('.product-cost.table-wrapper.more-after')")
    wrapper.evaluate("frame => { frame.scrollLeft = 9999 }")
    phone.wait_for_function("() => !document.querySelector('.product-cost.table-wrapper').matches('.more-after')")
    last, first = (wrapper.locator("thead th").nth(place).bounding_box() for place in (-1, 0))
    assert last["x"] + last["width"] <= PHONE["width"]
    assert first["x"] >= 0
