// The figure a reader sees, the same as that of `shardbook.show`: src/shardbook/figure.py.

import { draw } from "./svg.js";
import { facts, notes, spoken } from "./caption.js";
import { html } from "./dom.js";
import { layout } from "./layout.js";
import { panels } from "./picture.js";

const NARROW = 300; // a drawing that can shrink to this many CSS pixels fits any phone

/** A state's layout under one of its specs, with the mesh, which the words beside a picture name. */
export const laidOut = (state, spec = state.spec) => ({ ...layout(state, spec), mesh: state.mesh });

/** The figure of a layout: its type, the picture and the numbers in words. */
export function figure(found, words) {
  const [drawing, arranged] = picture(found, words);
  return html(
    "figure",
    {},
    html("figcaption", {}, found.notation),
    drawing,
    pairs(facts(found, words)),
    ...notes(found, words, arranged).map((note) => html("p", {}, note)),
  );
}

/** The picture of a layout under a caption, without the numbers. */
export function captioned(found, words, caption) {
  return html("figure", {}, html("figcaption", {}, caption), picture(found, words)[0]);
}

/** A description list of labels and values. */
export function pairs(found) {
  return html("dl", {}, ...found.map(([label, value]) => html("div", {}, html("dt", {}, label), html("dd", {}, value))));
}

function picture(found, words) {
  const arranged = panels(found);
  const [drawing, width] = draw(found, arranged, words.count);
  // What may have to scroll must be reachable by keyboard.
  const focus = width > NARROW ? 0 : null;
  const label = spoken(found, words);
  return [html("div", { class: "sb-panels", role: "img", tabindex: focus, "aria-label": label }, ...drawing), arranged];
}
