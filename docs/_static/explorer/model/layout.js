// The model: which device holds which part of an array. The same as in src/shardbook, and compared with JAX
// itself in tests/explorer. Nothing here knows a page.

import { DTYPE_BITS } from "./dtypes.js";
import { arrayType, dimensions } from "./notation.js";

/**
 * @typedef {import("./spec.js").Spec} Spec
 *
 * @typedef {"Auto" | "Explicit"} AxisType
 * @typedef {"H100" | "v5e"} Compiler  by the chip it compiles for
 *
 * @typedef {object} Mesh
 * @property {string[]} names  of the axes
 * @property {number[]} sizes  of the axes
 * @property {AxisType[]} types  of the axes
 * @property {number[] | null} order  device ids in mesh order, row-major; null is 0, 1, 2, …
 *
 * @typedef {object} State
 * @property {number[]} shape
 * @property {string} dtype
 * @property {Mesh} mesh
 * @property {Spec} spec
 * @property {Spec | null} to  where a move goes
 * @property {Product | null} product
 * @property {Compiler} [compiler]  whose steps are shown; XLA for CPU, if none is named
 *
 * @typedef {{ b: Spec, out: Spec, columns: number }} Product  with B of shape [shape[1], columns]
 *
 * @typedef {[start: number, stop: number]} Range
 * @typedef {Range[]} Box  an index range a dimension
 * @typedef {{ index: Box, devices: number[] }} Piece
 *
 * @typedef {object} Layout
 * @property {number[]} shape
 * @property {string} dtype
 * @property {string[][]} splits  the mesh axes that split each dimension
 * @property {number[]} shardShape  the shape of one piece
 * @property {number[]} grid  the number of pieces along each dimension
 * @property {Piece[]} pieces  row-major over grid; devices in mesh order
 * @property {number} deviceCount
 * @property {number} replication  how many devices hold a copy of each piece
 * @property {number} bytesPerDevice
 * @property {number} totalBytes  every element counted once
 * @property {string} type  as jax.typeof prints it: axes that are Auto are no part of an array's type
 * @property {string} notation  as shardbook prints it: with every axis, and a space after a comma
 */

export const product = (/** @type {number[]} */ numbers) => numbers.reduce((all, number) => all * number, 1);

/** Bytes of so many elements, without padding. */
export const bytes = (/** @type {number} */ elements, /** @type {string} */ dtype) =>
  Math.ceil((elements * DTYPE_BITS[dtype]) / 8);

/**
 * Lay out an array that `check` has no objection to.
 * @param {State} state
 * @param {Spec} [spec]
 * @returns {Layout}
 */
export function layout(state, spec = state.spec) {
  const { shape, dtype, mesh } = state;
  const splits = shape.map((_, dimension) => spec[dimension] ?? []);
  const grid = splits.map((axes) => product(axes.map((name) => sizeOf(mesh, name))));
  const shardShape = shape.map((size, dimension) => size / grid[dimension]);
  const pieces = holders(mesh, splits.flat()).map((devices, place) => ({ index: box(place, grid, shardShape), devices }));
  const explicit = splits.map((axes) => axes.filter((name) => mesh.types[mesh.names.indexOf(name)] === "Explicit"));
  return {
    shape,
    dtype,
    splits,
    shardShape,
    grid,
    pieces,
    deviceCount: product(mesh.sizes),
    replication: pieces[0].devices.length,
    bytesPerDevice: bytes(product(shardShape), dtype),
    totalBytes: bytes(product(shape), dtype),
    type: arrayType(dtype, dimensions(shape, explicit), ","),
    notation: arrayType(dtype, dimensions(shape, splits)),
  };
}

/**
 * The three arrays of the matrix product of a state that has one, each as a state of its own.
 * @param {State} state
 * @returns {{ a: State, b: State, out: State }}
 */
export function operands(state) {
  const wanted = /** @type {Product} */ (state.product);
  const [rows, inner] = state.shape;
  const alone = { ...state, to: null, product: null };
  return {
    a: alone,
    b: { ...alone, shape: [inner, wanted.columns], spec: wanted.b },
    out: { ...alone, shape: [rows, wanted.columns], spec: wanted.out },
  };
}

const sizeOf = (/** @type {Mesh} */ mesh, /** @type {string} */ name) => mesh.sizes[mesh.names.indexOf(name)];

/**
 * The devices of each piece, pieces in row-major order. No search: with the axes that split first, in the order in which
 * they split, the mesh's rows are the pieces, and each row is a piece's holders.
 * @param {Mesh} mesh
 * @param {string[]} used
 */
function holders(mesh, used) {
  const free = mesh.names.filter((name) => !used.includes(name));
  const rows = positions(mesh, used);
  const columns = positions(mesh, free);
  return rows.map((row) => columns.map((column) => mesh.order?.[row + column] ?? row + column));
}

/** Where in the mesh, counted row-major, one gets to along some axes, the last axis fastest. */
function positions(/** @type {Mesh} */ mesh, /** @type {string[]} */ names) {
  return names.reduce(
    (found, name) => {
      const axis = mesh.names.indexOf(name);
      const stride = product(mesh.sizes.slice(axis + 1));
      const steps = Array.from({ length: mesh.sizes[axis] }, (_, at) => at * stride);
      return found.flatMap((start) => steps.map((step) => start + step));
    },
    [0],
  );
}

/** The index ranges of the piece at a place of the grid. */
function box(/** @type {number} */ place, /** @type {number[]} */ grid, /** @type {number[]} */ shardShape) {
  const index = Array(grid.length);
  for (let dimension = grid.length - 1; dimension >= 0; dimension -= 1) {
    const at = place % grid[dimension];
    index[dimension] = [at * shardShape[dimension], (at + 1) * shardShape[dimension]];
    place = (place - at) / grid[dimension];
  }
  return /** @type {Box} */ (index);
}
