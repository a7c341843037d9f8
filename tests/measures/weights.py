"""Print what each page weighs: bytes, gzipped, of the page and all it loads before the reader searches, and requests."""

import gzip

from browsing import CHECKOUT, LANGUAGES, PAGES, chromium_running, heard, served


def weigh(page, url):
    """The bytes of a page and all that it loads, gzipped as a host would send them, and the number of requests."""
    with heard(page, "response") as answers:
        page.goto(url)
        page.wait_for_load_state("networkidle")
    return weight(answers), len(answers)


def weight(answers):
    """The bytes of answers, gzipped as a host would send them."""
    return sum(len(gzip.compress(answer.body())) for answer in answers)


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
