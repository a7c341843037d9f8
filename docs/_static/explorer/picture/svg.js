// Draw panels and meshes as SVG, as src/shardbook does: the same boxes, labels and classes of figure.css. Lengths are in
// CSS pixels at full size.

import { bands, cellsOf } from "./panels.js";
import { blocks, deviceIds, levels } from "./mesh_picture.js";
import { colour, painted } from "./palette.js";
import { fixed, length } from "../model/notation.js";
import { html, svg } from "./dom.js";
import { linesFor } from "./device_labels.js";
import { shared } from "../model/shared.js";

/**
 * @typedef {import("../model/layout.js").Mesh} Mesh
 * @typedef {import("../model/layout.js").Piece} Piece
 * @typedef {import("./caption.js").LaidOut} LaidOut
 * @typedef {import("./mesh_picture.js").Level} Level
 * @typedef {import("./panels.js").Cell} Cell
 * @typedef {import("./panels.js").Panel} Panel
 *
 * @typedef {object} Box  of every piece
 * @property {number} width
 * @property {number} height
 * @property {number} sheets  copies behind the first
 * @property {number} behind  how far the last of them stands out
 * @property {number} gap  what a box takes besides its size
 * @property {Map<Piece, string[]>} lines  the text in it
 *
 * @typedef {{ class: string, lit: string }} Device  its colour, and what lights up with it
 * @typedef {[x: number, y: number, width: number, height: number]} Rect
 * @typedef {"none" | "one" | "two" | "turned"} Style  how the columns' ranges are written
 */

const { BLOCK, FEW_SHEETS, GROWTH, LABEL, LINE, LONGER, LONGER_OF_SEVERAL, MESH_WIDTH, MOST_UNEQUAL, NUMBER, NUMBERED } = shared;
const { LIT, PHONE, SEAT, SHEET, SHEETS, SMALLEST_TEXT, STRIP, TALLEST, TITLED_PIECES, WIDE } = shared;

/**
 * How panels are drawn: the columns of a band, the size of every box, and which size that is.
 * @param {(Panel | null)[]} arranged
 * @param {string} count  the template of "{count} devices"
 * @param {number} least  the size to start from: which of GROWTH
 * @returns {[limit: number, box: Box, size: number]}
 */
export function measured(arranged, count, least = 0) {
  const drawn = arranged.filter((panel) => panel !== null);
  const widest = Math.max(...drawn.map((panel) => panel.columns.length));
  const gutter = Math.max(...drawn.map((panel) => gutterOf(panel, 0)));
  const pieces = cellsOf(arranged).map((cell) => cell.piece);
  let limit = Math.max(1, Math.floor((WIDE - gutter) / narrowest(pieces)));
  if (widest > limit && !drawn[0].rowLabel) {
    // A strip that must be broken anyway reads better with its ranges upright.
    limit = Math.max(1, Math.floor(WIDE / Math.max(...drawn.map((panel) => upright(panel.columns)))));
  }
  return [limit, ...boxFor(drawn, drawn.flatMap((panel) => bands(panel, limit)), gutter, count, least)];
}

/**
 * Draw panels as `<svg>` elements, and say how narrow they can get while their text is legible.
 * @param {LaidOut} layout
 * @param {(Panel | null)[]} arranged
 * @param {string} count  the template of "{count} devices"
 * @param {number} least  the size to start from: which of GROWTH
 * @returns {[pictures: Element[], narrow: number]}
 */
export function draw(layout, arranged, count, least = 0) {
  const [limit, box] = measured(arranged, count, least);
  const ids = deviceIds(layout.mesh);
  const devices = new Map(ids.map((id, place) => [id, { class: painted(colour(place, layout.mesh.sizes)), lit: lit(place, ids.length) }]));
  const titled = layout.pieces.length <= TITLED_PIECES;
  /** @type {Element[]} */
  const pictures = [];
  let narrow = 0;
  for (const panel of arranged) {
    if (panel === null) {
      pictures.push(html("span", { class: "sb-gap" }, "⋯"));
      continue;
    }
    for (const band of bands(panel, limit)) {
      const [picture, needed] = drawPanel(layout, band, box, devices, titled);
      pictures.push(picture);
      narrow = Math.max(narrow, needed);
    }
  }
  return [pictures, narrow];
}

