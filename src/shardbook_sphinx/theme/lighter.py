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
# Pygments begins each block with an empty span, for the sake of blocks that begin with an empty line.
FIRST = re.compile(r"(<pre[^>]*>)<span></span>(?!\n)")
# The one paragraph of a table's cell.
PARAGRAPH = re.compile(r"(<t[dh][^>]*>)<p>((?:(?!</?(?:p|ul|ol|div|td|th)\b).)*)</p>\s*(</t[dh]>)", re.DOTALL)
TABLE = re.compile(r'<table class="[^"]*\bproduct-cost\b.*?</table>', re.DOTALL)
CODES = re.compile(r'<(t[dh])((?: class="stub")?)>((?:<code class="literal">[^<]*</code>[^<]*)+)</t[dh]>')
STUB = re.compile(r'<tr[^>]*>(<th class="stub[^>]*)>(.*?)</th>\s*', re.DOTALL)


def lighter(body: str) -> str:
    """A page's HTML without what no reader sees.

    >>> lighter('<code><span class="pre">a</span> <span class="pre">b</span></code>')
    '<code>a b</code>'
    >>> lighter('<pre><span></span><span class="n">f</span><span class="p">(</span><span class="mi">1</span></pre>')
    '<pre>f(<span class="mi">1</span></pre>'
    >>> lighter("<td><p>one</p></td><td><p>two</p><p>paragraphs</p></td>")
    '<td>one</td><td><p>two</p><p>paragraphs</p></td>'
    """
    body = WORD.sub(r"\1", body)
    for pattern in (PLAIN, LINKED, FIRST):
        body = pattern.sub(r"\1", body)
    body = PARAGRAPH.sub(r"\1\2\3", body)
    return TABLE.sub(lambda found: share_heads(CODES.sub(as_code, found[0])), body)


def as_code(cell: re.Match[str]) -> str:
    r"""A cell of a table that holds nothing but code, as code itself, a line each.

    >>> CODES.sub(as_code, '<th class="stub"><code class="literal">P()</code>; <code class="literal">P(1)</code></th>')
    '<th class="stub code">P();\nP(1)</th>'
    """
    tag, stub, content = cell.groups()
    text = "\n".join(re.sub("</?code[^>]*>", "", line).strip() for line in re.split("(?<=[;；])", content))
    return f'<{tag} class="{"stub code" if stub else "code"}">{text}</{tag}>'


def share_heads(table: str) -> str:
    """A table in which rows that follow one another and have the same head share it.

    >>> share_heads('<tr><th class="stub">a</th><td>1</td></tr><tr><th class="stub">a</th><td>2</td></tr>')
    '<tr><th class="stub" scope="rowgroup" rowspan="2">a</th><td>1</td></tr><tr><td>2</td></tr>'
    """
    pieces = STUB.split(table)
    heads, rests = list(zip(pieces[1::3], pieces[2::3], strict=True)), pieces[3::3]
    written = [pieces[0]]
    for place, (head, rest) in enumerate(zip(heads, rests, strict=True)):
        if place and heads[place - 1] == head:
            written.append(f"<tr>{rest}")
            continue
        count = next((far for far, each in enumerate(heads[place:]) if each != head), len(heads) - place)
        span = f' scope="rowgroup" rowspan="{count}"' if count > 1 else ""
        written.append(f"<tr>{head[0]}{span}>{head[1]}</th>{rest}")
    return "".join(written)


def make_lighter(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Make a page lighter that is about to be written, once names in it are links."""
    for part in ("body", "toc"):
        if part in context:
            context[part] = lighter(context[part])
