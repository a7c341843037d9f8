"""What axe finds on a page, in every theme and width."""

from pathlib import Path

import axe_playwright_python
from browsing import LONG

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
ALIKE = Path(__file__).with_name("alike.js").read_text(encoding="utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# axe is blind to what the browser leaves out while it is off the screen.
ALL_DRAWN = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("section { content-visibility: visible !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
WIDTHS = (1280, 390)
# In an order in which the theme changes once: that takes a third of a second, until colours have come to rest.
STATES = [("light", 1280), ("light", 390), ("dark", 390), ("dark", 1280)]
# Scripts have heard of the new size once it has been painted, and no colour is on its way to another one.
PAINTED = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
    Promise.allSettled(document.getAnimations().filter(each => each instanceof CSSTransition).map(each => each.finished)))"""
# All rules, those of colour, or the others; on the whole page, or on the elements that a function of alike.js names.
RUN = """async ([tags, part, where]) => {
    const include = where ? alike[where[0]](...where.slice(1)) : [document];
    if (!include.length) return [];
    const colour = axe.getRules(["cat.color"]).map(({ruleId}) => ruleId);
    const off = axe.getRules(tags).filter(({ruleId}) => part !== "all" && colour.includes(ruleId) !== (part === "colour"));
    const rules = Object.fromEntries(off.map(({ruleId}) => [ruleId, {enabled: false}]));
    return (await axe.run({include}, {runOnly: tags, rules, resultTypes: ["violations"]})).violations;
}"""


def show(page, theme, width):
    """Show a page in a theme and at a width, without loading it anew."""
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(f"{PAINTED}.then(() => null)")


def told(page, state, part="all", where=None):
    """What axe finds on a page that is shown: theme, width, rule, element and what to do, a line each."""
    return [
        f"{state[0]}, {state[1]} px: {each['id']}: {node['html'][:120]}: {' '.join(node['failureSummary'].split())}"
        for each in page.evaluate(RUN, [TAGS, part, where])
        for node in each["nodes"]
    ]


def on_the_whole(page):
    """What axe finds if it looks at everything in every state."""
    found = []
    page.evaluate(AXE)
    page.evaluate(ALL_DRAWN)
    for state in STATES:
        show(page, *state)
        found += told(page, state)
    return found


def on_one_of_each(page):
    """What axe finds if of what is alike in every state it looks at one. It leaves little of the page.

    Rules of colour look at the first and the last of each kind, with all between hidden. The others look at the whole
    page at either width in the light, its code without spans that are alike; and in the dark at what is shown only then,
    for neither attributes nor places depend on the theme.
    """
    found = []
    page.evaluate(AXE)
    page.evaluate(ALL_DRAWN)
    page.evaluate(ALIKE)
    for theme, width in STATES:
        show(page, theme, width)
        page.evaluate("state => alike.note(state)", f"{theme} {width}")
        if theme == "dark":
            found += told(page, (theme, width), "but colour", ["only", f"dark {width}", f"light {width}"])
    page.evaluate("alike.sample()")
    for state in reversed(STATES):
        show(page, *state)
        found += told(page, state, "colour", ["samples"])
    page.evaluate("alike.whole()")
    page.evaluate("alike.merge()")  # after colour, which may depend on what stands before
    for width in WIDTHS:
        show(page, "light", width)
        found += told(page, ("light", width), "but colour")
    return found


everywhere = on_the_whole if LONG else on_one_of_each