/** The width that the longest device number needs. */
function narrowest(/** @type {Piece[]} */ pieces) {
  const longest = Math.max(...pieces.map((piece) => Math.max(...piece.devices)));
  return Math.max(26, String(longest).length * NUMBER + 8);
}

/**
 * The width and the height of a panel, in the proportions of what it shows.
 * @param {Panel} panel
 * @param {boolean} several
 * @returns {[width: number, height: number]}
 */
function proportions({ rowLabel, columnLabel, sides: [tall, wide] }, several) {
  const longer = several ? LONGER_OF_SEVERAL : LONGER;
  if (!rowLabel) return [columnLabel ? longer : LONGER_OF_SEVERAL, STRIP];
  const ratio = tall && wide ? Math.min(Math.max(tall / wide, 1 / MOST_UNEQUAL), MOST_UNEQUAL) : 1;
  return ratio <= 1 ? [longer, longer * ratio] : [longer / ratio, longer];
}

/**
 * Choose the first size in which all fits, the array's proportions kept; at last let go of these.
 * @param {Panel[]} panels
 * @param {Panel[]} parts  the panels in bands
 * @param {number} gutter
 * @param {string} count
 * @param {number} least
 * @returns {[box: Box, size: number]}
 */
function boxFor(panels, parts, gutter, count, least) {
  const rows = Math.max(...panels.map((panel) => panel.rows.length));
  const columns = Math.max(...parts.map((band) => band.columns.length));
  let [wide, tall] = proportions(panels[0], panels.length > 1);
  if (parts.length > panels.length) wide = WIDE - gutter;
  const pieces = cellsOf(panels).map((cell) => cell.piece);
  const most = Math.max(...pieces.map((piece) => piece.devices.length));
  const sheets = Math.min(most, pieces.length <= TITLED_PIECES ? SHEETS : FEW_SHEETS) - 1;
  const gap = sheets ? SHEET * sheets + 3 : 0;
  const room = (WIDE - gutter) / columns - gap;
  const boxes = GROWTH.slice(least)
    .map((by) => [(wide * by) / columns - gap, (tall * by) / rows - gap])
    .filter(([width, height]) => width <= room && height * rows <= TALLEST);
  /** @type {[width: number, height: number][]} */
  const sizes = boxes.map(([width, height]) => [Math.trunc((width - 8) / NUMBER), Math.trunc((height - 4) / LINE)]);
  const few = Math.max(1, Math.min(8, Math.floor(400 / (rows * LINE))));
  for (const [share, most] of [[PHONE, few], [480, few], [WIDE, few], [WIDE, 8]]) {
    const width = Math.max(26, (share - gutter) / columns - gap);
    boxes.push([width, Math.min(TALLEST, (tall * (width + gap) * columns) / wide) / rows - gap]);
    sizes.push([Math.trunc((width - 8) / NUMBER), most]);
  }
  const [chosen, lines] = linesFor(pieces, sizes, count);
  const [width, height] = boxes[chosen];
  const needed = Math.max(...[...lines.values()].map((found) => found.length)) * LINE + 6;
  const rounded = { width: Number(fixed(width, 0)), height: Number(fixed(Math.max(height, needed), 0)) };
  return [{ ...rounded, sheets, behind: SHEET * sheets, gap, lines }, least + chosen];
}

/** The room left of the boxes, for the rows' label and ranges. */
function gutterOf(/** @type {Panel} */ panel, /** @type {number} */ height) {
  if (!panel.rowLabel) return 1;
  const ranges = Math.max(...panel.rows.map((text) => length(text || "⋮"))) * LABEL + 8;
  return stands(panel, height) ? ranges + 20 : Math.max(ranges, length(panel.rowLabel) * LABEL + 8);
}

