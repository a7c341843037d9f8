"""Draw panels as SVG.

Colours and fonts are classes that ``figure.css`` defines; a reader without it still sees black boxes and labels.
Lengths are in CSS pixels at full size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from shardbook._device_labels import Lines, lines_for
from shardbook._layout import Layout
from shardbook._panels import Cell, Panel

# Advance widths of a monospace font at the two sizes figure.css sets: 13 px for device numbers, 12 px for labels.
NUMBER = 7.9
LABEL = 7.3
LINE = 16
SMALLEST_TEXT = 11
"""No text gets smaller than this on a narrow screen: the figure scrolls instead."""
WIDE = 640
"""Panels wider than this are broken into bands."""
PHONE = 330
"""Panels are at most this wide where what they say allows it."""
TITLED_PIECES = 64
"""Up to this many pieces, each box names its piece when pointed at."""


@dataclass(frozen=True)
class SvgBox:
    """The size of every box in a figure, and the lines of text in them."""

    width: float
    height: float
    lines: dict[tuple[int, ...], Lines]


def draw_svg(layout: Layout, panels: Sequence[Panel | None], count: str) -> tuple[str, float]:
    """Draw panels as a sequence of ``<svg>`` elements, and say how narrow they can get while their text is legible.

    ``count`` is the template of "512 devices".
    """
    drawn = [panel for panel in panels if panel]
    widest = max(len(panel.columns) for panel in drawn)
    tallest = max(len(panel.rows) for panel in drawn)
    gutter = max(_left_margin(panel, 0) for panel in drawn)
    cells = [cell for panel in drawn for row in panel.cells for cell in row if cell]
    limit = max(1, int((WIDE - gutter) // _narrowest(layout, cells)))
    if widest > limit and not drawn[0].row_label:
        # A strip that must be broken anyway reads better with its ranges upright.
        limit = max(1, int(WIDE // max(_upright(panel.columns) for panel in drawn)))
    columns = max(len(band.columns) for panel in drawn for band in panel.bands(limit))
    box = _box(layout, cells, (tallest, columns), gutter, count)
    titled = len(layout.pieces) <= TITLED_PIECES
    pictures: list[str] = []
    least = 0.0
    for panel in panels:
        if panel is None:
            pictures.append('<span class="sb-gap">⋯</span>')
        else:
            for band in panel.bands(limit):
                picture, needed = _svg_panel(layout, band, box, titled)
                pictures.append(picture)
                least = max(least, needed)
    return "".join(pictures), least


def _narrowest(layout: Layout, cells: Sequence[Cell]) -> float:
    longest = max(len(str(device)) for cell in cells for device in cell.piece.devices)
    return max(26, (longest + bool(layout.remote)) * NUMBER + 8)


def _box(layout: Layout, cells: Sequence[Cell], shape: tuple[int, int], gutter: float, count: str) -> SvgBox:
    """Choose a box size: narrow enough for a phone if the text allows, in the array's proportions where it is free."""
    rows, columns = shape
    roomiest = {1: 160, 2: 110}.get(columns, 88)
    shares = [max(26.0, (total - gutter) / columns) for total in (PHONE, 480, WIDE)]
    widths = [min(roomiest, shares[0]), *shares, shares[-1]]
    few = max(1, min(8, 400 // (rows * LINE)))
    heights = [few] * (len(widths) - 1) + [max(few, 8)]
    sizes = [(int((width - 8) / NUMBER), height) for width, height in zip(widths, heights, strict=True)]
    chosen, lines = lines_for(layout, [cell.piece for cell in cells], sizes, count)
    width = widths[chosen]
    needed = max(map(len, lines.values())) * LINE + 14
    sides = layout.shard_shape[-2:]
    ratio = sides[0] / sides[1] if len(sides) == 2 and all(sides) else 0.4
    height = max(needed, min(width * min(max(ratio, 0.4), 2.0), max(needed, 320 / rows), 120))
    return SvgBox(round(width), round(height), lines)


def _left_margin(panel: Panel, height: float) -> float:
    """The room left of the boxes, for the rows' label and ranges."""
    if not panel.row_label:
        return 1
    ranges = max(len(text or "⋮") for text in panel.rows) * LABEL + 8
    return ranges + 20 if _stands(panel, height) else max(ranges, len(panel.row_label) * LABEL + 8)


def _stands(panel: Panel, height: float) -> bool:
    """Whether the rows' label fits along the side, or must lie in the corner."""
    return not height or len(panel.row_label) * LABEL <= height


def _svg_panel(layout: Layout, panel: Panel, box: SvgBox, titled: bool) -> tuple[str, float]:
    columns, rows = panel.columns, panel.rows
    # A label that nearly fits along the side is worth a slightly taller box.
    height = box.height
    if panel.row_label and len(panel.row_label) * LABEL <= 100:
        height = max(height, len(panel.row_label) * LABEL / len(rows))
    heights = [height if text is not None else 22 for text in rows]
    widths = [box.width if text is not None else 30 for text in columns]
    tall, wide = sum(heights), sum(widths)

    left = _left_margin(panel, tall)
    corner = bool(panel.row_label) and not _stands(panel, tall)
    longest = max(len(text or "") for text in columns) * LABEL
    style = "none" if not any(columns) else "one" if longest + 2 <= box.width else "two"
    if style == "two" and _upright(columns) > box.width:
        style = "turned"
    header = {"none": 0.0, "one": 18.0, "two": 32.0, "turned": longest + 8}[style]
    top = (22 if panel.title else 0) + (18 if panel.column_label else 0) + max(header, 18 * corner) + 1
    title_width = len(panel.title) * LABEL
    label_width = left + wide / 2 + len(panel.column_label) * LABEL / 2
    total = (max(left + wide + 1, title_width, label_width), top + tall + 1)

    texts: list[str] = []
    if panel.title:
        texts.append(_label(0, 13, panel.title, "sb-dim"))
    if panel.column_label:
        texts.append(_label(left + wide / 2, 35 if panel.title else 13, panel.column_label, "sb-dim sb-mid"))
    if corner:
        texts.append(_label(left - 6, top - 6, panel.row_label, "sb-dim sb-end"))
    elif panel.row_label:
        texts.append(_turned(13, top + tall / 2, panel.row_label, "sb-dim sb-mid"))
    xs = [left + sum(widths[:at]) for at in range(len(widths))]
    ys = [top + sum(heights[:at]) for at in range(len(heights))]
    for x, width, text in zip(xs, widths, columns, strict=True):
        texts += _column_range(x + width / 2, top - 6, text, style)
    if panel.row_label:
        for y, height, text in zip(ys, heights, rows, strict=True):
            texts.append(_label(left - 6, y + height / 2 + 4, "⋮" if text is None else text, "sb-end"))

    boxes: list[str] = []
    outlines: dict[str, list[str]] = {}
    numbers: list[str] = []
    for y, height, row in zip(ys, heights, panel.cells, strict=True):
        for x, width, cell in zip(xs, widths, row, strict=True):
            if cell is None:
                texts.append(_label(x + width / 2, y + height / 2 + 4, "⋯", "sb-mid"))
                continue
            kind = "sb-empty" if 0 in layout.shape else f"sb-c{cell.colour}"
            if titled:
                boxes.append(_rect(cell, kind, (x, y, width, height)))
            else:
                # Boxes of one colour are one path: a third of the bytes.
                outlines.setdefault(kind, []).append(
                    f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h-{_n(width)}z",
                )
            lines = box.lines[cell.piece.devices]
            first = y + height / 2 + 4.5 - (len(lines) - 1) * LINE / 2
            numbers += [_label(x + width / 2, first + at * LINE, line) for at, line in enumerate(lines)]
    boxes += [f'<path class="{kind}" d="{"".join(drawn)}"/>' for kind, drawn in outlines.items()]
    least = total[0] * SMALLEST_TEXT / 12
    on_page = " sb-on-page" if 0 in layout.shape else ""
    picture = (
        f'<svg viewBox="0 0 {_n(total[0])} {_n(total[1])}" width="{_n(total[0])}" style="min-width:{least:.0f}px" '
        f'fill="none" stroke="currentColor" aria-hidden="true">{"".join(boxes)}'
        f'<g class="sb-holders{on_page}" fill="currentColor" stroke="none" text-anchor="middle">{"".join(numbers)}</g>'
        f'<g class="sb-labels" fill="currentColor" stroke="none">{"".join(texts)}</g></svg>'
    )
    return picture, least


def _upright(columns: Sequence[str | None]) -> float:
    """The width that index ranges need on two lines, "4096:" above "4112"."""
    return (max(len(part) for text in columns for part in (text or "").split(":")) + 1) * LABEL + 4


def _column_range(x: float, y: float, text: str | None, style: str) -> list[str]:
    if style == "none":
        return []
    if text is None:
        return [_label(x, y, "⋯", "sb-mid")]
    if style == "one":
        return [_label(x, y, text, "sb-mid")]
    if style == "two":
        start, stop = text.split(":")
        return [_label(x, y - 14, f"{start}:", "sb-mid"), _label(x, y, stop, "sb-mid")]
    return [_turned(x + 4, y + 2, text, "")]


def _rect(cell: Cell, kind: str, place: tuple[float, float, float, float]) -> str:
    x, y, width, height = map(_n, place)
    title = f"<title>{cell.name}</title>"
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}">{title}</rect>'


def _label(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text{_class(kind)} x="{_n(x)}" y="{_n(y)}">{escape(text)}</text>'


def _turned(x: float, y: float, text: str, kind: str) -> str:
    return f'<text{_class(kind)} transform="translate({_n(x)} {_n(y)})rotate(-90)">{escape(text)}</text>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _n(length: float) -> str:
    """Write a length with no more digits than a screen shows."""
    return f"{length:.1f}".removesuffix(".0")
