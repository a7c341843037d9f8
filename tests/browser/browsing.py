"""A browser, a host that serves the site as it should be served, and a watch on what a page does."""

import functools
import http.server
import os
import shutil
import threading
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from shardbook_sphinx.commands.policy import POLICY
from shardbook_sphinx.entries import in_sources

CHECKOUT = Path(__file__).parents[2]
LANGUAGES = ("en", "zh")
# Every page that has a source, and those that Sphinx makes.
SOURCES = sorted(path.relative_to(CHECKOUT / "docs") for path in CHECKOUT.glob("docs/**/*.md"))
PAGES = [*(path.with_suffix(".html").as_posix() for path in SOURCES), "genindex.html", "search.html"]
# The entries of errors and of traps are alike: two of each, but in the slow run all.
ENTRIES = [path.as_posix() for path in in_sources(CHECKOUT / "docs")]
SOME_ENTRIES = [ENTRIES[0], "errors/error-put-fewer-devices.html", "errors/trap-device-put-alias.html", ENTRIES[-1]]
BLANK = "about:blank"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
REMEDY = (
    "There is no Chromium: install one (Debian: apt-get install chromium fonts-noto-cjk), "
    "or Playwright's own with python3 noxfile.py -s browser -- --install"
)
SIZE = {"width": 1280, "height": 900}
# Every page in every theme and width, and axe on whole pages: the slow run, beside the one that leaves out what is alike.
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
PAGES += ENTRIES if LONG else SOME_ENTRIES
# What is visited for its own sake. A Chinese page has the elements and scripts of the English one, and words that break
# anywhere: every third, but in the slow run all.
VISITS = [("en", name) for name in PAGES] + [("zh", name) for name in PAGES[:: 1 if LONG else 3]]
ARGUMENTS = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with the policy, and its own 404 page, as a good host does."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm"}
    protocol_version = "HTTP/1.1"  # one connection for many files

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def send_error(self, code, message=None, explain=None):
        """Answer a wrong address with the 404.html of the site that it points into."""
        asked = Path(self.translate_path(self.path))
        pages = [folder / "404.html" for folder in asked.parents if folder.is_relative_to(self.directory)]
        found = next(filter(Path.is_file, pages), None)
        if code != HTTPStatus.NOT_FOUND or found is None:
            super().send_error(code, message, explain)
            return
        content = found.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@contextmanager
def served(folder):
    """Serve a folder on loopback; the address, without a slash at its end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def chromium_running():
    """The system's Chromium if there is one, else Playwright's own."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS, chromium_sandbox=False)
        except Error as error:
            raise SystemExit(f"{REMEDY}\n{error}") from None
        yield browser
        browser.close()


class Watch:
    """What a page does that a reader should not have to see: errors, violations of the policy, requests elsewhere."""

    def __init__(self, page, origin):
        self.page = page
        self.origin = origin
        self.faults = []
        page.on("console", lambda told: self.faults.append(told.text) if told.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self.requested)
        page.on("requestfailed", self.failed)

    def requested(self, asked):
        if not asked.url.startswith((self.origin, "data:", "blob:", BLANK)):
            self.faults.append(asked.url)

    def failed(self, asked):
        # What is under way when a reader goes on to another page is given up.
        if asked.failure != "net::ERR_ABORTED":
            self.faults.append(f"{asked.url}: {asked.failure}")


class Tab:
    """A page that tests have one after another, each as if it were new: to open one costs four times what a visit does."""

    def __init__(self, browser, origin):
        self.browser = browser
        self.origin = origin
        self.page = None

    def opened(self):
        """The page; a new one, if there is none or the last test has left it in a state that cannot be undone."""
        if self.page is None:
            self.page = self.browser.new_context(viewport=SIZE).new_page()
            self.page.watch = Watch(self.page, self.origin)
            self.devtools = self.page.context.new_cdp_session(self.page)
        return self.page

    def close(self):
        if self.page is not None:
            self.page.context.close()
        self.page = None

    def reset(self):
        """Leave nothing of what a test did to the page; the faults that were seen meanwhile."""
        watch = self.page.watch
        try:
            self.undo()
        except Error:
            self.close()
        faults, watch.faults = watch.faults, []
        return faults

    def undo(self):
        page, context = self.page, self.page.context
        if page.url.startswith("file:"):
            self.close()
            return
        page.unroute_all(behavior="ignoreErrors")
        if page.url.startswith("http:"):
            page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.goto(BLANK)
        for other in context.pages:
            if other != page:
                other.close()
        context.clear_cookies()
        self.devtools.send("Page.resetNavigationHistory")
        page.set_viewport_size(SIZE)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        page.mouse.move(-1, -1)
        page.watch.origin = self.origin


@contextmanager
def heard(page, event):
    """What a page tells of an event, such as ``"request"``, for as long as one listens."""
    told = []

    def note(each):
        told.append(each)

    page.on(event, note)
    try:
        yield told
    finally:
        page.remove_listener(event, note)
