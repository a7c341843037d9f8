"""The built site in a real browser: served from loopback, under the policy that a host should send."""

import functools
import http.server
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Error, sync_playwright

from shardbook_sphinx.policy import POLICY

CHECKOUT = Path(__file__).parents[2]
LANGUAGES = ("en", "zh")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
REMEDY = (
    "There is no Chromium: install one (Debian: apt-get install chromium fonts-noto-cjk), "
    "or Playwright's own with python3 -m nox -s browser -- --install"
)
ARGUMENTS = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files with the policy, and its own 404 page, as a good host does."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".wasm": "application/wasm"}

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def site():
    """The site of this checkout, brought up to date."""
    subprocess.run([sys.executable, "-m", "shardbook_sphinx.build"], cwd=CHECKOUT, check=True)
    return CHECKOUT / "site"


@pytest.fixture(scope="session")
def serve():
    """Serve a folder; the address, without a slash at its end. All servers stop with the tests."""
    servers = []

    def start(folder):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()


@pytest.fixture(scope="session")
def address(site, serve):
    """Where the site is served from, below a folder: nothing in it may rely on standing at the root."""
    return serve(site.parent) + "/site"


@pytest.fixture(scope="session")
def chromium():
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
        page.on("requestfailed", lambda asked: self.faults.append(f"{asked.url}: {asked.failure}"))


@pytest.fixture
def page(chromium, address):
    """A new page, and at the end: no error, no violation of the policy, no request to anywhere else."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    watch = Watch(page, address)
    yield page
    context.close()
    assert watch.faults == []
