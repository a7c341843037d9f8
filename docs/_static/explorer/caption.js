// What stands in words beside a picture, as src/shardbook/caption.py says it.

import { cellsOf } from "./picture.js";
import { format, index, runs, shape, size } from "./notation.js";

const SPOKEN_PIECES = 16; // the text equivalent names the holders of each piece up to this many

/** The label and the value of each number that is always shown. */
export function facts(layout, words) {
  return [
    [words.mesh, mesh(layout, words)],
    [words.shard, shape(layout.shardShape)],
    [words.per_device, size(layout.bytesPerDevice)],
    [words.total, size(layout.totalBytes)],
    [words.pieces, `${layout.pieces.length}`],
    [words.holders, copies(layout, words)],
  ];
}

/** A sentence for each thing that is not so by default. */
export function notes(layout, words, arranged) {
  const [pieces, drawn] = [layout.pieces.length, cellsOf(arranged).length];
  const said = { empty: layout.shape.includes(0), elided: drawn < pieces };
  return Object.keys(said).filter((key) => said[key]).map((key) => format(words[key], { pieces, drawn }));
}

/** The picture's text equivalent. */
export function spoken(layout, words) {
  const text = format(words.spoken, {
    type: layout.notation,
    pieces: layout.pieces.length,
    devices: layout.deviceCount,
    shard: shape(layout.shardShape),
  });
  if (layout.pieces.length > SPOKEN_PIECES) return text;
  const placed = layout.pieces.map((piece) => format(words.spoken_piece, {
    index: index(piece.index),
    devices: runs(piece.devices).join(words.list),
  }));
  return text + words.sentence + placed.join(words.clause) + words.stop;
}

function mesh({ mesh: { names, sizes, types } }, words) {
  if (new Set(types).size === 1) {
    return `${names.map((name, at) => `${name}=${sizes[at]}`).join(", ")} · ${words[types[0]]}`;
  }
  return names.map((name, at) => `${name}=${sizes[at]} ${words[types[at]]}`).join(words.list);
}

function copies({ deviceCount, mesh: { names, sizes }, pieces, replication, splits }, words) {
  const count = deviceCount / pieces.length;
  if (replication === 1) return `${count}`;
  if (replication === deviceCount) return format(words.fully_replicated, { count });
  const used = splits.flat();
  const axes = names.filter((name, at) => !used.includes(name) && sizes[at] > 1);
  return axes.length ? format(words.replicated, { count, axes: axes.join(words.list) }) : `${count}`;
}
