// The search, once a reader uses it: what is typed is cut into words, Pagefind finds the records that have them, and
// the best are shown under the field or on the search page. src/shardbook_sphinx/search/index.py makes the index, with
// what is known beside it in names.json, and says why words are cut as they are.

import { matcher } from "./messages.js";
import { nearest, squashed } from "./slips.js";

/**
 * @typedef {object} Known  what names.json says; a place is that of a record in `ids`, `kinds` and `words`
 * @property {string} cut  stands where the index has parted what belongs together
 * @property {string} han  the range of Chinese characters in a regular expression
 * @property {string} ids  in Pagefind's index, one after another
 * @property {number[]} kinds  whether one begins (2) or goes on (1) to teach, tells of the past or of errors (-1), or neither
 * @property {string[]} words  its key words; "" where they are those of its names
 * @property {[name: string, place: number][]} names
 * @property {[place: number, called: string[], more: number[]][]} terms
 * @property {[words: string, place: number][]} messages
 *
 * @typedef {object} Data  what the index says of a record
 * @property {string} raw_url
 * @property {string} content
 * @property {{ title: string, page?: string }} meta
 *
 * @typedef {object} Result  a record as Pagefind gives it
 * @property {string} id
 * @property {number} score
 * @property {number[]} words  where in its text what was looked for is
 * @property {() => Promise<Data>} data
 *
 * @typedef {Omit<Result, "score"> & { named?: boolean }} Shown  `named`: a name's own entry
 * @typedef {Shown[] & { words: string[], guessed: boolean }} Found  results, and the words that were looked for
 * @typedef {Result & { has: Set<number>, alone: number[], beside: number[] }} Scored
 *
 * @typedef {object} Pagefind
 * @property {(options: object) => Promise<void>} options
 * @property {() => Promise<void>} init
 * @property {(query: string) => Promise<unknown>} preload
 * @property {(query: string) => Promise<{ results: Result[] }>} search
 */

/** @type {Known} */
const known = await (await fetch(new URL("../pagefind/names.json", import.meta.url))).json();
/** @type {Pagefind} */
const pagefind = await import("../pagefind/pagefind.js");
// With Pagefind's worker there would be more to load, and a search takes but milliseconds. A title counts by its words
// alone: Pagefind would count each name in it twice.
await pagefind.options({ noWorker: true, ranking: { metaWeights: { title: 0, page: 0, words: 5 } } });
await pagefind.init();

