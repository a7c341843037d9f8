// The explorer in small, on the first page: one array and one mesh, whose axes a reader drags. Pieces fly to where they
// lie then. What stands there without a script is the same first picture.

import { chips } from "./chips.js";
import { figure, laidOut } from "../picture/figure.js";
import { defaultState, toHash } from "../model/state.js";
import { printSpec } from "../model/spec.js";
import { the } from "../picture/dom.js";

/** @typedef {import("../model/layout.js").State} State */

const FLIGHT = 350; // milliseconds
const SHAPE = [8, 8]; // which each axis can split, and both together: nothing here is refused

const root = the(document, ".explorer-small");
/** @type {import("./explorer.js").Words} */
const words = JSON.parse(the(root, ".explorer-words").textContent);
const picture = the(root, ".explorer-picture");
const status = the(root, ".explorer-said");
const whole = /** @type {HTMLAnchorElement} */ (the(root, ".explorer-whole a"));
const page = whole.getAttribute("href");
const show = chips(the(root, ".explorer-chips"), {
  words,
  change: (spec) => draw({ ...defaultState(), shape: SHAPE, spec }),
  say: (text) => {
    status.textContent = text;
  },
});

/** Show a state. */
function draw(/** @type {State} */ state) {
  show(state.spec, state.shape, state.mesh);
  the(root, ".explorer-spec").textContent = printSpec(state.spec);
  whole.href = `${page}${toHash(state)}`;
  const before = places();
  picture.replaceChildren(figure(laidOut(state), words.figure));
  fly(before);
}

/** Where the piece of each device lies, by its class; the topmost of copies. */
function places() {
  const boxes = /** @type {NodeListOf<SVGElement>} */ (picture.querySelectorAll(".sb-panels > svg [class*=sb-p]"));
  return new Map([...boxes].map((box) => [box.classList.item(box.classList.length - 1), { box, at: box.getBoundingClientRect() }]));
}

/** Let each device's piece come from where it lay before. */
function fly(/** @type {ReturnType<typeof places>} */ before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [device, { box, at }] of places()) {
    const from = before.get(device)?.at;
    if (!from || !at.width || !at.height) continue;
    const scale = `scale(${from.width / at.width}, ${from.height / at.height})`;
    const moved = `translate(${from.x - at.x}px, ${from.y - at.y}px) ${scale}`;
    box.style.transformBox = "fill-box";
    box.animate([{ transform: moved }, { transform: "none" }], { duration: FLIGHT, easing: "ease-in-out" });
  }
}

draw({ ...defaultState(), shape: SHAPE });
root.classList.add("explorer-begun");
