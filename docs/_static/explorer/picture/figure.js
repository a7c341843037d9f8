// The figure a reader sees, the same as that of `shardbook.show`.

import { cellsOf, panels } from "./panels.js";
import { draw } from "./svg.js";
import { facts, notes, spoken } from "./caption.js";
import { html } from "./dom.js";
import { layout } from "../model/layout.js";
import { shared } from "../model/shared.js";

/**
 * @typedef {import("../model/layout.js").State} State
 * @typedef {import("./caption.js").LaidOut} LaidOut
 * @typedef {import("./caption.js").Words} Words
 */

/**
 * A state's layout under one of its specs, with the mesh.
 * @param {State} state
 * @returns {LaidOut}
 */
export const laidOut = (state, spec = state.spec) => ({ ...layout(state, spec), mesh: state.mesh });

/** The figure of a layout: its type, the picture and the numbers in words. */
export function figure(/** @type {LaidOut} */ found, /** @type {Words} */ words) {
  const [drawing, drawn] = picture(found, words);
  return html(
    "figure",
    {},
    html("figcaption", {}, found.notation),
    drawing,
    pairs(facts(found, words)),
    ...notes(found, words, drawn).map((note) => html("p", {}, note)),
  );
}

/** The picture of a layout under a caption, without the numbers. */
export function captioned(/** @type {LaidOut} */ found, /** @type {Words} */ words, /** @type {string} */ caption) {
  return html("figure", {}, html("figcaption", {}, caption), picture(found, words)[0]);
}

/** A description list of labels and values. */
export function pairs(/** @type {[label: string, value: string][]} */ found) {
  return html("dl", {}, ...found.map(([label, value]) => html("div", {}, html("dt", {}, label), html("dd", {}, value))));
}

/**
 * The drawing of a layout with its text equivalent, and how many pieces it shows.
 * @param {LaidOut} found
 * @param {Words} words
 * @returns {[drawing: HTMLElement, drawn: number]}
 */
function picture(found, words) {
  const arranged = panels(found);
  const [drawing, width] = draw(found, arranged, words.count);
  // What may have to scroll must be reachable by keyboard.
  const focus = width > shared.FITS_PHONE ? 0 : null;
  const label = spoken(found, words);
  const drawn = cellsOf(arranged).length;
  return [html("div", { class: "sb-panels", role: "img", tabindex: focus, "aria-label": label }, ...drawing), drawn];
}
