// The figure a reader sees, the same as that of `shardbook.show`.

import { cellsOf, panels } from "./panels.js";
import { draw, drawMesh, measured } from "./svg.js";
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

/** The figure of a layout: its type, the mesh, the picture and the numbers in words. */
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

/**
 * Two layouts of one array side by side, in one size, under captions; their mesh is drawn once.
 * @param {LaidOut} before
 * @param {LaidOut} after
 * @param {Words} words
 * @param {[before: string, after: string]} captions
 */
export function compared(before, after, words, captions) {
  let least = 0;
  for (const [side, other] of [[before, after], [after, before]]) {
    [, , least] = measured(panels(side, other.grid), words.count, least);
  }
  return [before, after].map((side, at) => {
    const [drawing] = picture(side, words, { mesh: at === 0, like: [after, before][at].grid, least });
    return html("figure", {}, html("figcaption", {}, captions[at]), drawing);
  });
}

/**
 * The picture of a layout under a caption, without the numbers.
 * @param {LaidOut} found
 * @param {Words} words
 * @param {string} caption
 * @param {boolean} mesh  whether the mesh is drawn beside it
 */
export function captioned(found, words, caption, mesh) {
  return html("figure", {}, html("figcaption", {}, caption), picture(found, words, { mesh })[0]);
}

/** A description list of labels and values. */
export function pairs(/** @type {[label: string, value: string][]} */ found) {
  return html("dl", {}, ...found.map(([label, value]) => html("div", {}, html("dt", {}, label), html("dd", {}, value))));
}

/**
 * The drawing of a layout with its text equivalent, and how many pieces it shows.
 * @param {LaidOut} found
 * @param {Words} words
 * @param {{ mesh?: boolean, like?: number[], least?: number }} options  whether the mesh is drawn beside it; the grid of
 *   another layout of the same array and the size in which that is drawn, to be compared with
 * @returns {[drawing: HTMLElement, drawn: number]}
 */
function picture(found, words, { mesh = true, like, least } = {}) {
  const arranged = panels(found, like);
  const [drawing, width] = draw(found, arranged, words.count, least);
  // What may have to scroll must be reachable by keyboard.
  const focus = width > shared.FITS_PHONE ? 0 : null;
  const attributes = { class: "sb-panels", role: "img", tabindex: focus, "aria-label": spoken(found, words) };
  const beside = mesh ? [drawMesh(found.mesh, words.mesh)] : [];
  return [html("div", attributes, ...beside, ...drawing), cellsOf(arranged).length];
}
