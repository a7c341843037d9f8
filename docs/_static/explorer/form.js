// The inputs. Each shows its part of the state and gives a new state when a reader changes it. What is being typed is
// left alone until the field is left; then it is written as it is usually written.

import { DTYPE_BITS } from "./dtypes.js";
import { chips } from "./chips.js";
import { format } from "./notation.js";
import { html } from "./dom.js";
import { parseMesh, parseShape, parseSpec, printSpec } from "./spec.js";
import { presets } from "./presets.js";

const NAMES = ["x", "y", "z", "w", "u", "v"];
const TYPES = ["Explicit", "Auto"];

/** Where a spec stands in a state, by the name of its field. */
const SPECS = {
  spec: { get: (state) => state.spec, put: (state, spec) => ({ ...state, spec }) },
  to: { get: (state) => state.to, put: (state, to) => ({ ...state, to }) },
  b: {
    get: (state) => state.product?.b,
    put: (state, b) => ({ ...state, product: { ...state.product, b } }),
    shape: (state) => [state.shape[1], state.product.columns],
  },
  out: {
    get: (state) => state.product?.out,
    put: (state, out) => ({ ...state, product: { ...state.product, out } }),
    shape: (state) => [state.shape[0], state.product.columns],
  },
};

/**
 * Connect the inputs of the page.
 * @param page { root, words, state(), change(state, field), mistake(field, mistake), reset(state), say(text) }
 * @returns {(state: object, all: boolean) => void} what shows a state; `all` also where something is being typed
 */
export function connect(page) {
  const shows = [shape, dtype, mesh, order, preset, ...Object.keys(SPECS).map((name) => (each) => spec(each, name)), switches].map(
    (field) => field(page),
  );
  page.root.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
  return (state, all) => shows.forEach((show) => show(state, all));
}

const input = (page, name) => page.root.querySelector(`[name="${name}"]`);

/** A text field: what `read` makes of it goes into the state, and `print` writes it. */
function textField(page, field, name, { read, put, print }) {
  const element = input(page, name);
  const write = (state) => {
    const text = print(state);
    if (text !== null) element.value = text;
  };
  element.addEventListener("input", () => {
    const { error, ...found } = read(element.value);
    if (error) page.mistake(field, error);
    else page.change(put(page.state(), Object.values(found)[0]), field);
  });
  element.addEventListener("change", () => {
    if (!page.mistakes.has(field)) write(page.state());
  });
  return (state, all) => {
    if (all || (element !== document.activeElement && !page.mistakes.has(field))) write(state);
  };
}

function shape(page) {
  return textField(page, "shape", "shape", {
    read: parseShape,
    put: (state, found) => ({ ...state, shape: found }),
    print: (state) => state.shape.join(", "),
  });
}

function dtype(page) {
  const element = input(page, "dtype");
  element.append(...Object.keys(DTYPE_BITS).map((name) => html("option", {}, name)));
  element.addEventListener("change", () => page.change({ ...page.state(), dtype: element.value }, "dtype"));
  return (state) => {
    element.value = state.dtype;
  };
}

function preset(page) {
  const element = input(page, "preset");
  const option = ({ id }) => html("option", { value: id }, page.words[`preset_${id}`] ?? id);
  element.append(...presets.map(option));
  element.addEventListener("change", () => {
    const found = presets.find(({ id }) => id === element.value);
    if (found) page.reset(structuredClone(found.state));
  });
  const known = new Map(presets.map(({ id, state }) => [JSON.stringify(state), id]));
  return (state) => {
    element.value = known.get(JSON.stringify(state)) ?? "";
  };
}

/** The rows of the mesh. A name that is being typed is renamed in every spec, starting from what it was before. */
function mesh(page) {
  const rows = page.root.querySelector(".explorer-axes");
  const add = page.root.querySelector(".explorer-add");
  let before = null;

  const changeMesh = (part) => {
    const state = page.state();
    page.change({ ...state, mesh: { ...state.mesh, ...part } }, "mesh");
  };
  const replaced = (list, at, value) => list.map((each, place) => (place === at ? value : each));

  const row = (number) => {
    const { words } = page;
    const name = html("input", { class: "explorer-name", "aria-label": format(words.axis_name, { number }), autocomplete: "off", spellcheck: "false", maxlength: 24 });
    const size = html("input", { class: "explorer-size", type: "number", min: 1, max: 4096, "aria-label": format(words.axis_size, { number }) });
    const type = html("select", { "aria-label": format(words.axis_type, { number }) }, ...TYPES.map((each) => html("option", { value: each }, words.figure[each])));
    const remove = html("button", { type: "button", class: "explorer-remove", "aria-label": format(words.remove_axis, { number }) }, "×");
    const at = number - 1;
    name.addEventListener("focus", () => { before = page.state(); });
    name.addEventListener("blur", () => { before = null; });
    name.addEventListener("paste", (event) => pasted(event, page));
    name.addEventListener("input", () => page.change(renamed(before ?? page.state(), at, name.value.trim()), "mesh"));
    size.addEventListener("input", () => changeMesh({ sizes: replaced(page.state().mesh.sizes, at, size.value === "" ? NaN : Number(size.value)) }));
    type.addEventListener("change", () => changeMesh({ types: replaced(page.state().mesh.types, at, type.value) }));
    remove.addEventListener("click", () => {
      page.change(without(page.state(), at), "mesh");
      (rows.children[Math.min(at, rows.children.length - 1)]?.querySelector("input") ?? add).focus();
    });
    return html("li", { class: "explorer-axis" }, name, html("span", { "aria-hidden": "true" }, "="), size, type, remove);
  };

  add.addEventListener("click", () => {
    const { names, sizes, types } = page.state().mesh;
    const fresh = NAMES.find((name) => !names.includes(name)) ?? `axis${names.length}`;
    changeMesh({ names: [...names, fresh], sizes: [...sizes, 2], types: [...types, types.at(-1) ?? TYPES[0]], order: null });
    rows.lastElementChild.querySelector("input").focus();
  });

  return ({ mesh: { names, sizes, types } }, all) => {
    while (rows.children.length > names.length) rows.lastElementChild.remove();
    while (rows.children.length < names.length) rows.append(row(rows.children.length + 1));
    for (const [at, { children }] of [...rows.children].entries()) {
      const [name, , size, type, remove] = children;
      const write = (element, value) => {
        if (all || element !== document.activeElement) element.value = value;
      };
      write(name, names[at]);
      if (!Number.isNaN(sizes[at])) write(size, sizes[at]);
      type.value = types[at];
      remove.disabled = names.length === 1;
    }
    add.disabled = names.length >= NAMES.length;
  };
}

