// The inputs. Each shows its part of the state and gives a new state when a reader changes it. What is being typed is
// left alone until the field is left; then it is written as it is usually written.

import { DTYPE_BITS } from "../model/dtypes.js";
import { chips } from "./chips.js";
import { format } from "../model/notation.js";
import { html, input, the } from "../picture/dom.js";
import { parseMesh, parseShape, parseSpec, printSpec } from "../model/spec.js";
import { presets } from "../model/presets.js";
import { COMPILERS } from "../model/state.js";

/**
 * @typedef {import("../model/layout.js").AxisType} AxisType
 * @typedef {import("../model/layout.js").Mesh} Mesh
 * @typedef {import("../model/layout.js").Product} Product
 * @typedef {import("../model/layout.js").State} State
 * @typedef {import("../model/limits.js").Field} Field
 * @typedef {import("../model/spec.js").Mistake} Mistake
 * @typedef {import("../model/spec.js").Spec} Spec
 * @typedef {import("./explorer.js").Page} Page
 *
 * @typedef {(state: State, all: boolean) => void} Show  shows a state; `all` also where something is being typed
 *
 * @typedef {object} Place  where a spec stands in a state
 * @property {(state: State) => Spec | null | undefined} get
 * @property {(state: State, spec: Spec) => State} put
 * @property {(state: State) => number[]} [shape]  of its array
 */

const NAMES = ["x", "y", "z", "w", "u", "v"];
/** @type {AxisType[]} */
const TYPES = ["Explicit", "Auto"];

/** A state with a part of its product changed; there is one wherever this is asked. */
const withProduct = (/** @type {State} */ state, /** @type {Partial<Product>} */ part) =>
  ({ ...state, product: { .../** @type {Product} */ (state.product), ...part } });

/** @type {Record<"spec" | "to" | "b" | "out", Place>} by the name of its field */
const SPECS = {
  spec: { get: (state) => state.spec, put: (state, spec) => ({ ...state, spec }) },
  to: { get: (state) => state.to, put: (state, to) => ({ ...state, to }) },
  b: {
    get: (state) => state.product?.b,
    put: (state, b) => withProduct(state, { b }),
    shape: (state) => [state.shape[1], state.product?.columns ?? NaN],
  },
  out: {
    get: (state) => state.product?.out,
    put: (state, out) => withProduct(state, { out }),
    shape: (state) => [state.shape[0], state.product?.columns ?? NaN],
  },
};

/**
 * Connect the inputs of the page.
 * @param {Page} page
 * @returns {Show}
 */
export function connect(page) {
  const specs = /** @type {(keyof typeof SPECS)[]} */ (Object.keys(SPECS)).map((name) => spec(page, name));
  const shows = [shape(page), dtype(page), mesh(page), order(page), preset(page), ...specs, switches(page), compiler(page)];
  page.root.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
  return (state, all) => shows.forEach((show) => show(state, all));
}

/**
 * A text field: what `read` makes of it goes into the state, and `print` writes it.
 * @param {Page} page
 * @param {Field} field
 * @param {object} way
 * @param {(text: string, state: State) => State | { error: Mistake }} way.read
 * @param {(state: State) => string | null} way.print
 * @returns {Show}
 */
function textField(page, field, { read, print }) {
  const element = input(page.root, field);
  const write = (/** @type {State} */ state) => {
    const text = print(state);
    if (text !== null) element.value = text;
  };
  element.addEventListener("input", () => {
    const found = read(element.value, page.state());
    if ("error" in found) page.mistake(field, found.error);
    else page.change(found, field);
  });
  element.addEventListener("change", () => {
    if (!page.mistakes.has(field)) write(page.state());
  });
  return (state, all) => {
    if (all || (element !== document.activeElement && !page.mistakes.has(field))) write(state);
  };
}

function shape(/** @type {Page} */ page) {
  return textField(page, "shape", {
    read: (text, state) => {
      const found = parseShape(text);
      return "error" in found ? found : { ...state, ...found };
    },
    print: (state) => state.shape.join(", "),
  });
}

/** @returns {Show} */
function dtype(/** @type {Page} */ page) {
  const element = input(page.root, "dtype");
  element.append(...Object.keys(DTYPE_BITS).map((name) => html("option", {}, name)));
  element.addEventListener("change", () => page.change({ ...page.state(), dtype: element.value }, "dtype"));
  return (state) => {
    element.value = state.dtype;
  };
}

