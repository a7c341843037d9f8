// The planner: keeps a plan, shows what comes of it, and keeps it in the address.
//
//   model  plan: the formulas; plan_link: addresses and limits; plan_search: other plans; plan_python: the program
//   here   the fields, the bars and tables, and what to try

import { AXES, devices, held, numbers, operations, received, seconds } from "../model/plan.js";
import { SIZES, firstPlan, fromHash, modelOf, problems, toHash, wholeNumber } from "../model/plan_link.js";
import { coloured } from "../picture/coloured.js";
import { format, size } from "../model/notation.js";
import { html, input, set, svg, the, told } from "../picture/dom.js";
import { others, total, verdict as verdictOf } from "../model/plan_search.js";
import { python } from "../model/plan_python.js";

/**
 * @typedef {import("../model/plan.js").Plan} Plan
 * @typedef {import("../model/plan_link.js").Planned} Planned
 * @typedef {import("../model/plan_link.js").Problem} Problem
 */

const SETTLED = 250; // milliseconds without a change, after which the address, the words and what to try follow
const ANCHOR = /^#[a-z][\w-]*$/i;
const WIDE = 600; // of a bar, in units of its picture
const FRACTION = 0.9; // of a GPU's memory that JAX may be told to take
// Of each part of the memory, of the products and of what each axis sends: places in the palette of figures.
const COLOURS = {
  parameters: "sb-h0 sb-s3",
  optimizer: "sb-h1 sb-s1",
  batch: "sb-h6 sb-s0",
  rounded: "sb-h2 sb-s2",
  gradients: "sb-h3 sb-s0",
  kept: "sb-h4 sb-s2",
  working: "sb-h7 sb-s1",
};

const root = the(document, "article");
/** @type {Record<string, string>} */
const words = JSON.parse(the(root, ".planner-words").textContent);
const fields = [...SIZES, "B", "S", ...AXES];
const verdict = the(root, ".planner-verdict");
const status = the(root, ".planner-said");
const refusal = the(root, ".planner-refusal");
const linkProblem = the(root, ".planner-link-problem");
const memory = the(root, ".planner-memory");
const sent = the(root, ".planner-sent");
const tried = the(root, ".planner-others");
const code = the(root, ".planner-python pre");
const folded = /** @type {HTMLDetailsElement} */ (the(root, ".planner-python"));
const field = (/** @type {string} */ name) => /** @type {HTMLInputElement | HTMLSelectElement} */ (input(root, name));
const box = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (input(root, name));

/** @type {Planned} */
let planned = firstPlan();
/** @type {Problem[]} */
let wrong = [];
let settling = 0;
let pictured = false;

/** A number for people: two or three digits that count. */
const short = (/** @type {number} */ number) => `${Number(number.toPrecision(3))}`;

const tell = (/** @type {string} */ key, /** @type {Record<string, unknown>} */ values = {}) => format(words[key], values);

/** What the fields say; NaN where that is no whole number. */
function readForm() {
  /** @type {Record<string, number>} */
  const found = Object.fromEntries(fields.map((name) => [name, wholeNumber(field(name).value.trim())]));
  const { L, D, F, H, K, k, V, B, S, data, fsdp, sequence, tensor } = found;
  const model = { L, D, F, H, K, k, V, gated: box("gated").checked, tied: box("tied").checked };
  const half = field("half").value === "1";
  return { plan: { model, B, S, data, fsdp, sequence, tensor, half, again: box("again").checked }, chip: field("chip").value };
}

/** Write a plan into the fields. */
function writeForm() {
  const { plan, chip } = planned;
  /** @type {Record<string, unknown>} */
  const all = { ...plan.model, ...plan };
  for (const name of fields) field(name).value = `${all[name]}`;
  for (const name of ["gated", "tied", "again"]) box(name).checked = Boolean(all[name]);
  field("half").value = plan.half ? "1" : "0";
  field("chip").value = chip;
  nameModel();
}

/** Say which public model it is, if it is one. */
function nameModel() {
  const sizes = JSON.stringify(planned.plan.model);
  field("model").value = Object.keys(numbers().MODELS).find((name) => JSON.stringify(modelOf(name)) === sizes) ?? "";
}

