// What a valid state comes to: the picture, the type, the slice of each device, and Python to paste.

import { coloured } from "../picture/coloured.js";
import { figure, laidOut, pairs } from "../picture/figure.js";
import { format, index, deviceRuns } from "../model/notation.js";
import { html, table, the } from "../picture/dom.js";
import { python } from "../model/python.js";

const EACH_DEVICE = 64; // up to this many devices the table has a row for each, beyond it one for each piece
const MOST_ROWS = 512;

/** @typedef {import("../picture/caption.js").LaidOut} LaidOut */

/** Show results in the page from now on. */
export function results(/** @type {import("./explorer.js").Page} */ { root, words }) {
  const picture = the(root, ".explorer-picture");
  const type = the(root, ".explorer-type");
  const slices = /** @type {HTMLDetailsElement} */ (the(root, ".explorer-slices"));
  const code = the(root, ".explorer-python pre");
  /** @type {LaidOut | null} */
  let shown = null;

  // A table of thousands is made when it is looked at.
  const fill = () => {
    if (slices.open && shown) the(slices, "div").replaceChildren(...sliceTable(shown, words));
  };
  slices.addEventListener("toggle", fill);

  return (/** @type {import("../model/layout.js").State} */ state) => {
    shown = laidOut(state);
    picture.replaceChildren(figure(shown, words.figure));
    type.replaceChildren(pairs([["jax.typeof(x)", shown.type]]));
    code.replaceChildren(...coloured(python(state)));
    fill();
  };
}

/** Which slice each device holds, or which devices hold each. */
function sliceTable(/** @type {LaidOut} */ { pieces, deviceCount }, /** @type {import("./explorer.js").Words} */ words) {
  const { device, devices } = words.figure;
  if (deviceCount <= EACH_DEVICE) {
    const held = pieces.flatMap((piece) => piece.devices.map((id) => ({ id, slice: index(piece.index) })));
    const rows = held.sort((one, other) => one.id - other.id).map(({ id, slice }) => [`${id}`, slice]);
    return [table(words.slices, [device, words.slice], rows)];
  }
  const rows = pieces.slice(0, MOST_ROWS).map((piece) => [index(piece.index), deviceRuns(piece.devices).join(words.comma)]);
  const more = pieces.length - rows.length;
  const rest = more ? [html("p", {}, format(words.more_pieces, { count: more }))] : [];
  return [table(words.slices, [words.slice, devices], rows), ...rest];
}
