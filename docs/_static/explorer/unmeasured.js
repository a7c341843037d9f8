// What is said of a case that the build has not measured: so, and how to measure it.

import { html, told } from "./dom.js";

/** The sentence and the Python. */
export function unmeasured(code, words) {
  const block = html("pre", { tabindex: 0, role: "group", "aria-label": "Python" }, code);
  return [html("p", {}, ...told(words.unmeasured)), html("div", { class: "highlight explorer-python" }, block)];
}
