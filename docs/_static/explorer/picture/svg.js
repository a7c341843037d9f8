// Draw panels as SVG, as src/shardbook does: the same boxes, labels and classes of figure.css. Lengths are in CSS pixels
// at full size.

import { bands, cellsOf } from "./panels.js";
import { fixed, length } from "../model/notation.js";
import { html, svg } from "./dom.js";
import { linesFor } from "./device_labels.js";
import { shared } from "../model/shared.js";

/**
 * @typedef {import("../model/layout.js").Piece} Piece
 * @typedef {import("./panels.js").Panel} Panel
 *
 * @typedef {Pick<import("../model/layout.js").Layout, "shape" | "shardShape" | "pieces">} Drawn  what is drawn of a layout
 * @typedef {{ width: number, height: number, lines: Map<Piece, string[]> }} Box  the size of every box, and what is in them
 * @typedef {"none" | "one" | "two" | "turned"} Style  how the columns' ranges are written
 */

const { LABEL, LINE, NUMBER, PHONE, SMALLEST_TEXT, TITLED_PIECES, WIDE } = shared;

/**
 * Draw panels as `<svg>` elements, and say how narrow they can get while their text is legible.
 * @param {Drawn} layout
 * @param {(Panel | null)[]} arranged
 * @param {string} count  the template of "{count} devices"
 * @returns {[pictures: Element[], least: number]}
 */
export function draw(layout, arranged, count) {
  const drawn = arranged.filter((panel) => panel !== null);
  const widest = Math.max(...drawn.map((panel) => panel.columns.length));
  const tallest = Math.max(...drawn.map((panel) => panel.rows.length));
  const gutter = Math.max(...drawn.map((panel) => gutterOf(panel, 0)));
  const pieces = cellsOf(arranged).map((cell) => cell.piece);
  let limit = Math.max(1, Math.floor((WIDE - gutter) / narrowest(pieces)));
  if (widest > limit && !drawn[0].rowLabel) {
    // A strip that must be broken anyway reads better with its ranges upright.
    limit = Math.max(1, Math.floor(WIDE / Math.max(...drawn.map((panel) => upright(panel.columns)))));
  }
  const columns = Math.max(...drawn.flatMap((panel) => bands(panel, limit).map((band) => band.columns.length)));
  const box = boxFor(layout, pieces, [tallest, columns], gutter, count);
  const titled = layout.pieces.length <= TITLED_PIECES;
  /** @type {Element[]} */
  const pictures = [];
  let least = 0;
  for (const panel of arranged) {
    if (panel === null) {
      pictures.push(html("span", { class: "sb-gap" }, "⋯"));
      continue;
    }
    for (const band of bands(panel, limit)) {
      const [picture, needed] = drawPanel(layout, band, box, titled);
      pictures.push(picture);
      least = Math.max(least, needed);
    }
  }
  return [pictures, least];
}

/** The width that the longest device number needs. */
function narrowest(/** @type {Piece[]} */ pieces) {
  const longest = Math.max(...pieces.map((piece) => Math.max(...piece.devices)));
  return Math.max(26, String(longest).length * NUMBER + 8);
}

/**
 * Choose a box size: narrow enough for a phone if the text allows, in the array's proportions where it is free.
 * @param {Drawn} layout
 * @param {Piece[]} pieces
 * @param {[rows: number, columns: number]} shape
 * @param {number} gutter
 * @param {string} count
 * @returns {Box}
 */
