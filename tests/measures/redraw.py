"""Print how long the explorer takes to redraw after a change, until the browser has laid the page out again."""

import statistics
from typing import NamedTuple

from browsing import CHECKOUT, chromium_running, served


class Redraw(NamedTuple):
    """A state, and two specs between which it changes."""

    hash: str
    specs: tuple[str, str]
    target: float
    """Milliseconds."""


REDRAWS = {
    "64 devices": Redraw("shape=64,64&mesh=x:8,y:8&spec=x,y", ("P('x', 'y')", "P('y', 'x')"), 16),
    "64 devices, moved": Redraw("shape=64,64&mesh=x:8,y:8&spec=x,y&to=y", ("P('x', 'y')", "P('y', 'x')"), 16),
    "4096 devices, 4096 pieces": Redraw("shape=4096,4096&mesh=x:64,y:64&spec=x,y", ("P('x', 'y')", "P('y', 'x')"), 100),
    "4096 devices, 512 pieces": Redraw("shape=4096,4096&mesh=x:512,y:8&spec=x", ("P('x')", "P(None, 'x')"), 100),
    "4096 devices, 1 piece": Redraw("shape=4096,4096&mesh=x:64,y:64&spec=", ("P()", "P('x')"), 100),
    "4096 devices, moved": Redraw("shape=4096,4096&mesh=x:64,y:64&spec=x,y&to=y", ("P('x', 'y')", "P('y', 'x')"), 100),
}
ROUNDS = 20
# The milliseconds that each of some changes takes.
CHANGE = """([specs, rounds]) => {
    const field = document.querySelector("[name=spec]");
    return Array.from({length: rounds}, (_, round) => {
        const start = performance.now();
        field.value = specs[(round + 1) % 2];
        field.dispatchEvent(new Event("input", {bubbles: true}));
        document.body.offsetHeight;
        return performance.now() - start;
    });
}"""


def begin(page, redraw):
    """Bring the explorer's page into the state from which it changes."""
    page.evaluate("hash => { location.hash = hash }", f"#v=1&{redraw.hash}&dtype=float32")
    page.wait_for_function("shape => document.querySelector('[name=spec]').value === shape", arg=redraw.specs[0])
    page.wait_for_load_state("networkidle")


def main():
    with served(CHECKOUT / "site") as address, chromium_running() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/en/explorer.html")
        page.wait_for_selector(".explorer-begun")
        print(f"{'redraw of the explorer':30}{'median ms':>12}{'most ms':>12}{'target':>12}")
        for name, redraw in REDRAWS.items():
            begin(page, redraw)
            times = page.evaluate(CHANGE, [redraw.specs, ROUNDS])
            print(f"{name:30}{statistics.median(times):12.1f}{max(times):12.1f}{redraw.target:12.0f}", flush=True)


if __name__ == "__main__":
    main()
