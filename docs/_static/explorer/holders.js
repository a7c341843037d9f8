// Who holds a piece, written so that it fits into its box, as src/shardbook/holders.py does.

import { format, length, runs } from "./notation.js";

/**
 * The first size, [characters in a line, lines], at which the devices of every piece fit, and their lines, by piece.
 *
 * Every device is listed if any size allows it; else runs such as 0–63; else only how many there are.
 */
export function linesFor(pieces, sizes, count) {
  for (const write of [(piece) => piece.devices.map(String), (piece) => runs(piece.devices)]) {
    const parts = pieces.map((piece) => [piece, write(piece)]);
    for (const [chosen, [width, height]] of sizes.entries()) {
      const lines = new Map();
      if (parts.every(([piece, part]) => set(lines, piece, fit(part, width, height)))) return [chosen, lines];
    }
  }
  const last = sizes.length - 1;
  const counted = pieces.map((piece) => [piece, format(count, { count: piece.devices.length })]);
  const roomy = counted.every(([, text]) => length(text) <= sizes[last][0]);
  return [last, new Map(counted.map(([piece, text]) => [piece, [roomy ? text : `×${piece.devices.length}`]]))];
}

/** Break words into at most `height` lines of at most `width` characters, as even as can be; null if too many. */
export function fit(words, width, height) {
  const sizes = words.map(length);
  const count = linesNeeded(sizes, width, height);
  if (count === null) return null;
  let narrower = Math.max(...sizes);
  while (narrower < width && linesNeeded(sizes, narrower, count) !== count) narrower += 1;
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

/** How many lines of a width words of these sizes take, with a space between them; null if more than `most`. */
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
  return lines;
}

function set(map, key, value) {
  if (value) map.set(key, value);
  return value;
}
