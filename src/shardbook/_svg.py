"""Draw panels and meshes as SVG.

Colours and fonts are classes that ``figure.css`` defines; a reader without it still sees black boxes and labels.
Lengths are in CSS pixels at full size.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from shardbook._device_labels import Lines, lines_for
from shardbook._layout import Layout, device_grid
from shardbook._mesh_picture import NUMBERED, Level, blocks, device_colours, levels
from shardbook._palette import Colour
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
LIT = 32
"""Up to this many devices, one that is pointed at lights up wherever it is: figure.css has a rule for each."""
LONGER = 220
"""The longer side of an array, if all that stands in its boxes fits."""
LONGER_OF_SEVERAL = 130
"""The same where there are several panels."""
STRIP = 44
"""The height of an array of one dimension."""
MOST_UNEQUAL = 4
"""A side is drawn at most so many times as long as the other."""
GROWTH = (1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4)
"""Sizes to try until it fits, the array's proportions kept."""
TALLEST = 480
SHEET = 4
"""How far a copy stands out behind the one before it."""
SHEETS = 8
"""Copies that are drawn of a piece; if there are more, the last one stands for the rest."""
FEW_SHEETS = 3
"""The same where pieces are many."""
HATCH = 9
"""The distance of the lines across a partial result."""
SEAT = 24
"""The least side of a device in a mesh."""
MESH_WIDTH = 330
"""A mesh whose numbers take more than this is drawn without."""
BLOCK = 160
"""The longer side of a mesh without numbers."""


@dataclass(frozen=True)
class SvgBox:
    """The size of every box in a figure, how far apart they are, and the lines of text in them."""

    width: float
    height: float
    sheets: int
    """Copies behind the first."""
    lines: dict[tuple[int, ...], Lines]

    @property
    def behind(self) -> int:
        """How far the last copy stands out."""
        return SHEET * self.sheets

    @property
    def gap(self) -> int:
        """What a box takes besides its size."""
        return _gap(self.sheets)


