// All products of two matrices at once: a square for each pair of operands, in it one for each layout of the result,
// the darker the more a device receives. What is chosen stands beneath, step by step; the fields choose without a mouse.

import { COMPILERS, toHash } from "../model/state.js";
import { DTYPE_BITS } from "../model/dtypes.js";
import { format } from "../model/notation.js";
import { html, input, set, svg, the, told } from "../picture/dom.js";
import { loadTable } from "./measured.js";
import { measuredProduct } from "../model/tables.js";
import { printSpec } from "../model/spec.js";
import { showSteps } from "./steps.js";

/**
 * @typedef {import("../model/layout.js").Compiler} Compiler
 * @typedef {import("../model/layout.js").State} State
 * @typedef {import("../model/spec.js").Spec} Spec
 * @typedef {import("../model/tables.js").Table} Table
 * @typedef {Record<Matrix, number>} Chosen  a spec for each matrix, by its place among the specs
 * @typedef {"a" | "b" | "out"} Matrix
 */

const NAMES = { a: "A", b: "B", out: "A @ B" };
const MATRICES = /** @type {Matrix[]} */ (Object.keys(NAMES));
const MESH = { names: ["x", "y"], sizes: [2, 4], types: /** @type {("Auto" | "Explicit")[]} */ (["Auto", "Auto"]), order: null };
// Most that a device receives in each colour but the last, in matrices; what is next to one of them is that.
const STEPS = [0, 0.25, 0.5, 0.75, 1, 1.5];
const NEARLY = 0.01;
const SQUARE = 12; // of one result, in units of the picture
const SIDE = SQUARE - 1;
const ROW = 3; // results in a row
const PAIR = ROW * SQUARE + 5;
const LABEL = 112;
// P("x", "y") @ P("y") → P("x"): one all-reduce.
const FIRST = { a: 5, b: 6, out: 4 };

const root = the(document, ".product-map");
/** @type {import("./explorer.js").Words} */
const words = JSON.parse(the(root, ".explorer-words").textContent);
const grid = the(root, ".product-map-grid");
const said = the(root, ".product-map-said");
const steps = the(root, ".product-map-steps");
const whole = /** @type {HTMLAnchorElement} */ (the(root, ".explorer-whole a"));
const page = whole.getAttribute("href");
const field = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (/** @type {unknown} */ (input(root, name)));

/** @type {Table | null} */
let table = null;
let turn = 0;

/** The table of the compiler that is chosen, drawn; then what is chosen in it. */
async function begin() {
  const compiler = field("compiler").value;
  const mine = ++turn;
  try {
    const loaded = await loadTable(compiler ? /** @type {`products-${Compiler}`} */ (`products-${compiler}`) : "products");
    if (mine !== turn) return;
    table = loaded;
  } catch {
    if (mine === turn) said.textContent = words.not_loaded;
    return;
  }
  fill();
  draw();
  choose();
}

/** The specs of the mesh that is drawn, in the order of the table's rows. */
const specs = () => /** @type {Table} */ (table).meshes[0].specs.map((spec) => spec.map((axes) => axes.map((at) => MESH.names[at])));

/** A spec as short as it can be written. */
const short = (/** @type {Spec} */ spec) => printSpec(spec.slice(0, spec.findLastIndex((axes) => axes.length) + 1));

/** Offer each spec for each matrix, once. */
function fill() {
  for (const name of MATRICES) {
    if (field(name).options.length) continue;
    field(name).append(...specs().map((spec, at) => html("option", { value: at }, short(spec))));
    field(name).value = `${FIRST[name]}`;
  }
}

/** How much a device receives, in matrices, for specs by their places. */
function received(/** @type {Chosen} */ { a, b, out }) {
  const { meshes: [entry], steps: all } = /** @type {Table} */ (table);
  const count = entry.specs.length;
  return entry.rows[(a * count + b) * count + out].reduce((sum, step) => sum + bits(all[step]) * all[step].fraction, 0);
}

/** The bits of what is sent, as a share of those of the matrices. */
function bits(/** @type {{ dtype?: string }} */ { dtype }) {
  const own = /** @type {Table} */ (table).dtype;
  return DTYPE_BITS[dtype ?? own] / DTYPE_BITS[own];
}

/** The colour of an amount, by number. */
function colour(/** @type {number} */ amount) {
  const at = STEPS.findIndex((most) => amount <= most + NEARLY);
  return at < 0 ? STEPS.length : at;
}

