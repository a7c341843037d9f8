"""Draw panels in a terminal, with the same boxes, labels and colours."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from shardbook._device_labels import Lines, lines_for
from shardbook._layout import Layout
from shardbook._mesh_picture import NUMBERED, Level, device_colours, levels
from shardbook._palette import INK, Colour, rgb
from shardbook._panels import Panel

BETWEEN = 3
"""Spaces between panels that stand side by side."""


@dataclass(frozen=True)
class TextBox:
    """The size of every box in characters, without its borders, and the lines of text in them."""

    width: int
    height: int
    lines: dict[tuple[int, ...], Lines]


def draw_text(layout: Layout, panels: Sequence[Panel | None], width: int, count: str, mesh: str) -> list[Text]:
    """Draw panels as lines of at most ``width`` characters.

    Parameters
    ----------
    count
        The template of "512 devices".
    mesh
        The title of the mesh, which is drawn beside them; "" if it is not.
    """
    drawn = [panel for panel in panels if panel]
    gutter = max(_gutter(panel) for panel in drawn)
    columns = max(len(panel.columns) for panel in drawn)
    longest = max(len(text or "") for panel in drawn for text in panel.columns)
    halves = max(len(part) for panel in drawn for text in panel.columns for part in (text or "").split(":"))
    # Ranges stand on two lines where that saves bands.
    fits = gutter + columns * (longest + 3) + 1 <= width
    label = longest if fits else halves + 1
    most = max(label, (width - gutter - 1) // columns - 3, 1)
    pieces = [cell.piece for panel in drawn for row in panel.cells for cell in row if cell]
    room = max(1, width - gutter - 4)
    sizes = [(min(size, room), lines) for size, lines in ((max(label, 5), 1), (max(most, 5), 3), (max(most, 19), 4))]
    _, lines = lines_for(layout, pieces, sizes, count)
    inner = max(label, *(len(line) for found in lines.values() for line in found)) + 2
    box = TextBox(inner, max(map(len, lines.values())), lines)
    limit = max(1, (width - gutter - 1) // (inner + 1))
    colours = device_colours(layout)
    blocks: list[list[Text]] = []
    for panel in panels:
        if panel is None:
            blocks.append([Text("⋯")])
        else:
            bands = panel.bands(limit)
            blocks += [_text_panel(layout, band, box, gutter, colours, two_lines=not fits) for band in bands]
    beside = _text_mesh(layout, mesh) if mesh else []
    if any(_width(block) > width for block in beside):
        beside = []
    if sum(_width(block) + BETWEEN for block in beside) + _width(blocks[0]) <= width:
        return _side_by_side([*beside, *blocks], width)
    return _side_by_side(beside, width) + _side_by_side(blocks, width)


def _text_mesh(layout: Layout, title: str) -> list[list[Text]]:
    """The grids of a layout's mesh; of many devices none."""
    found = levels(layout)
    if layout.device_count > NUMBERED or None in found:
        return []
    return [_text_level(layout, level, title if at == 0 else "") for at, level in enumerate(found) if level]


def _text_level(layout: Layout, level: Level, title: str) -> list[Text]:
    """A grid of devices, under its place and the axis that runs across."""
    wide = max(len(str(level.devices.max())) + bool(layout.remote) + 2, 3)
    down = f"{level.row_axis} ↓" if level.row_axis else ""
    left = Text(down).cell_len + bool(down)
    lines = [Text(text, style="bold") for text in (title, level.title) if text]
    lines.append(Text(" " * left + f"{level.column_axis} →", style="bold"))
    for row, (devices, colours) in enumerate(zip(level.devices.tolist(), level.colours, strict=True)):
        line = Text.assemble((f"{down} " if row == 0 and down else " " * left, "bold"))
        for device, found in zip(devices, colours, strict=True):
            name = f"{device}*" if device in layout.remote else str(device)
            line.append(name.center(wide), style=_painted(found))
        lines.append(line)
    return lines


def _painted(colour: Colour) -> str:
    return f"{INK} on {rgb(colour)}"


