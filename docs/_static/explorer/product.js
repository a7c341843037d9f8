// The product of two matrices: where the three lie, and what XLA inserts to get from the first two to the third.

import { captioned, laidOut } from "./figure.js";
import { html } from "./dom.js";
import { layout, operands } from "./layout.js";
import { measuredProduct } from "./tables.js";
import { python } from "./python.js";
import { showSteps } from "./steps.js";

const NAMES = { a: "A", b: "B", out: "A @ B" };

/** Show the product in the page from now on. */
export function product({ root, words }) {
  const place = root.querySelector(".explorer-multiplied");
  const inserted = root.querySelector(".explorer-product-steps");
  let turn = 0;

  return (state) => {
    const mine = ++turn;
    if (!state.product) return;
    const matrices = operands(state);
    const sides = Object.entries(matrices).map(([name, matrix]) => {
      const found = laidOut(matrix);
      return captioned(found, words.figure, `${NAMES[name]}${words.figure.colon}${found.notation}`);
    });
    place.replaceChildren(html("div", { class: "sb-moves" }, ...sides));
    const measure = `${python({ ...state, to: null })}\nimport shardbook\n\nprint(shardbook.collectives(multiply, x, b))\n`;
    const bytes = (of) => layout(matrices[of]).totalBytes;
    const kase = { table: "products", find: measuredProduct, state, bytes, matrix: (of) => NAMES[of], measure };
    showSteps(inserted, kase, words, () => mine === turn);
  };
}
