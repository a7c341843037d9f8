// The tables of what the build measured of XLA, once they are needed; tables.js looks a case up in them. They are
// scripts: a page that was opened from a folder may not fetch a file.

const HERE = document.currentScript.src; // of the bundle
const asked = new Map();

/** One of the two tables, "moves" or "products"; it is loaded once. */
export function loadTable(name) {
  if (!asked.has(name)) {
    const table = new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL(`measured/${name}.js`, HERE);
      script.addEventListener("load", () => done(window.shardbookMeasured[name]));
      script.addEventListener("error", () => failed(new Error(script.src)));
      document.head.append(script);
    });
    table.catch(() => asked.delete(name)); // the next change asks again
    asked.set(name, table);
  }
  return asked.get(name);
}
