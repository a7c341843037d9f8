"""Let a page show a figure in its own language: the outputs carry both, see ``Figure._repr_mimebundle_``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from myst_nb.core.render import load_mime_renders

if TYPE_CHECKING:
    from myst_nb.core.render import MimeData, NbElementRenderer

CHINESE = "text/vnd.shardbook.zh+html"
# For Markdown, see downloads/pages.py; a page does not show it.
CHINESE_TEXT = "text/vnd.shardbook.zh+plain"


class ChineseFigure:
    """Teach myst-nb the type of a Chinese figure; only the Chinese configuration gives it a priority."""

    mime_priority_overrides: ClassVar = [("*", CHINESE, None)]

    @staticmethod
    def handle_mime(_renderer: NbElementRenderer, data: MimeData, inline: bool) -> list[nodes.Element] | None:
        """Pass the HTML on as it is."""
        if data.mime_type == CHINESE_TEXT:
            return []
        if inline or data.mime_type != CHINESE:
            return None
        return [nodes.raw(text=data.string, format="html", classes=["output", "text_html"])]


def register() -> None:
    """Have myst-nb ask `ChineseFigure` too.

    Its entry points are found in what is installed, and readers install the helper package alone: so the list that it
    has made of them, once a process, gets one more.
    """
    if ChineseFigure not in load_mime_renders():
        load_mime_renders().append(ChineseFigure)
