"""The built site in a real browser: served from loopback, under the policy that a host should send."""

import functools
import http.server
import shutil
import subprocess
import sys
import threading

import pytest
from browsing import ARGUMENTS, CHECKOUT, NAMES, REMEDY, Handler, Watch
from playwright.sync_api import Error, sync_playwright


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
        server.server_close()


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


@pytest.fixture
def page(chromium, address):
    """A new page, and at the end: no error, no violation of the policy, no request to anywhere else."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    watch = Watch(page, address)
    yield page
    context.close()
    assert watch.faults == []
