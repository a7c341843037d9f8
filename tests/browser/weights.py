"""Print what each page weighs: bytes, gzipped, of the page and all it loads before the reader searches, and requests."""

import functools
import gzip
import http.server
import shutil
import threading

from browsing import ARGUMENTS, CHECKOUT, LANGUAGES, NAMES, PAGES, Handler
from playwright.sync_api import sync_playwright


def weigh(page, url):
    """The bytes of a page and all that it loads, gzipped as a host would send them, and the number of requests."""
    bodies = []
    page.on("response", lambda answer: bodies.append(answer.body()))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    return sum(len(gzip.compress(body)) for body in bodies), len(bodies)


def main():
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(CHECKOUT / "site"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS, chromium_sandbox=False)
        print(f"{'page':40}" + "".join(f"{language + ' KB':>8}{'requests':>10}" for language in LANGUAGES))
        for name in PAGES:
            line = f"{name:40}"
            for language in LANGUAGES:
                page = browser.new_page()
                weight, requests = weigh(page, f"http://127.0.0.1:{server.server_port}/{language}/{name}")
                line += f"{weight / 1000:8.1f}{requests:10}"
                page.close()
            print(line, flush=True)
        browser.close()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
