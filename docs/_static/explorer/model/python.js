// The state as a program to paste: it needs nothing but JAX, and ends with the array `x`, what it was moved to as
// `moved`, and the product as `c`. tests/explorer runs it and compares its layouts with the picture's.

import { layout, operands, product } from "./layout.js";
import { needsX64 } from "./dtypes.js";
import { printSpec } from "./spec.js";

/** @typedef {import("./layout.js").State} State */

// Bytes of all copies together, up to which the program makes arrays; beyond, it describes them, and XLA compiles for
// the description as for an array.
const MADE = 2 ** 25;
const WIDTH = 88;

/**
 * Write the program of a state that `check` has no objection to.
 * @param {State} state
 */
export function python(state) {
  const { dtype, mesh, to } = state;
  const arrays = state.product ? Object.values(operands(state)) : [state];
  const made = arrays.every((array) => layout(array).bytesPerDevice * product(mesh.sizes) <= MADE);
  const array = made ? madeArray : describedArray;
  return [
    "import jax",
    ...(made || state.product ? ["import jax.numpy as jnp"] : []),
    ...(mesh.order ? ["import numpy as np"] : []),
    `from jax.sharding import AxisType, ${mesh.order ? "Mesh, " : ""}NamedSharding, PartitionSpec as P`,
    "",
    'jax.config.update("jax_platforms", "cpu")',
    `jax.config.update("jax_num_cpu_devices", ${product(mesh.sizes)})`,
    ...(needsX64(dtype) ? ['jax.config.update("jax_enable_x64", True)'] : []),
    "",
    ...meshLines(mesh),
    array("x", state),
    "print(jax.typeof(x), x.sharding.shard_shape(x.shape))",
    ...(to ? ["", ...moveLines(to, made)] : []),
    ...(state.product ? ["", ...productLines(state, array, made)] : []),
    "",
  ].join("\n");
}

function meshLines(/** @type {import("./layout.js").Mesh} */ { names, sizes, types, order }) {
  const named = tuple(names.map((name) => `'${name}'`));
  const same = types.every((type) => type === types[0]);
  const axisTypes =
    same && types.length > 1
      ? `(AxisType.${types[0]},) * ${types.length}`
      : tuple(types.map((type) => `AxisType.${type}`));
  if (!order) return [`mesh = jax.make_mesh(${tuple(sizes)}, ${named}, axis_types=${axisTypes})`];
  return [
    ...wrapped("order = [", order.map(String), "]"),
    `devices = np.array(jax.devices())[order].reshape${tuple(sizes)}`,
    `mesh = Mesh(devices, ${named}, axis_types=${axisTypes})`,
  ];
}

const madeArray = (/** @type {string} */ name, /** @type {State} */ { shape, dtype, spec }) =>
  `${name} = jax.device_put(jnp.zeros(${tuple(shape)}, "${dtype}"), NamedSharding(mesh, ${printSpec(spec)}))`;

const describedArray = (/** @type {string} */ name, /** @type {State} */ { shape, dtype, spec }) =>
  `${name} = jax.ShapeDtypeStruct(${tuple(shape)}, "${dtype}", sharding=NamedSharding(mesh, ${printSpec(spec)}))`;

function moveLines(/** @type {import("./spec.js").Spec} */ to, /** @type {boolean} */ made) {
  return [
    `move = jax.jit(lambda x: x, out_shardings=NamedSharding(mesh, ${printSpec(to)}))`,
    made ? "moved = move(x)" : "moved = jax.eval_shape(move, x)",
    "print(jax.typeof(moved), moved.sharding.shard_shape(moved.shape))",
  ];
}

/**
 * An axis that is Explicit must stand in the type that `matmul` gives, one that is Auto may not: it stands in what `jit`
 * returns. What is only described has its devices from there, too.
 */
function productLines(/** @type {State} */ state, /** @type {typeof madeArray} */ array, /** @type {boolean} */ made) {
  const { mesh } = state;
  const { b, out } = operands(state);
  const auto = mesh.types.includes("Auto");
  const explicit = mesh.types.includes("Explicit");
  const typed = out.spec.map((axes) => axes.filter((name) => mesh.types[mesh.names.indexOf(name)] === "Explicit"));
  const inType = explicit ? `, out_sharding=${auto ? `NamedSharding(mesh, ${printSpec(typed)})` : "out"}` : "";
  const returned = auto || !made ? ", out_shardings=out" : "";
  return [
    array("b", b),
    `out = NamedSharding(mesh, ${printSpec(out.spec)})`,
    `multiply = jax.jit(lambda x, b: jnp.matmul(x, b${inType})${returned})`,
    made ? "c = multiply(x, b)" : "c = jax.eval_shape(multiply, x, b)",
    "print(jax.typeof(c), c.sharding.shard_shape(c.shape))",
  ];
}

/** A tuple as Python writes it. */
const tuple = (/** @type {(string | number)[]} */ items) => `(${items.join(", ")}${items.length === 1 ? "," : ""})`;

/** A list, broken into lines where it is too long for one. */
function wrapped(/** @type {string} */ start, /** @type {string[]} */ items, /** @type {string} */ end) {
  const whole = start + items.join(", ") + end;
  if (whole.length <= WIDTH) return [whole];
  const lines = [""];
  for (const item of items) {
    if (lines[lines.length - 1].length + item.length + 6 > WIDTH) lines.push("");
    lines.push(`${lines.pop()}${item}, `);
  }
  return [start, ...lines.map((line) => `    ${line.trimEnd()}`), end];
}
