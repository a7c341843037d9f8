"""The page that tests share is to each of them as if it were new."""

from browsing import SIZE, Tab

STATE = """() => ({
    local: localStorage.length, session: sessionStorage.length, cookies: document.cookie, history: history.length,
    size: [innerWidth, innerHeight], dark: matchMedia("(prefers-color-scheme: dark)").matches,
    still: matchMedia("(prefers-reduced-motion: reduce)").matches, print: matchMedia("print").matches,
    own: typeof planted, hovered: document.querySelectorAll(":hover").length, focus: document.activeElement.tagName,
})"""


def test_a_page_is_left_as_if_it_were_new(chromium, address):
    tab = Tab(chromium, address)
    page = tab.opened()
    page.goto(f"{address}/en/index.html")
    new = page.evaluate(STATE)
    assert (new["size"], new["local"], new["history"]) == ([SIZE["width"], SIZE["height"]], 0, 2)
    page.goto(f"{address}/zh/index.html")
    page.evaluate("""() => {
        localStorage.planted = sessionStorage.planted = 1;
        document.cookie = "planted=1";
        globalThis.planted = 1;
        console.error("planted");
    }""")
    page.set_viewport_size({"width": 390, "height": 300})
    page.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")
    page.mouse.move(200, 200)
    page.keyboard.press("Tab")
    page.route("**/en/index.html", lambda route: route.fulfill(body="planted"))
    page.context.new_page()
    spoiled = page.evaluate(STATE)
    assert [name for name in new if spoiled[name] == new[name]] == []
    assert tab.reset() == ["planted"]
    assert tab.opened() == page
    assert page.context.pages == [page]
    page.goto(f"{address}/en/index.html")
    assert page.evaluate(STATE) == new
    assert tab.reset() == []
    tab.close()


def test_a_page_that_cannot_be_made_as_new_is_given_up(chromium, address):
    tab = Tab(chromium, address)
    page = tab.opened()
    page.close()
    assert tab.reset() == []
    assert tab.opened() != page
    tab.close()
