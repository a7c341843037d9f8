// The mesh beside an array, as src/shardbook's module of that name arranges it: every device at its place.

import { colour } from "./palette.js";
import { place as placeIn } from "../model/notation.js";
import { product } from "../model/layout.js";
import { shared } from "../model/shared.js";
import { shown, unravel } from "./panels.js";

/**
 * @typedef {import("../model/layout.js").Mesh} Mesh
 * @typedef {import("./palette.js").Colour} Colour
 *
 * @typedef {object} Level  a grid of devices: all there are, or those at one place along the leading axes
 * @property {string} title  that place, such as "x=0"; "" if the grid has all devices
 * @property {string} rowAxis  the axis that runs down; "" if there is none
 * @property {string} columnAxis  the axis that runs across
 * @property {number[][]} devices  their ids
 * @property {Colour[][]} colours
 *
 * @typedef {{ row: number, column: number, rows: number, columns: number, colour: Colour }} Block  neighbours of one colour
 */

/** The ids of a mesh's devices in mesh order. */
export const deviceIds = (/** @type {Mesh} */ { order, sizes }) =>
  order ?? Array.from({ length: product(sizes) }, (_, position) => position);

/**
 * The grids that show a mesh, null for those that are left out. The last two axes run down and across; beyond two, axes of
 * size 1 are not drawn.
 * @param {Mesh} mesh
 * @returns {(Level | null)[]}
 */
export function levels(mesh) {
  const ids = deviceIds(mesh);
  let axes = mesh.names.map((name, at) => ({ name, size: mesh.sizes[at] }));
  if (axes.length > 2) {
    const longer = axes.filter(({ size }) => size > 1);
    const kept = [...longer, ...axes.filter(({ size }) => size === 1).toReversed()].slice(0, Math.max(2, longer.length));
    axes = axes.filter((axis) => kept.includes(axis));
  }
  const leading = axes.slice(0, -2);
  const [down, across] = [1, ...axes.map(({ size }) => size)].slice(-2);
  const [rowAxis, columnAxis] = ["", ...axes.map(({ name }) => name)].slice(-2);
  const sizes = leading.map(({ size }) => size);
  const count = (/** @type {number} */ many) => Array.from({ length: many }, (_, at) => at);
  return shown(product(sizes), shared.MOST_LEVELS).map((level) => {
    if (level === null) return null;
    const positions = count(down).map((row) => count(across).map((column) => (level * down + row) * across + column));
    return {
      title: placeIn(leading.map(({ name }) => name), unravel(level, sizes)),
      rowAxis,
      columnAxis,
      devices: positions.map((row) => row.map((position) => ids[position])),
      colours: positions.map((row) => row.map((position) => colour(position, mesh.sizes))),
    };
  });
}

/** The devices of a grid that share a colour, as blocks. */
export function blocks(/** @type {Level} */ { colours }) {
  return runs(colours.map(([first]) => first)).flatMap(([row, rows]) =>
    runs(colours[0]).map(([column, columns]) => ({ row, column, rows, columns, colour: colours[row][column] })),
  );
}

/** Where each run of equal colours starts, and how long it is. */
function runs(/** @type {Colour[]} */ found) {
  /** @type {[start: number, length: number][]} */
  const all = [];
  for (const [at, { hue, shade }] of found.entries()) {
    const before = found[at - 1];
    if (before && before.hue === hue && before.shade === shade) all[all.length - 1][1] += 1;
    else all.push([at, 1]);
  }
  return all;
}
