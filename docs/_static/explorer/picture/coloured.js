// A program of Python in the colours of the handbook's cells: the classes are those that Pygments gives, of what the
// explorer's programs have.

import { html } from "./dom.js";

// Each kind of token once, in a group of its own, in the order of CLASSES.
const TOKEN = /("[^"\n]*"|'[^'\n]*')|\b(import|from|as)\b|\b(lambda)\b|\b(True|False|None)\b|\b(\d+)\b|\b(print)\b/g;
const CLASSES = ["s2", "kn", "k", "kc", "mi", "nb"];

/**
 * The program as text and elements, which say the same as it does.
 * @param {string} program
 * @returns {(HTMLElement | string)[]}
 */
export function coloured(program) {
  let end = 0;
  /** @type {(HTMLElement | string)[]} */
  const parts = [];
  for (const found of program.matchAll(TOKEN)) {
    const [text, ...groups] = found;
    parts.push(program.slice(end, found.index), html("span", { class: CLASSES[groups.findIndex(Boolean)] }, text));
    end = found.index + text.length;
  }
  return [...parts, program.slice(end)];
}