/** @returns {Show} */
function preset(/** @type {Page} */ page) {
  const element = input(page.root, "preset");
  element.append(...presets.map(({ id }) => html("option", { value: id }, page.words[`preset_${id}`] ?? id)));
  element.addEventListener("change", () => {
    const found = presets.find(({ id }) => id === element.value);
    if (found) page.reset({ ...structuredClone(found.state), ...compiled(page.state()) });
  });
  const known = new Map(presets.map(({ id, state }) => [JSON.stringify(state), id]));
  return (state) => {
    element.value = known.get(JSON.stringify({ ...state, compiler: undefined })) ?? "";
  };
}

/**
 * The rows of the mesh. A name that is being typed is renamed in every spec, starting from what it was before.
 * @returns {Show}
 */
function mesh(/** @type {Page} */ page) {
  const list = the(page.root, ".explorer-axes");
  const add = /** @type {HTMLButtonElement} */ (the(page.root, ".explorer-add"));
  /** @type {ReturnType<typeof row>[]} */
  const rows = [];
  /** @type {State | null} */
  let before = null;

  const changeMesh = (/** @type {Partial<Mesh>} */ part) => {
    const state = page.state();
    page.change({ ...state, mesh: { ...state.mesh, ...part } }, "mesh");
  };

  const row = (/** @type {number} */ number) => {
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
    size.addEventListener("input", () => changeMesh({ sizes: page.state().mesh.sizes.with(at, numberIn(size)) }));
    type.addEventListener("change", () => changeMesh({ types: page.state().mesh.types.with(at, /** @type {AxisType} */ (type.value)) }));
    remove.addEventListener("click", () => {
      page.change(without(page.state(), at), "mesh");
      (rows[Math.min(at, rows.length - 1)]?.name ?? add).focus();
    });
    const sign = html("span", { "aria-hidden": "true" }, "=");
    return { element: html("li", { class: "explorer-axis" }, name, sign, size, type, remove), name, size, type, remove };
  };

  add.addEventListener("click", () => {
    const { names, sizes, types } = page.state().mesh;
    const fresh = NAMES.find((name) => !names.includes(name)) ?? `axis${names.length}`;
    changeMesh({ names: [...names, fresh], sizes: [...sizes, 2], types: [...types, types.at(-1) ?? TYPES[0]], order: null });
    rows.at(-1)?.name.focus();
  });

  return ({ mesh: { names, sizes, types } }, all) => {
    while (rows.length > names.length) rows.pop()?.element.remove();
    while (rows.length < names.length) {
      const fresh = row(rows.length + 1);
      rows.push(fresh);
      list.append(fresh.element);
    }
    for (const [at, { name, size, type, remove }] of rows.entries()) {
      if (all || name !== document.activeElement) name.value = names[at];
      if (!Number.isNaN(sizes[at]) && (all || size !== document.activeElement)) size.value = `${sizes[at]}`;
      type.value = types[at];
      remove.disabled = names.length === 1;
    }
    add.disabled = names.length >= NAMES.length;
  };
}

/** A mesh that is pasted as a whole into the name of an axis, such as `jax.make_mesh((2, 4), ('x', 'y'))`. */
function pasted(/** @type {ClipboardEvent} */ event, /** @type {Page} */ page) {
  const found = parseMesh(event.clipboardData?.getData("text") ?? "");
  if ("error" in found || !found.mesh.names.length) return;
  event.preventDefault();
  const { names, sizes } = found.mesh;
  const types = names.map((_, at) => page.state().mesh.types[at] ?? TYPES[0]);
  page.reset({ ...page.state(), mesh: { names, sizes, types, order: null } });
}

/**
 * Change every spec of a state.
 * @param {State} state
 * @param {(spec: Spec) => Spec} change
 * @returns {State}
 */
function withSpecs(state, change) {
  return {
    ...state,
    spec: change(state.spec),
    to: state.to && change(state.to),
    product: state.product && { ...state.product, b: change(state.product.b), out: change(state.product.out) },
  };
}

/** A state with one axis called otherwise. */
function renamed(/** @type {State} */ state, /** @type {number} */ at, /** @type {string} */ name) {
  const old = state.mesh.names[at];
  const names = state.mesh.names.with(at, name);
  const change = (/** @type {Spec} */ spec) => spec.map((axes) => axes.map((axis) => (axis === old ? name : axis)));
  return withSpecs({ ...state, mesh: { ...state.mesh, names } }, change);
}

