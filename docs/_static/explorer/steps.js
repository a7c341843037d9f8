// The steps that XLA inserted, with a picture of each: the mesh, in which the devices that exchange have one colour.

import { draw } from "./svg.js";
import { format, shape, size } from "./notation.js";
import { html } from "./dom.js";

/** A list of steps, or a sentence if there are none. `matrix` names what a step is about. */
export function stepList(steps, mesh, words, matrix) {
  if (!steps.length) return html("p", {}, words.no_steps);
  return html("ol", { class: "explorer-steps" }, ...steps.map((step) => html("li", {}, told(step, mesh, words, matrix), ...picture(step, mesh, words))));
}

/** Where a table was measured, and what was left out of the reader's case to find it there. */
export function provenance(measured, { sizes, narrowed }, shapes, words) {
  const values = { jax: measured.jax, mesh: sizes.join(" × "), shape: shapes.map(shape).join(" @ "), dtype: measured.dtype };
  return html("p", { class: "explorer-source" }, format(words.measured, values), narrowed ? ` ${words.narrowed}` : "");
}

function told({ axes, bytes, kind, members, of }, mesh, words, matrix) {
  const whole = axes.reduce((count, name) => count * mesh.sizes[mesh.names.indexOf(name)], 1);
  const part = kind !== "collective-permute" && members < whole;
  const along = format(part ? words.along_part : words.along, { axes: axes.join(words.comma) });
  const what = matrix ? format(words.of_matrix, { matrix: matrix(of) }) : "";
  return html("p", {}, html("code", {}, kind), ` ${what}${along}${words.colon}${format(words.each_receives, { bytes: size(bytes) })}`);
}

/** The mesh as a grid of devices; nothing where it is too large to be drawn, or has more than two axes. */
function picture({ axes }, { names, sizes, order }, words) {
  const [rows, columns] = [1, 1, ...sizes].slice(-2);
  if (sizes.length > 2 || rows * columns > 64) return [];
  const fixed = names.map((name, at) => [name, at]).filter(([name]) => !axes.includes(name)).map(([, at]) => at);
  const pieces = [];
  const cells = Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (__, column) => {
    const where = sizes.length === 1 ? [column] : [row, column];
    const position = row * columns + column;
    const piece = { index: [], devices: [order?.[position] ?? position] };
    pieces.push(piece);
    const group = fixed.reduce((number, at) => number * sizes[at] + where[at], 0);
    return { piece, colour: group % 12, name: where.map((at, axis) => `${names[axis]}=${at}`).join(", ") };
  }));
  const count = (many) => Array.from({ length: many }, (_, at) => `${at}`);
  const [rowLabel, columnLabel] = ["", "", ...names].slice(-2);
  const panel = { title: "", rowLabel, columnLabel, rows: rowLabel ? count(rows) : [""], columns: count(columns), cells };
  const [drawing] = draw({ shape: sizes, shardShape: [1, 2], pieces }, [panel], words.figure.count);
  const label = format(words.groups, { axes: axes.join(words.comma) });
  return [html("div", { class: "sb-figure explorer-mesh" }, html("div", { role: "img", "aria-label": label }, ...drawing))];
}
