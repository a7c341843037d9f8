// Who holds a piece, written so that it fits into its box, as src/shardbook writes it.

import { deviceRuns, format, length } from "../model/notation.js";

/** @typedef {import("../model/layout.js").Piece} Piece */

/**
 * The first size, [characters in a line, lines], at which the devices of every piece fit, and their lines, by piece.
 *
 * Every device is listed if any size allows it; else runs such as 0–63; else only how many there are.
 * @param {Piece[]} pieces
 * @param {[width: number, height: number][]} sizes  from the most wanted on
 * @param {string} count  the template of "{count} devices"
 * @returns {[chosen: number, lines: Map<Piece, string[]>]}
 */
export function linesFor(pieces, sizes, count) {
  for (const write of [(/** @type {Piece} */ piece) => piece.devices.map(String), (/** @type {Piece} */ piece) => deviceRuns(piece.devices)]) {
    const tokens = pieces.map(write);
    for (const [chosen, [width, height]] of sizes.entries()) {
      /** @type {Map<Piece, string[]>} */
      const lines = new Map();
      for (const [at, piece] of pieces.entries()) {
        const found = fit(tokens[at], width, height);
        if (found === null) break;
        lines.set(piece, found);
      }
      if (lines.size === pieces.length) return [chosen, lines];
    }
  }
  const last = sizes.length - 1;
  const counted = pieces.map((piece) => format(count, { count: piece.devices.length }));
  const roomy = counted.every((text) => length(text) <= sizes[last][0]);
  return [last, new Map(pieces.map((piece, at) => [piece, [roomy ? counted[at] : `×${piece.devices.length}`]]))];
}

/**
 * Break words into at most `height` lines of at most `width` characters, as even as can be; null if too many.
 * @param {string[]} words
 * @param {number} width
 * @param {number} height
 */
function fit(words, width, height) {
  const sizes = words.map(length);
  const count = linesNeeded(sizes, width, height);
  if (count === null) return null;
  let narrower = Math.max(...sizes);
  while (narrower < width && linesNeeded(sizes, narrower, count) !== count) narrower += 1;
  /** @type {string[]} */
  const lines = [];
  let taken = Infinity;
  for (const [at, word] of words.entries()) {
    if (taken + sizes[at] > narrower) {
      lines.push(word);
      taken = sizes[at] + 1;
    } else {
      lines[lines.length - 1] += ` ${word}`;
      taken += sizes[at] + 1;
    }
  }
  return lines;
}

/**
 * How many lines of a width words of these sizes take, with a space between them; null if more than `most`.
 * @param {number[]} sizes
 * @param {number} width
 * @param {number} most
 */
function linesNeeded(sizes, width, most) {
  let [lines, taken] = [1, 0];
  for (const size of sizes) {
    if (size > width) return null;
    if (taken + size > width) {
      lines += 1;
      taken = 0;
      if (lines > most) return null;
    }
    taken += size + 1;
  }
  return lines > most ? null : lines;
}
