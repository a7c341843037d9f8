// What to draw: panels of rows and columns of pieces, as src/shardbook arranges them.

import { dimensions, index, span } from "../model/notation.js";
import { product } from "../model/layout.js";
import { shared } from "../model/shared.js";

/**
 * @typedef {import("../model/layout.js").Layout} Layout
 * @typedef {import("../model/layout.js").Piece} Piece
 *
 * @typedef {{ piece: Piece, name: string }} Cell  one piece, and where it lies
 *
 * @typedef {object} Panel  a grid of pieces with the labels around it; null stands for what is left out
 * @property {string} title  the index that it shows of the whole array; "" if it shows all
 * @property {string} rowLabel  the dimension along the side
 * @property {string} columnLabel  the dimension along the top
 * @property {(string | null)[]} rows  the index range of each
 * @property {(string | null)[]} columns
 * @property {(Cell | null)[][]} cells  row by row
 * @property {[height: number, width: number]} sides  of all that it shows, in elements; 0 where there is no dimension
 */

/**
 * Arrange a layout's pieces in panels; null stands for panels that are left out.
 * @param {Layout} layout
 * @param {number[]} like  the grid of another layout of the same array, which is to have the same rows and columns
 * @returns {(Panel | null)[]}
 */
export function panels(layout, like = layout.grid) {
  const dims = dimensions(layout.shape, layout.splits);
  const drawn = drawnDimensions(layout.grid.map((parts, at) => Math.max(parts, like[at])));
  const leading = dims.map((_, at) => at).filter((at) => !drawn.includes(at));
  const [row, column] = [null, null, ...drawn].slice(-2);
  const elide = layout.pieces.length > shared.MAX_PIECES;
  const rows = shown(row === null ? 1 : layout.grid[row], elide ? 4 : null);
  const columns = shown(column === null ? 1 : layout.grid[column], elide ? (rows.length === 1 ? 6 : 4) : null);
  const leadingGrid = leading.map((at) => layout.grid[at]);

  /** @returns {Cell | null} */
  const cell = (/** @type {number[]} */ place, /** @type {number | null} */ down, /** @type {number | null} */ across) => {
    if (down === null || across === null) return null;
    const where = dims.map((_, at) => (at === row ? down : at === column ? across : place[leading.indexOf(at)]));
    const number = where.reduce((sum, step, at) => sum * layout.grid[at] + step, 0);
    const piece = layout.pieces[number];
    return { piece, name: index(piece.index) };
  };

  /** @returns {Panel} */
  const panel = (/** @type {number} */ number) => {
    const place = unravel(number, leadingGrid);
    const cells = rows.map((down) => columns.map((across) => cell(place, down, across)));
    const [first] = cells.flat().filter((found) => found !== null);
    const where = dims.map((_, at) => (leading.includes(at) ? span(first.piece.index[at]) : ":"));
    const split = leading.filter((at) => layout.grid[at] > 1).map((at) => dims[at]);
    const range = (/** @type {Cell | null} */ found, /** @type {number} */ dimension) =>
      found === null ? null : span(found.piece.index[dimension]);
    return {
      title: leading.length ? [...split, `[${where.join(", ")}]`].join("  ") : "",
      rowLabel: row === null ? "" : dims[row],
      columnLabel: column === null ? "" : dims[column],
      rows: row === null ? [""] : cells.map((line) => range(line[0], row)),
      columns: column === null ? [""] : cells[0].map((found) => range(found, column)),
      cells,
      sides: [row === null ? 0 : layout.shape[row], column === null ? 0 : layout.shape[column]],
    };
  };

  return shown(product(leadingGrid), elide ? 4 : null).map((number) => (number === null ? null : panel(number)));
}

/**
 * Break a panel into bands of at most `limit` columns, as even as can be; the first has the title.
 * @param {Panel} panel
 * @param {number} limit
 */
export function bands(panel, limit) {
  const total = panel.columns.length;
  const width = Math.ceil(total / Math.ceil(total / Math.max(limit, 1)));
  /** @type {Panel[]} */
  const found = [];
  for (let start = 0; start < total; start += width) {
    found.push({
      ...panel,
      title: start ? "" : panel.title,
      columnLabel: start ? "" : panel.columnLabel,
      columns: panel.columns.slice(start, start + width),
      cells: panel.cells.map((row) => row.slice(start, start + width)),
    });
  }
  return found;
}

/** All the cells of panels that are drawn. */
export const cellsOf = (/** @type {(Panel | null)[]} */ arranged) =>
  arranged.flatMap((panel) => panel?.cells.flat() ?? []).filter((cell) => cell !== null);

/** The dimensions to draw as rows and columns: the last two, but one that is split before one that is not. */
function drawnDimensions(/** @type {number[]} */ grid) {
  const isSplit = (/** @type {number} */ at) => Number(grid[at] > 1);
  const byWorth = grid.map((_, at) => at).sort((one, other) => isSplit(one) - isSplit(other) || one - other);
  return byWorth.slice(-2).sort((one, other) => one - other);
}

/** Which of `count` parts to draw: all, or the first `limit - 1`, a gap and the last. */
export function shown(/** @type {number} */ count, /** @type {number | null} */ limit) {
  const first = (/** @type {number} */ many) => Array.from({ length: many }, (_, at) => at);
  return limit === null || count <= limit + 1 ? first(count) : [...first(limit - 1), null, count - 1];
}

/** The place in a grid of its part with a number, in row-major order. */
export function unravel(/** @type {number} */ number, /** @type {number[]} */ grid) {
  /** @type {number[]} */
  const place = [];
  for (const parts of grid.toReversed()) {
    place.unshift(number % parts);
    number = Math.floor(number / parts);
  }
  return place;
}