def measured(layout: Layout, panels: Sequence[Panel | None], count: str, least: int = 0) -> tuple[int, SvgBox, int]:
    """Return how panels are drawn: the columns of a band, the size of every box, and which size that is.

    Parameters
    ----------
    count
        The template of "512 devices".
    least
        The size to start from: which of ``GROWTH``.
    """
    drawn = [panel for panel in panels if panel]
    widest = max(len(panel.columns) for panel in drawn)
    gutter = max(_left_margin(panel, 0) for panel in drawn)
    cells = [cell for panel in drawn for row in panel.cells for cell in row if cell]
    limit = max(1, int((WIDE - gutter) // _narrowest(layout, cells)))
    if widest > limit and not drawn[0].row_label:
        # A strip that must be broken anyway reads better with its ranges upright.
        limit = max(1, int(WIDE // max(_upright(panel.columns) for panel in drawn)))
    bands = [band for panel in drawn for band in panel.bands(limit)]
    # A panel that had to be broken takes all the width there is.
    wide, tall = _proportions(drawn[0], several=len(drawn) > 1)
    shape = (wide if len(bands) == len(drawn) else WIDE - gutter, tall)
    grid = (max(len(panel.rows) for panel in drawn), max(len(band.columns) for band in bands))
    box, size = _box(layout, cells, _sizes(shape, grid, gutter, _sheets(cells), least), count)
    return limit, box, least + size


def draw_svg(layout: Layout, panels: Sequence[Panel | None], count: str, least: int = 0) -> tuple[str, float]:
    """Draw panels as a sequence of ``<svg>`` elements, and say how narrow they can get while their text is legible.

    ``count`` and ``least`` are as for ``measured``.
    """
    limit, box, _ = measured(layout, panels, count, least)
    colours = device_colours(layout)
    titled = len(layout.pieces) <= TITLED_PIECES
    pictures: list[str] = []
    narrow = 0.0
    for panel in panels:
        if panel is None:
            pictures.append('<span class="sb-gap">⋯</span>')
        else:
            for band in panel.bands(limit):
                picture, needed = _svg_panel(layout, band, box, colours, titled)
                pictures.append(picture)
                narrow = max(narrow, needed)
    return "".join(pictures), narrow


def _narrowest(layout: Layout, cells: Sequence[Cell]) -> float:
    longest = max(len(str(device)) for cell in cells for device in cell.piece.devices)
    return max(26, (longest + bool(layout.remote)) * NUMBER + 8)


def _proportions(panel: Panel, several: bool) -> tuple[float, float]:
    """The width and the height of a panel, in the proportions of what it shows."""
    longer = LONGER_OF_SEVERAL if several else LONGER
    tall, wide = panel.sides
    if not panel.row_label:
        return (longer if panel.column_label else LONGER_OF_SEVERAL), STRIP
    ratio = min(max(tall / wide, 1 / MOST_UNEQUAL), MOST_UNEQUAL) if tall and wide else 1
    return (longer, longer * ratio) if ratio <= 1 else (longer / ratio, longer)


def _sheets(cells: Sequence[Cell]) -> int:
    """How many copies are drawn behind the first one of each piece."""
    most = max(len(cell.piece.devices) for cell in cells)
    return min(most, SHEETS if len(cells) <= TITLED_PIECES else FEW_SHEETS) - 1


def _gap(sheets: int) -> int:
    """How far boxes with so many copies behind them are apart."""
    return SHEET * sheets + 3 if sheets else 0


class Size(NamedTuple):
    """A size that boxes may have."""

    width: float
    height: float
    text: tuple[int, int]
    """The characters in a line and the lines for which they have room."""
    sheets: int


def _sizes(shape: tuple[float, float], grid: tuple[int, int], gutter: float, sheets: int, least: int) -> list[Size]:
    """List what may be tried: the array's proportions kept, larger and larger; then whatever has room for more text."""
    (wide, tall), (rows, columns) = shape, grid
    gap = _gap(sheets)
    room = (WIDE - gutter) / columns - gap
    sizes = []
    for by in GROWTH[least:]:
        width, height = wide * by / columns - gap, tall * by / rows - gap
        if width <= room and height * rows <= TALLEST:
            sizes.append(Size(width, height, (int((width - 8) / NUMBER), int((height - 4) / LINE)), sheets))
    few = max(1, min(8, 400 // (rows * LINE)))
    for share, lines in ((PHONE, few), (480, few), (WIDE, few), (WIDE, 8)):
        width = max(26.0, (share - gutter) / columns - gap)
        height = min(TALLEST, tall * (width + gap) * columns / wide) / rows - gap
        sizes.append(Size(width, height, (int((width - 8) / NUMBER), lines), sheets))
    return sizes


def _box(layout: Layout, cells: Sequence[Cell], sizes: Sequence[Size], count: str) -> tuple[SvgBox, int]:
    """Choose the first size in which all fits."""
    chosen, lines = lines_for(layout, [cell.piece for cell in cells], [size.text for size in sizes], count)
    width, height, _, sheets = sizes[chosen]
    needed = max(map(len, lines.values())) * LINE + 6
    return SvgBox(round(width), round(max(height, needed)), sheets, lines), chosen


def _left_margin(panel: Panel, height: float) -> float:
    """The room left of the boxes, for the rows' label and ranges."""
    if not panel.row_label:
        return 1
    ranges = max(len(text or "⋮") for text in panel.rows) * LABEL + 8
    return ranges + 20 if _stands(panel, height) else max(ranges, len(panel.row_label) * LABEL + 8)


def _stands(panel: Panel, height: float) -> bool:
    """Whether the rows' label fits along the side, or must lie in the corner."""
    return not height or len(panel.row_label) * LABEL <= height


def _svg_panel(
    layout: Layout, panel: Panel, box: SvgBox, colours: dict[int, Colour], titled: bool
) -> tuple[str, float]:
    columns, rows = panel.columns, panel.rows
    heights = [box.height if text is not None else 22 for text in rows]
    widths = [box.width if text is not None else 30 for text in columns]
    tall, wide = sum(heights) + box.gap * (len(rows) - 1), sum(widths) + box.gap * (len(columns) - 1)

    left = _left_margin(panel, tall)
    corner = bool(panel.row_label) and not _stands(panel, tall)
    longest = max(len(text or "") for text in columns) * LABEL
    style = "none" if not any(columns) else "one" if longest + 2 <= box.width + box.gap else "two"
    if style == "two" and _upright(columns) > box.width + box.gap:
        style = "turned"
    header = {"none": 0.0, "one": 18.0, "two": 32.0, "turned": longest + 8}[style]
    title = "  ".join(text for text in (panel.title, layout.memory_kind if layout.on_host else None) if text)
    top = (22 if title else 0) + (18 if panel.column_label else 0) + max(header, 18 * corner) + 1 + box.behind
    title_width = len(title) * LABEL
    label_width = left + wide / 2 + len(panel.column_label) * LABEL / 2
    total = (max(left + wide + box.behind + 1, title_width, label_width), top + tall + 1)

    texts: list[str] = []
    if title:
        texts.append(_label(0, 13, title, "sb-dim"))
    if panel.column_label:
        texts.append(_label(left + wide / 2, 35 if title else 13, panel.column_label, "sb-dim sb-mid"))
    if corner:
        texts.append(_label(left - 6, top - box.behind - 6, panel.row_label, "sb-dim sb-end"))
    elif panel.row_label:
        texts.append(_turned(13, top + tall / 2, panel.row_label, "sb-dim sb-mid"))
    xs = [left + sum(widths[:at]) + box.gap * at for at in range(len(widths))]
    ys = [top + sum(heights[:at]) + box.gap * at for at in range(len(heights))]
    for x, width, text in zip(xs, widths, columns, strict=True):
        texts += _column_range(x + width / 2, top - box.behind - 6, text, style)
    if panel.row_label:
        for y, height, text in zip(ys, heights, rows, strict=True):
            texts.append(_label(left - 6, y + height / 2 + 4, "⋮" if text is None else text, "sb-end"))

    drawn: list[tuple[Cell, tuple[float, float, float, float]]] = []
    numbers: list[str] = []
    for y, height, row in zip(ys, heights, panel.cells, strict=True):
        for x, width, cell in zip(xs, widths, row, strict=True):
            if cell is None:
                texts.append(_label(x + width / 2, y + height / 2 + 4, "⋯", "sb-mid"))
                continue
            drawn.append((cell, (x, y, width, height)))
            lines = box.lines[cell.piece.devices]
            first = y + height / 2 + 4.5 - (len(lines) - 1) * LINE / 2
            numbers += [_label(x + width / 2, first + at * LINE, line) for at, line in enumerate(lines)]
    least = total[0] * SMALLEST_TEXT / 12
    on_page = " sb-on-page" if 0 in layout.shape else ""
    picture = (
        f'<svg viewBox="0 0 {_n(total[0])} {_n(total[1])}" width="{_n(total[0])}" style="min-width:{least:.0f}px" '
        f'fill="none" stroke="currentColor" aria-hidden="true">{_boxes(layout, drawn, box, colours, titled)}'
        f'<g class="sb-holders{on_page}" fill="currentColor" stroke="none" text-anchor="middle">{"".join(numbers)}</g>'
        f'<g class="sb-labels" fill="currentColor" stroke="none">{"".join(texts)}</g></svg>'
    )
    return picture, least


def _boxes(
    layout: Layout,
    drawn: Sequence[tuple[Cell, tuple[float, float, float, float]]],
    box: SvgBox,
    colours: dict[int, Colour],
    titled: bool,
) -> str:
    """The pieces, each with its copies behind it: the last ones first, so that the first lies on top."""
    boxes: list[str] = []
    lit = _lit(colours)
    for behind in reversed(range(box.sheets + 1)):
        outlines: dict[str, list[str]] = {}
        lines: list[str] = []
        for cell, (left, top, width, height) in drawn:
            device = _holder(cell.piece.devices, behind, box.sheets)
            if device is None:
                continue
            kind = _kind(layout, device, colours)
            x, y = left + SHEET * behind, top - SHEET * behind
            if titled:
                boxes.append(_rect(kind + lit[device], (x, y, width, height), cell.name))
            else:
                # Boxes of one colour are one path: a third of the bytes.
                outlines.setdefault(kind, []).append(f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h-{_n(width)}z")
            if layout.unreduced:
                lines += _hatch(x, y, width, height)
        boxes += [f'<path class="{kind}" d="{"".join(parts)}"/>' for kind, parts in outlines.items()]
        if lines:
            boxes.append(f'<path class="sb-partial" d="{"".join(lines)}"/>')
    return "".join(boxes)


def _lit(devices: Collection[int]) -> dict[int, str]:
    """The class of all that lights up with a device, by devices in mesh order; none if there are too many."""
    return {device: f" sb-p{place}" if len(devices) <= LIT else "" for place, device in enumerate(devices)}


def _holder(devices: Sequence[int], behind: int, sheets: int) -> int | None:
    """The device whose copy lies so far behind the first; of more than are drawn the last one is the last."""
    if behind == sheets:
        return devices[-1] if len(devices) > sheets else None
    return devices[behind] if behind < len(devices) else None


def _kind(layout: Layout, device: int, colours: dict[int, Colour]) -> str:
    """The classes of a device's box."""
    if 0 in layout.shape:
        return "sb-empty"
    hue, shade = colours[device]
    return f"sb-h{hue} sb-s{shade}" + (" sb-remote" if device in layout.remote else "")


def _hatch(x: float, y: float, width: float, height: float) -> list[str]:
    """Lines across a box, from its upper and right sides down to the left."""
    return [
        f"M{_n(x + min(at, width))} {_n(y + max(0, at - width))}"
        f"L{_n(x + max(0, at - height))} {_n(y + min(at, height))}"
        for at in range(HATCH, round(width + height), HATCH)
    ]


def draw_mesh(layout: Layout, title: str) -> str:
    """Draw a layout's mesh, as a sequence of ``<svg>`` elements under a title; "" if it has none."""
    found = levels(layout)
    if not found:
        return ""
    lit = _lit(device_grid(layout).ravel().tolist())
    drawn = "".join(
        '<span class="sb-gap">⋯</span>' if level is None else _svg_level(layout, level, lit, "" if at else title)
        for at, level in enumerate(found)
    )
    return f'<div class="sb-mesh" aria-hidden="true">{drawn}</div>'


def _svg_level(layout: Layout, level: Level, lit: dict[int, str], title: str) -> str:
    rows, columns = level.devices.shape
    digits = len(str(level.devices.max())) + bool(layout.remote)
    seat = max(SEAT, digits * NUMBER + 6)
    numbered = len(lit) <= NUMBERED and columns * seat <= MESH_WIDTH
    if numbered:
        width, height = seat, float(SEAT)
    else:
        width = height = BLOCK / max(rows, columns)
    # Where devices cannot be counted, their number stands with the axis.
    down, across = (
        f"{axis}{'' if numbered else f'={count}'} {arrow}" if axis else ""
        for axis, count, arrow in ((level.row_axis, rows, "↓"), (level.column_axis, columns, "→"))
    )
    beside = bool(down) and len(down) * LABEL + 6 <= 60
    left = len(down) * LABEL + 6 if beside else 1.0
    lines = [text for text in (title, level.title, across, "" if beside else down) if text]
    top = 16.0 * len(lines) + 2
    total = (max(left + columns * width + 1, left + max(len(text) for text in lines) * LABEL), top + rows * height + 1)
    texts = [_label(left, 12 + 16 * at, text, "sb-dim") for at, text in enumerate(lines)]
    if beside:
        texts.append(_label(left - 6, top + min(SEAT, rows * height) / 2 + 4, down, "sb-dim sb-end"))
    boxes: list[str] = []
    numbers: list[str] = []
    if numbered:
        for row, (devices, colours) in enumerate(zip(level.devices.tolist(), level.colours, strict=True)):
            for column, (device, found) in enumerate(zip(devices, colours, strict=True)):
                x, y = left + column * width, top + row * height
                remote = device in layout.remote
                kind = f"sb-h{found.hue} sb-s{found.shade}" + (" sb-remote" if remote else "")
                boxes.append(_rect(kind + lit[device], (x, y, width, height), ""))
                numbers.append(_label(x + width / 2, y + height / 2 + 4.5, f"{device}*" if remote else str(device)))
    else:
        for block in blocks(level):
            kind = f"sb-h{block.colour.hue} sb-s{block.colour.shade}"
            x, y = left + block.column * width, top + block.row * height
            boxes.append(_rect(kind, (x, y, block.columns * width, block.rows * height), ""))
    return (
        f'<svg viewBox="0 0 {_n(total[0])} {_n(total[1])}" width="{_n(total[0])}" fill="none" stroke="currentColor">'
        f'{"".join(boxes)}<g class="sb-holders" fill="currentColor" stroke="none" text-anchor="middle">'
        f'{"".join(numbers)}</g><g class="sb-labels" fill="currentColor" stroke="none">{"".join(texts)}</g></svg>'
    )


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


def _rect(kind: str, place: tuple[float, float, float, float], name: str) -> str:
    x, y, width, height = map(_n, place)
    rect = f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}"'
    return f"{rect}><title>{name}</title></rect>" if name else f"{rect}/>"


def _label(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text{_class(kind)} x="{_n(x)}" y="{_n(y)}">{escape(text)}</text>'


def _turned(x: float, y: float, text: str, kind: str) -> str:
    return f'<text{_class(kind)} transform="translate({_n(x)} {_n(y)})rotate(-90)">{escape(text)}</text>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _n(length: float) -> str:
    """Write a length with no more digits than a screen shows."""
    return f"{length:.1f}".removesuffix(".0")
