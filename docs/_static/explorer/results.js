// What a valid state comes to: the picture, the type, the slice of each device, and Python to paste.

import { figure, laidOut, pairs } from "./figure.js";
import { format, index, runs } from "./notation.js";
import { html, table } from "./dom.js";
import { python } from "./python.js";

const EACH_DEVICE = 64; // up to this many devices the table has a row for each, beyond it one for each piece
const MOST_ROWS = 512;

/** Show results in the page from now on. */
export function results({ root, words }) {
  const picture = root.querySelector(".explorer-picture");
  const type = root.querySelector(".explorer-type");
  const slices = root.querySelector(".explorer-slices");
  const code = root.querySelector(".explorer-python pre");
  let shown = null;

  // A table of thousands is made when it is looked at.
  const fill = () => {
    if (slices.open && shown) slices.querySelector("div").replaceChildren(...sliceTable(shown, words));
  };
  slices.addEventListener("toggle", fill);

  return (state) => {
    shown = laidOut(state);
    picture.replaceChildren(figure(shown, words.figure));
    type.replaceChildren(pairs([["jax.typeof(x)", shown.type]]));
    code.textContent = python(state);
    fill();
  };
}

function sliceTable({ pieces, deviceCount }, words) {
  const { device, devices } = words.figure;
  if (deviceCount <= EACH_DEVICE) {
    const rows = pieces.flatMap((piece) => piece.devices.map((id) => [id, index(piece.index)]));
    rows.sort(([one], [other]) => one - other);
    return [table(words.slices, [device, words.slice], rows.map(([id, slice]) => [`${id}`, slice]))];
  }
  const rows = pieces.slice(0, MOST_ROWS).map((piece) => [index(piece.index), runs(piece.devices).join(words.comma)]);
  const more = pieces.length - rows.length;
  const rest = more ? [html("p", {}, format(words.more_pieces, { count: more }))] : [];
  return [table(words.slices, [words.slice, devices], rows), ...rest];
}
