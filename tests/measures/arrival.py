"""Print how soon a reader who arrives sees a page, can press and search: of this site, or of sites beside one another.

``python -m measures.arrival [FOLDER ...]``: medians of 20 visits, the sites in turn, so that what else the machine does
meanwhile falls on all of them.
"""

import sys
from pathlib import Path
from statistics import median

from browsing import CHECKOUT, chromium_running, heard, served

from measures.weights import weight

VISITS = 20
SLOWER = 4
PAGES = ("index.html", "explorer.html", "learn/manual.html", "explain/three-compilers.html")
LARGEST = """() => new Promise(done => new PerformanceObserver(list => done(list.getEntries().at(-1).startTime)).observe(
    { type: "largest-contentful-paint", buffered: true }))"""
PRESSED = """() => new Promise(done => {
    new PerformanceObserver(list => {
        const presses = list.getEntries().filter(entry => entry.interactionId);
        if (presses.length) done(Math.max(...presses.map(entry => entry.duration)));
    }).observe({ type: "event", durationThreshold: 16 });
    setTimeout(() => done(16), 1000);  // quicker than one frame: such an event is not told
})"""
SEARCHED = """() => new Promise(done => {
    const field = document.querySelector(".sidebar-search");
    const start = performance.now();
    const look = () => {
        if (document.querySelector(".search-panel [role=option]")) done(performance.now() - start);
        else requestAnimationFrame(look);
    };
    field.focus();
    field.value = "mesh";
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    look();
})"""


def visits(browser, address):
    """The figures of one visit, by name: each page in a browser that has cached nothing."""
    found = {}
    for name in PAGES:
        for slower in (SLOWER, 1):
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
            with heard(page, "response") as answers:
                page.goto(f"{address}/en/{name}", wait_until="networkidle")
            if slower == 1:
                found[f"{name} first search, ms"] = page.evaluate(SEARCHED)
            else:
                found[f"{name} gzipped, KB"] = weight(answers) / 1000
                found[f"{name} requests"] = len(answers)
                found[f"{name} largest paint at {slower}x, ms"] = page.evaluate(LARGEST)
                page.evaluate(f"() => {{ window.pressed = ({PRESSED})() }}")
                page.locator("button.theme-toggle:visible").first.click()
                found[f"{name} press at {slower}x, ms"] = page.evaluate("window.pressed")
            context.close()
    return found


def main():
    folders = [Path(name) for name in sys.argv[1:]] or [CHECKOUT / "site"]
    seen = [[] for _ in folders]
    with chromium_running() as browser:
        for _ in range(VISITS):
            for folder, times in zip(folders, seen, strict=True):
                with served(folder) as address:
                    times.append(visits(browser, address))
    print(f"{'medians of ' + str(VISITS):52}" + "".join(f"{place:>12}" for place in range(1, len(folders) + 1)))
    for name in seen[0][0]:
        medians = [median(each[name] for each in times) for times in seen]
        print(f"{name:52}" + "".join(f"{each:12.1f}" for each in medians))


if __name__ == "__main__":
    main()
