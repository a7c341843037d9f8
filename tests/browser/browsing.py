"""A browser, a host that serves the site as it should be served, and a watch on what a page does."""

import functools
import http.server
import shutil
import threading
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from shardbook_sphinx.commands.policy import POLICY

CHECKOUT = Path(__file__).parents[2]
LANGUAGES = ("en", "zh")
# Every page that has a source, and those that Sphinx makes.
SOURCES = sorted(path.relative_to(CHECKOUT / "docs") for path in CHECKOUT.glob("docs/**/*.md"))
PAGES = [*(path.with_suffix(".html").as_posix() for path in SOURCES), "genindex.html", "search.html"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
REMEDY = (
    "There is no Chromium: install one (Debian: apt-get install chromium fonts-noto-cjk), "
    "or Playwright's own with python3 noxfile.py -s browser -- --install"
)
ARGUMENTS = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with the policy, and its own 404 page, as a good host does."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm"}

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
        self.faults = []
        page.on("console", lambda told: self.faults.append(told.text) if told.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on(
            "request",
            lambda asked: None if asked.url.startswith((origin, "data:", "blob:")) else self.faults.append(asked.url),
        )
        page.on("requestfailed", self.failed)

    def failed(self, asked):
        # What is under way when a reader goes on to another page is given up.
        if asked.failure != "net::ERR_ABORTED":
            self.faults.append(f"{asked.url}: {asked.failure}")
