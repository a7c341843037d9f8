// What must cross devices when an array goes from one layout to another: the same as in src/shardbook. A device
// must receive every element that it holds afterwards and not before, and no way of moving the array sends less in sum.

import { bytes, product } from "./layout.js";

/**
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("./layout.js").Box} Box
 *
 * @typedef {object} Receipt  what one device must receive
 * @property {number} device
 * @property {Box} index  what it holds afterwards
 * @property {Box | null} kept  the part of that which it holds already
 * @property {number} elements  that it lacks
 * @property {number} bytes  of those
 */

/**
 * Say what each device must receive.
 * @param {Layout} before
 * @param {Layout} after  of the same array on the same devices
 * @returns {{ bytes: number, perDevice: Receipt[] }}  the sum, and each device by its id
 */
export function moves(before, after) {
  const held = new Map(before.pieces.flatMap(({ index, devices }) => devices.map((device) => [device, index])));
  const perDevice = after.pieces.flatMap(({ index, devices }) =>
    devices.map((device) => receipt(device, index, /** @type {Box} */ (held.get(device)), after.dtype)),
  );
  perDevice.sort((one, other) => one.device - other.device);
  return { bytes: perDevice.reduce((sum, each) => sum + each.bytes, 0), perDevice };
}

/**
 * @param {number} device
 * @param {Box} index
 * @param {Box} had
 * @param {string} dtype
 * @returns {Receipt}
 */
function receipt(device, index, had, dtype) {
  const common = /** @type {Box} */ (
    index.map(([start, stop], dimension) => [Math.max(start, had[dimension][0]), Math.min(stop, had[dimension][1])])
  );
  const kept = common.every(([start, stop]) => start < stop) ? common : null;
  const elements = volume(index) - (kept ? volume(kept) : 0);
  return { device, index, kept, elements, bytes: bytes(elements, dtype) };
}

/** How many elements a box has. */
export const volume = (/** @type {Box} */ box) => product(box.map(([start, stop]) => stop - start));
