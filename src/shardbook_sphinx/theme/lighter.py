"""Leave out of a page what no reader sees: half of the elements that Sphinx and Pygments write say nothing.

A browser goes through all elements of a page whenever the theme is switched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# A span around each word of inline code, and around the text of a link.
WORD = re.compile(r'<span class="pre">([^<]*)</span>')
LINKED = re.compile(r'<span class="(?:std|doc)[\w -]*">((?:(?!</?span).)*)</span>', re.DOTALL)
# Names, modules, punctuation, operators and spaces in code have the colour that all code has.
PLAIN = re.compile(r'<span class="(?:n|nn|p|o|w)">([^<]*)</span>')
# Each line of output, of several.
OUTPUT = re.compile(r'<span class="go">[^<]*</span>(?:\n<span class="go">[^<]*</span>)+')
# Pygments begins each block with an empty span, for the sake of blocks that begin with an empty line.
FIRST = re.compile(r"(<pre[^>]*>)<span></span>(?!\n)")
# The one paragraph of a table's cell.
PARAGRAPH = re.compile(r"(<t[dh][^>]*>)<p>((?:(?!</?(?:p|ul|ol|div|td|th)\b).)*)</p>\s*(</t[dh]>)", re.DOTALL)


def lighter(body: str) -> str:
    r"""A page's HTML without what no reader sees.

    >>> lighter('<code><span class="pre">a</span> <span class="pre">b</span></code>')
    '<code>a b</code>'
    >>> lighter('<pre><span></span><span class="n">f</span><span class="p">(</span><span class="mi">1</span></pre>')
    '<pre>f(<span class="mi">1</span></pre>'
    >>> lighter('<span class="go">one</span>\n<span class="go">two</span>')
    '<span class="go">one\ntwo</span>'
    >>> lighter("<td><p>one</p></td><td><p>two</p><p>paragraphs</p></td>")
    '<td>one</td><td><p>two</p><p>paragraphs</p></td>'
    """
    body = WORD.sub(r"\1", body)
    for pattern in (PLAIN, LINKED, FIRST):
        body = pattern.sub(r"\1", body)
    body = OUTPUT.sub(lambda lines: lines[0].replace('</span>\n<span class="go">', "\n"), body)
    return PARAGRAPH.sub(r"\1\2\3", body)


def make_lighter(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Make a page lighter that is about to be written, once names in it are links."""
    for part in ("body", "toc"):
        if part in context:
            context[part] = lighter(context[part])