/** Show a plan, or what is wrong with it; then what was right before stays, marked as such. */
function show() {
  wrong = problems(planned);
  for (const name of fields) set(field(name), { "aria-invalid": wrong.some((each) => each.field === name) ? "true" : null });
  set(field("chip"), { "aria-invalid": wrong.some((each) => each.field === "chip") ? "true" : null });
  refusal.hidden = !wrong.length;
  refusal.replaceChildren(...wrong.flatMap((each) => [...told(sentence(each)), html("br", {})]));
  root.classList.toggle("planner-refused", wrong.length > 0);
  // A link to what has no plan comes before any other: then the first one stands for it.
  if (!wrong.length || !pictured) showResults(wrong.length ? firstPlan() : planned);
  pictured = true;
}

function showResults(/** @type {Planned} */ shown) {
  showMemory(shown);
  showSent(shown);
  if (folded.open) showPython();
}

/** What a problem says, and what to do. */
function sentence(/** @type {Problem} */ { kind, values, field: name }) {
  const named = words[`field_${values.field ?? name}`] ?? `${values.field ?? name}`;
  return tell(`problem_${kind}`, { ...values, field: named });
}

function showMemory(/** @type {Planned} */ { plan, chip }) {
  const { platform, memory: whole, usable } = numbers().CHIPS[chip];
  const parts = held(plan, platform);
  const needed = total(parts);
  verdict.replaceChildren(
    ...told(tell(verdictOf(parts, usable), { needed: size(needed), usable: size(usable), chip, devices: devices(plan) })),
    ...(platform === "cuda" && usable < needed && needed <= FRACTION * whole
      ? [" ", ...told(tell("fraction", { memory: size(whole) }))]
      : []),
  );
  verdict.classList.toggle("planner-no", needed > usable);
  const scale = WIDE / Math.max(needed, usable);
  let x = 0;
  const boxes = Object.entries(parts).map(([name, bytes]) => {
    const from = x;
    x += bytes * scale;
    return svg("rect", { class: COLOURS[/** @type {keyof typeof COLOURS} */ (name)], x: from, width: x - from, height: 24 });
  });
  const line = svg("path", { class: "planner-limit", d: `M${usable * scale} -4V28` });
  const bar = svg("svg", { viewBox: `0 -4 ${WIDE} 32`, class: "planner-bar", "aria-hidden": "true" }, ...boxes, line);
  const rows = Object.entries(parts).map(([name, bytes]) => {
    const colour = svg("rect", { class: COLOURS[/** @type {keyof typeof COLOURS} */ (name)], width: 12, height: 12 });
    const key = svg("svg", { viewBox: "0 0 12 12", class: "planner-key", "aria-hidden": "true" }, colour);
    return [html("span", {}, key, words[`held_${name}`]), size(bytes), `${Math.round((100 * bytes) / needed)}%`];
  });
  memory.replaceChildren(bar, table(words.memory, [words.part, words.bytes, words.share], rows));
}

function showSent(/** @type {Planned} */ { plan, chip }) {
  const amounts = received(plan);
  const { products, ...links } = seconds(plan, numbers().CHIPS[chip]);
  const most = Math.max(products, ...Object.values(links));
  const barOf = (/** @type {number} */ time) =>
    svg("svg", { viewBox: "0 0 100 10", class: "planner-time", "aria-hidden": "true" }, svg("rect", { class: "sb-h0 sb-s2", width: Math.max(0.5, (100 * time) / most), height: 10 }));
  const cells = (/** @type {number} */ time) => html("span", {}, barOf(time), ` ${duration(time)}`);
  const rows = [[words.sent_products, tell("operations", { count: short(operations(plan) / 1e12) }), cells(products)]];
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount) rows.push([words[`sent_${name}`], size(amount), cells(links[/** @type {keyof typeof links} */ (name)])]);
  }
  const together = total(links);
  const bound = products >= together ? "bound_products" : "bound_links";
  const said = html("p", {}, ...told(tell(bound, { products: duration(products), links: duration(together) })));
  sent.replaceChildren(table(words.sent, [words.what, words.amount, words.time], rows), said);
}

