// What XLA inserts for a case: its steps, with a picture of each, where that was measured and how to measure it oneself.
// In the picture of a step, which is of the mesh, devices that exchange with one another have one colour.

import { coloured } from "../picture/coloured.js";
import { DTYPE_BITS } from "../model/dtypes.js";
import { format, shape, size } from "../model/notation.js";
import { html, told } from "../picture/dom.js";
import { deviceIds, levels } from "../picture/mesh_picture.js";
import { drawLevel } from "../picture/svg.js";
import { loadTable } from "./measured.js";
import { shared } from "../model/shared.js";
import { unravel } from "../picture/panels.js";

const MOST_DEVICES = 64; // in the picture of a step

/**
 * @typedef {import("../model/layout.js").Mesh} Mesh
 * @typedef {import("../model/layout.js").State} State
 * @typedef {import("../model/tables.js").Found} Found
 * @typedef {import("../model/tables.js").Step} Step
 * @typedef {import("../model/tables.js").Table} Table
 * @typedef {import("./explorer.js").Words} Words
 *
 * @typedef {object} Case  for which XLA inserts something
 * @property {import("./measured.js").Subject} table
 * @property {(table: Table, state: State) => Found | null} find  looks it up
 * @property {State} state
 * @property {(of: string) => number} bytes  of an array, by the table's name for it
 * @property {(of: string) => string} [matrix]  what an array is called, if there are several
 * @property {string} measure  Python that measures the case
 */

/**
 * Show in a place what XLA inserts, once the table of it is there.
 * @param {HTMLElement} place
 * @param {Case} asked
 * @param {Words} words
 * @param {() => boolean} isCurrent  whether the case is still the one to be shown
 */
export async function showSteps(place, { table, find, state, bytes, matrix, measure }, words, isCurrent) {
  /** @type {Table} */
  let measured;
  try {
    measured = await loadTable(state.compiler ? `${table}-${state.compiler}` : table);
  } catch {
    if (isCurrent()) place.replaceChildren(html("p", {}, words.not_loaded));
    return;
  }
  if (!isCurrent()) return;
  const found = find(measured, state);
  const parts = [];
  if (found) {
    const steps = runs(found.steps).map((step) => html("li", {}, describe(step, measured, bytes, matrix, words), ...picture(step, state.mesh, words)));
    parts.push(steps.length ? html("ol", { class: "explorer-steps" }, ...steps) : html("p", {}, words.no_steps));
    if (found.warned) parts.push(html("p", {}, words.rematerialized));
    parts.push(html("p", { class: "explorer-source" }, source(measured, found, words)));
  } else {
    parts.push(html("p", {}, words.unmeasured));
  }
  if (state.compiler) parts.push(...ask(words));
  else if (!found?.exact) parts.push(html("p", {}, words.measure), ...code(measure));
  place.replaceChildren(...parts);
}

/**
 * Steps that repeat, as those of a ring do, told once with their number.
 * @param {Step[]} steps
 */
function runs(steps) {
  /** @type {(Step & { count: number })[]} */
  const found = [];
  for (const step of steps) {
    const last = found.at(-1);
    if (last && JSON.stringify({ ...step, count: last.count }) === JSON.stringify(last)) last.count += 1;
    else found.push({ ...step, count: 1 });
  }
  return found;
}

/**
 * A step in words.
 * @param {Step & { count: number }} step
 * @param {Table} table  that has it
 * @param {Case["bytes"]} bytes
 * @param {Case["matrix"]} matrix
 * @param {Words} words
 */
function describe({ kind, axes, part, of, fraction, dtype, count }, table, bytes, matrix, words) {
  const key = `step${matrix ? "_of" : ""}${part ? "_part" : ""}`;
  const once = format(words[key], { kind, axes: axes.join(words.comma), matrix: matrix?.(of) });
  const step = count === 1 ? once : format(words.step_several, { count, step: once });
  const received = fraction === null ? null : size(Math.round((count * fraction * bytes(of) * DTYPE_BITS[dtype ?? table.dtype]) / DTYPE_BITS[table.dtype]));
  return html("p", {}, ...told(received === null ? step : format(words.step_receives, { step, bytes: received })));
}

/** Where it was measured, or by what compiled. */
function source(/** @type {Table} */ { jax, dtype, shape: one, shapes, chip, made }, /** @type {Found} */ { on, exact }, /** @type {Words} */ words) {
  const measured = [one, shapes?.a, shapes?.b].filter((sizes) => sizes !== undefined).map(shape).join(" @ ");
  const key = `${chip ? "compiled" : "measured"}${exact ? "" : "_otherwise"}`;
  return format(words[key], { jax, dtype, mesh: on.join(" × "), shape: measured, chip, made });
}

/** Where a reader learns to ask a chip's compiler, and how it chooses. */
function ask(/** @type {Words} */ words) {
  const link = (/** @type {string} */ page, /** @type {string} */ said) => html("a", { href: `${document.documentElement.dataset.content_root ?? ""}${page}.html` }, said);
  return [html("p", {}, link("guides/chips", words.ask), " ", link("explain/three-compilers", words.ask_three))];
}

/** Python to paste, which the site's own copy buttons came too early for. */
const code = (/** @type {string} */ text) => [html("div", { class: "highlight explorer-python" }, html("pre", { tabindex: 0, role: "group", "aria-label": "Python" }, ...coloured(text)))];

/** The mesh as a grid, those that communicate with each other in one colour; nothing where it is too large for that. */
function picture(/** @type {Step} */ { axes }, /** @type {Mesh} */ mesh, /** @type {Words} */ words) {
  const { names, sizes } = mesh;
  const ids = deviceIds(mesh);
  if (sizes.length > 2 || ids.length > MOST_DEVICES) return [];
  const grouped = (/** @type {number} */ position) => {
    const where = unravel(position, sizes);
    const group = names.reduce((number, name, at) => (axes.includes(name) ? number : number * sizes[at] + where[at]), 0);
    return { hue: group % shared.HUES, shade: Math.floor(group / shared.HUES) % shared.SHADES };
  };
  const places = new Map(ids.map((id, place) => [id, place]));
  const drawn = levels(mesh).flatMap((level) => {
    if (level === null) return [];
    const colours = level.devices.map((row) => row.map((id) => grouped(places.get(id) ?? 0)));
    return [drawLevel({ ...level, colours }, places)];
  });
  const label = format(words.groups, { axes: axes.join(words.comma) });
  return [html("div", { class: "sb-figure" }, html("div", { class: "sb-mesh", role: "img", "aria-label": label, title: label }, ...drawn))];
}
