// The notation that pictures and tables share, as src/shardbook's module of that name writes it.

/** @typedef {import("./layout.js").Range} Range */

/** How many characters a text has; some take two units of a JavaScript string. */
export const length = (/** @type {string} */ text) => [...text].length;

/** Put values into a template such as "{count} devices". */
export const format = (/** @type {string} */ template, /** @type {Record<string, unknown>} */ values) =>
  template.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/** Each dimension as its size and the axes that split it: `8`, `8@x`, `8@(x,y)`. */
export const dimensions = (/** @type {number[]} */ shape, /** @type {string[][]} */ splits) =>
  shape.map((size, at) => (splits[at].length ? `${size}@${names(splits[at])}` : `${size}`));

/** Axis names: one as it is, several in parentheses. */
const names = (/** @type {string[]} */ axes) => (axes.length === 1 ? axes[0] : `(${axes.join(",")})`);

/** An array's type; `jax.typeof` has no space after the comma. */
export const arrayType = (/** @type {string} */ dtype, /** @type {string[]} */ dims, comma = ", ") =>
  `${dtype}[${dims.join(comma)}]`;

/** One index range: "0:2". */
export const span = (/** @type {Range} */ [start, stop]) => `${start}:${stop}`;

/** A piece's place in the array: "[0:2, 4:8]". */
export const index = (/** @type {Range[]} */ parts) => `[${parts.map(span).join(", ")}]`;

/** A place in a mesh: "x=0, y=3". */
export const place = (/** @type {string[]} */ axes, /** @type {number[]} */ at) =>
  axes.map((name, axis) => `${name}=${at[axis]}`).join(", ");

/** A shape: "[4, 8]". */
export const shape = (/** @type {number[]} */ sizes) => `[${sizes.join(", ")}]`;

/** Device numbers, in their order, as runs of consecutive ones: "0–3", "8". */
export function deviceRuns(/** @type {number[]} */ numbers) {
  /** @type {[first: number, last: number][]} */
  const found = [];
  for (const number of numbers) {
    const run = found.at(-1);
    if (run && number === run[1] + 1) run[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
}

/** A number of bytes, in binary units from 1 KiB on: "24.56 MiB". */
export function size(/** @type {number} */ count) {
  if (count < 1024) return `${count} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let amount = count / 1024;
  // 1023.995 would round to "1024": the next unit says it better.
  while (amount >= 1023.995 && units.length > 1) {
    amount /= 1024;
    units.shift();
  }
  return `${fixed(amount, 2).replace(/\.?0+$/, "")} ${units[0]}`;
}

/** A number with so many digits after the point; what lies halfway goes to the even one, as Python has it. */
export function fixed(/** @type {number} */ number, /** @type {number} */ digits) {
  const scaled = number * 10 ** digits;
  if (scaled % 1 !== 0.5 || !/^50*$/.test(number.toFixed(60).split(".")[1].slice(digits))) return number.toFixed(digits);
  const below = Math.floor(scaled);
  return ((below % 2 ? below + 1 : below) / 10 ** digits).toFixed(digits);
}