/** A state without one axis. */
function without(/** @type {State} */ state, /** @type {number} */ at) {
  const { names, sizes, types } = state.mesh;
  const change = (/** @type {Spec} */ spec) => spec.map((axes) => axes.filter((axis) => axis !== names[at]));
  const rest = { names: names.toSpliced(at, 1), sizes: sizes.toSpliced(at, 1), types: types.toSpliced(at, 1) };
  return withSpecs({ ...state, mesh: { ...rest, order: null } }, change);
}

/** @returns {Show} */
function order(/** @type {Page} */ page) {
  const folded = input(page.root, "order").closest("details");
  const show = textField(page, "order", {
    read: (text, state) => {
      const words = text.normalize("NFKC").split(/[\s,\[\]()、]+/).filter(Boolean);
      if (!words.every((word) => /^\d{1,4}$/.test(word))) return { error: { kind: "order", values: {} } };
      return { ...state, mesh: { ...state.mesh, order: words.length ? words.map(Number) : null } };
    },
    print: (state) => state.mesh.order?.join(" ") ?? "",
  });
  return (state, all) => {
    if (all && folded && state.mesh.order) folded.open = true;
    show(state, all);
  };
}

/**
 * A spec as text and as chips.
 * @param {Page} page
 * @param {keyof typeof SPECS} field
 * @returns {Show}
 */
function spec(page, field) {
  const { get, put, shape: shapeOf = (state) => state.shape } = SPECS[field];
  const showText = textField(page, field, {
    read: (text, state) => {
      const found = parseSpec(text);
      return "error" in found ? found : put(state, found.spec);
    },
    print: (state) => {
      const found = get(state);
      return found ? printSpec(found) : null;
    },
  });
  const change = (/** @type {Spec} */ found) => page.change(put(page.state(), found), field);
  const showChips = chips(the(page.root, `[data-chips="${field}"]`), { ...page, change });
  return (state, all) => {
    const found = get(state);
    if (!found) return;
    showText(state, all);
    showChips(found, shapeOf(state), state.mesh);
  };
}

/** The compiler that a state names, if it names one. */
const compiled = (/** @type {State} */ { compiler: named }) => (named ? { compiler: named } : {});

/**
 * Whose steps are shown: chosen beside the steps, for all of them.
 * @returns {Show}
 */
function compiler(/** @type {Page} */ page) {
  const elements = /** @type {NodeListOf<HTMLSelectElement>} */ (page.root.querySelectorAll("[name=compiler]"));
  for (const element of elements) {
    element.addEventListener("change", () => {
      const { compiler: _, ...state } = page.state();
      const chosen = COMPILERS.find((name) => name === element.value);
      page.change(chosen ? { ...state, compiler: chosen } : state, "spec");
    });
  }
  return (state) => elements.forEach((element) => { element.value = state.compiler ?? ""; });
}

/** The whole number in a field, NaN if there is none. */
const numberIn = (/** @type {HTMLInputElement} */ field) => (field.value === "" ? NaN : Number(field.value));

/**
 * The boxes to tick for a move and a product, and the columns of B.
 * @returns {Show}
 */
function switches(/** @type {Page} */ page) {
  const [moving, multiplying, columns] = ["moving", "multiplying", "columns"].map((name) => input(page.root, name));
  const needsMatrix = the(page.root, ".explorer-needs-matrix");
  const parts = (/** @type {string} */ kind) =>
    /** @type {NodeListOf<HTMLElement>} */ (page.root.querySelectorAll(`.explorer-${kind}`));
  moving.addEventListener("change", () => page.change({ ...page.state(), to: moving.checked ? [] : null }, "to"));
  multiplying.addEventListener("change", () => {
    const state = page.state();
    const wanted = { b: [], out: state.spec.slice(0, 1), columns: state.shape[1] };
    page.change({ ...state, product: multiplying.checked ? wanted : null }, "b");
  });
  columns.addEventListener("input", () => {
    page.change(withProduct(page.state(), { columns: numberIn(columns) }), "b");
  });
  return (state, all) => {
    moving.checked = Boolean(state.to);
    multiplying.checked = Boolean(state.product);
    multiplying.disabled = !state.product && state.shape.length !== 2;
    needsMatrix.hidden = !multiplying.disabled;
    for (const part of parts("moving")) part.hidden = !state.to;
    for (const part of parts("multiplying")) part.hidden = !state.product;
    if (state.product && !Number.isNaN(state.product.columns) && (all || columns !== document.activeElement)) {
      columns.value = `${state.product.columns}`;
    }
  };
}