/** Whether the rows' label fits along the side, or must lie in the corner. */
const stands = (/** @type {Panel} */ panel, /** @type {number} */ height) =>
  !height || length(panel.rowLabel) * LABEL <= height;

/**
 * One panel, and how narrow it can get.
 * @param {LaidOut} layout
 * @param {Panel} panel
 * @param {Box} box
 * @param {Map<number, Device>} devices
 * @param {boolean} titled  whether each box names its piece
 * @returns {[picture: SVGSVGElement, least: number]}
 */
function drawPanel(layout, panel, box, devices, titled) {
  const { rows, columns, cells } = panel;
  const heights = rows.map((text) => (text === null ? 22 : box.height));
  const widths = columns.map((text) => (text === null ? 30 : box.width));
  const tall = sum(heights) + box.gap * (rows.length - 1);
  const wide = sum(widths) + box.gap * (columns.length - 1);

  const left = gutterOf(panel, tall);
  const corner = Boolean(panel.rowLabel) && !stands(panel, tall);
  const longest = Math.max(...columns.map((text) => length(text ?? ""))) * LABEL;
  /** @type {Style} */
  let style = !columns.some(Boolean) ? "none" : longest + 2 <= box.width + box.gap ? "one" : "two";
  if (style === "two" && upright(columns) > box.width + box.gap) style = "turned";
  const header = { none: 0, one: 18, two: 32, turned: longest + 8 }[style];
  const top = (panel.title ? 22 : 0) + (panel.columnLabel ? 18 : 0) + Math.max(header, corner ? 18 : 0) + 1 + box.behind;
  const labelWidth = left + wide / 2 + (length(panel.columnLabel) * LABEL) / 2;
  const total = [Math.max(left + wide + box.behind + 1, length(panel.title) * LABEL, labelWidth), top + tall + 1];

  /** @type {SVGElement[]} */
  const texts = [];
  if (panel.title) texts.push(text(0, 13, panel.title, "sb-dim"));
  if (panel.columnLabel) texts.push(text(left + wide / 2, panel.title ? 35 : 13, panel.columnLabel, "sb-dim sb-mid"));
  if (corner) texts.push(text(left - 6, top - box.behind - 6, panel.rowLabel, "sb-dim sb-end"));
  else if (panel.rowLabel) texts.push(turned(13, top + tall / 2, panel.rowLabel, "sb-dim sb-mid"));
  const xs = widths.map((_, at) => left + sum(widths.slice(0, at)) + box.gap * at);
  const ys = heights.map((_, at) => top + sum(heights.slice(0, at)) + box.gap * at);
  for (const [at, range] of columns.entries()) {
    texts.push(...columnRange(xs[at] + widths[at] / 2, top - box.behind - 6, range, style));
  }
  if (panel.rowLabel) {
    for (const [at, range] of rows.entries()) texts.push(text(left - 6, ys[at] + heights[at] / 2 + 4, range ?? "⋮", "sb-end"));
  }

  /** @type {[Cell, Rect][]} */
  const drawn = [];
  /** @type {SVGElement[]} */
  const numbers = [];
  for (const [down, row] of cells.entries()) {
    for (const [across, cell] of row.entries()) {
      const [x, y, width, tallness] = [xs[across], ys[down], widths[across], heights[down]];
      if (cell === null) {
        texts.push(text(x + width / 2, y + tallness / 2 + 4, "⋯", "sb-mid"));
        continue;
      }
      drawn.push([cell, [x, y, width, tallness]]);
      const lines = box.lines.get(cell.piece) ?? [];
      const first = y + tallness / 2 + 4.5 - ((lines.length - 1) * LINE) / 2;
      for (const [at, line] of lines.entries()) numbers.push(text(x + width / 2, first + at * LINE, line));
    }
  }
  const least = (total[0] * SMALLEST_TEXT) / 12;
  const empty = layout.shape.includes(0);
  const attributes = { style: `min-width:${fixed(least, 0)}px`, ...UNFILLED, "aria-hidden": "true" };
  return [picture(total, attributes, boxesOf(drawn, box, devices, titled, empty), numbers, texts, empty), least];
}

