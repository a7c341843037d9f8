// What one device holds, receives and computes in a step of a plan, by arithmetic: docs/planner/formulas.py in another
// language. The tests compare both, case by case; what a number means is said there.

/**
 * @typedef {object} Model  sizes of a decoder, as docs/planner/step.py names them
 * @property {number} L
 * @property {number} D
 * @property {number} F
 * @property {number} H
 * @property {number} K
 * @property {number} k
 * @property {number} V
 * @property {boolean} gated
 * @property {boolean} tied
 *
 * @typedef {object} Plan
 * @property {Model} model
 * @property {number} B
 * @property {number} S
 * @property {number} data
 * @property {number} fsdp
 * @property {number} sequence
 * @property {number} tensor
 * @property {boolean} half
 * @property {boolean} again
 *
 * @typedef {"data" | "fsdp" | "sequence" | "tensor"} Axis
 *
 * @typedef {object} Chip
 * @property {"cuda" | "tpu"} platform
 * @property {number} memory
 * @property {number} usable
 * @property {number} link
 * @property {number} flops
 * @property {number} most  devices that its links join
 * @property {number | null} network  bytes a second through the port of a GPU to other hosts
 *
 * @typedef {object} Numbers  that the build takes from formulas.py and the package
 * @property {Record<string, [number, number, number, number, number, number, number, boolean, boolean]>} MODELS
 * @property {Record<string, Chip>} CHIPS
 * @property {string} STEP
 * @property {number} OF_A_SCORE
 * @property {number} HOST
 * @property {Record<"cuda" | "tpu", number>} SCALAR
 */

/** @returns {Numbers} */
export const numbers = () => /** @type {{ shardbookPlanner: Numbers }} */ (/** @type {unknown} */ (globalThis)).shardbookPlanner;

/** @type {Axis[]} */
export const AXES = ["data", "fsdp", "sequence", "tensor"];

const sum = (/** @type {number[]} */ list) => list.reduce((one, other) => one + other, 0);
const product = (/** @type {number[]} */ list) => list.reduce((one, other) => one * other, 1);

const width = (/** @type {Plan} */ { half }) => (half ? 2 : 4);

const partsOfKeys = (/** @type {Plan} */ { model, tensor }) => (model.K % tensor === 0 ? tensor : 1);

export const devices = (/** @type {Plan} */ plan) => product(AXES.map((axis) => plan[axis]));

/**
 * What does not divide.
 * @param {Plan} plan
 * @returns {[string, number, string, number][]} a size, its number, and by what it should divide
 */
export function indivisible({ model: { D, F, H, K, k, V }, B, S, data, fsdp, sequence, tensor }) {
  /** @type {[string, number, string, number][]} */
  const asked = [
    ["H", H, "K", K],
    ["k", k, "2", 2],
    ["D", D, "fsdp", fsdp],
    ["H", H, "tensor", tensor],
    ["F", F, "tensor", tensor],
    ["V", V, "tensor", tensor],
    ["B", B, "data × fsdp", data * fsdp],
    ["S", S, "sequence", sequence],
  ];
  return asked.filter(([, size, , parts]) => size % parts);
}

/** @returns {number[][]} the shapes of what one device has of each parameter */
function pieces(/** @type {Plan} */ plan) {
  const { model: { L, D, F, H, K, k, V, gated, tied }, fsdp: f, tensor: t } = plan;
  const layers = [
    [L, 2, D],
    [L, D / f, H / t, k],
    [L, D / f, 2, K / partsOfKeys(plan), k],
    [L, H / t, k, D / f],
    [L, D / f, 1 + Number(gated), F / t],
    [L, F / t, D / f],
  ];
  return [...layers, [V / t, D / f], [D], ...(tied ? [] : [[D / f, V / t]])];
}

/** How many numbers a TPU stores: in tiles of 8 × 128, in the order that wastes least; a row of 1024. */
export function inTiles(/** @type {number[]} */ shape) {
  if (shape.length === 1) return Math.ceil(shape[0] / 1024) * 1024;
  const whole = product(shape);
  let best = Infinity;
  for (const rows of shape.keys()) {
    for (const lanes of shape.keys()) {
      if (rows === lanes) continue;
      const tile = Math.min(8, 2 ** Math.ceil(Math.log2(shape[rows])));
      const padded = Math.ceil(shape[rows] / tile) * tile * Math.ceil(shape[lanes] / 128) * 128;
      best = Math.min(best, (whole / (shape[rows] * shape[lanes])) * padded);
    }
  }
  return best;
}

/** What the other formulas are made of, of one device: numbers, not bytes. */
function own(/** @type {Plan} */ plan) {
  const { model: { D, F, H, K, k, V, gated }, B, S, data, fsdp, sequence, tensor: t } = plan;
  const rows = B / (data * fsdp);
  const keys = 2 * (K / partsOfKeys(plan)) * k;
  return {
    tokens: rows * (S / sequence),
    keys,
    weights: D * (2 * (H / t) * k + keys + (2 + Number(gated)) * (F / t)),
    table: (V / t) * D,
    scores: rows * (H / t) * (S / sequence) * S,
  };
}