/** Draw the map. */
function draw() {
  const known = specs();
  const names = known.map(short);
  const size = LABEL + known.length * PAIR;
  // A path for all squares of a colour: an element for each would make a page of them slow to repaint.
  const squares = [...STEPS, Infinity].map(() => "");
  for (const a of known.keys()) {
    for (const b of known.keys()) {
      for (const out of known.keys()) {
        const { x, y } = place({ a, b, out });
        squares[colour(received({ a, b, out }))] += `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}z`;
      }
    }
  }
  const results = squares.map((d, at) => svg("path", { d, class: `product-map-${at}` }));
  const rows = names.map((name, a) => svg("text", { x: LABEL - 6, y: LABEL + (a + 0.5) * PAIR, class: "product-map-row" }, name));
  const columns = names.map((name, b) => {
    const [x, y] = [LABEL + (b + 0.4) * PAIR, LABEL - 6];
    return svg("text", { x, y, transform: `rotate(-90 ${x} ${y})` }, name);
  });
  const titles = [svg("text", { x: 8, y: LABEL - 8, class: "product-map-title" }, "A ↓  B →")];
  const mark = svg("rect", { class: "product-map-mark", width: SQUARE + 2, height: SQUARE + 2, rx: 2 });
  grid.replaceChildren(svg("svg", { viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" }, ...titles, ...rows, ...columns, ...results, mark));
}

/** Where the square of a product stands. */
function place(/** @type {Chosen} */ { a, b, out }) {
  return { x: LABEL + b * PAIR + (out % ROW) * SQUARE, y: LABEL + a * PAIR + Math.floor(out / ROW) * SQUARE };
}

const number = (/** @type {number} */ amount) => `${Number(amount.toFixed(3))}`;

/** Tell what is chosen: its sum, its steps, and where to go on with it. */
function choose() {
  if (!table) return;
  const chosen = /** @type {Chosen} */ (Object.fromEntries(MATRICES.map((name) => [name, Number(field(name).value)])));
  const { x, y } = place(chosen);
  const mark = grid.querySelector(".product-map-mark");
  if (mark) set(mark, { x: x - 1.5, y: y - 1.5 });
  const known = specs();
  const [a, b, out] = MATRICES.map((name) => known[chosen[name]]);
  const product = `\`${short(a)} @ ${short(b)} → ${short(out)}\``;
  const amount = received(chosen);
  said.replaceChildren(...told(format(amount ? words.map_receives : words.map_free, { product, count: number(amount) })));
  const compiler = COMPILERS.find((each) => each === field("compiler").value);
  const { a: [rows, inner], b: [, columns] } = table.shapes ?? { a: [0, 0], b: [0, 0] };
  /** @type {State} */
  const state = { shape: [rows, inner], dtype: table.dtype, mesh: MESH, spec: a, to: null, product: { b, out, columns }, ...(compiler && { compiler }) };
  whole.href = `${page}${toHash(state)}`;
  const sizes = { a: rows * inner, b: inner * columns, out: rows * columns };
  const bytes = (/** @type {string} */ of) => (sizes[/** @type {Matrix} */ (of)] * DTYPE_BITS[state.dtype]) / 8;
  const matrix = (/** @type {string} */ of) => NAMES[/** @type {Matrix} */ (of)];
  const mine = turn;
  showSteps(steps, { table: "products", find: measuredProduct, state, bytes, matrix, measure: "" }, words, () => mine === turn);
}

/** Choose what is pressed. */
function press(/** @type {MouseEvent} */ { clientX, clientY }) {
  if (!table) return;
  const count = specs().length;
  const { left, top, width } = the(root, ".product-map-grid").getBoundingClientRect();
  const [x, y] = [clientX - left, clientY - top].map((at) => (at * (LABEL + count * PAIR)) / width - LABEL);
  const [column, row] = [x, y].map((at) => Math.floor((at % PAIR) / SQUARE));
  const chosen = { a: Math.floor(y / PAIR), b: Math.floor(x / PAIR), out: row * ROW + column };
  if (Math.min(x, y) < 0 || Math.max(chosen.a, chosen.b) >= count || Math.max(row, column) >= ROW) return;
  for (const name of MATRICES) field(name).value = `${chosen[name]}`;
  turn += 1;
  choose();
}

grid.addEventListener("click", press);
for (const name of MATRICES) {
  field(name).addEventListener("change", () => {
    turn += 1;
    choose();
  });
}
field("compiler").addEventListener("change", begin);
document.querySelector("article")?.classList.add("explorer-begun");
begin();