def _gutter(panel: Panel) -> int:
    if not panel.row_label:
        return 0
    return len(panel.row_label) + 2 + max(len(text or "⋮") for text in panel.rows) + 1


def _text_panel(
    layout: Layout, panel: Panel, box: TextBox, gutter: int, colours: dict[int, Colour], *, two_lines: bool
) -> list[Text]:
    columns, rows = panel.columns, panel.rows
    wide = len(columns) * (box.width + 1) - 1
    found = [Text(panel.title, style="bold")] if panel.title else []
    if panel.column_label:
        found.append(Text(" " * (gutter + 1) + panel.column_label.center(wide).rstrip(), style="bold"))
    if any(columns):
        found += _column_ranges(columns, box.width, gutter, two_lines)
    ranges = max(len(text or "⋮") for text in rows)
    # With many rows of one line each, lines between them would double the height and say nothing.
    ruled = len(rows) <= 8 or box.height > 1
    middle = len(rows) // 2 * (box.height + ruled) + (box.height // 2 if len(rows) % 2 else -1 if ruled else 0)
    body: list[tuple[str, list[Text]]] = []
    for at, (name, row) in enumerate(zip(rows, panel.cells, strict=True)):
        if at and ruled:
            body.append(("", [Text("├" + "┼".join(["─" * box.width] * len(columns)) + "┤")]))
        height = 1 if name is None else box.height
        for line in range(height):
            cells = [Text("│")]
            for cell in row:
                if cell is None:
                    cells += [Text("⋯".center(box.width)), Text("│")]
                    continue
                lines = box.lines[cell.piece.devices]
                before = (height - len(lines)) // 2
                text = lines[line - before] if 0 <= line - before < len(lines) else ""
                style = "" if 0 in layout.shape else _painted(colours[cell.piece.devices[0]])
                cells += [Text(text.center(box.width), style=style), Text("│")]
            body.append((("⋮" if name is None else name) if line == (height - 1) // 2 else "", cells))
    found.append(Text(" " * gutter + "┌" + "┬".join(["─" * box.width] * len(columns)) + "┐"))
    for at, (name, cells) in enumerate(body):
        label = panel.row_label if at == min(middle, len(body) - 1) else ""
        side = label.ljust(len(panel.row_label) + 2) + name.rjust(ranges) + " " if panel.row_label else ""
        found.append(Text.assemble((side.rjust(gutter) if panel.row_label else "", ""), *cells))
    found.append(Text(" " * gutter + "└" + "┴".join(["─" * box.width] * len(columns)) + "┘"))
    return found


def _column_ranges(columns: Sequence[str | None], width: int, gutter: int, two_lines: bool) -> list[Text]:
    texts = ["⋯" if text is None else text for text in columns]
    if not two_lines:
        lines = [texts]
    else:
        parts = [text.split(":") if ":" in text else ["", text] for text in texts]
        lines = [[start and f"{start}:" for start, _ in parts], [stop for _, stop in parts]]
    return [Text(" " * (gutter + 1) + " ".join(text.center(width) for text in line).rstrip()) for line in lines]


def _side_by_side(blocks: Sequence[list[Text]], width: int) -> list[Text]:
    """Set blocks beside each other while they fit, then below."""
    shelves: list[list[list[Text]]] = []
    for block in blocks:
        taken = sum(_width(other) + BETWEEN for other in shelves[-1]) if shelves else width
        if shelves and taken + _width(block) <= width:
            shelves[-1].append(block)
        else:
            shelves.append([block])
    found: list[Text] = []
    for at, shelf in enumerate(shelves):
        if at:
            found.append(Text(""))
        for line in range(max(map(len, shelf))):
            whole = Text()
            for block in shelf:
                # The last lines are the boxes': blocks stand on a common floor.
                from_top = line - (max(map(len, shelf)) - len(block))
                part = block[from_top] if from_top >= 0 else Text("")
                whole.append_text(part)
                if block is not shelf[-1]:
                    whole.append(" " * (_width(block) + BETWEEN - part.cell_len))
            found.append(whole)
    return found


def _width(block: Sequence[Text]) -> int:
    return max(line.cell_len for line in block)
