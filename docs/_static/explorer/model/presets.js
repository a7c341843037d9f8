// The usual cases, with sizes of real models where the program to paste only describes the array. Their titles are words
// of the page.

/** @typedef {import("./layout.js").State} State */

/** @returns {import("./layout.js").Mesh} */
const mesh = (/** @type {Record<string, number>} */ axes) => ({
  names: Object.keys(axes),
  sizes: Object.values(axes),
  types: Object.keys(axes).map(() => "Explicit"),
  order: null,
});

const EIGHT = mesh({ data: 8 });
const BOTH = mesh({ data: 2, model: 4 });

/** @type {(id: string, array: Partial<State> & Pick<State, "shape" | "mesh" | "spec">) => { id: string, state: State }} */
const preset = (id, array) => ({ id, state: { dtype: "bfloat16", to: null, product: null, ...array } });

// A transformer block of width 4096 with 32 heads of 128 and a feed-forward part of 16384; batches of 32 sequences of
// 2048 tokens, or 256 tokens at once where a product is shown.
export const presets = Object.freeze([
  preset("data-parallel", { shape: [32, 2048, 4096], mesh: EIGHT, spec: [["data"]] }),
  preset("fsdp", { shape: [4096, 16384], mesh: EIGHT, spec: [["data"]], to: [] }),
  preset("tensor-qkv", { shape: [4096, 3, 32, 128], mesh: BOTH, spec: [[], [], ["model"]] }),
  preset("tensor-attention-out", { shape: [32, 128, 4096], mesh: BOTH, spec: [["model"]] }),
  preset("tensor-up", {
    shape: [256, 4096],
    mesh: BOTH,
    spec: [["data"]],
    product: { b: [[], ["model"]], out: [["data"], ["model"]], columns: 16384 },
  }),
  preset("tensor-down", {
    shape: [256, 16384],
    mesh: BOTH,
    spec: [["data"], ["model"]],
    product: { b: [["model"]], out: [["data"]], columns: 4096 },
  }),
  preset("sequence-parallel", {
    shape: [32, 2048, 4096],
    mesh: BOTH,
    spec: [["data"], ["model"]],
    to: [["data"]],
  }),
  preset("two-dimensional", { shape: [4096, 16384], mesh: BOTH, spec: [["data"], ["model"]] }),
]);
