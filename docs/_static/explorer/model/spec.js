// Specs, shapes and meshes as people type them, and specs as Python writes them.

/**
 * One list of axis names a dimension that the spec names; an empty list is None. It may be shorter than the shape.
 * @typedef {string[][]} Spec
 * @typedef {{ kind: string, values: Record<string, unknown> }} Mistake  what cannot be read, and the text it is about
 * @typedef {{ quoted?: string, word?: string, sign?: string, text: string }} Token  one of the first three, and which it is
 */

const OPEN = "([{";
const CLOSE = ")]}";
const NAME = /^[A-Za-z_]\w*$/;
const NOTHING = /^(?:none|null)$/i;
const CALLED = /^(?:jax\.)?(?:sharding\.)?(?:P|PartitionSpec)$/;
const LONGEST = 2000; // characters that are read

/** What is wrong with a text. */
class Unreadable extends Error {
  /** @param {string} kind @param {Record<string, unknown>} values */
  constructor(kind, values = {}) {
    super(kind);
    this.mistake = { kind, values };
  }
}

/** Whether a mesh axis may be called so: JAX allows any string, we what needs no quotes, so that links stay readable. */
export const isName = (/** @type {unknown} */ name) => typeof name === "string" && name.length <= 24 && NAME.test(name);

/** A text with one kind of quotes, commas and brackets, whatever keyboard wrote it. */
function plain(/** @type {string} */ text) {
  if (text.length > LONGEST) throw new Unreadable("too-long-text", { most: String(LONGEST) });
  return text
    .normalize("NFKC")
    .replace(/["`´‘’‚‛“”„‟′″「」『』«»]/g, "'")
    .replace(/[、;]/g, ",")
    .replace(/[【〔]/g, "(")
    .replace(/[】〕]/g, ")")
    .trim();
}

/**
 * Cut into brackets, commas, quoted names and words.
 * @returns {Token[]}
 */
function tokens(/** @type {string} */ text) {
  return [...text.matchAll(/\s*(?:'([^']*)'|([\w.]+)|(\S))/gu)].map(([, quoted, word, sign]) => ({
    quoted,
    word,
    sign,
    text: quoted ?? word ?? sign,
  }));
}

/** The parts between commas; a last comma ends nothing, and what was left open ends with the text. */
function listed(/** @type {Token[]} */ found) {
  /** @type {Token[]} */
  let part = [];
  const parts = [part];
  const open = [];
  for (const token of found) {
    if (token.sign && OPEN.includes(token.sign)) open.push(token.sign);
    if (token.sign && CLOSE.includes(token.sign) && open.pop() === undefined) {
      throw new Unreadable("unopened", { found: token.sign });
    }
    if (token.sign === "," && !open.length) parts.push((part = []));
    else part.push(token);
  }
  if (!part.length) parts.pop();
  return parts;
}

/** What stands in brackets that hold all of it, or undefined. */
function inside(/** @type {Token[]} */ found) {
  if (!found.length || !found[0].sign || !OPEN.includes(found[0].sign)) return undefined;
  let depth = 0;
  for (const [at, { sign }] of found.entries()) {
    if (sign && OPEN.includes(sign)) depth += 1;
    if (sign && CLOSE.includes(sign)) depth -= 1;
    if (!depth) return at === found.length - 1 ? found.slice(1, -1) : undefined;
  }
  return found.slice(1);
}

/** The axis that one part names, or null for None. */
function axis(/** @type {Token[]} */ part) {
  const keyword = part.length > 1 && part[1].sign === "=";
  if (keyword) throw new Unreadable("keyword", { found: part[0].text });
  if (part.length > 1) throw new Unreadable("comma", { before: part[0].text, after: part[1].text });
  if (!part.length || NOTHING.test(part[0].word ?? "")) return null;
  const [{ text, word }] = part;
  if (word && /(?:^|\.)UNCONSTRAINED$/.test(word)) throw new Unreadable("unconstrained");
  if (!isName(text)) throw new Unreadable("name", { found: text });
  return text;
}

/** The axes of one dimension. */
function entry(/** @type {Token[]} */ part) {
  const several = inside(part);
  if (!several) {
    const name = axis(part);
    return name === null ? [] : [name];
  }
  return listed(several).map((each) => {
    if (inside(each)) throw new Unreadable("nested");
    const name = axis(each);
    if (name === null) throw new Unreadable("none-in-tuple");
    return name;
  });
}

/**
 * Read, and turn what cannot be read into an answer.
 * @template Found
 * @param {() => Found} read
 * @returns {Found | { error: Mistake }}
 */
function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return { error: error.mistake };
    throw error;
  }
}