/** A mesh that is pasted as a whole into the name of an axis, such as `jax.make_mesh((2, 4), ('x', 'y'))`. */
function pasted(event, page) {
  const { mesh: found } = parseMesh(event.clipboardData.getData("text"));
  if (!found?.names.length) return;
  event.preventDefault();
  const { mesh: old } = page.state();
  page.reset({ ...page.state(), mesh: { ...found, types: found.names.map((_, at) => old.types[at] ?? TYPES[0]), order: null } });
}

/** Change every spec of a state. */
function withSpecs(state, change) {
  return {
    ...state,
    spec: change(state.spec),
    to: state.to && change(state.to),
    product: state.product && { ...state.product, b: change(state.product.b), out: change(state.product.out) },
  };
}

function renamed(state, at, name) {
  const old = state.mesh.names[at];
  const names = state.mesh.names.map((each, place) => (place === at ? name : each));
  const change = (spec) => spec.map((axes) => axes.map((axis) => (axis === old ? name : axis)));
  return withSpecs({ ...state, mesh: { ...state.mesh, names } }, change);
}

function without(state, at) {
  const rest = (list) => list.filter((_, place) => place !== at);
  const { names, sizes, types } = state.mesh;
  const change = (spec) => spec.map((axes) => axes.filter((axis) => axis !== names[at]));
  return withSpecs({ ...state, mesh: { names: rest(names), sizes: rest(sizes), types: rest(types), order: null } }, change);
}

function order(page) {
  const folded = input(page, "order").closest("details");
  const show = textField(page, "order", "order", {
    read: (text) => {
      const words = text.normalize("NFKC").split(/[\s,\[\]()、]+/).filter(Boolean);
      const fits = words.every((word) => /^\d{1,4}$/.test(word));
      return fits ? { order: words.length ? words.map(Number) : null } : { error: { kind: "order", values: { last: "n − 1" } } };
    },
    put: (state, found) => ({ ...state, mesh: { ...state.mesh, order: found } }),
    print: (state) => state.mesh.order?.join(" ") ?? "",
  });
  return (state, all) => {
    if (all && state.mesh.order) folded.open = true;
    show(state, all);
  };
}

function spec(page, field) {
  const { get, put, shape: shapeOf = (state) => state.shape } = SPECS[field];
  const root = page.root.querySelector(`[data-chips="${field}"]`);
  const showText = textField(page, field, field, {
    read: parseSpec,
    put,
    print: (state) => (get(state) ? printSpec(get(state)) : null),
  });
  const showChips = chips(root, { ...page, change: (found) => page.change(put(page.state(), found), field) });
  return (state, all) => {
    if (!get(state)) return;
    showText(state, all);
    showChips(get(state), shapeOf(state), state.mesh);
  };
}

/** The boxes to tick for a move and a product, and the columns of B. */
function switches(page) {
  const [moving, multiplying, columns] = ["moving", "multiplying", "columns"].map((name) => input(page, name));
  moving.addEventListener("change", () => page.change({ ...page.state(), to: moving.checked ? [] : null }, "to"));
  multiplying.addEventListener("change", () => {
    const state = page.state();
    const wanted = { b: [], out: state.spec.slice(0, 1), columns: state.shape[1] };
    page.change({ ...state, product: multiplying.checked ? wanted : null }, "b");
  });
  columns.addEventListener("input", () => {
    const state = page.state();
    page.change({ ...state, product: { ...state.product, columns: columns.value === "" ? NaN : Number(columns.value) } }, "b");
  });
  return (state, all) => {
    moving.checked = Boolean(state.to);
    multiplying.checked = Boolean(state.product);
    multiplying.disabled = !state.product && state.shape.length !== 2;
    page.root.querySelector(".explorer-needs-matrix").hidden = !multiplying.disabled;
    for (const part of page.root.querySelectorAll(".explorer-moving")) part.hidden = !state.to;
    for (const part of page.root.querySelectorAll(".explorer-multiplying")) part.hidden = !state.product;
    if (state.product && !Number.isNaN(state.product.columns) && (all || columns !== document.activeElement)) {
      columns.value = state.product.columns;
    }
  };
}
