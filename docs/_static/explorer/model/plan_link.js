// A plan as the part of an address after `#`, and back: `#v=1&L=32&D=4096&…&chip=H100`. What comes from an address is
// data from strangers: it is read by a grammar, and held to the limits before anything is computed of it.

import { AXES, devices, indivisible, numbers } from "./plan.js";

/**
 * @typedef {import("./plan.js").Model} Model
 * @typedef {import("./plan.js").Plan} Plan
 * @typedef {{ field: string, kind: string, values: Record<string, unknown> }} Problem  what a sentence is told of
 * @typedef {{ plan: Plan, chip: string }} Planned
 */

const VERSION = "1";
const LONGEST = 400; // characters
/** @type {("L" | "D" | "F" | "H" | "K" | "k" | "V")[]} */
export const SIZES = ["L", "D", "F", "H", "K", "k", "V"];
const NUMBERS = [...SIZES, "B", "S", ...AXES];
const SWITCHES = ["gated", "tied", "half", "again"];
const KEYS = ["v", ...NUMBERS, ...SWITCHES, "chip"];
// A size, the devices of a mesh, and the parameters of a model, at most: what is computed of them is a number that a
// browser can hold.
export const LIMITS = Object.freeze({ size: 2 ** 24, devices: 2 ** 16, parameters: 1e14 });

/**
 * A model by its name.
 * @param {string} name
 * @returns {Model}
 */
export function modelOf(name) {
  const [L, D, F, H, K, k, V, gated, tied] = numbers().MODELS[name];
  return { L, D, F, H, K, k, V, gated, tied };
}

/** @type {() => Planned} what the page shows first, anew each time */
export const firstPlan = () => ({
  plan: { model: modelOf("Llama 3.1 8B"), B: 64, S: 4096, data: 1, fsdp: 16, sequence: 1, tensor: 4, half: true, again: true },
  chip: "H100",
});

/** A plan that can be shown, written. */
export function toHash(/** @type {Planned} */ { plan, chip }) {
  const { model, ...rest } = plan;
  /** @type {Record<string, unknown>} */
  const all = { v: VERSION, ...model, ...rest, chip };
  return `#${KEYS.map((key) => `${key}=${Number.isFinite(Number(all[key])) ? Number(all[key]) : all[key]}`).join("&")}`;
}

/**
 * Read a plan. One that cannot be read is the first one and a problem; one that cannot be computed is itself and its
 * problems, as when it is typed. No hash, and an anchor of the page, are neither.
 * @param {string} hash
 * @returns {Planned & { problem: Problem | null }}
 */
export function fromHash(hash) {
  if (/^(?:#[a-z][\w-]*|#?)$/i.test(hash)) return { ...firstPlan(), problem: null };
  const found = read(hash);
  return "problem" in found ? { ...firstPlan(), problem: found.problem } : { ...found, problem: null };
}

/** @returns {Planned | { problem: Problem }} */
function read(/** @type {string} */ hash) {
  const failed = (/** @type {string} */ kind) => ({ problem: { field: "link", kind, values: {} } });
  if (hash.length > LONGEST) return failed("link");
  /** @type {Map<string, string>} */
  const parts = new Map();
  for (const part of hash.slice(1).split("&")) {
    const [, key, value] = part.match(/^([A-Za-z]+)=(\w+)$/) ?? [];
    if (!KEYS.includes(key) || parts.has(key)) return failed("link");
    parts.set(key, value);
  }
  if (parts.size !== KEYS.length) return failed("link");
  if (parts.get("v") !== VERSION) return failed("version");
  const chip = parts.get("chip") ?? "";
  if (!Object.hasOwn(numbers().CHIPS, chip)) return failed("chip");
  const number = (/** @type {string} */ key) => wholeNumber(parts.get(key) ?? "");
  const yes = (/** @type {string} */ key) => parts.get(key) === "1";
  if (SWITCHES.some((key) => !["0", "1"].includes(parts.get(key) ?? ""))) return failed("link");
  if (NUMBERS.some((key) => Number.isNaN(number(key)))) return failed("link");
  const [L, D, F, H, K, k, V, B, S, data, fsdp, sequence, tensor] = NUMBERS.map(number);
  const model = { L, D, F, H, K, k, V, gated: yes("gated"), tied: yes("tied") };
  return { plan: { model, B, S, data, fsdp, sequence, tensor, half: yes("half"), again: yes("again") }, chip };
}

/** The whole number that a text says, NaN if it says none. */
export const wholeNumber = (/** @type {string} */ text) => (/^\d{1,15}$/.test(text) ? Number(text) : NaN);

/**
 * What of a plan cannot be computed, field by field; nothing, if all can.
 * @param {Planned} planned
 * @returns {Problem[]}
 */
export function problems({ plan, chip }) {
  /** @type {Record<string, unknown>} */
  const all = { ...plan.model, ...plan };
  const { size: most } = LIMITS;
  const beyond = NUMBERS.filter((key) => {
    const value = Number(all[key]);
    return !Number.isInteger(value) || value < 1 || value > most;
  });
  if (beyond.length) return beyond.map((field) => ({ field, kind: "number", values: { field, most } }));
  const count = devices(plan);
  if (count > LIMITS.devices) return [{ field: "fsdp", kind: "devices", values: { count, most: LIMITS.devices } }];
  const { L, D, F, H, K, k, V } = plan.model;
  if (L * D * (2 * (H + K) * k + 3 * F) + 2 * V * D > LIMITS.parameters || plan.B * plan.S > LIMITS.parameters) {
    return [{ field: "D", kind: "large", values: {} }];
  }
  const { most: joined } = numbers().CHIPS[chip];
  const found = indivisible(plan).map(([field, size, by, parts]) => ({ field, kind: "divide", values: { field, size, by, parts } }));
  return count > joined ? [...found, { field: "chip", kind: "slice", values: { chip, count, most: joined } }] : found;
}
