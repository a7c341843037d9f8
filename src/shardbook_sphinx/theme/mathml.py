"""Formulas as MathML, which browsers draw by themselves: nothing is fetched, and a screen reader can read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

from shardbook_sphinx.exceptions import HandbookError

if TYPE_CHECKING:
    from sphinx.writers.html5 import HTML5Translator


def mathml(formula: str, *, block: bool) -> str:
    """A formula in LaTeX as MathML; HandbookError if it has no translation.

    >>> "<msup>" in mathml("n^2", block=False)
    True
    """
    try:
        return str(tex2mathml(formula, as_block=block))
    except MathError as error:
        raise HandbookError(f"this formula has no MathML: {formula}\n{error}") from error


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(mathml(node.astext(), block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula that stands by itself; a wide one scrolls."""
    translator.body.append(f'<div class="math table-wrapper">{mathml(node.astext(), block=True)}</div>\n')
    raise nodes.SkipNode
