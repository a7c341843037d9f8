// The tables of what the build measured of XLA, once they are needed; tables.js looks a case up in them.

const asked = new Map();

/** One of the two tables, "moves" or "products"; it is fetched once. */
export function fetchTable(name) {
  if (!asked.has(name)) {
    const table = fetch(new URL(`${name}.json`, import.meta.url)).then((answer) => {
      if (!answer.ok) throw new Error(`${name}.json: ${answer.status}`);
      return answer.json();
    });
    table.catch(() => asked.delete(name)); // the next change asks again
    asked.set(name, table);
  }
  return asked.get(name);
}
