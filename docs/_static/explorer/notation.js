// The notation that pictures and tables share, as src/shardbook/notation.py writes it.

/** How many characters a text has; some take two units of a JavaScript string. */
export const length = (text) => [...text].length;

/** Put values into a template such as "{count} devices". */
export const format = (template, values) => template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** One index range: "0:2". */
export const span = ([start, stop]) => `${start}:${stop}`;

/** A piece's place in the array: "[0:2, 4:8]". */
export const index = (parts) => `[${parts.map(span).join(", ")}]`;

export const shape = (sizes) => `[${sizes.join(", ")}]`;

/** Numbers, in their order, as runs of consecutive ones: "0–3", "8". */
export function runs(numbers) {
  const found = [];
  for (const number of numbers) {
    if (found.length && number === found.at(-1)[1] + 1) found.at(-1)[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
}

/** A number of bytes, in binary units from 1 KiB on: "24.56 MiB". */
export function size(count) {
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
export function fixed(number, digits) {
  const scaled = number * 10 ** digits;
  if (scaled % 1 !== 0.5 || !/^50*$/.test(number.toFixed(60).split(".")[1].slice(digits))) return number.toFixed(digits);
  const below = Math.floor(scaled);
  return ((below % 2 ? below + 1 : below) / 10 ** digits).toFixed(digits);
}
