// The explorer: keeps the state, shows it in every part of the page, and keeps it in the address.
//
//   model    spec, layout, refusals, moves, python, state, presets: no page; tests/explorer compares it with JAX
//   picture  panels, device_labels, svg, caption, figure: the figure of shardbook.show, with which tests/explorer compares
//            it; coloured: a program
//   page     form and chips are the inputs; results, move, product and steps what comes of them

import { check } from "../model/refusals.js";
import { connect } from "./form.js";
import { defaultState, fromHash, toHash } from "../model/state.js";
import { limits } from "../model/limits.js";
import { move } from "./move.js";
import { product } from "./product.js";
import { python } from "../model/python.js";
import { remedy, showRefusals } from "./refusal.js";
import { results } from "./results.js";
import { the, told } from "../picture/dom.js";

/**
 * @typedef {import("../model/layout.js").State} State
 * @typedef {import("../model/limits.js").Field} Field
 * @typedef {import("../model/spec.js").Mistake} Mistake
 *
 * @typedef {Record<string, string> & { figure: Record<string, string> }} Words  of the page, and the package's of a figure
 *
 * @typedef {object} Page  what the parts of the page know of it
 * @property {HTMLElement} root
 * @property {Words} words
 * @property {Map<Field, Mistake>} mistakes  what cannot be read, by field
 * @property {() => State} state
 * @property {(next: State, field: Field) => void} change
 * @property {(field: Field, found: Mistake) => void} mistake
 * @property {(next: State) => void} reset
 * @property {(text: string, aloud?: boolean) => void} say  what has happened; aloud only, if it can be seen elsewhere
 */

const SETTLED = 300; // milliseconds without a change, after which address and spoken words follow
const ANCHOR = /^#[a-z][\w-]*$/i;

const root = the(document, "article");
/** @type {Words} */
const words = JSON.parse(the(root, ".explorer-words").textContent);
const status = the(root, ".explorer-said");
const linkProblem = the(root, ".explorer-link-problem");

let state = defaultState();
let settling = 0;
let refused = ""; // the remedy of the first refusal, if there is one
let refusedBefore = "";
let pictured = false;

/** @type {Page} */
const page = {
  root,
  words,
  mistakes: new Map(),
  state: () => state,
  change(next, field) {
    page.mistakes.delete(field);
    linkProblem.hidden = true;
    show(next);
    settle();
  },
  mistake(field, found) {
    page.mistakes.set(field, found);
    show(state);
    settle();
  },
  reset(next) {
    page.mistakes.clear();
    linkProblem.hidden = true;
    show(next, true);
    settle();
  },
  say(text, aloud = false) {
    status.classList.toggle("visually-hidden", aloud);
    status.textContent = text.replaceAll("`", "");
  },
};

const showForm = connect(page);
const showResults = [results(page), move(page), product(page)];

/** Show a state; where it is refused, the last valid picture stays. */
function show(/** @type {State} */ next, all = false) {
  state = next;
  showForm(state, all);
  const unread = [...page.mistakes].map(([field, mistake]) => ({ field, ...mistake }));
  const refusals = [...unread, ...check(state)];
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-refusals]"))) {
    const { refusals: fields = "", of = "" } = place.dataset;
    const here = refusals.filter(({ field }) => fields.split(" ").includes(field));
    showRefusals(place, root.querySelectorAll(of), here, words);
  }
  root.classList.toggle("explorer-refused", refusals.length > 0);
  refused = refusals.length ? remedy(refusals[0], words) : "";
  // A link to what JAX refuses comes before any picture: then the first example's stands for it.
  if (!refusals.length || !pictured) showResults.forEach((part) => part(refusals.length ? defaultState() : state));
  pictured = true;
}

/** Once changes stop, write the address and say what was refused. */
function settle() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    if (refused && refused !== refusedBefore) page.say(refused, true); // it stands beside its field
    refusedBefore = refused;
    if (!isShown()) return;
    try {
      history.replaceState(null, "", toHash(state));
    } catch {
      // A browser may allow few changes in a short time; the next one writes the address.
    }
  }, SETTLED);
}

/** Whether the state is what the fields say, and can stand in an address. */
const isShown = () => !page.mistakes.size && !limits(state).length;

/** Show what the address says. */
function follow() {
  const { state: found, problems } = fromHash(location.hash);
  page.mistakes.clear();
  linkProblem.hidden = !problems.length;
  if (problems.length) linkProblem.replaceChildren(words.link_problem, " ", ...told(remedy(problems[0], words)));
  show(found, true);
}

async function copy(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
    page.say(words.copied);
  } catch {
    page.say(words.not_copied);
  }
}

window.addEventListener("hashchange", () => {
  if (!ANCHOR.test(location.hash)) follow();
});
const COPIED = { link: () => new URL(toHash(state), location.href).href, python: () => python(state) };
for (const [name, copied] of Object.entries(COPIED)) {
  the(root, `[data-copy=${name}]`).addEventListener("click", () => (refused ? page.say(refused) : copy(copied())));
}
follow();
root.classList.add("explorer-begun");