/** Seconds for people. */
function duration(/** @type {number} */ time) {
  if (time >= 1) return `${short(time)} s`;
  return time >= 1e-3 ? `${short(time * 1e3)} ms` : `${short(time * 1e6)} µs`;
}

/**
 * A table whose cells may be elements, in a frame that scrolls.
 * @param {string} label
 * @param {string[]} head
 * @param {(Node | string)[][]} rows
 */
function table(label, head, rows) {
  const top = html("tr", {}, ...head.map((cell) => html("th", { scope: "col" }, cell)));
  const body = rows.map(([first, ...cells]) => html("tr", {}, html("th", { scope: "row" }, first), ...cells.map((cell) => html("td", {}, cell))));
  const whole = html("table", {}, html("thead", {}, top), html("tbody", {}, ...body));
  return html("div", { class: "sb-table", role: "group", tabindex: 0, "aria-label": label }, whole);
}

/** What else could be tried: meshes that fit, each a press away. */
function showOthers() {
  if (wrong.length) return;
  const { plan, chip } = planned;
  const found = others(planned);
  const items = found.map((other) => {
    const mesh = AXES.filter((axis) => other.plan[axis] > 1).map((axis) => `${axis} ${other.plan[axis]}`);
    const button = html("button", { type: "button" }, mesh.join(" × ") || "1");
    button.addEventListener("click", () => {
      planned = { plan: other.plan, chip };
      writeForm();
      show();
      settle();
      verdict.focus();
    });
    const more = other.plan.again && !plan.again ? ` ${words.and_again}` : "";
    return html("li", {}, button, ` ${tell("other", { needed: size(other.total), time: duration(other.time) })}${more}`);
  });
  const count = found.length ? devices(found[0].plan) : 0;
  const instead = verdict.classList.contains("planner-no") ? words.others_instead : words.others;
  const said = !found.length ? words.no_other : count === devices(plan) ? instead : tell("others_more", { devices: count });
  tried.replaceChildren(html("p", {}, said), html("ul", {}, ...items));
}

const showPython = () => {
  if (!wrong.length) code.replaceChildren(...coloured(python(planned)));
};

/** Once changes stop: the address, what to try, and the verdict for those who hear it. */
function settle() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    showOthers();
    status.textContent = wrong.length ? sentence(wrong[0]).replaceAll("`", "") : verdict.textContent;
    if (wrong.length) return;
    try {
      history.replaceState(null, "", toHash(planned));
    } catch {
      // A browser may allow few changes in a short time; the next one writes the address.
    }
  }, SETTLED);
}

/** Show what the address says. */
function follow() {
  const { problem, ...found } = fromHash(location.hash);
  planned = found;
  linkProblem.hidden = !problem;
  if (problem) linkProblem.textContent = `${words.link_problem} ${words[`problem_${problem.kind}`]}`;
  writeForm();
  show();
  showOthers();
}

async function copy(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
    status.textContent = words.copied;
  } catch {
    status.textContent = words.not_copied;
  }
}

field("model").append(...Object.keys(numbers().MODELS).map((name) => html("option", { value: name }, name)));
field("chip").append(...Object.keys(numbers().CHIPS).map((name) => html("option", { value: name }, name)));
for (const form of root.querySelectorAll("form")) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    linkProblem.hidden = true;
    if (target === field("model")) {
      if (field("model").value) planned = { ...planned, plan: { ...planned.plan, model: modelOf(field("model").value) } };
      writeForm();
    } else {
      planned = readForm();
      nameModel();
    }
    show();
    settle();
  });
}
folded.addEventListener("toggle", showPython);
window.addEventListener("hashchange", () => {
  if (!ANCHOR.test(location.hash)) follow();
});
const COPIED = { link: () => new URL(toHash(planned), location.href).href, python: () => python(planned) };
for (const [name, copied] of Object.entries(COPIED)) {
  the(root, `[data-copy=${name}]`).addEventListener("click", () => (wrong.length ? undefined : copy(copied())));
}
follow();
root.classList.add("explorer-begun", "planner-begun");
