// What JAX refuses, in JAX's own words. A spec gets the first objection that these calls raise, in this order:
//
//   sharding = NamedSharding(mesh, spec)                          duplicate-axis, unknown-axis
//   jax.ShapeDtypeStruct(shape, dtype, sharding=sharding)         too-long
//   sharding.shard_shape(shape)                                   indivisible
//
// `jax.device_put` refuses the same, but words it by axis type, platform and place in the reader's code. tests/explorer
// compares message and class of error with JAX's.

import { operands, product } from "./layout.js";
import { limits } from "./limits.js";
import { reprSpec } from "./spec.js";

/**
 * @typedef {import("./layout.js").State} State
 * @typedef {import("./layout.js").Mesh} Mesh
 * @typedef {import("./spec.js").Spec} Spec
 *
 * @typedef {import("./limits.js").Problem} Problem
 *
 * @typedef {object} Said  what JAX says; nothing where the limit is the explorer's, see limits.js
 * @property {string} [message]
 * @property {string} [error]  the class that JAX raises
 * @property {string} [call]  what raises it
 *
 * @typedef {Problem & Said} Refusal  by the field that it stands next to
 */

/**
 * Say why a state cannot be shown; nothing if it can.
 * Values by kind: duplicate-axis { axes }, unknown-axis { axis, axes }, too-long { entries, dimensions },
 * indivisible { dimension, size, parts, axes, padded }; those of the limits are in limits.js.
 * @param {State} state
 * @returns {Refusal[]}
 */
export function check(state) {
  const beyond = limits(state);
  if (beyond.length) return beyond;
  const { shape, mesh, spec, to, product: wanted } = state;
  /** @type {(Pick<State, "shape" | "spec"> & Pick<Problem, "field">)[]} */
  const asked = [{ field: "spec", shape, spec }];
  if (to) asked.push({ field: "to", shape, spec: to });
  if (wanted) {
    const { b, out } = operands(state);
    asked.push({ field: "b", ...b }, { field: "out", ...out });
  }
  return asked.flatMap(({ field, ...array }) => {
    const refusal = refused(mesh, array.spec, array.shape);
    return refusal ? [{ field, ...refusal }] : [];
  });
}

/** The first objection to one spec, or undefined. */
function refused(/** @type {Mesh} */ mesh, /** @type {Spec} */ spec, /** @type {number[]} */ shape) {
  return duplicateAxis(spec) ?? unknownAxis(mesh, spec) ?? tooLong(mesh, spec, shape) ?? indivisible(mesh, spec, shape);
}

function duplicateAxis(/** @type {Spec} */ spec) {
  const used = spec.flat();
  const axes = [...new Set(used.filter((name, at) => used.indexOf(name) !== at))].sort();
  if (!axes.length) return undefined;
  return {
    kind: "duplicate-axis",
    values: { axes },
    message:
      "A single NamedSharding spec specification can map every mesh axis to at most one positional dimension, but " +
      `${reprSpec(spec)} has duplicate entries for ${axes.map((name) => `\`${name}\``).join(", ")}`,
    error: "DuplicateSpecError",
    call: "NamedSharding",
  };
}

function unknownAxis(/** @type {Mesh} */ mesh, /** @type {Spec} */ spec) {
  const axis = spec.flat().find((name) => !mesh.names.includes(name));
  if (axis === undefined) return undefined;
  return {
    kind: "unknown-axis",
    values: { axis, axes: mesh.names },
    message: `Resource axis: ${axis} of ${reprSpec(spec)} is not found in mesh: ${tuple(mesh.names.map(quoted))}.`,
    error: "ValueError",
    call: "NamedSharding",
  };
}

function tooLong(/** @type {Mesh} */ mesh, /** @type {Spec} */ spec, /** @type {number[]} */ shape) {
  if (spec.length <= shape.length) return undefined;
  return {
    kind: "too-long",
    values: { entries: spec.length, dimensions: shape.length },
    message:
      `Sharding ${sharding(mesh, spec)} is only valid for values of rank at least ${spec.length}, but was applied to a ` +
      `value of rank ${shape.length}.${shape.length ? "" : " For scalars the PartitionSpec should be P()"}`,
    error: "ValueError",
    call: "jax.ShapeDtypeStruct",
  };
}

function indivisible(/** @type {Mesh} */ mesh, /** @type {Spec} */ spec, /** @type {number[]} */ shape) {
  const splits = shape.map((_, dimension) => spec[dimension] ?? []);
  const grid = splits.map((axes) => product(axes.map((name) => mesh.sizes[mesh.names.indexOf(name)])));
  const dimension = shape.findIndex((size, at) => size % grid[at]);
  if (dimension < 0) return undefined;
  const [size, parts] = [shape[dimension], grid[dimension]];
  return {
    kind: "indivisible",
    values: { dimension, size, parts, axes: splits[dimension], padded: Math.ceil(size / parts) * parts },
    message:
      `${sharding(mesh, spec)} implies that array axis ${dimension} is partitioned ${parts} times, but the dimension ` +
      `size is ${size} (full shape: ${tuple(shape)}, per-dimension tiling factors: ${tuple(grid)} should evenly divide ` +
      "the shape)",
    error: "IndivisibleError",
    call: "shard_shape",
  };
}

const quoted = (/** @type {string} */ name) => `'${name}'`;

/** A tuple as Python prints it. */
const tuple = (/** @type {(string | number)[]} */ items) => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;

/** A sharding as Python prints it. */
function sharding(/** @type {Mesh} */ mesh, /** @type {Spec} */ spec) {
  const axes = mesh.names.map((name, at) => `${quoted(name)}: ${mesh.sizes[at]}`).join(", ");
  const devices = `Mesh(${axes}, axis_types=${tuple(mesh.types)})`;
  return `NamedSharding(mesh=${devices}, spec=${reprSpec(spec)}, memory_kind=device)`;
}
