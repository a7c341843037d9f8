"""Lines of English prose are as wide as those of code, so that a change shows in a diff as what it is."""

import tomllib

import pytest
from checkout import CHECKOUT
from markdown_it import MarkdownIt

DOCS = CHECKOUT / "docs"
WIDTH = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["line-length"]
MARKDOWN = MarkdownIt("commonmark").enable("table")


def too_wide(text):
    """The numbers of the lines of paragraphs, also in lists, that are wider than code may be."""
    lines = text.split("\n")
    paragraphs = [token.map for token in MARKDOWN.parse(text) if token.type == "paragraph_open"]
    return [at + 1 for start, end in paragraphs for at in range(start, end) if len(lines[at]) > WIDTH]


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_prose_is_as_wide_as_code(page):
    assert too_wide(page.read_text(encoding="utf-8")) == []


def test_a_wide_line_is_found():
    wide = "word " * 40
    assert too_wide(f"# {wide}\n\nshort\n{wide}\n\n- one\n- {wide}\n\n```\n{wide}\n```\n\n| {wide} |\n| - |\n") == [
        4,
        7,
    ]
