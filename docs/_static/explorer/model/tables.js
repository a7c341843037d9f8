// What XLA inserted when the build asked it: look up the tables moves and products, whose form is described in
// src/shardbook_sphinx/xla/tables.py. Pure: no DOM, no network.

/**
 * @typedef {import("./layout.js").Mesh} Mesh
 * @typedef {import("./layout.js").State} State
 * @typedef {import("./spec.js").Spec} Spec
 *
 * @typedef {object} Table
 * @property {string} jax  its version
 * @property {string} dtype
 * @property {number[]} [shape]  of the array of a move
 * @property {{ a: number[], b: number[] }} [shapes]  of the operands of a product
 * @property {{ kind: string, axes: number[], members: number, of: string, fraction: number, dtype?: string }[]} steps
 * @property {string} [chip]  that it was compiled for
 * @property {string} [made]  the compiler, and its release
 * @property {Entry[]} meshes
 *
 * @typedef {object} Entry  what was measured on one mesh
 * @property {number[]} sizes
 * @property {number[][][]} specs
 * @property {number[][]} rows  the steps of each combination of specs, by number
 * @property {number[]} warned  rows
 *
 * @typedef {object} Step
 * @property {string} kind
 * @property {string[]} axes  by name
 * @property {boolean} part  whether devices communicate along a part of the axes only
 * @property {string} of  the table's name of the array
 * @property {string} [dtype]  of what is sent, if it is not that of the table
 * @property {number | null} fraction  of the array's bytes that each device receives; null if it was another mesh
 *
 * @typedef {object} Found
 * @property {number[]} on  the axis sizes of the mesh it was measured on
 * @property {boolean} exact  whether it was a mesh with these sizes, and a matrix; if not, it was a matrix on a mesh where
 *   the same axis is the longer
 * @property {boolean} warned
 * @property {Step[]} steps
 */

/**
 * What the table of moves says of the way from `spec` to `to`, or null if it says nothing. Dimensions that neither spec
 * splits are passed over; at most two others were measured.
 * @param {Table} table
 * @param {State} state  that has a move
 */
export function measuredMove(table, { shape, mesh, spec, to }) {
  const specs = [spec, to ?? []];
  const split = [...shape.keys()].filter((at) => specs.some((each) => each[at]?.length));
  if (split.length > 2) return null;
  const whole = [...shape.keys()].filter((at) => !split.includes(at));
  const dimensions = shape.length === 2 ? [0, 1] : [...split, ...whole, shape.length, shape.length].slice(0, 2);
  return find(table, mesh, specs.map((each) => dimensions.map((at) => each[at] ?? [])), shape.length === 2);
}

/**
 * What the table of products says of a state that has one, or null.
 * @param {Table} table
 * @param {State} state
 */
export function measuredProduct(table, { mesh, spec, product }) {
  const specs = [spec, product?.b ?? [], product?.out ?? []];
  return find(table, mesh, specs.map((each) => [each[0] ?? [], each[1] ?? []]), true);
}

/**
 * What is known of these specs. Axes of size 1 split nothing and are passed over; if the table does not have the axes in
 * their order, it may have them in the other.
 * @param {Table} table
 * @param {Mesh} mesh
 * @param {Spec[]} specs
 * @param {boolean} matrix
 * @returns {Found | null}
 */
function find(table, mesh, specs, matrix) {
  const long = mesh.names.filter((_, at) => mesh.sizes[at] > 1);
  const size = (/** @type {string} */ name) => mesh.sizes[mesh.names.indexOf(name)];
  const wanted = specs.map((spec) => spec.map((axes) => axes.filter((name) => long.includes(name))));
  for (const same of [true, false]) {
    for (const names of [long, long.toReversed()]) {
      for (const entry of table.meshes.filter(({ sizes }) => sizes.length === long.length)) {
        if (!(same ? sameSizes : sameOrder)(names.map(size), entry.sizes)) continue;
        const row = rowNumber(entry.specs, wanted, names);
        const exact = same && matrix;
        if (row >= 0) return { on: entry.sizes, exact, ...read(table, entry, row, names, exact) };
      }
    }
  }
  return null;
}

/**
 * What a row says, with the axes' names.
 * @param {Table} table
 * @param {Entry} entry
 * @param {number} row
 * @param {string[]} names
 * @param {boolean} exact
 */
function read(table, entry, row, names, exact) {
  const steps = entry.rows[row].map((number) => {
    const { kind, axes, members, of, fraction, dtype } = table.steps[number];
    const devices = axes.reduce((count, at) => count * entry.sizes[at], 1);
    const part = kind !== "collective-permute" && members < devices;
    return { kind, axes: axes.map((at) => names[at]), part, of, dtype, fraction: exact ? fraction : null };
  });
  return { warned: entry.warned.includes(row), steps };
}

/**
 * The number of the row for some specs, or -1 if there is none.
 * @param {number[][][]} known
 * @param {Spec[]} specs
 * @param {string[]} names
 */
function rowNumber(known, specs, names) {
  const texts = known.map((spec) => JSON.stringify(spec));
  const places = specs.map((spec) => JSON.stringify(spec.map((axes) => axes.map((name) => names.indexOf(name)))));
  const numbers = places.map((text) => texts.indexOf(text));
  return numbers.includes(-1) ? -1 : numbers.reduce((row, number) => row * known.length + number, 0);
}

const sameSizes = (/** @type {number[]} */ some, /** @type {number[]} */ others) =>
  some.every((size, at) => size === others[at]);

const sameOrder = (/** @type {number[]} */ [one, other], /** @type {number[]} */ [first, second]) =>
  other === undefined || Math.sign(one - other) === Math.sign(first - second);
