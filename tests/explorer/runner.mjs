// Runs the explorer's modules for Python: a line in is a list of [module, function, ...arguments], a line out the list of
// their answers, each { value, milliseconds } or { thrown }. The folder of the modules is the argument.
//
// What seems slow is timed again: the machine may have been busy with something else.

import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const SLOW = 10;

const folder = process.argv[2];
const modules = new Map();
for (const name of ["dtypes", "layout", "limits", "moves", "presets", "python", "refusals", "spec", "state", "tables"]) {
  modules.set(name, await import(pathToFileURL(join(folder, `${name}.js`))));
}

function answer([name, member, ...values]) {
  const found = modules.get(name)[member];
  try {
    let [value, milliseconds] = [found, 0];
    for (let tries = 0; tries < (typeof found === "function" ? 5 : 0); tries += 1) {
      const start = performance.now();
      value = found(...values);
      const taken = performance.now() - start;
      milliseconds = tries ? Math.min(milliseconds, taken) : taken;
      if (milliseconds < SLOW) break;
    }
    return { value, milliseconds };
  } catch (error) {
    return { thrown: String(error.stack) };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  console.log(JSON.stringify(JSON.parse(line).map(answer)));
}
