// The colour of a device, as src/shardbook's module of that name chooses it; figure.css has the colours.

import { product } from "../model/layout.js";
import { shared } from "../model/shared.js";

/** @typedef {{ hue: number, shade: number }} Colour  a place in the palette */

/**
 * The colour of the device at a row-major position in a mesh of these sizes: the hue tells places along the last axis, the
 * shade along the others.
 * @param {number} position
 * @param {number[]} sizes
 * @returns {Colour}
 */
export function colour(position, sizes) {
  const { HUES, SHADES } = shared;
  const last = sizes.findLast((size) => size > 1) ?? 1;
  const [before, along] = [Math.floor(position / last), position % last];
  return {
    hue: last <= HUES ? along : Math.floor((along * HUES) / last),
    shade: Math.floor((before * SHADES) / (product(sizes) / last)),
  };
}

/** The classes of figure.css that have a colour. */
export const painted = (/** @type {Colour} */ { hue, shade }) => `sb-h${hue} sb-s${shade}`;
