// What stands next to a field that was refused: a remedy in the reader's language, and JAX's own words, in English.

import { format } from "../model/notation.js";
import { html, set, told } from "../picture/dom.js";

/**
 * @typedef {import("../model/spec.js").Mistake} Mistake
 * @typedef {import("../model/refusals.js").Said} Said
 * @typedef {import("./explorer.js").Words} Words
 */

/** The remedy for a refusal, or for a text that cannot be read; words like "`x`, `y`" stand for lists. */
export function remedy(/** @type {Mistake} */ { kind, values }, /** @type {Words} */ words) {
  const shown = Object.entries(values).map(([key, value]) => [key, Array.isArray(value) ? value.join(words.comma) : value]);
  return format(words[`remedy_${kind}`] ?? words.remedy_state, Object.fromEntries(shown));
}

/**
 * Show the refusals of one field in its place, and tell the inputs that they are its.
 * @param {HTMLElement} place
 * @param {Iterable<Element>} inputs
 * @param {(Mistake & Said)[]} refusals
 * @param {Words} words
 */
export function showRefusals(place, inputs, refusals, words) {
  const [first] = refusals;
  place.hidden = !first;
  place.replaceChildren(...(first ? sentences(first, words) : []));
  for (const input of inputs) {
    set(input, { "aria-invalid": first ? "true" : null });
    const others = (input.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== place.id);
    set(input, { "aria-describedby": [...others, ...(first ? [place.id] : [])].join(" ") || null });
  }
}

function sentences(/** @type {Mistake & Said} */ refusal, /** @type {Words} */ words) {
  const said = html("span", {}, ...told(remedy(refusal, words)));
  if (!refusal.message) return [said];
  return [said, " ", html("code", { lang: "en" }, `${refusal.error}: ${refusal.message}`)];
}