/**
 * Read a PartitionSpec: `P('x', None, ('y', 'z'))`, and whatever else can only mean that.
 * `('x', 'y')` without `P` is two dimensions, as it is in Python's `P(*('x', 'y'))`.
 * Mistakes: too-long-text, unopened, comma, name, nested, none-in-tuple, keyword, unconstrained.
 * @param {string} text
 * @returns {{ spec: Spec } | { error: Mistake }}
 */
export function parseSpec(text) {
  return attempt(() => {
    let found = tokens(plain(text));
    const called = found.length > 1 && CALLED.test(found[0].word ?? "") && inside(found.slice(1));
    found = called || inside(found) || found;
    return { spec: listed(found).map(entry) };
  });
}

/**
 * Write a spec as one would in Python.
 * @param {Spec} spec
 */
export function printSpec(spec) {
  return `P(${spec.map(printEntry).join(", ")})`;
}

/** Write one dimension's axes as Python does: None, a name, or a tuple of names. */
function printEntry(/** @type {string[]} */ axes) {
  if (!axes.length) return "None";
  return axes.length === 1 ? `'${axes[0]}'` : `(${axes.map((name) => `'${name}'`).join(", ")})`;
}

/**
 * Write a spec as Python prints it: a single entry has a comma after it.
 * @param {Spec} spec
 */
export function reprSpec(spec) {
  return spec.length === 1 ? `P(${printEntry(spec[0])},)` : printSpec(spec);
}

/**
 * Read a shape: `8, 16`, `(8, 16)`, `8x16`, `8 × 16`, `[1_024]`; nothing, or `()`, is a scalar's.
 * Mistakes: too-long-text, size.
 * @param {string} text
 * @returns {{ shape: number[] } | { error: Mistake }}
 */
export function parseShape(text) {
  return attempt(() => {
    const words = plain(text).replace(/[()[\]{}]/g, " ").split(/\s*[,×*]\s*|(?<=\d)\s*[xX]\s*(?=\d)|\s+/);
    return { shape: words.filter(Boolean).map(whole) };
  });
}

function whole(/** @type {string} */ word) {
  const digits = word.replace(/(?<=\d)_(?=\d)/g, "");
  const number = Number(digits);
  if (!/^\d+$/.test(digits) || !Number.isSafeInteger(number)) throw new Unreadable("size", { found: word });
  return number;
}

/**
 * Read a mesh: `x=2, y=4`, `{'x': 2, 'y': 4}`, `(2, 4), ('x', 'y')`, also as the arguments of `make_mesh`, and as JAX
 * prints one, with its types then.
 * Mistakes: too-long-text, size, name, mesh (what is no pair of name and size), counts (as many names, or types, as
 * sizes).
 * @param {string} text
 * @returns {{ mesh: { names: string[], sizes: number[], types?: string[] } } | { error: Mistake }}
 */
export function parseMesh(text) {
  return attempt(() => {
    const [axes, said] = plain(text).split(/axis_types ?=/);
    const bare = axes
      .replace(/^(?:jax\.)?(?:sharding\.)?(?:make_mesh|AbstractMesh|Mesh|dict)(?= ?\()/, "")
      .replace(/['()[\]{}\s]+/g, " ")
      .replace(/ ?([=:,]) ?/g, "$1");
    const parts = bare.split(/[ ,]+/).filter(Boolean);
    const pairs = parts.map((part) => part.split(/[=:]/));
    const wrong = pairs.find((pair) => pair.length > 2 || pair.includes(""));
    if (wrong) throw new Unreadable("mesh", { found: wrong.join("=") });
    const paired = pairs.every((pair) => pair.length === 2);
    const alone = pairs.find((pair) => pair.length === 1);
    if (alone && pairs.some((pair) => pair.length === 2)) throw new Unreadable("mesh", { found: alone[0] });
    const words = pairs.flat();
    const isSize = (/** @type {string} */ word) => /^[\d-]/.test(word);
    const names = paired ? pairs.map(([name]) => name) : words.filter((word) => !isSize(word));
    const sizes = (paired ? pairs.map(([, size]) => size) : words.filter(isSize)).map(whole);
    const unnamed = names.find((name) => !isName(name));
    if (unnamed !== undefined) throw new Unreadable("name", { found: unnamed });
    if (names.length !== sizes.length) {
      throw new Unreadable("counts", { names: String(names.length), sizes: String(sizes.length) });
    }
    if (said === undefined) return { mesh: { names, sizes } };
    /** @type {string[]} */
    const stated = said.match(/Auto|Explicit|Manual/g) ?? [];
    const types = /\*/.test(said) && stated.length ? names.map(() => stated[0]) : stated;
    if (types.length !== names.length) {
      throw new Unreadable("counts", { types: String(stated.length), sizes: String(sizes.length) });
    }
    return { mesh: { names, sizes, types } };
  });
}
