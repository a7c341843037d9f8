// Runs the explorer's modules for Python: a line in is a list of [module, function, ...arguments], a line out the list of
// their answers, each { value, milliseconds } or { thrown }. The arguments are the folder of the modules, and as JSON the
// numbers that they share with the package and the planner's formulas, and the words of a figure.
//
// The time is that of this thread on a processor, without that of other processes; what seems slow is timed again, for what
// shares a processor slows it.

import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const SLOW = 10;
const MODEL = ["dtypes", "layout", "limits", "moves", "plan", "plan_link", "plan_python", "plan_search", "presets", "python", "refusals", "spec", "state", "tables"];

const [, , folder, given] = process.argv;
const { shared, planner, words } = JSON.parse(given);
globalThis.shardbookShared = shared;
globalThis.shardbookPlanner = planner;

/** An element, as much of one as pictures need; it is written as shardbook writes HTML. */
class Element {
  attributes = new Map();
  children = [];

  constructor(tag) {
    this.tag = tag;
  }

  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  removeAttribute(name) {
    this.attributes.delete(name);
  }

  append(...children) {
    this.children.push(...children);
  }

  toString() {
    const attributes = [...this.attributes].map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
    const inside = this.children.map((child) => (typeof child === "string" ? escaped(child) : child)).join("");
    if (["path", "rect"].includes(this.tag) && !inside) return `<${this.tag}${attributes}/>`;
    return `<${this.tag}${attributes}>${inside}</${this.tag}>`;
  }
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]);
const made = (tag) => new Element(tag);
globalThis.document = { createElement: made, createElementNS: (_, tag) => made(tag) };

const load = (path) => import(pathToFileURL(join(folder, path)));
const modules = new Map();
for (const name of MODEL) modules.set(name, await load(`model/${name}.js`));
const { figure, laidOut } = await load("picture/figure.js");
modules.set("picture", { figure: (state, language) => String(figure(laidOut(state), words[language])) });

function answer([name, member, ...values]) {
  const found = modules.get(name)[member];
  try {
    let [value, milliseconds] = [found, 0];
    for (let tries = 0; tries < (typeof found === "function" ? 5 : 0); tries += 1) {
      const start = process.threadCpuUsage();
      value = found(...values);
      const { user, system } = process.threadCpuUsage(start);
      const taken = (user + system) / 1000;
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
