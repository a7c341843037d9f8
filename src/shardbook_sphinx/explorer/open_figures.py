"""From a figure to the explorer, with that layout: a link below each that the explorer can show.

Read from the finished figure: its caption is the type, and its picture has the devices of the mesh in their order. So
no cell runs again to be linked, and what an older helper drew is linked too.
"""

from __future__ import annotations

import html
import math
import re
from typing import TYPE_CHECKING, Any

from sphinx.locale import _

from shardbook._messages import MESSAGES
from shardbook_sphinx.languages import LANGUAGES

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PAGE = "explorer"
FIGURE = re.compile(r"<figure><figcaption>.*?</figure>", re.DOTALL)
TYPE = re.compile(r"<figcaption>(?:<span class=\"sb-path\">[^<]*</span> )?(\w+)\[([^\]{}]*)\]</figcaption>")
# A dimension: its size, and the axis or axes that split it.
DIMENSION = re.compile(r"(\d+)(?:@(\w+|\([\w,]+\)))?")
SEATS = re.compile(r'<div class="sb-mesh".*?<g class="sb-holders"[^>]*>(.*?)</g>', re.DOTALL)
SEAT = re.compile(r"<text[^>]*>(\d+)</text>")
AXIS = re.compile(r"(\w+)=(\d+)")


def state(figure: str, messages: dict[str, str]) -> str | None:
    """The part of the explorer's address that shows what a figure shows; ``None`` of what it cannot.

    ``model/state.js`` says how it is written.
    """
    kind = TYPE.search(figure)
    mesh = re.search(rf"<dt>{re.escape(messages['mesh'])}</dt><dd>([\w=, ]+) · (\w+)</dd>", figure)
    suffix = {messages["Explicit"]: "", messages["Auto"]: ":Auto"}
    if not kind or not mesh or mesh[2] not in suffix:
        return None
    written = kind[2].split(", ") if kind[2] else []
    dimensions = [(found[1], found[2]) for each in written if (found := DIMENSION.fullmatch(each))]
    axes = [(found[1], int(found[2])) for found in AXIS.finditer(mesh[1])]
    devices = [int(seat) for level in SEATS.findall(figure) for seat in SEAT.findall(level)]
    # Of a large mesh the picture has no numbers, and that of a process is a part of one.
    if len(dimensions) < len(written) or sorted(devices) != list(range(math.prod(size for _, size in axes))):
        return None
    parts = {
        "v": "1",
        "shape": ",".join(size for size, _ in dimensions),
        "mesh": ",".join(f"{name}:{size}{suffix[mesh[2]]}" for name, size in axes),
        "order": ",".join(map(str, devices)) if devices != sorted(devices) else None,
        "spec": ",".join((names or "-").strip("()").replace(",", ".") for _, names in dimensions),
        "dtype": kind[1],
    }
    return "#" + "&".join(f"{key}={value}" for key, value in parts.items() if value is not None)


def link_figures(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Put the links into a page that is about to be written, where the handbook has the explorer."""
    if PAGE not in app.env.found_docs or pagename == PAGE or "<figure>" not in context.get("body", ""):
        return
    messages = MESSAGES[LANGUAGES[app.config.language].folder]
    page = app.builder.get_relative_uri(pagename, PAGE)
    said = html.escape(_("Open in the explorer"))

    def linked(match: re.Match[str]) -> str:
        found = state(match[0], messages)
        if found is None:
            return match[0]
        link = f'<p class="sb-open"><a href="{page}{html.escape(found)}">{said}</a></p>'
        return match[0].removesuffix("</figure>") + link + "</figure>"

    context["body"] = FIGURE.sub(linked, context["body"])
