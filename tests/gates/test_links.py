"""The check of links that lead out of the handbook, against a server on this machine."""

import json
import re
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

ASKED = """
```{asked}
https://github.com/jax-ml/jax/issues/27808
https://github.com/google/flax/discussions/4144
```
"""


class Answers(BaseHTTPRequestHandler):
    """Each path says how it is answered."""

    asked: ClassVar[Counter[str]] = Counter()
    closing = threading.Event()

    def do_HEAD(self) -> None:
        self.asked[self.path] += 1
        match self.path:
            case "/200":
                self.answer(200)
            case "/301":
                self.answer(301, Location="/200")
            case "/404":
                self.answer(404)
            case "/429":
                if self.asked[self.path] == 1:
                    self.answer(429, **{"Retry-After": "1"})
                else:
                    self.answer(200)
            case "/nothing":
                self.closing.wait(20)

    do_GET = do_HEAD  # noqa: N815, the name that the server looks for

    def answer(self, code: int, **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": "0", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server():
    """The address of the server, for one test."""
    Answers.asked.clear()
    Answers.closing.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    Answers.closing.set()
    server.shutdown()
    thread.join()
    server.server_close()


def check_links(small):
    """Check the links of the small handbook without leaving this machine: how it went, and what was found of each."""
    stay = ["-D", "linkcheck_ignore=https://github.com/", "-D", "linkcheck_timeout=2"]
    result = small.plain_build("-b", "linkcheck", "-D", "language=en", *stay, into="links", read="en")
    found = [json.loads(line) for line in small.read(".build/links/output.json").splitlines()]
    return result, {link["uri"]: link for link in found}


def link_to(small, *addresses):
    """Put links into the page of today, and the threads in which people asked."""
    links = "\n\n".join(f"[There]({address})." for address in addresses)
    small.edit("docs/now.md", "It is six.", f"It is six.\n\n{links}\n{ASKED}")


def test_each_answer_is_told_of(small, server):
    link_to(small, *(f"{server}/{path}" for path in ("200", "301", "404", "429", "nothing")))
    result, found = check_links(small)
    assert not result.passed
    assert result.ran == []  # the cells have run, and are not asked to do so again
    status = {path: found[f"{server}/{path}"]["status"] for path in ("200", "301", "404", "429", "nothing")}
    assert status == {"200": "working", "301": "redirected", "404": "broken", "429": "working", "nothing": "timeout"}
    assert f"redirect  {server}/301 - permanently to {server}/200" in result.printed
    assert re.search(rf"now\.md:\d+: WARNING: broken link: {server}/404 \(404 .*Not Found", result.printed)
    assert re.search(rf"now\.md:\d+: WARNING: timeout +{server}/nothing", result.printed)
    assert f"{server}/429" not in result.printed
    assert Answers.asked["/429"] == 2  # refused, and asked once more after the second that it wished for


@pytest.mark.parametrize("path", ["404", "nothing"])
def test_one_link_that_does_not_answer_fails(small, server, path):
    link_to(small, f"{server}/200", f"{server}/{path}")
    assert not check_links(small)[0].passed


def test_links_that_answer_pass_and_the_threads_in_which_people_asked_are_among_them(small, server):
    link_to(small, f"{server}/200", f"{server}/301")
    result, found = check_links(small)
    assert result.passed, result.printed
    for address in ASKED.splitlines()[2:4]:
        assert found[address]["status"] == "ignored"  # by this test
        assert address in small.read("docs/now.md").splitlines()[found[address]["lineno"] - 1]
