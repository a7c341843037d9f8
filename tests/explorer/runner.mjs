// Runs the explorer's modules for Python: a line in is a list of [module, function, ...arguments], a line out the list of
// their answers, each { value, milliseconds } or { thrown }. The folder of the modules is the argument.

import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const modules = new Map();
for (const name of ["dtypes", "layout", "limits", "moves", "presets", "python", "refusals", "spec", "state"]) {
  modules.set(name, await import(pathToFileURL(join(folder, `${name}.js`))));
}

function answer([name, member, ...values]) {
  const found = modules.get(name)[member];
  const start = performance.now();
  try {
    const value = typeof found === "function" ? found(...values) : found;
    return { value, milliseconds: performance.now() - start };
  } catch (error) {
    return { thrown: String(error.stack) };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  console.log(JSON.stringify(JSON.parse(line).map(answer)));
}