/**
 * The pieces, each with its copies behind it: the last ones first, so that the first lies on top.
 * @param {[Cell, Rect][]} drawn
 * @param {Box} box
 * @param {Map<number, Device>} devices
 * @param {boolean} titled
 * @param {boolean} empty
 */
function boxesOf(drawn, box, devices, titled, empty) {
  /** @type {SVGElement[]} */
  const boxes = [];
  for (let behind = box.sheets; behind >= 0; behind -= 1) {
    /** @type {Map<string, string>} */
    const outlines = new Map();
    for (const [cell, [left, top, width, height]] of drawn) {
      const id = holder(cell.piece.devices, behind, box.sheets);
      const device = id === null ? undefined : devices.get(id);
      if (!device) continue;
      const kind = empty ? "sb-empty" : device.class;
      const [x, y] = [left + SHEET * behind, top - SHEET * behind];
      if (titled) {
        boxes.push(rect(`${kind}${device.lit}`, [x, y, width, height], cell.name));
      } else {
        // Boxes of one colour are one path.
        const [w, h] = [digits(width), digits(height)];
        outlines.set(kind, `${outlines.get(kind) ?? ""}M${digits(x)} ${digits(y)}h${w}v${h}h-${w}z`);
      }
    }
    for (const [kind, path] of outlines) boxes.push(svg("path", { class: kind, d: path }));
  }
  return boxes;
}

/**
 * The device whose copy lies so far behind the first; of more than are drawn the last one is the last.
 * @param {number[]} devices
 * @param {number} behind
 * @param {number} sheets
 */
function holder(devices, behind, sheets) {
  if (behind === sheets) return devices.length > sheets ? devices[devices.length - 1] : null;
  return behind < devices.length ? devices[behind] : null;
}

/** The class of all that lights up with the device at a place, if there are not too many devices. */
const lit = (/** @type {number | undefined} */ place, /** @type {number} */ many) => (many <= LIT ? ` sb-p${place}` : "");

/** A mesh under a title. */
export function drawMesh(/** @type {Mesh} */ mesh, /** @type {string} */ title) {
  const places = new Map(deviceIds(mesh).map((id, place) => [id, place]));
  const drawn = levels(mesh).map((level, at) =>
    level === null ? html("span", { class: "sb-gap" }, "⋯") : drawLevel(level, places, at ? "" : title),
  );
  return html("div", { class: "sb-mesh", "aria-hidden": "true" }, ...drawn);
}

/**
 * A grid of devices.
 * @param {Level} level
 * @param {Map<number, number>} places  of the devices of the whole mesh
 * @param {string} title
 */
export function drawLevel(level, places, title = "") {
  const { rowAxis, columnAxis, devices, colours } = level;
  const [rows, columns] = [devices.length, devices[0].length];
  const longest = devices.flat().reduce((most, id) => Math.max(most, id), 0);
  const seat = Math.max(SEAT, String(longest).length * NUMBER + 6);
  const numbered = places.size <= NUMBERED && columns * seat <= MESH_WIDTH;
  const width = numbered ? seat : BLOCK / Math.max(rows, columns);
  const height = numbered ? SEAT : width;
  // Where devices cannot be counted, their number stands with the axis.
  const axis = (/** @type {string} */ name, /** @type {number} */ count, /** @type {string} */ arrow) =>
    name && `${name}${numbered ? "" : `=${count}`} ${arrow}`;
  const [down, across] = [axis(rowAxis, rows, "↓"), axis(columnAxis, columns, "→")];
  const beside = Boolean(down) && length(down) * LABEL + 6 <= 60;
  const left = beside ? length(down) * LABEL + 6 : 1;
  const lines = [title, level.title, across, beside ? "" : down].filter(Boolean);
  const top = 16 * lines.length + 2;
  const total = [
    Math.max(left + columns * width + 1, left + Math.max(...lines.map(length)) * LABEL),
    top + rows * height + 1,
  ];
  const texts = lines.map((line, at) => text(left, 12 + 16 * at, line, "sb-dim"));
  if (beside) texts.push(text(left - 6, top + Math.min(SEAT, rows * height) / 2 + 4, down, "sb-dim sb-end"));
  /** @type {SVGElement[]} */
  const boxes = [];
  /** @type {SVGElement[]} */
  const numbers = [];
  if (numbered) {
    for (const [row, ids] of devices.entries()) {
      for (const [column, id] of ids.entries()) {
        const [x, y] = [left + column * width, top + row * height];
        boxes.push(rect(`${painted(colours[row][column])}${lit(places.get(id), places.size)}`, [x, y, width, height]));
        numbers.push(text(x + width / 2, y + height / 2 + 4.5, `${id}`));
      }
    }
  } else {
    for (const block of blocks(level)) {
      const [x, y] = [left + block.column * width, top + block.row * height];
      boxes.push(rect(painted(block.colour), [x, y, block.columns * width, block.rows * height]));
    }
  }
  return picture(total, UNFILLED, boxes, numbers, texts, false);
}