/**
 * Bytes on one device, by what they are for; together they are the most that it holds at once.
 * @param {Plan} plan
 * @param {"cuda" | "tpu"} platform
 */
export function held(plan, platform) {
  const { OF_A_SCORE, SCALAR } = numbers();
  const { model: { L, D, F, V, gated }, B, S, data, fsdp, sequence, tensor, half, again } = plan;
  const number = platform === "tpu" ? inTiles : product;
  const shapes = pieces(plan);
  const parameters = 4 * sum(shapes.map(number));
  const c = width(plan);
  const { tokens, weights, table, scores } = own(plan);
  const stream = c * tokens * D;
  const inside = OF_A_SCORE * c * scores + 2 * c * tokens * (1 + Number(gated)) * (F / tensor) + 6 * stream;
  const logits = (4 + c) * tokens * (V / tensor) + c * table;
  const gathered = c * weights * (fsdp > 1 ? 2 : 1);
  return {
    parameters,
    optimizer: 2 * parameters + SCALAR[platform],
    batch: 2 * 4 * number([B / (data * fsdp), S / sequence]),
    rounded: half ? 2 * sum(shapes.map(product)) : 0,
    gradients: c * Math.floor((L * weights) / fsdp),
    kept: L * (again ? stream : stream + inside),
    working: Math.max(logits, inside + gathered),
  };
}

/**
 * Bytes that a device receives in a step, by what for.
 * @param {Plan} plan
 */
export function received(plan) {
  const { model: { L, D, K, k }, data, fsdp: f, sequence: s, tensor: t, again } = plan;
  const copies = data * s;
  const c = width(plan);
  const { tokens, keys, weights, table } = own(plan);
  const stream = tokens * D;
  const gathers = 3 * L * weights + (t === 1 ? 2 : 3) * table + 2 * stream;
  const sums = (again ? 5 : 4) * L + 2;
  const whole = t > 1 && partsOfKeys(plan) === 1 ? Math.floor((L * 2 * D * K * k) / f) : 0;
  return {
    gradients: Math.floor(Math.floor((c * 2 * (copies - 1) * (L * weights + 2 * table)) / f) / copies),
    fsdp: Math.floor((c * (f - 1) * gathers) / f),
    sequence: c * 3 * L * (s - 1) * tokens * keys,
    tensor: Math.floor((c * 2 * (t - 1) * (sums * stream + whole)) / t),
  };
}

/** Operations of one device in a step; a multiplication and an addition are two. */
export function operations(/** @type {Plan} */ plan) {
  const { model: { L, D, F, H, K, k, V, gated }, B, S, again } = plan;
  const weights = 2 * D * H * k + 2 * D * K * k + (2 + Number(gated)) * D * F;
  const layer = 2 * weights + 4 * H * k * S;
  return (B * S * ((again ? 4 : 3) * L * layer + 3 * 2 * D * V)) / devices(plan);
}

/**
 * How many devices of each axis are in one host of GPUs: hosts are filled from the last axis on.
 * @param {Plan} plan
 */
export function inAHost(plan) {
  let room = numbers().HOST;
  const found = { data: 1, fsdp: 1, sequence: 1, tensor: 1 };
  for (const axis of [...AXES].reverse()) {
    found[axis] = commonDivisor(plan[axis], room);
    room /= found[axis];
  }
  return found;
}

const commonDivisor = (/** @type {number} */ one, /** @type {number} */ other) => {
  while (other) [one, other] = [other, one % other];
  return one;
};

/** @type {Record<keyof ReturnType<typeof received>, Axis[]>} along which axes what is received comes */
const GROUPS = { gradients: ["data", "sequence"], fsdp: ["fsdp"], sequence: ["sequence"], tensor: ["tensor"] };

/** Bytes a second that a device can receive from the others along these axes. */
function bandwidth(/** @type {Plan} */ plan, /** @type {Chip} */ chip, /** @type {Axis[]} */ axes) {
  const inside = inAHost(plan);
  const here = product(axes.map((axis) => inside[axis]));
  if (chip.network === null || here === product(axes.map((axis) => plan[axis]))) return chip.link;
  return Math.min(chip.link, here * chip.network);
}

/**
 * How long each part takes at best: products, and what is received, by what for.
 * @param {Plan} plan
 * @param {Chip} chip
 */
export function seconds(plan, chip) {
  const amounts = received(plan);
  const time = (/** @type {keyof typeof GROUPS} */ name) => amounts[name] / bandwidth(plan, chip, GROUPS[name]);
  const rate = chip.flops / (chip.platform === "cuda" && !plan.half ? 2 : 1);
  return {
    products: operations(plan) / rate,
    gradients: time("gradients"),
    fsdp: time("fsdp"),
    sequence: time("sequence"),
    tensor: time("tensor"),
  };
}
