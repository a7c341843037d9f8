// A state as the part of an address after `#`, and back. What comes from an address is data from strangers: it is read
// by a grammar that takes time in proportion to its length, and held to the limits before anything is made of it.
//
//   #v=1&shape=8,16&mesh=x:2,y:4:Auto&order=7-0&spec=x,-&to=-,x.y&b=y&out=x&columns=32&compiler=H100&dtype=float32
//
// Axes of one dimension are joined by a point, and `-` is None. No sign in it needs escaping. The dtype comes last, since
// what messengers cut from the end of an address is punctuation.

import { limits } from "./limits.js";

/**
 * @typedef {import("./layout.js").Compiler} Compiler
 * @typedef {import("./layout.js").State} State
 * @typedef {import("./spec.js").Spec} Spec
 * @typedef {import("./limits.js").Field} Field
 * @typedef {import("./limits.js").Problem} Problem
 */

const VERSION = "1";
const LONGEST = 40_000; // characters: 4096 devices in any order take some 20,000
const KEYS = ["v", "shape", "mesh", "order", "spec", "to", "b", "out", "columns", "compiler", "dtype"];
const NEEDED = ["v", "shape", "mesh", "spec", "dtype"];
/** @type {Compiler[]} whose steps the page has beside those of XLA for CPU, which no address names */
export const COMPILERS = ["H100", "v5e"];

/** @type {() => State} what the page shows first, anew each time */
export const defaultState = () => ({
  shape: [8, 16],
  dtype: "float32",
  mesh: { names: ["x", "y"], sizes: [2, 4], types: ["Explicit", "Explicit"], order: null },
  spec: [["x"], ["y"]],
  to: null,
  product: null,
});

/**
 * Write a state that is within the limits.
 * @param {State} state
 */
export function toHash({ shape, dtype, mesh, spec, to, product, compiler }) {
  const axes = mesh.names.map((name, at) => `${name}:${mesh.sizes[at]}${mesh.types[at] === "Auto" ? ":Auto" : ""}`);
  const parts = {
    v: VERSION,
    shape: shape.join(","),
    mesh: axes.join(","),
    order: mesh.order && writeRuns(mesh.order),
    spec: writeSpec(spec),
    to: to && writeSpec(to),
    b: product && writeSpec(product.b),
    out: product && writeSpec(product.out),
    columns: product && String(product.columns),
    compiler,
    dtype,
  };
  const written = Object.entries(parts).filter(([, value]) => value !== null && value !== undefined);
  return `#${written.map(([key, value]) => `${key}=${value}`).join("&")}`;
}

/**
 * Read a state. A state that cannot be read, or is beyond the limits, is the default one and a problem: syntax, version,
 * or one of limits.js. What JAX refuses is no problem here: the page shows it as it shows what is typed. No hash, and an
 * anchor of the page, are neither.
 * @param {string} hash
 * @returns {{ state: State, problems: Problem[] }}
 */
export function fromHash(hash) {
  if (/^(?:#[a-z][\w-]*|#?)$/i.test(hash)) return { state: defaultState(), problems: [] };
  const failed = (/** @type {Problem[]} */ ...problems) => ({ state: defaultState(), problems });
  try {
    const state = read(hash);
    const problems = limits(state);
    return problems.length ? failed(...problems) : { state, problems };
  } catch (error) {
    if (error instanceof Malformed) return failed({ field: error.field, kind: error.message, values: {} });
    throw error;
  }
}

/** A part of an address that is not what it should be. */
class Malformed extends Error {
  /** @param {Field} field @param {string} kind */
  constructor(field, kind = "syntax") {
    super(kind);
    this.field = field;
  }
}

/** @returns {State} */
function read(/** @type {string} */ hash) {
  if (hash.length > LONGEST) throw new Malformed("shape");
  const parts = new Map();
  for (const part of decoded(hash).slice(1).split("&")) {
    const [, key, value] = part.match(/^([a-z]+)=([\w,.:-]*)$/) ?? [];
    if (!KEYS.includes(key) || parts.has(key)) throw new Malformed("shape");
    parts.set(key, value);
  }
  const missing = NEEDED.find((key) => !parts.has(key));
  if (missing) throw new Malformed("shape");
  if (parts.get("v") !== VERSION) throw new Malformed("shape", "version");
  const ofProduct = ["b", "out", "columns"].filter((key) => parts.has(key)).length;
  if (ofProduct !== 0 && ofProduct !== 3) throw new Malformed("b");
  return {
    shape: listed(parts.get("shape")).map((word) => whole(word, "shape")),
    dtype: parts.get("dtype"),
    mesh: readMesh(parts.get("mesh"), parts.get("order")),
    spec: readSpec(parts.get("spec")),
    to: parts.has("to") ? readSpec(parts.get("to")) : null,
    product: ofProduct
      ? {
          b: readSpec(parts.get("b")),
          out: readSpec(parts.get("out")),
          columns: whole(parts.get("columns"), "b"),
        }
      : null,
    ...(parts.has("compiler") && { compiler: compilerOf(parts.get("compiler")) }),
  };
}

/** One that the page has steps of. */
function compilerOf(/** @type {string} */ name) {
  const found = COMPILERS.find((known) => known === name);
  if (!found) throw new Malformed("shape");
  return found;
}

/** Without escapes, which some programs put where none are needed. */
function decoded(/** @type {string} */ hash) {
  try {
    return decodeURIComponent(hash);
  } catch {
    throw new Malformed("shape");
  }
}

const listed = (/** @type {string} */ text) => (text === "" ? [] : text.split(","));

function whole(/** @type {string} */ text, /** @type {Field} */ field) {
  const number = Number(text);
  if (!/^(?:0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(number)) throw new Malformed(field);
  return number;
}

function readMesh(/** @type {string} */ text, /** @type {string | undefined} */ order) {
  const axes = listed(text).map((axis) => axis.split(":"));
  if (axes.some(({ length }) => length < 2 || length > 3)) throw new Malformed("mesh");
  return {
    names: axes.map(([name]) => name),
    sizes: axes.map(([, size]) => whole(size, "mesh")),
    types: axes.map(([, , type = "Explicit"]) => /** @type {"Auto" | "Explicit"} */ (type)),
    order: order === undefined ? null : readRuns(order),
  };
}

const writeSpec = (/** @type {Spec} */ spec) => spec.map((axes) => axes.join(".") || "-").join(",");

const readSpec = (/** @type {string} */ text) => listed(text).map((axes) => (axes === "-" ? [] : axes.split(".")));

/** Numbers of which none is there twice, with runs up or down by one written `first-last`. */
function writeRuns(/** @type {number[]} */ numbers) {
  /** @type {{ first: number, last: number }[]} */
  const runs = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && Math.abs(number - run.last) === 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(",");
}

function readRuns(/** @type {string} */ text) {
  let room = LONGEST;
  return listed(text).flatMap((run) => {
    const [first, last = first, ...more] = run.split("-").map((word) => whole(word, "order"));
    const length = Math.abs(last - first) + 1;
    room -= length;
    if (more.length || room < 0) throw new Malformed("order");
    return Array.from({ length }, (_, at) => first + at * Math.sign(last - first));
  });
}
