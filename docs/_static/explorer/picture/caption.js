// What stands in words beside a picture, as src/shardbook's module of that name says it.

import { deviceRuns, format, index, shape, size } from "../model/notation.js";
import { shared } from "../model/shared.js";

/**
 * @typedef {import("../model/layout.js").Layout} Layout
 * @typedef {import("../model/layout.js").Mesh} Mesh
 *
 * @typedef {Layout & { mesh: Mesh }} LaidOut  a layout with the mesh, which the words beside a picture name
 * @typedef {Record<string, string>} Words  the package's templates, in the reader's language
 */

/**
 * The label and the value of each number that is always shown.
 * @param {LaidOut} layout
 * @param {Words} words
 * @returns {[label: string, value: string][]}
 */
export function facts(layout, words) {
  return [
    [words.mesh, mesh(layout.mesh, words)],
    [words.shard, shape(layout.shardShape)],
    [words.per_device, size(layout.bytesPerDevice)],
    [words.total, size(layout.totalBytes)],
    [words.pieces, `${layout.pieces.length}`],
    [words.holders, copies(layout, words)],
  ];
}

/**
 * A sentence for each thing that is not so by default.
 * @param {Layout} layout
 * @param {Words} words
 * @param {number} drawn  pieces in the picture
 */
export function notes(layout, words, drawn) {
  const pieces = layout.pieces.length;
  const said = { empty: layout.shape.includes(0), elided: drawn < pieces };
  return Object.entries(said).filter(([, holds]) => holds).map(([key]) => format(words[key], { pieces, drawn }));
}

/**
 * The picture's text equivalent.
 * @param {Layout} layout
 * @param {Words} words
 */
export function spoken(layout, words) {
  const text = format(words.spoken, {
    type: layout.notation,
    pieces: layout.pieces.length,
    devices: layout.deviceCount,
    shard: shape(layout.shardShape),
  });
  if (layout.pieces.length > shared.SPOKEN_PIECES) return text;
  const placed = layout.pieces.map((piece) => format(words.spoken_piece, {
    index: index(piece.index),
    devices: deviceRuns(piece.devices).join(words.list),
  }));
  return text + words.sentence + placed.join(words.clause) + words.stop;
}

function mesh(/** @type {Mesh} */ { names, sizes, types }, /** @type {Words} */ words) {
  if (new Set(types).size === 1) {
    return `${names.map((name, at) => `${name}=${sizes[at]}`).join(", ")} · ${words[types[0]]}`;
  }
  return names.map((name, at) => `${name}=${sizes[at]} ${words[types[at]]}`).join(words.list);
}

function copies(/** @type {LaidOut} */ { deviceCount, mesh: { names, sizes }, pieces, replication, splits }, /** @type {Words} */ words) {
  const count = deviceCount / pieces.length;
  if (replication === 1) return `${count}`;
  if (replication === deviceCount) return format(words.fully_replicated, { count });
  const used = splits.flat();
  const axes = names.filter((name, at) => !used.includes(name) && sizes[at] > 1);
  return axes.length ? format(words.replicated, { count, axes: axes.join(words.list) }) : `${count}`;
}
