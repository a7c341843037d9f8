// Which other plan to try: all meshes of as many devices, the best ones that fit; of twice as many, if none does.

import { AXES, devices, held, indivisible, numbers, received, seconds } from "./plan.js";
import { LIMITS } from "./plan_link.js";

/**
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {import("./plan_link.js").Planned} Planned
 * @typedef {{ plan: Plan, total: number, near: boolean, time: number }} Found
 */

const ERROR = 0.3; // of temporaries, by which the formulas may be off: judge.py's TEMPORARIES

export const total = (/** @type {Record<string, number>} */ parts) => Object.values(parts).reduce((one, other) => one + other, 0);

/**
 * Whether so much fits, surely or only if temporaries are no more than the formulas say.
 * @param {ReturnType<typeof held>} parts
 * @param {number} usable
 * @returns {"fits" | "near" | "too_much"}
 */
export function verdict(parts, usable) {
  const needed = total(parts);
  const temporaries = needed - parts.parameters - parts.optimizer - parts.batch;
  if (needed > usable) return "too_much";
  return needed + ERROR * temporaries > usable ? "near" : "fits";
}

/** The time of a step if links work beside products, which is the best that can be. */
export function best(/** @type {Planned} */ { plan, chip }) {
  const { products, ...links } = seconds(plan, numbers().CHIPS[chip]);
  return Math.max(products, total(links));
}

/**
 * Plans of the same model and batch that fit, those that surely do first; then the fastest, then what receives least.
 * @param {Planned} planned
 * @returns {Found[]} at most three, without the plan itself
 */
export function others({ plan, chip }) {
  const { platform, usable, most } = numbers().CHIPS[chip];
  const own = AXES.map((axis) => plan[axis]).join();
  for (let count = devices(plan); count <= Math.min(most, LIMITS.devices); count *= 2) {
    const found = [];
    for (const again of plan.again ? [true] : [false, true]) {
      for (const [data, fsdp, sequence, tensor] of meshes(count)) {
        const other = { ...plan, data, fsdp, sequence, tensor, again };
        const same = again === plan.again && [data, fsdp, sequence, tensor].join() === own;
        if (same || indivisible(other).length) continue;
        const parts = held(other, platform);
        const fits = verdict(parts, usable);
        if (fits !== "too_much") {
          found.push({ plan: other, total: total(parts), near: fits === "near", time: best({ plan: other, chip }) });
        }
      }
    }
    const sent = (/** @type {Found} */ one) => total(received(one.plan));
    found.sort((a, b) => Number(a.near) - Number(b.near) || a.time - b.time || sent(a) - sent(b));
    if (found.length) return found.slice(0, 3);
  }
  return [];
}

/** The lengths of four axes that make so many devices. */
function meshes(/** @type {number} */ count) {
  const lengths = Array.from({ length: count }, (_, at) => at + 1).filter((length) => count % length === 0);
  const all = [];
  for (const a of lengths) {
    for (const b of lengths) {
      if ((count / a) % b) continue;
      for (const c of lengths) {
        const rest = count / a / b;
        if (rest % c === 0) all.push([a, b, c, rest / c]);
      }
    }
  }
  return all;
}
