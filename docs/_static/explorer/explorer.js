// The explorer: keeps the state, shows it in every part of the page, and keeps it in the address.
//
//   model    spec, layout, refusals, moves, python, state, presets: no page, and compared with JAX in tests/explorer
//   picture  picture, holders, svg, caption, figure: the figure of shardbook.show, in the browser
//   page     form and chips are the inputs; results, move, product and steps what comes of them

import { check } from "./refusals.js";
import { connect } from "./form.js";
import { defaultState, fromHash, toHash } from "./state.js";
import { limits } from "./limits.js";
import { move } from "./move.js";
import { product } from "./product.js";
import { python } from "./python.js";
import { remedy, showRefusals } from "./refusal.js";
import { results } from "./results.js";
import { told } from "./dom.js";

const SETTLED = 300; // milliseconds without a change, after which address and spoken words follow
const ANCHOR = /^#[a-z][\w-]*$/i;

const root = document.querySelector("article");
const words = JSON.parse(root.querySelector(".explorer-words").textContent);
const status = root.querySelector(".explorer-said");
const linkProblem = root.querySelector(".explorer-link-problem");

let state = defaultState();
let settling = 0;
let refusedBefore = "";
let pictured = false;

const page = {
  root,
  words,
  mistakes: new Map(), // what cannot be read, by field
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
  say(text) {
    status.textContent = text;
  },
};

const showForm = connect(page);
const showResults = [results(page), move(page), product(page)];

/** Show a state; where it is refused, the last valid picture stays. */
function show(next, all = false) {
  state = next;
  showForm(state, all);
  const unread = [...page.mistakes].map(([field, mistake]) => ({ field, ...mistake }));
  const refusals = [...unread, ...check(state)];
  for (const place of root.querySelectorAll("[data-refusals]")) {
    const fields = place.dataset.refusals.split(" ");
    const inputs = root.querySelectorAll(place.dataset.of);
    showRefusals(place, inputs, refusals.filter(({ field }) => fields.includes(field)), words);
  }
  root.classList.toggle("explorer-refused", refusals.length > 0);
  page.refused = refusals.length ? remedy(refusals[0], words) : "";
  // A link to what JAX refuses comes before any picture: then the first example's stands for it.
  if (!refusals.length || !pictured) showResults.forEach((part) => part(refusals.length ? defaultState() : state));
  pictured = true;
}

/** Once changes stop, write the address and say what was refused. */
function settle() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    if (page.refused && page.refused !== refusedBefore) page.say(page.refused.replaceAll("`", ""));
    refusedBefore = page.refused;
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

async function copy(text) {
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
for (const button of root.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => (page.refused ? page.say(page.refused) : copy(COPIED[button.dataset.copy]())));
}
follow();
root.classList.add("explorer-begun");
