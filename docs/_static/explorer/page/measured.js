// The tables of what the build measured of XLA, once they are needed; tables.js looks a case up in them. They are
// scripts: a page that was opened from a folder may not fetch a file.

import { html } from "../picture/dom.js";

/**
 * @typedef {import("../model/tables.js").Table} Table
 * @typedef {"moves" | "products"} Subject
 * @typedef {Subject | `${Subject}-${import("../model/layout.js").Compiler}`} Name
 */

const HERE = /** @type {HTMLScriptElement} */ (document.currentScript).src; // of the bundle
const loaded = /** @type {{ shardbookMeasured: Record<Name, Table> }} */ (/** @type {unknown} */ (globalThis));
/** @type {Map<Name, Promise<Table>>} */
const asked = new Map();

/**
 * One of the tables; it is loaded once.
 * @param {Name} name
 */
export function loadTable(name) {
  const table = asked.get(name) ?? load(name);
  if (!asked.has(name)) table.catch(() => asked.delete(name)); // the next change asks again
  asked.set(name, table);
  return table;
}

/** @returns {Promise<Table>} */
function load(/** @type {Name} */ name) {
  return new Promise((done, failed) => {
    const script = html("script", { src: new URL(`measured/${name}.js`, HERE).href });
    script.addEventListener("load", () => done(loaded.shardbookMeasured[name]));
    script.addEventListener("error", () => failed(new Error(script.src)));
    document.head.append(script);
  });
}
