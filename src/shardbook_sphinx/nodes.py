"""Nodes made in the reader's language: tables, sentences with code in them, paragraphs that nobody translates."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from collections.abc import Iterable


def generated(*children: nodes.Node, **attributes: Any) -> nodes.paragraph:
    """A paragraph made in the reader's language: no message for a translator."""
    return nodes.paragraph("", "", *children, translatable=False, **attributes)


def table(heads: Iterable[str], rows: list[list[list[nodes.Node]]], name: str) -> nodes.Node:
    """A table whose first row and column are heads, in a frame that scrolls on a narrow page."""
    heads = list(heads)
    group = nodes.tgroup("", cols=len(heads))
    group += [nodes.colspec("", colwidth=1, **({"stub": 1} if not place else {})) for place in range(len(heads))]
    group += nodes.thead("", row([[nodes.Text(head)] for head in heads]))
    group += nodes.tbody("", *map(row, rows))
    return nodes.table("", group, classes=[name])


def row(cells: Iterable[list[nodes.Node]]) -> nodes.row:
    """A row of a table."""
    blocks = (cell if isinstance(cell[0], nodes.bullet_list) else [generated(*cell)] for cell in cells)
    return nodes.row("", *(nodes.entry("", *block) for block in blocks))


def literal(code: str) -> list[nodes.Node]:
    return [nodes.literal(code, code)]


def span(code: str) -> str:
    """Code within a line of Markdown.

    >>> print(span("x"), span("a `b`"))
    `x` `` a `b` ``
    """
    code = " ".join(code.split("\n"))
    fence = "`" * max([0, *(len(run) for run in re.findall("`+", code))]) + "`"
    return f"{fence} {code} {fence}" if "`" in code else f"`{code}`"


def short_literal(code: str, whole: str = "") -> nodes.raw:
    """Code in one element, for long lists: docutils makes one of each word; scripts are told of the ``whole``."""
    told = f' data-whole="{html.escape(whole)}"' if whole not in {"", code} else ""
    return nodes.raw("", f"<code{told}>{html.escape(code, quote=False)}</code>", format="html", plain=span(code))


def sentence(text: str) -> list[nodes.Node]:
    """Words, with what stands in backticks as code."""
    parts = re.split("`([^`]+)`", text)
    return [nodes.literal(part, part) if place % 2 else nodes.Text(part) for place, part in enumerate(parts)]
