// The product of two matrices: where the three lie, and what XLA inserts to get from the first two to the third.

import { captioned, laidOut } from "../picture/figure.js";
import { html, the } from "../picture/dom.js";
import { layout, operands } from "../model/layout.js";
import { measuredProduct } from "../model/tables.js";
import { python } from "../model/python.js";
import { showSteps } from "./steps.js";

const NAMES = { a: "A", b: "B", out: "A @ B" };

/** @typedef {keyof typeof NAMES} Matrix */

/** Show the product in the page from now on. */
export function product(/** @type {import("./explorer.js").Page} */ { root, words }) {
  const place = the(root, ".explorer-multiplied");
  const inserted = the(root, ".explorer-product-steps");
  let turn = 0;

  return (/** @type {import("../model/layout.js").State} */ state) => {
    const mine = ++turn;
    if (!state.product) return;
    const matrices = operands(state);
    const sides = Object.entries(matrices).map(([name, matrix]) => {
      const found = laidOut(matrix);
      return captioned(found, words.figure, `${NAMES[/** @type {Matrix} */ (name)]}${words.figure.colon}${found.notation}`, name === "a");
    });
    place.replaceChildren(html("div", { class: "sb-moves" }, ...sides));
    const measure = `${python({ ...state, to: null })}\nimport shardbook\n\nprint(shardbook.collectives(multiply, x, b))\n`;
    const bytes = (/** @type {string} */ of) => layout(matrices[/** @type {Matrix} */ (of)]).totalBytes;
    const matrix = (/** @type {string} */ of) => NAMES[/** @type {Matrix} */ (of)];
    /** @type {import("./steps.js").Case} */
    const asked = { table: "products", find: measuredProduct, state, bytes, matrix, measure };
    showSteps(inserted, asked, words, () => mine === turn);
  };
}
