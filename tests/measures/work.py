"""How long the thread of a page works, as on one machine: other processes neither add to it nor slow it down.

It is CPU time that is measured, and a yardstick with it: a table that the browser makes and lays out. What shares the
machine shares its caches and its power too, and slows both.
"""

from statistics import median

# The milliseconds that the yardstick takes on the machine whose speed is meant, one with two cores that builds the site.
YARDSTICK = 36
TABLE = """() => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const inside = frame.contentDocument;
    const table = inside.createElement("table");
    for (let row = 0; row < 400; row++) {
        const cells = table.insertRow();
        for (const text of ["P('x', 'y')", "float32[8@x, 16@y]", String(row)]) cells.insertCell().textContent = text;
    }
    inside.body.replaceChildren(table);
    inside.body.offsetHeight;
    frame.remove();
}"""


class Work:
    """A clock of the thread that runs a page's scripts, styles it and paints it."""

    def __init__(self, page):
        self.page = page
        self.devtools = page.context.new_cdp_session(page)
        self.devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def done(self):
        metrics = {each["name"]: each["value"] for each in self.devtools.send("Performance.getMetrics")["metrics"]}
        return 1000 * metrics["TaskDuration"]

    def spent(self, act):
        before = self.done()
        act()
        return self.done() - before

    def of(self, act, times):
        """The milliseconds that the thread works for what a function does, each time, as on the machine that is meant."""
        yardsticks, spent = zip(
            *((self.spent(lambda: self.page.evaluate(TABLE)), self.spent(act)) for _ in range(times)), strict=True
        )
        return [each * YARDSTICK / median(yardsticks) for each in spent]


def least(measure, limit):
    """The shortest of three, or the first within the limit: what shares the machine's caches only adds to it."""
    took = measure()
    for _ in range(2):
        if took > limit:
            took = min(took, measure())
    return took
