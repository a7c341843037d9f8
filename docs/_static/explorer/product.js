// The product of two matrices: where the three lie, and what XLA inserts to get from the first two to the third.

import { captioned, laidOut } from "./figure.js";
import { html } from "./dom.js";
import { operands } from "./layout.js";
import { productSteps, table } from "./measured.js";
import { provenance, stepList } from "./steps.js";
import { python } from "./python.js";
import { unmeasured } from "./unmeasured.js";

const NAMES = { a: "A", b: "B", out: "A @ B" };

/** Show the product in the page from now on. */
export function product({ root, words }) {
  const place = root.querySelector(".explorer-multiplied");
  const inserted = root.querySelector(".explorer-product-steps");
  let turn = 0;

  return async (state) => {
    const mine = ++turn;
    if (!state.product) return;
    const sides = Object.entries(operands(state)).map(([name, matrix]) => {
      const found = laidOut(matrix);
      return captioned(found, words.figure, `${NAMES[name]}${words.figure.colon}${found.notation}`);
    });
    place.replaceChildren(html("div", { class: "sb-moves" }, ...sides));
    let measured;
    try {
      measured = await table("products");
    } catch {
      if (mine === turn) inserted.replaceChildren(html("p", {}, words.not_loaded));
      return;
    }
    if (mine !== turn) return;
    const steps = productSteps(measured, state);
    if (!steps) {
      inserted.replaceChildren(...unmeasured(`${python({ ...state, to: null })}\nimport shardbook\n\nprint(shardbook.collectives(multiply, x, b))\n`, words));
      return;
    }
    const shapes = [measured.shapes.a, measured.shapes.b];
    const warning = steps.warned ? [html("p", {}, words.rematerialized)] : [];
    inserted.replaceChildren(stepList(steps.steps, state.mesh, words, (of) => NAMES[of]), ...warning, provenance(measured, steps, shapes, words));
  };
}
