"""Figures that examples print: on a page in another language they are in that language, and the example asks for it.

The message is the figure, and its translation what the helper prints in that language: tests/site/test_site.py runs
the examples of those pages too.
"""

from __future__ import annotations

import doctest
import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from shardbook_sphinx.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sphinx.application import Sphinx

# In the HTML of a page: a block of code, and in a figure the signs that are two characters wide in a terminal.
BLOCK = re.compile("<pre.*?</pre>", re.DOTALL)
WIDE = re.compile("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]+")
DRAWN = re.compile(r"print\(sb\.show\(.*(?=\)\)\n)")


class figure_printed(nodes.General, nodes.Element, addnodes.translatable):  # noqa: N801, as docutils names nodes
    """A figure among the examples of the block that follows."""

    def preserve_original_messages(self) -> None:
        """Nothing to do: the message stays an attribute."""

    def extract_original_messages(self) -> Sequence[str]:
        """The figure."""
        return [self["figure"]]

    def apply_translated_message(self, original_message: str, translated_message: str) -> None:
        """Have the example print the figure in the page's language."""
        block = next(
            node for node in self.findall(descend=False, siblings=True) if isinstance(node, nodes.literal_block)
        )
        told = f'{self["call"]}, language="{self["language"]}"'
        text = block.astext().replace(self["call"], told, 1).replace(original_message, translated_message, 1)
        block.rawsource = text
        block.children = [nodes.Text(text)]
        block.setup_child(block[0])


class FindFigures(SphinxTransform):
    """Put in front of a block of examples what is to translate in it."""

    default_priority = 5  # before messages are preserved and translated

    def apply(self, **_kwargs: Any) -> None:
        """Look at each block."""
        language = LANGUAGES[self.config.language].folder
        for block in list(self.document.findall(nodes.literal_block)):
            if block.get("testnodetype") != "doctest":
                continue
            for example in doctest.DocTestParser().get_examples(block.astext()):
                if call := DRAWN.match(example.source):
                    found = figure_printed(figure=example.want.rstrip("\n"), call=call[0], language=language)
                    found.source, found.line = block.source, block.line
                    block.parent.insert(block.parent.index(block), found)


class ForgetFigures(SphinxTransform):
    """Take out again what no reader sees, once it is translated."""

    default_priority = 21

    def apply(self, **_kwargs: Any) -> None:
        """Keep it where messages are extracted."""
        if self.app.builder.name != "gettext":
            for found in list(self.document.findall(figure_printed)):
                found.parent.remove(found)


def keep_columns(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Give Chinese in figures the width that it has in a terminal: fonts make it narrower, and lines would not meet."""
    if app.config.language != "en" and "┌" in context.get("body", ""):
        context["body"] = BLOCK.sub(lambda block: widened(block[0]) if "┌" in block[0] else block[0], context["body"])


def widened(block: str) -> str:
    """A block with each run of wide signs as wide as twice as many others.

    >>> widened("<pre>设备网格  │</pre>")
    '<pre><span class="wide" style="width:8ch">设备网格</span>  │</pre>'
    """
    return WIDE.sub(lambda run: f'<span class="wide" style="width:{2 * len(run[0])}ch">{run[0]}</span>', block)