function boxFor(layout, pieces, [rows, columns], gutter, count) {
  const roomiest = columns === 1 ? 160 : columns === 2 ? 110 : 88;
  const shares = [PHONE, 480, WIDE].map((total) => Math.max(26, (total - gutter) / columns));
  const widths = [Math.min(roomiest, shares[0]), ...shares, shares[2]];
  const few = Math.max(1, Math.min(8, Math.floor(400 / (rows * LINE))));
  const heights = [...Array(widths.length - 1).fill(few), Math.max(few, 8)];
  /** @type {[width: number, height: number][]} */
  const sizes = widths.map((width, at) => [Math.floor((width - 8) / NUMBER), heights[at]]);
  const [chosen, lines] = linesFor(pieces, sizes, count);
  const width = widths[chosen];
  const needed = Math.max(...[...lines.values()].map((found) => found.length)) * LINE + 14;
  const sides = layout.shardShape.slice(-2);
  const ratio = sides.length === 2 && sides.every(Boolean) ? sides[0] / sides[1] : 0.4;
  const free = Math.min(width * Math.min(Math.max(ratio, 0.4), 2), Math.max(needed, 320 / rows), 120);
  return { width: Number(fixed(width, 0)), height: Number(fixed(Math.max(needed, free), 0)), lines };
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
 * @param {Drawn} layout
 * @param {Panel} panel
 * @param {Box} box
 * @param {boolean} titled  whether each box names its piece
 * @returns {[picture: SVGSVGElement, least: number]}
 */
function drawPanel(layout, panel, box, titled) {
  const { rows, columns, cells } = panel;
  // A label that nearly fits along the side is worth a slightly taller box.
  const labelled = length(panel.rowLabel) * LABEL;
  const height = panel.rowLabel && labelled <= 100 ? Math.max(box.height, labelled / rows.length) : box.height;
  const heights = rows.map((text) => (text === null ? 22 : height));
  const widths = columns.map((text) => (text === null ? 30 : box.width));
  const [tall, wide] = [sum(heights), sum(widths)];

  const left = gutterOf(panel, tall);
  const corner = Boolean(panel.rowLabel) && !stands(panel, tall);
  const longest = Math.max(...columns.map((text) => length(text ?? ""))) * LABEL;
  /** @type {Style} */
  let style = !columns.some(Boolean) ? "none" : longest + 2 <= box.width ? "one" : "two";
  if (style === "two" && upright(columns) > box.width) style = "turned";
  const header = { none: 0, one: 18, two: 32, turned: longest + 8 }[style];
  const top = (panel.title ? 22 : 0) + (panel.columnLabel ? 18 : 0) + Math.max(header, corner ? 18 : 0) + 1;
  const labelWidth = left + wide / 2 + (length(panel.columnLabel) * LABEL) / 2;
  const total = [Math.max(left + wide + 1, length(panel.title) * LABEL, labelWidth), top + tall + 1];

  /** @type {SVGElement[]} */
  const texts = [];
  if (panel.title) texts.push(text(0, 13, panel.title, "sb-dim"));
  if (panel.columnLabel) texts.push(text(left + wide / 2, panel.title ? 35 : 13, panel.columnLabel, "sb-dim sb-mid"));
  if (corner) texts.push(text(left - 6, top - 6, panel.rowLabel, "sb-dim sb-end"));
  else if (panel.rowLabel) texts.push(turned(13, top + tall / 2, panel.rowLabel, "sb-dim sb-mid"));
  const xs = widths.map((_, at) => left + sum(widths.slice(0, at)));
  const ys = heights.map((_, at) => top + sum(heights.slice(0, at)));
  for (const [at, range] of columns.entries()) texts.push(...columnRange(xs[at] + widths[at] / 2, top - 6, range, style));
  if (panel.rowLabel) {
    for (const [at, range] of rows.entries()) texts.push(text(left - 6, ys[at] + heights[at] / 2 + 4, range ?? "⋮", "sb-end"));
  }

  /** @type {SVGElement[]} */
  const boxes = [];
  /** @type {Map<string, string>} */
  const outlines = new Map();
  /** @type {SVGElement[]} */
  const numbers = [];
  for (const [down, row] of cells.entries()) {
    for (const [across, cell] of row.entries()) {
      const [x, y, width, tallness] = [xs[across], ys[down], widths[across], heights[down]];
      if (cell === null) {
        texts.push(text(x + width / 2, y + tallness / 2 + 4, "⋯", "sb-mid"));
        continue;
      }
      const kind = layout.shape.includes(0) ? "sb-empty" : `sb-c${cell.colour}`;
      if (titled) {
        const place = { x: digits(x), y: digits(y), width: digits(width), height: digits(tallness) };
        boxes.push(svg("rect", { class: kind, ...place }, svg("title", {}, cell.name)));
      } else {
        // Boxes of one colour are one path.
        const [w, h] = [digits(width), digits(tallness)];
        outlines.set(kind, `${outlines.get(kind) ?? ""}M${digits(x)} ${digits(y)}h${w}v${h}h-${w}z`);
      }
      const lines = box.lines.get(cell.piece) ?? [];
      const first = y + tallness / 2 + 4.5 - ((lines.length - 1) * LINE) / 2;
      for (const [at, line] of lines.entries()) numbers.push(text(x + width / 2, first + at * LINE, line));
    }
  }
  for (const [kind, drawn] of outlines) boxes.push(svg("path", { class: kind, d: drawn }));
  const least = (total[0] * SMALLEST_TEXT) / 12;
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${digits(total[0])} ${digits(total[1])}`,
      width: digits(total[0]),
      style: `min-width:${fixed(least, 0)}px`,
      fill: "none",
      stroke: "currentColor",
      "aria-hidden": "true",
    },
    ...boxes,
    svg(
      "g",
      {
        class: layout.shape.includes(0) ? "sb-holders sb-on-page" : "sb-holders",
        fill: "currentColor",
        stroke: "none",
        "text-anchor": "middle",
      },
      ...numbers,
    ),
    svg("g", { class: "sb-labels", fill: "currentColor", stroke: "none" }, ...texts),
  );
  return [picture, least];
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
