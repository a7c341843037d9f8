// The colour of a piece, as src/shardbook's module of that name chooses it; figure.css has the colours.

import { shared } from "../model/shared.js";

const { COLOURS } = shared;

/** The palette entry of the piece at `place` in a grid of pieces: row by row, and neighbours differ. */
export function colour(/** @type {number[]} */ place, /** @type {number[]} */ grid) {
  let [total, stride] = [0, 1];
  for (let at = place.length - 1; at >= 0; at -= 1) {
    total += place[at] * (stride % COLOURS ? stride : stride + 1);
    stride *= grid[at];
  }
  return total % COLOURS;
}