const UNFILLED = { fill: "none", stroke: "currentColor" };

/**
 * An `<svg>` of boxes, numbers in them and labels around them.
 * @param {number[]} total  width and height
 * @param {import("./dom.js").Attributes} attributes
 * @param {SVGElement[]} boxes
 * @param {SVGElement[]} numbers
 * @param {SVGElement[]} texts
 * @param {boolean} empty  whether the boxes are not filled
 */
function picture([wide, tall], attributes, boxes, numbers, texts, empty) {
  const holders = { class: empty ? "sb-holders sb-on-page" : "sb-holders", fill: "currentColor", stroke: "none" };
  return svg(
    "svg",
    { viewBox: `0 0 ${digits(wide)} ${digits(tall)}`, width: digits(wide), ...attributes },
    ...boxes,
    svg("g", { ...holders, "text-anchor": "middle" }, ...numbers),
    svg("g", { class: "sb-labels", fill: "currentColor", stroke: "none" }, ...texts),
  );
}

/**
 * A box, with what is said when one points at it.
 * @param {string} kind
 * @param {Rect} rect
 * @param {string} name
 */
function rect(kind, [x, y, width, height], name = "") {
  const place = { x: digits(x), y: digits(y), width: digits(width), height: digits(height) };
  return svg("rect", { class: kind, ...place }, ...(name ? [svg("title", {}, name)] : []));
}

/** The width that index ranges need on two lines, "4096:" above "4112". */
function upright(/** @type {(string | null)[]} */ columns) {
  const parts = columns.flatMap((text) => (text ?? "").split(":"));
  return (Math.max(...parts.map(length)) + 1) * LABEL + 4;
}

/**
 * The range of a column, above it.
 * @param {number} x
 * @param {number} y
 * @param {string | null} range
 * @param {Style} style
 */
function columnRange(x, y, range, style) {
  if (style === "none") return [];
  if (range === null) return [text(x, y, "⋯", "sb-mid")];
  if (style === "one") return [text(x, y, range, "sb-mid")];
  if (style === "turned") return [turned(x + 4, y + 2, range)];
  const [start, stop] = range.split(":");
  return [text(x, y - 14, `${start}:`, "sb-mid"), text(x, y, stop, "sb-mid")];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} said
 * @param {string | null} kind
 */
const text = (x, y, said, kind = null) => svg("text", { class: kind, x: digits(x), y: digits(y) }, said);

/**
 * A text that reads upwards.
 * @param {number} x
 * @param {number} y
 * @param {string} said
 * @param {string | null} kind
 */
const turned = (x, y, said, kind = null) =>
  svg("text", { class: kind, transform: `translate(${digits(x)} ${digits(y)})rotate(-90)` }, said);

/** A length with no more digits than a screen shows. */
const digits = (/** @type {number} */ number) => fixed(number, 1).replace(/\.0$/, "");

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, number) => total + number, 0);
