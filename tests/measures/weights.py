"""Print what each page weighs: bytes, gzipped, of the page and all it loads before the reader searches, and requests."""

import gzip

from browsing import CHECKOUT, LANGUAGES, PAGES, chromium_running, served


def weigh(page, url):
    """The bytes of a page and all that it loads, gzipped as a host would send them, and the number of requests."""
    bodies = []
    page.on("response", lambda answer: bodies.append(answer.body()))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    return sum(len(gzip.compress(body)) for body in bodies), len(bodies)


def main():
    with served(CHECKOUT / "site") as address, chromium_running() as browser:
        print(f"{'page':40}" + "".join(f"{language + ' KB':>8}{'requests':>10}" for language in LANGUAGES))
        for name in PAGES:
            line = f"{name:40}"
            for language in LANGUAGES:
                page = browser.new_page()
                weight, requests = weigh(page, f"{address}/{language}/{name}")
                line += f"{weight / 1000:8.1f}{requests:10}"
                page.close()
            print(line, flush=True)


if __name__ == "__main__":
    main()
