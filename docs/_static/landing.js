// Send a reader to the language chosen before, else to the first of the browser's that the handbook has.
/** @type {string[]} */
let wanted = [];
try {
  wanted = [localStorage.getItem("language") ?? ""];
} catch {
  // Storage may be forbidden.
}
wanted.push(...navigator.languages);
const found = wanted.filter(Boolean).map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === "zh" || tag === "en");
location.replace(`${found ?? "en"}/index.html`);