const CUT = known.cut;
const HAN = new RegExp(`[${known.han}]`, "u");
const WORD = new RegExp(`[${known.han}]+|\\d+(?:\\.\\d+)+|(?:(?![${known.han}])[\\p{L}\\p{N}_])+`, "gu");
const NAME = /^[.@]?([a-z_]\w*(?:\.[a-z_]\w*)*)\.?\s*(?:\(.*)?$/s;
// A name alone, or a call.
const CALL = /^[.@]?[\w.]+(?:\([^()]*\)?)?$/;
// What a message says is missing: `module 'jax.sharding' has no attribute 'use_mesh'`.
const MISSING = /'([\w.]+)'\S* (?:\w+ )?has no attribute '(\w+)'/;
// A string in a message that is no name of an API is the reader's own.
const STRING = /(?<!\w)(['"])(?!\w+(?:\.\w+)+\1|\w*_\w+\1|[A-Z]+[a-z]+[A-Z]\w*\1)[^'"]*\1(?!\w)/g;
const ERROR = /\b\w+(?:Error|Exception|Warning): /g;
// Words of a question that say nothing of what it is about, and pairs of characters that are no more.
const IDLE = new Set(
  ("a an and any are as at be but by can cannot could do does doing for from get has have how i if in into is it its " +
    "me my no not of on only or other others should so some than that the their there these this to use used using " +
    "want was what when where which while who why will with would you your").split(" "),
);
const IDLE_HAN = /什么是|是什么|有什么|为什么|为何|什么|怎么样|怎么|怎样|如何|哪些|哪个|哪里|请问|可以|还是|是否|有没有|没有|一样|已经|一个|[的了吗呢吧啊]/u;

const LONGEST = 4000; // characters of a query that are read, the last ones: a traceback ends with its error
const MOST = 48; // words of it that are looked for
const SHOWN = { panel: 8, page: 20 }; // results
const EXCERPT = { words: 30, characters: 70 };
const LONG_NAME = 60; // characters of a query that are said again
// Of what tells of the past or of errors, of what does not nor teaches, and of what teaches: of a few words, and of more.
const WEIGHT = { few: [0.5, 1, 1.3], more: [0.9, 1, 1.15] };
const FEW = 2; // words
const ENTRY = 1.25; // the weight of an error's entry for a message, before pages that show the like
const FULL = 1.2; // the weight of what has all words of a query
const SHARE = 0.2; // of what a word is worth, for a record that has it at all; the rest is for having it often
const [KEY, BESIDE, NAMED] = [0.8, 0.2, 0.3]; // of it, beside: in a title, next to its neighbour, as a name for its entry
const [TERM, MORE] = [0.5, 1.2]; // of what a term is worth, for its own record, and for those that say more of it
const OWN = 1.3; // the weight of what has a name of its own: a page, an entry, a term
const HALF = 0.6; // the weight of two characters of a compound: they may be no word
const TELLING = 2; // the weight of a word such as zeros_like
const SPREAD = 4; // the best record may have so many times the score of the last one that is shown
const CHECKED = 3; // records in which a word is looked for as it is typed
const LONG = 8; // letters, from which on several words can make a name that has a slip
const BESIDE_NAME = 2; // results that teach, after the entry of a name
const FEWEST = 4; // words, from which on a query can be a part of a message
const [MOSTLY, WHOLLY] = [0.5, 0.9]; // how much of a query a message must have, if the query looks like one or not
const WORDY = 9; // words, from which on a query is taken for a message

/** A query in one form: full-width letters are as good as others. */
function plain(/** @type {string} */ query) {
  return query.slice(-LONGEST).normalize("NFKC").trim();
}

const countWords = (/** @type {string} */ text) => text.match(WORD)?.length ?? 0;

/** The words of a query, and whether it is a message, such as an error, of which a record may lack some. */
export function read(/** @type {string} */ query) {
  let text = plain(query);
  const error = [...text.matchAll(ERROR)].at(-1);
  if (error) text = text.slice(error.index);
  const message = Boolean(error) || countWords(text) >= WORDY;
  if (message) {
    // Strings, types of arrays, paths and numbers are the reader's own. A stop keeps words on either side apart.
    text = text.replace(STRING, ";").replace(/\b[a-z]+\d*\[[^\]]*\]|\S*[/\\]\S+|(?<![\w.])\d[\d.,]*(?!\w)/g, ";");
  }
  return { words: [...(text.toLowerCase().match(WORD) ?? [])].slice(0, MOST), message };
}

/** The names in a query such as `Mesh.sha`, `x.sharding` or `P("x")`, each with its record, the likeliest first. */
function namesIn(/** @type {string} */ query) {
  const text = plain(query).toLowerCase();
  const [, owner, member] = text.match(MISSING) ?? text.match(NAME) ?? [];
  const parts = [owner, member].filter(Boolean).join(".").split(".");
  for (const sought of [text, ...parts.map((_, start) => parts.slice(start).join("."))]) {
    const whole = known.names.filter(([name]) => `.${name}`.endsWith(`.${sought}`));
    const begun = /[._]/.test(sought) ? known.names.filter(([name]) => `.${name}`.includes(`.${sought}`)) : [];
    if (whole.length || begun.length) return whole.length ? whole : begun;
  }
  return [];
}
// Of names equally near an API's is meant.
const slip = nearest([...known.names.filter(([name]) => name.includes(".")), ...known.names].map(([name]) => name));
const text = new Map(known.messages.map(([message, place]) => [place, message]));
const entries = matcher(known.messages);
const own = new Set(known.names.map(([, place]) => place));
const terms = known.terms.map(([place, called, more]) => ({ place, called: called.map((name) => read(name).words), more }));
const namesAt = (/** @type {number} */ place) => known.names.filter(([, at]) => at === place).map(([name]) => name);
const keys = known.words.map((words, place) => [...new Set((words || namesAt(place).join(".")).split(/[ .]/))]);
const width = known.ids.length / known.kinds.length;
const ids = known.kinds.map((_, place) => `en_${known.ids.slice(width * place, width * (place + 1)).trim()}`);
const places = new Map(ids.map((id, place) => [id, place]));
const placeOf = (/** @type {{ id: string }} */ { id }) => /** @type {number} */ (places.get(id));

/**
 * A record as Pagefind would give it, whatever is looked for: to ask Pagefind for all would load its whole index.
 * @returns {Shown}
 */
function recordAt(/** @type {number} */ place) {
  const id = ids[place];
  const data = async () => {
    const file = await (await fetch(new URL(`../pagefind/fragment/${id}.pf_fragment`, import.meta.url))).blob();
    const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    // Some hosts unpack what they send.
    const packed = first === 0x1f && second === 0x8b;
    const said = await new Response(packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file).text();
    const record = JSON.parse(said.replace(/^pagefind_dcd/, ""));
    return { ...record, raw_url: record.url };
  };
  return { id, words: [], data };
}

/** @type {Map<string, Promise<{ results: Result[] }>>} */
const asked = new Map();

/** @type {Promise<unknown>[]} */
const loading = [];
let turn = Promise.resolve();

/**
 * What Pagefind finds for a word, or for several side by side, by places; it is asked once. What it has loaded changes
 * what it finds: so it loads for all words at once, and then finds one after another, whichever file came first.
 */
async function search(/** @type {string[]} */ words) {
  const query = words.flatMap((word) => (HAN.test(word) ? [...word] : [word])).join(" ");
  let answer = asked.get(query);
  if (!answer) {
    const text = query.includes(" ") ? `"${query}"` : query;
    loading.push(pagefind.preload(text));
    answer = turn.then(() => Promise.all(loading)).then(() => pagefind.search(text));
    turn = answer.then(() => undefined);
    asked.set(query, answer);
  }
  return (await answer).results;
}

function pairs(/** @type {string[]} */ words, /** @type {string} */ between) {
  return words.slice(1).map((word, place) => words[place] + between + word);
}

/** Whether a record begins (2) or goes on (1) to teach, tells of the past or of errors (-1), or neither. */
function kind(/** @type {number} */ place) {
  return known.kinds[place];
}

/** The parts of a question that say what it is about: its words, of a longer compound each two characters. */
function partsOf(/** @type {string[]} */ words) {
  const said = words.filter((word) => !IDLE.has(word)).flatMap((word) => word.split(IDLE_HAN).filter(Boolean));
  const parts = (said.length ? said : words).flatMap((word) => (HAN.test(word) && word.length > 2 ? pairs([...word], "") : [word]));
  return [...new Set(parts)];
}

/** Whether two words are forms of one: `slicing` and `slices`. A name such as `shard_map` is no form of `Shardy`. */
function alike(/** @type {string} */ one, /** @type {string} */ other) {
  if (one.includes("_") || other.includes("_")) return one === other;
  const short = Math.min(one.length, other.length);
  const stem = Math.max(4, short - 2);
  return one === other || (short >= stem && one.slice(0, stem) === other.slice(0, stem) && Math.max(one.length, other.length) <= stem + 5);
}

/** Whether some words have a name of one word or several, in some form. */
function isIn(/** @type {string[]} */ name, /** @type {string[]} */ words) {
  if (HAN.test(name[0])) return words.some((word) => word.includes(name.join("")));
  return words.some((_, start) => name.every((each, place) => alike(each, words[start + place] ?? "")));
}

/** Whether the key words of a record have a part. */
function isKey(/** @type {string} */ part, /** @type {number} */ place) {
  if (HAN.test(part)) return keys[place].some((word) => word.includes(part));
  const has = (/** @type {string} */ each) => keys[place].some((word) => alike(word, each));
  return has(part) || (part.includes("_") && part.split("_").every(has));
}

/**
 * The records that have the words of a query, the best first: those that have the rarest, in their title, often, and side
 * by side. Of a few words a record must have all, if any has.
 * @param {string[]} words
 * @param {boolean} message
 * @returns {Promise<Result[]>}
 */
async function ranking(words, message, asked = words) {
  const parts = message ? [...new Set(words)] : partsOf(words);
  const latin = words.filter((word) => !HAN.test(word) && (message || !IDLE.has(word)));
  const beside = [
    ...latin.slice(1).map((word, place) => [latin[place], word]),
    ...words.filter((word) => HAN.test(word) && word.length > 2).map((word) => [word]),
  ];
  const [single, double] = await Promise.all([
    Promise.all(parts.map((part) => search([part]))),
    Promise.all(beside.map((pair) => search(pair))),
  ]);
  /** @type {Map<number, Scored>} */
  const found = new Map();
  const at = (/** @type {number} */ place) => {
    const record = found.get(place) ?? { ...recordAt(place), score: 0, has: new Set(), alone: [], beside: [] };
    found.set(place, record);
    return record;
  };
  const rarity = (/** @type {Result[]} */ results) => Math.log(1 + ids.length / Math.max(1, results.length));
  // Two characters of a compound may be no word.
  const worthOf = (/** @type {number} */ which) =>
    rarity(single[which]) * (message || words.includes(parts[which]) ? 1 : HALF) * (!message && parts[which].includes("_") ? TELLING : 1);
  for (const [which, results] of single.entries()) {
    const best = Math.max(...results.map(({ score }) => score)) || 1;
    for (const result of results) {
      const record = Object.assign(at(placeOf(result)), { data: result.data });
      record.alone.push(...result.words);
      record.score += worthOf(which) * (message ? 1 : SHARE + (1 - SHARE) * (result.score / best));
      record.has.add(which);
    }
  }
  for (const [which, results] of double.entries()) {
    for (const result of results) {
      const record = at(placeOf(result));
      record.score += rarity(results) * (message ? 1 : BESIDE);
      record.has.add(-1 - which);
      record.beside.push(...result.words);
    }
  }
  if (message) {
    for (const [place, record] of found) if (text.has(place)) record.score *= ENTRY;
  } else {
    for (const place of keys.keys()) {
      const which = parts.map((part, which) => which).filter((which) => isKey(parts[which], place));
      if (!which.length) continue;
      const worth = which.reduce((sum, each) => sum + worthOf(each), 0);
      const record = at(place);
      record.score += KEY * worth;
      which.forEach((each) => record.has.add(each));
    }
    for (const { place, called, more } of terms) {
      const said = called.filter((name) => isIn(name, asked));
      if (!said.length) continue;
      const lists = await Promise.all(said.map((name) => search(name)));
      const worth = Math.max(...lists.map(rarity));
      at(place).score += worth * TERM;
      for (const each of more) at(each).score += worth * MORE;
    }
    for (const word of latin) {
      const name = known.names.find(([name]) => name === word || (name.startsWith("jax.") && name.endsWith(`.${word}`)));
      if (name) at(name[1]).score += rarity(await search([word])) * NAMED;
    }
    for (const [place, record] of found) {
      record.score *= WEIGHT[parts.length > FEW ? "more" : "few"][Math.min(kind(place), 1) + 1];
      const full = parts.every((_, which) => record.has.has(which)) && beside.every((pair, which) => pair.length > 1 || record.has.has(-1 - which));
      if (full) record.score *= FULL;
      if (own.has(place) && parts.length <= FEW) record.score *= OWN;
    }
  }
  // To be shown is where two words stand side by side, if any do.
  const sorted = [...found.values()].sort((one, other) => other.score - one.score);
  const ranked = sorted.map((record) => ({ ...record, words: record.beside.length ? record.beside : record.alone }));
  return !message && parts.length <= FEW ? ranked : ranked.filter(({ score }) => score > ranked[0].score / SPREAD);
}

/** The entries of the errors whose message a query is, or is a part of. */
async function entriesFor(/** @type {string} */ query, /** @type {boolean} */ message) {
  const said = plain(query);
  if (CALL.test(said) || countWords(said) < (message ? 2 : FEWEST)) return [];
  // What is missing is what the reader asks for: another entry may say the same of something else.
  const missing = (said.match(MISSING)?.[2] ?? "").toLowerCase();
  const about = entries(said, message ? MOSTLY : WHOLLY).filter((place) => text.get(place)?.includes(missing));
  return about.slice(0, SHOWN.panel);
}

/** Whether the handbook has a word as it is typed, a form of it, or neither. */
async function isSaid(/** @type {string} */ word) {
  const results = (await search([word])).slice(0, CHECKED);
  const contents = await Promise.all(results.map(({ data }) => data()));
  const texts = contents.map(({ content, meta }) => `${meta.title} ${content}`.replaceAll(CUT, " ").toLowerCase());
  const there = texts.flatMap((text) => [...(text.match(WORD) ?? [])]);
  if (there.includes(word)) return "as typed";
  return there.some((each) => alike(each, word)) ? "in a form" : "";
}

/**
 * A query as its reader may have meant it: the name that it is, with a slip or in words, or its words, names mended.
 * @param {string} query
 * @param {string[]} words
 * @returns {Promise<{ name?: string, words: string[] }>}
 */
async function meant(query, words) {
  const latin = [...new Set(words.filter((word) => /^\p{Script=Latin}/u.test(word)))];
  const answers = await Promise.all(latin.map(isSaid));
  const said = new Map(latin.map((word, place) => [word, answers[place]]));
  if (!words.some((word) => HAN.test(word))) {
    const typed = plain(query).toLowerCase();
    for (const sought of new Set([typed, typed.slice(typed.indexOf(".") + 1)])) {
      const whole = slip(sought);
      // Words that the handbook has can make a name together; a single one that it has is no other.
      const together = words.length > 1 && squashed(sought).length >= LONG;
      if (whole && (!whole.slips || together || latin.some((word) => said.get(word) !== "as typed"))) {
        return { name: whole.name, words: read(whole.name).words };
      }
    }
  }
  const mend = (/** @type {string} */ word) => (said.has(word) && said.get(word) !== "as typed" && slip(word)?.name) || word;
  // Pagefind would take the beginning of a word that nobody has for it.
  const had = words.filter((word) => said.get(word) !== "" || mend(word) !== word);
  return { words: read(had.map(mend).join(" ")).words };
}

/**
 * The records for a query, the best first: the error it is, then what it names, then what has its words.
 * @param {string} query
 * @returns {Promise<Found>}
 */
export async function find(query) {
  const { words: asked, message } = read(query);
  let words = asked;
  let names = namesIn(query);
  if (!names.length && !message) {
    const said = partsOf(words);
    if (said.length < words.length) names = namesIn(said.join(" "));
  }
  if (!names.length && !message) {
    const other = await meant(query, words);
    if (other.name) names = namesIn(other.name);
    words = other.words;
  }
  let ranked = words.length ? await ranking(words, message, asked) : [];
  const guessed = !ranked.length && !names.length && slip(plain(query), 1);
  if (guessed) {
    names = namesIn(guessed.name);
    words = read(guessed.name).words;
    ranked = await ranking(words, false);
  }
  /** @type {Map<string, Shown>} */
  const first = new Map();
  const put = (/** @type {number} */ place, more = {}) => {
    const result = ranked.find(({ id }) => id === ids[place]) ?? recordAt(place);
    if (!first.has(result.id)) first.set(result.id, { ...result, ...more });
  };
  for (const place of await entriesFor(query, message)) put(place);
  for (const [which, [, place]] of names.slice(0, SHOWN.page).entries()) {
    put(place, { named: true });
    for (const each of terms.find((term) => term.place === place)?.more ?? []) put(each);
    // After the entry itself, how it is used.
    if (!which && !message) {
      const teaching = ranked.map(placeOf).filter((each) => kind(each) > 0);
      // First steps among them: a guide can have a name more often.
      const begin = teaching.filter((each) => kind(each) > 1).slice(0, 1);
      [...new Set([...begin, ...teaching])].slice(0, BESIDE_NAME).forEach((each) => put(each));
    }
  }
  return Object.assign([...first.values(), ...ranked.filter(({ id }) => !first.has(id))], { words, guessed: Boolean(guessed) });
}

/** Where in a text compounds are, each character being a word there; of one that is nowhere, where its pairs are. */
/** @returns {number[]} */
function placesOf(/** @type {string[]} */ compounds, /** @type {string[]} */ text) {
  return compounds.flatMap((compound) => {
    const characters = [...compound];
    const begins = [...text.keys()].filter((at) => characters.every((each, next) => text[at + next]?.startsWith(each)));
    const places = begins.flatMap((at) => characters.map((_, next) => at + next));
    return places.length || characters.length < 3 ? places : placesOf(pairs(characters, ""), text);
  });
}

/**
 * The part of a text where most of what was looked for is: pieces of it, each marked or not. An entry begins well.
 * @param {string} content
 * @param {Shown} result
 * @param {string[]} words
 * @returns {{ said: string, mark?: boolean }[]}
 */
function excerpt(content, { words: places, named }, words) {
  const text = content.split(" ");
  const found = new Set(places.filter((place) => !HAN.test(text[place])));
  placesOf(words.filter((word) => HAN.test(word)), text).forEach((place) => found.add(place));
  const length = HAN.test(content) ? EXCERPT.characters : EXCERPT.words;
  let [begin, most, there] = [0, 0, 0];
  for (const place of text.keys()) {
    there += Number(found.has(place)) - Number(found.has(place - length));
    if (there > most) [begin, most] = [place - length + 1, there];
  }
  // Begin a little before the first mark, not at the end of a part that happens to hold them all.
  const first = found.size && !named ? Math.min(...[...found].filter((place) => place >= begin)) : 0;
  const start = Math.max(0, Math.min(text.length - length, first - Math.floor(length / 4)));
  const pieces = text.slice(start, start + length).flatMap((word, place) => {
    const [, core, after] = (word.endsWith("`") ? word.slice(0, -1) : `${word} `).match(/^(.*[\p{L}\p{N}_]|)(.*)$/su) ?? [];
    return [{ said: core, mark: found.has(start + place) }, { said: after }];
  });
  return [{ said: start > 0 ? "… " : "" }, ...pieces, { said: start + length < text.length ? "…" : "" }];
}

/** A link to a result, for the panel or the search page. What the index says is text, never markup. */
async function link(/** @type {Shown} */ result, /** @type {string[]} */ words) {
  const { content, meta, raw_url } = await result.data();
  const text = element("span", { class: "search-text" });
  const pieces = content === meta.title ? [] : excerpt(content, result, words);
  for (const { said, mark } of pieces) text.append(mark ? element("mark", {}, said) : said);
  const anchor = element("a", { href: new URL(raw_url, new URL("..", import.meta.url)).href });
  anchor.append(element("span", { class: "search-title" }, meta.title.replaceAll(CUT, "")));
  if (meta.page) anchor.append(" ", element("span", { class: "search-where" }, meta.page.replaceAll(CUT, "")));
  anchor.append(" ", text);
  return anchor;
}

/**
 * Results as they are shown: the best one, then the others by what they are for, what teaches first.
 * @param {Shown[]} results
 * @returns {{ said: "" | "teaching" | "reference" | "later", results: Shown[] }[]}
 */
function inGroups([best, ...others]) {
  if (!best) return [];
  const of = (/** @type {number} */ wanted) => others.filter((result) => Math.min(kind(placeOf(result)), 1) === wanted);
  const groups = [
    { said: /** @type {const} */ (""), results: [best] },
    { said: /** @type {const} */ ("teaching"), results: of(1) },
    { said: /** @type {const} */ ("reference"), results: of(0) },
    { said: /** @type {const} */ ("later"), results: of(-1) },
  ];
  return groups.filter(({ results }) => results.length);
}

/** The search page's address for a query, from itself. */
function address(/** @type {string} */ query) {
  return `?${new URLSearchParams({ q: query.slice(-LONGEST) })}`;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} attributes
 */
function element(tag, attributes, text = "") {
  const made = document.createElement(tag);
  set(made, attributes);
  made.textContent = text;
  return made;
}

function set(/** @type {Element} */ element, /** @type {Record<string, unknown>} */ attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
}

const fieldOf = (/** @type {HTMLFormElement} */ form) => /** @type {HTMLInputElement} */ (form.elements.namedItem("q"));
const statusOf = (/** @type {HTMLFormElement} */ form) => /** @type {HTMLElement} */ (form.querySelector(".search-status"));

/** The results as a reader types in the field of the sidebar: a list under it that the arrow keys go through. */
class Panel {
  constructor(/** @type {HTMLFormElement} */ form) {
    this.form = form;
    this.field = fieldOf(form);
    this.chosen = -1;
    this.list = element("div", { class: "search-panel", id: "search-panel", role: "listbox" });
    set(this.list, { "aria-label": form.dataset.results });
    statusOf(form).before(this.list);
    set(this.field, { role: "combobox", "aria-autocomplete": "list", "aria-controls": this.list.id });
    this.close();
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("focus", () => this.list.children.length && this.open());
    form.addEventListener("focusout", ({ relatedTarget }) => {
      if (!form.contains(/** @type {Node | null} */ (relatedTarget))) this.close();
    });
    // A press on a link must not take the focus away before it is a click.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", () => this.leave());
  }

  async show(/** @type {Found} */ found, /** @type {string} */ query) {
    const groups = await Promise.all(inGroups(found.slice(0, SHOWN.panel)).map((group) => this.group(group, found.words)));
    if (found.length > SHOWN.panel) {
      const href = new URL(address(query), this.form.action);
      groups.push(element("a", { class: "search-all", href }, filled(this.form.dataset.all, "count", found.length)));
    }
    return () => {
      this.list.replaceChildren(...groups);
      this.list.querySelectorAll("a").forEach((option, place) => set(option, { role: "option", id: `search-option-${place}`, tabindex: -1 }));
      this.choose(-1);
      this.open();
    };
  }

  /** Results of one kind under its name. */
  async group(/** @type {ReturnType<typeof inGroups>[number]} */ { said, results }, /** @type {string[]} */ words) {
    const name = (said && this.form.dataset[said]) || "";
    const group = element("span", name ? { role: "group", "aria-label": name } : { role: "presentation" });
    if (name) group.append(element("span", { class: "search-kind", "aria-hidden": true }, name));
    group.append(...(await Promise.all(results.map((result) => link(result, words)))));
    return group;
  }

  open() {
    this.form.classList.add("open");
    this.list.hidden = !this.list.children.length;
    set(this.field, { "aria-expanded": !this.list.hidden });
  }

  close() {
    this.form.classList.remove("open");
    this.list.hidden = true;
    set(this.field, { "aria-expanded": false });
    this.choose(-1);
  }

  /** A link was followed, perhaps within this page: nothing may cover it, on a phone the drawer neither. */
  leave() {
    this.close();
    /** @type {HTMLInputElement} */ (document.getElementById("__navigation")).checked = false;
  }

  options() {
    return [...this.list.querySelectorAll("a")];
  }

  choose(/** @type {number} */ place) {
    this.chosen = place;
    this.options().forEach((option, each) => set(option, { "aria-selected": each === place }));
    const option = this.options()[place];
    if (option) set(this.field, { "aria-activedescendant": option.id });
    else this.field.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  key(/** @type {KeyboardEvent} */ event) {
    const count = this.options().length;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.isComposing) return;
    if (step && count) {
      event.preventDefault();
      if (this.list.hidden) this.open();
      // One place more than there are results: the field itself.
      else this.choose(((this.chosen + 1 + step + count + 1) % (count + 1)) - 1);
    } else if (event.key === "Enter" && this.chosen >= 0) {
      event.preventDefault();
      this.options()[this.chosen].click();
    } else if (event.key === "Escape" && this.form.classList.contains("open")) {
      event.preventDefault();
      this.close();
    }
  }
}

/** The results on the search page: an ordinary list of links, and the query in the page's address. */
class Page {
  /** @type {string[]} */
  words = [];
  /** @type {Shown[]} */
  rest = [];

  constructor(/** @type {HTMLFormElement} */ form) {
    this.form = form;
    this.list = /** @type {HTMLElement} */ (document.getElementById(form.dataset.list ?? ""));
    this.more = element("button", { class: "search-more", type: "button", hidden: "" }, form.dataset.more);
    this.list.after(this.more);
    this.more.addEventListener("click", () => this.add());
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  async show(/** @type {Found} */ found, /** @type {string} */ query) {
    const items = await this.items(found.slice(0, SHOWN.page), found.words);
    return () => {
      this.words = found.words;
      this.rest = found.slice(SHOWN.page);
      this.list.replaceChildren(...items);
      this.more.hidden = !this.rest.length;
      history.replaceState(null, "", query ? address(query) : location.pathname);
    };
  }

  async add() {
    const items = await this.items(this.rest.splice(0, SHOWN.page), this.words);
    this.list.append(...items);
    this.more.hidden = !this.rest.length;
    items[0].querySelector("a")?.focus();
  }

  /** An item of the list for each result; the first of a kind begins with its name. */
  async items(/** @type {Shown[]} */ found, /** @type {string[]} */ words) {
    const groups = inGroups(found).map(async ({ said, results }) => {
      const items = await Promise.all(results.map(async (result) => {
        const item = document.createElement("li");
        item.append(await link(result, words));
        return item;
      }));
      const name = (said && this.form.dataset[said]) || "";
      if (name) items[0].prepend(element("span", { class: "search-kind" }, name));
      return items;
    });
    return (await Promise.all(groups)).flat();
  }
}

/** What a form says, with a value put in. */
const filled = (template = "", /** @type {string} */ name, /** @type {string | number} */ value) =>
  template.replace(`{${name}}`, () => `${value}`);

/** Search with a form from now on. */
export function begin(/** @type {HTMLFormElement} */ form) {
  const field = fieldOf(form);
  const status = statusOf(form);
  const elsewhere = /** @type {HTMLTemplateElement} */ (form.querySelector(".search-elsewhere")).content;
  const shown = form.dataset.list ? new Page(form) : new Panel(form);
  let turn = 0;

  const update = async () => {
    const query = field.value.trim();
    const mine = ++turn;
    try {
      const found = query ? await find(query) : Object.assign([], { words: [], guessed: false });
      const put = await shown.show(found, query);
      if (mine !== turn) return; // more was typed meanwhile
      put();
      status.textContent = query ? told(found, query) : "";
      if (query && !found.length) status.append(" ", elsewhere.cloneNode(true));
      if (!query && shown instanceof Panel) shown.close();
    } catch (error) {
      form.classList.add("open");
      status.textContent = form.dataset.failed ?? "";
      throw error;
    }
  };

  const told = (/** @type {Found} */ { length, guessed }, /** @type {string} */ query) => {
    const { one, many, nothing, nearest } = form.dataset;
    const short = query.length > LONG_NAME ? `${query.slice(0, LONG_NAME)}…` : query;
    if (!length || guessed) return filled(length ? nearest : nothing, "query", short);
    return length > 1 ? filled(many, "count", length) : (one ?? "");
  };

  // While a Chinese word is being put together there are but the letters it is typed with.
  field.addEventListener("input", (event) => /** @type {InputEvent} */ (event).isComposing || update());
  field.addEventListener("compositionend", update);
  if (field.value) update();
}
