// What the explorer can show at all, whatever JAX would say: JAX is asked only about states within these limits.

import { DTYPE_BITS } from "./dtypes.js";
import { product } from "./layout.js";
import { isName } from "./spec.js";

/**
 * @typedef {"shape" | "dtype" | "mesh" | "types" | "order" | "spec" | "to" | "b" | "out"} Field  of the form
 * @typedef {{ field: Field, kind: string, values: Record<string, unknown> }} Problem  what a remedy is told of, in words
 */

export const LIMITS = Object.freeze({
  dimensions: 6,
  axes: 6,
  devices: 4096,
  bytes: 2 ** 53, // of all copies together: up to there a number is exact
});

const isList = Array.isArray;
const isSize = (/** @type {any} */ value) => Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0);
const isSpec = (/** @type {unknown} */ spec) => isList(spec) && spec.every((axes) => isList(axes) && axes.every(isName));
const isShort = (/** @type {string[][]} */ spec) =>
  spec.length <= 2 * LIMITS.dimensions && spec.flat().length <= 2 * LIMITS.axes;

/**
 * Say what of a state cannot be shown. Whatever `state` is, the answer comes at once; without objections it is a State.
 * Kinds: state, dimensions, size, dtype, axes, axis-name, axis-twice, axis-size, devices, types, order, bytes, spec,
 * product-shape, columns.
 * @param {any} state
 */
export function limits(state) {
  /** @type {Problem[]} */
  const found = [];
  const object = (/** @type {Field} */ field, /** @type {string} */ kind, values = {}) =>
    found.push({ field, kind, values });
  const { shape, dtype, mesh, to = null, product: wanted = null } = state ?? {};
  if (!mesh || ![shape, mesh.names, mesh.sizes, mesh.types].every(isList) || typeof wanted !== "object") {
    object("shape", "state");
    return found;
  }

  const wrong = shape.findIndex((/** @type {unknown} */ size) => !isSize(size));
  if (shape.length > LIMITS.dimensions) object("shape", "dimensions", { count: shape.length, most: LIMITS.dimensions });
  else if (wrong >= 0) object("shape", "size", { dimension: wrong });
  if (typeof dtype !== "string" || !Object.hasOwn(DTYPE_BITS, dtype)) object("dtype", "dtype");

  /** @type {{ names: any[], sizes: any[], types: any[], order?: unknown }} */
  const { names, sizes, types, order = null } = mesh;
  const count = sizes.length && sizes.every(isSize) ? product(sizes) : 0;
  const unnamed = names.findIndex((name) => !isName(name));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const unsized = sizes.findIndex((size) => !isSize(size) || size < 1);
  if (!names.length || names.length > LIMITS.axes || names.length !== sizes.length) {
    object("mesh", "axes", { names: names.length, sizes: sizes.length, most: LIMITS.axes });
  } else if (unnamed >= 0) object("mesh", "axis-name", { axis: unnamed });
  else if (twice !== undefined) object("mesh", "axis-twice", { axis: twice });
  else if (unsized >= 0) object("mesh", "axis-size", { axis: names[unsized] });
  else if (count > LIMITS.devices) object("mesh", "devices", { count, most: LIMITS.devices });
  else if (order !== null && !isPermutation(order, count)) object("order", "order", { count });
  if (types.length !== names.length || types.some((type) => type !== "Auto" && type !== "Explicit")) {
    object("types", "types");
  }

  const specs = { spec: state.spec, ...(to !== null && { to }), ...(wanted && { b: wanted.b, out: wanted.out }) };
  for (const [field, spec] of Object.entries(specs)) if (!isSpec(spec) || !isShort(spec)) object(/** @type {Field} */ (field), "spec");
  if (wanted && shape.length !== 2) object("shape", "product-shape", { count: shape.length });
  if (wanted && !isSize(wanted.columns)) object("b", "columns");
  if (found.length) return found;

  const [rows, inner] = shape;
  const arrays = wanted ? [shape, [inner, wanted.columns], [rows, wanted.columns]] : [shape];
  for (const each of arrays) {
    const most = (LIMITS.bytes / count / DTYPE_BITS[dtype]) * 8;
    if (product(each) > most) {
      object(each === shape ? "shape" : "b", "bytes", { most: Math.floor(LIMITS.bytes / count) });
      break;
    }
  }
  return found;
}

/** Whether a list has each device once. */
function isPermutation(/** @type {unknown} */ order, /** @type {number} */ count) {
  if (!isList(order) || order.length !== count) return false;
  return new Set(order).size === count && order.every((id) => isSize(id) && id < count);
}
