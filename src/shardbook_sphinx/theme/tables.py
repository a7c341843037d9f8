"""The tables that are drawn from records and measurements, as a browser can show them: light, and not too wide."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COSTS = re.compile(r'<table class="[^"]*\bproduct-cost\b.*?</table>', re.DOTALL)
HISTORY = re.compile(r'<table class="[^"]*\bapi-matrix\b.*?</table>', re.DOTALL)
NAME = re.compile('(?<=<code class="docutils literal notranslate">)[^<]+')
CODES = re.compile(r'<(t[dh])((?: class="stub")?)>((?:<code class="literal">[^<]*</code>[^<]*)+)</t[dh]>')
STUB = re.compile(r'<tr[^>]*>(<th class="stub[^>]*)>(.*?)</th>\s*', re.DOTALL)


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


def break_at_dots(table: str) -> str:
    """A table in which a long name may go on in another line after a dot.

    >>> break_at_dots('<code class="docutils literal notranslate">jax.lax.psum</code>')
    '<code class="docutils literal notranslate">jax.<wbr>lax.<wbr>psum</code>'
    """
    return NAME.sub(lambda name: name[0].replace(".", ".<wbr>"), table)


def draw_tables(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Make over the tables of a page that is about to be written, once it is light."""
    if body := context.get("body"):
        body = COSTS.sub(lambda found: share_heads(CODES.sub(as_code, found[0])), body)
        context["body"] = HISTORY.sub(lambda found: break_at_dots(found[0]), body)
