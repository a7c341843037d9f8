// The search, once a reader uses it: what is typed is cut into words, Pagefind finds the records that have them, and
// the best are shown under the field or on the search page. src/shardbook_sphinx/search.py makes the index and says
// why words are cut as they are; `CUT` and `WORD` must agree with it.

import { matcher } from "./messages.js";

const CUT = "` ";
const HAN = /[\u3400-\u4dbf\u4e00-\u9fff]/u;
const WORD = /[\u3400-\u4dbf\u4e00-\u9fff]+|\d+(?:\.\d+)+|(?:(?![\u3400-\u4dbf\u4e00-\u9fff])[\p{L}\p{N}_])+/gu;
const NAME = /^[.@]?([a-z_]\w*(?:\.[a-z_]\w*)*)\.?\s*(?:\(.*)?$/s;
// A name alone, or a call.
const CALL = /^[.@]?[\w.]+(?:\([^()]*\)?)?$/;
// What a message says is missing: `module 'jax.sharding' has no attribute 'use_mesh'`.
const MISSING = /'([\w.]+)'\S* (?:\w+ )?has no attribute '(\w+)'/;
// A string in a message that is no name of an API is the reader's own.
const STRING = /(?<!\w)(['"])(?!\w+(?:\.\w+)+\1|\w*_\w+\1|[A-Z]+[a-z]+[A-Z]\w*\1)[^'"]*\1(?!\w)/g;
const ERROR = /\b\w+(?:Error|Exception|Warning): /g;

const LONGEST = 4000; // characters of a query that are read, the last ones: a traceback ends with its error
const MOST = 48; // words of it that are looked for
const SHOWN = { panel: 8, page: 20 }; // results
const EXCERPT = { words: 30, characters: 70 };
const LONG_NAME = 60; // characters of a query that are said again
const LATER = 0.5; // the weight of what tells of the past or of errors
const FEWEST = 4; // words, from which on a query can be a part of a message
const [MOSTLY, WHOLLY] = [0.5, 0.9]; // how much of a query a message must have, if the query looks like one or not
const WORDY = 9; // words, from which on a query is taken for a message

// With Pagefind's worker there would be more to load, and a search takes but milliseconds. A title counts by its words
// alone: Pagefind would count each name in it twice.
const pagefind = (async () => {
  const library = await import("../pagefind/pagefind.js");
  await library.options({ noWorker: true, ranking: { metaWeights: { title: 0, page: 0, words: 5 } } });
  const [known] = await Promise.all([fetch(new URL("../pagefind/names.json", import.meta.url)), library.init()]);
  const { names, messages, later, count } = await known.json();
  const text = new Map(messages.map(([message, id]) => [id, message]));
  return { search: library.search, names, text, entries: matcher(messages), later: new Set(later), count };
})();

/** A query in one form: full-width letters are as good as others. */
function plain(query) {
  return query.slice(-LONGEST).normalize("NFKC").trim();
}

/** The words of a query, and whether it is a message, such as an error, of which a record may lack some. */
export function read(query) {
  let text = plain(query);
  const errors = [...text.matchAll(ERROR)];
  if (errors.length) text = text.slice(errors.at(-1).index);
  const message = errors.length > 0 || text.match(WORD)?.length >= WORDY;
  if (message) {
    // Strings, types of arrays, paths and numbers are the reader's own. A stop keeps words on either side apart.
    text = text.replace(STRING, ";").replace(/\b[a-z]+\d*\[[^\]]*\]|\S*[/\\]\S+|(?<![\w.])\d[\d.,]*(?!\w)/g, ";");
  }
  return { words: (text.toLowerCase().match(WORD) ?? []).slice(0, MOST), message };
}

/** The names in a query such as `Mesh.sha`, `x.sharding` or `P("x")`, each with its record, the likeliest first. */
async function namesIn(query) {
  const { names } = await pagefind;
  const text = plain(query).toLowerCase();
  const [, owner, member] = text.match(MISSING) ?? text.match(NAME) ?? [];
  const parts = [owner, member].filter(Boolean).join(".").split(".");
  for (const sought of [text, ...parts.map((_, start) => parts.slice(start).join("."))]) {
    const whole = names.filter(([name]) => `.${name}`.endsWith(`.${sought}`));
    const begun = /[._]/.test(sought) ? names.filter(([name]) => `.${name}`.includes(`.${sought}`)) : [];
    if (whole.length || begun.length) return whole.length ? whole : begun;
  }
  return [];
}

/** The records that have all of some words, as Pagefind ranks them; the characters of a compound stand together. */
async function withAll(words) {
  const { search, later } = await pagefind;
  const spaced = words.map((word) => (HAN.test(word) ? [...word].join(" ") : word));
  const phrases = spaced.filter((_, place) => HAN.test(words[place]) && words[place].length > 1);
  const queries = [spaced.join(" "), ...phrases.map((phrase) => `"${phrase}"`)];
  const [all, ...exact] = await Promise.all(queries.map((each) => search(each)));
  const ids = exact.map(({ results }) => new Set(results.map(({ id }) => id)));
  const found = all.results.filter(({ id }) => ids.every((set) => set.has(id)));
  return byScore(found.map((result) => ({ ...result, score: result.score * (later.has(result.id) ? LATER : 1) })));
}

/** The records that have any of some words, first those that have the rarest, and most of them side by side. */
async function withAny(words) {
  const { search, count } = await pagefind;
  const parts = words.flatMap((word) => (HAN.test(word) && word.length > 2 ? pairs([...word], "") : [word]));
  const single = await Promise.all([...new Set(parts)].map((part) => withAll([part])));
  const latin = words.filter((word) => !HAN.test(word));
  const double = await Promise.all(pairs(latin, " ").map(async (pair) => (await search(`"${pair}"`)).results));
  const found = new Map();
  const add = (lists, places) => {
    for (const results of lists) {
      const rarity = Math.log(1 + count / results.length);
      for (const result of results) {
        const record = found.get(result.id) ?? { ...result, score: 0, alone: [], beside: [] };
        found.set(result.id, record);
        record.score += rarity;
        record[places].push(...result.words);
      }
    }
  };
  add(single, "alone");
  add(double, "beside");
  // To be shown is where two words stand side by side, if any do.
  const ranked = byScore([...found.values()]).map((record) => {
    return { ...record, words: record.beside.length ? record.beside : record.alone };
  });
  return ranked.filter(({ score }) => score > ranked[0].score / 3);
}

function byScore(results) {
  return results.sort((one, other) => other.score - one.score);
}

function pairs(words, between) {
  return words.slice(1).map((word, place) => words[place] + between + word);
}

/** Whether a result has a half of a word that was looked for: for lack of more, Pagefind takes `x` for `xylophone`. */
async function isSought({ words: places, data }, words) {
  const { content } = await data();
  const there = content.toLowerCase().split(" ");
  const half = (word) => (HAN.test(word) ? word[0] : word.slice(0, Math.ceil(word.length / 2)));
  return !places.length || places.some((place) => words.some((word) => there[place].includes(half(word))));
}

/** The entries of the errors whose message a query is, or is a part of. */
async function entriesFor(query, message, ranked) {
  const { entries, text } = await pagefind;
  const asked = plain(query);
  if (CALL.test(asked) || !(asked.match(WORD)?.length >= (message ? 2 : FEWEST))) return [];
  // What is missing is what the reader asks for: another entry may say the same of something else.
  const missing = asked.match(MISSING)?.[2] ?? "";
  const about = entries(asked, message ? MOSTLY : WHOLLY).filter((id) => text.get(id).includes(missing));
  const found = about.slice(0, SHOWN.panel).map(async (id) => {
    const there = (results) => results.find((result) => result.id === id);
    return there(ranked) ?? there(await withAny(read(text.get(id)).words));
  });
  return (await Promise.all(found)).filter(Boolean);
}

/** The records for a query, the best first: the error it is, then what it names, then what has its words. */
export async function find(query) {
  const { words, message } = read(query);
  const [names, all] = await Promise.all([namesIn(query), message ? [] : withAll(words)]);
  const ranked = all.length ? all : await withAny(words);
  if (!names.length && ranked.length && !(await isSought(ranked[0], words))) return [];
  const named = new Map();
  for (const [name, id] of names.slice(0, SHOWN.page)) {
    const there = (results) => results.find((result) => result.id === id);
    const result = there(ranked) ?? there(await withAll(read(name).words));
    if (result) named.set(id, { ...result, named: true });
  }
  const first = new Map((await entriesFor(query, message, ranked)).map((result) => [result.id, result]));
  for (const [id, result] of named) if (!first.has(id)) first.set(id, result);
  return [...first.values(), ...ranked.filter(({ id }) => !first.has(id))];
}

/** Where in a text compounds are, each character being a word there; of one that is nowhere, where its pairs are. */
function placesOf(compounds, text) {
  return compounds.flatMap((compound) => {
    const characters = [...compound];
    const begins = [...text.keys()].filter((at) => characters.every((each, next) => text[at + next]?.startsWith(each)));
    const places = begins.flatMap((at) => characters.map((_, next) => at + next));
    return places.length || characters.length < 3 ? places : placesOf(pairs(characters, ""), text);
  });
}

/** The part of a text where most of what was looked for is: pieces of it, each marked or not. An entry begins well. */
function excerpt(content, { words: places, named }, words) {
  const text = content.split(" ");
  const found = new Set(places.filter((place) => !HAN.test(text[place])));
  placesOf(words.filter((word) => HAN.test(word)), text).forEach((place) => found.add(place));
  const length = HAN.test(content) ? EXCERPT.characters : EXCERPT.words;
  let [begin, most, there] = [0, 0, 0];
  for (const place of text.keys()) {
    there += found.has(place) - found.has(place - length);
    if (there > most) [begin, most] = [place - length + 1, there];
  }
  // Begin a little before the first mark, not at the end of a part that happens to hold them all.
  const first = found.size && !named ? Math.min(...[...found].filter((place) => place >= begin)) : 0;
  const start = Math.max(0, Math.min(text.length - length, first - Math.floor(length / 4)));
  const pieces = text.slice(start, start + length).flatMap((word, place) => {
    const [, core, after] = (word.endsWith("`") ? word.slice(0, -1) : `${word} `).match(/^(.*[\p{L}\p{N}_]|)(.*)$/su);
    return [{ said: core, mark: found.has(start + place) }, { said: after }];
  });
  return [{ said: start > 0 ? "… " : "" }, ...pieces, { said: start + length < text.length ? "…" : "" }];
}

/** A link to a result, for the panel or the search page. What the index says is text, never markup. */
async function link(result, words) {
  const { content, meta, raw_url } = await result.data();
  const text = element("span", { class: "search-text" });
  const pieces = content === meta.title ? [] : excerpt(content, result, words);
  for (const { said, mark } of pieces) text.append(mark ? element("mark", {}, said) : said);
  const anchor = element("a", { href: new URL(raw_url, new URL("..", import.meta.url)) });
  anchor.append(element("span", { class: "search-title" }, meta.title.replaceAll(CUT, "")));
  if (meta.page) anchor.append(" ", element("span", { class: "search-where" }, meta.page.replaceAll(CUT, "")));
  anchor.append(" ", text);
  return anchor;
}

/** The search page's address for a query, from itself. */
function address(query) {
  return `?${new URLSearchParams({ q: query.slice(-LONGEST) })}`;
}

function element(tag, attributes, text = "") {
  const made = document.createElement(tag);
  set(made, attributes);
  made.textContent = text;
  return made;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/** The results as a reader types in the field of the sidebar: a list under it that the arrow keys go through. */
class Panel {
  constructor(form) {
    this.form = form;
    this.field = form.elements.q;
    this.list = element("div", { class: "search-panel", id: "search-panel", role: "listbox" });
    set(this.list, { "aria-label": form.dataset.results });
    form.querySelector(".search-status").before(this.list);
    set(this.field, { role: "combobox", "aria-autocomplete": "list", "aria-controls": this.list.id });
    this.close();
    this.field.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("focus", () => this.list.children.length && this.open());
    form.addEventListener("focusout", ({ relatedTarget }) => form.contains(relatedTarget) || this.close());
    // A press on a link must not take the focus away before it is a click.
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", () => this.leave());
  }

  async show(found, query) {
    const options = await Promise.all(found.slice(0, SHOWN.panel).map((result) => link(result, read(query).words)));
    if (found.length > options.length) {
      const href = new URL(address(query), this.form.action);
      options.push(element("a", { class: "search-all", href }, this.form.dataset.all.replace("{count}", found.length)));
    }
    return () => {
      options.forEach((option, place) => set(option, { role: "option", id: `search-option-${place}`, tabindex: -1 }));
      this.list.replaceChildren(...options);
      this.choose(-1);
      this.open();
    };
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
    document.getElementById("__navigation").checked = false;
  }

  choose(place) {
    this.chosen = place;
    [...this.list.children].forEach((option, each) => set(option, { "aria-selected": each === place }));
    const option = this.list.children[place];
    if (option) set(this.field, { "aria-activedescendant": option.id });
    else this.field.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const count = this.list.children.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing) return;
    if (step && count) {
      event.preventDefault();
      if (this.list.hidden) this.open();
      // One place more than there are results: the field itself.
      else this.choose(((this.chosen + 1 + step + count + 1) % (count + 1)) - 1);
    } else if (event.key === "Enter" && this.chosen >= 0) {
      event.preventDefault();
      this.list.children[this.chosen].click();
    } else if (event.key === "Escape" && this.form.classList.contains("open")) {
      event.preventDefault();
      this.close();
    }
  }
}

/** The results on the search page: an ordinary list of links, and the query in the page's address. */
class Page {
  constructor(form) {
    this.form = form;
    this.list = document.getElementById(form.dataset.list);
    this.more = element("button", { class: "search-more", type: "button", hidden: "" }, form.dataset.more);
    this.list.after(this.more);
    this.more.addEventListener("click", () => this.add());
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  async show(found, query) {
    const items = await this.items(found.slice(0, SHOWN.page), query);
    return () => {
      this.query = query;
      this.rest = found.slice(SHOWN.page);
      this.list.replaceChildren(...items);
      this.more.hidden = !this.rest.length;
      history.replaceState(null, "", query ? address(query) : location.pathname);
    };
  }

  async add() {
    const items = await this.items(this.rest.splice(0, SHOWN.page), this.query);
    this.list.append(...items);
    this.more.hidden = !this.rest.length;
    items[0].firstChild.focus();
  }

  async items(found, query) {
    const links = await Promise.all(found.map((result) => link(result, read(query).words)));
    return links.map((anchor) => {
      const item = document.createElement("li");
      item.append(anchor);
      return item;
    });
  }
}

/** Search with a form from now on. */
export function begin(form) {
  const field = form.elements.q;
  const status = form.querySelector(".search-status");
  const shown = form.dataset.list ? new Page(form) : new Panel(form);
  let turn = 0;

  const update = async () => {
    const query = field.value.trim();
    const mine = ++turn;
    try {
      const found = query ? await find(query) : [];
      const put = await shown.show(found, query);
      if (mine !== turn) return; // more was typed meanwhile
      put();
      status.textContent = query ? told(found.length, query) : "";
      if (!query) shown.close?.();
    } catch (error) {
      form.classList.add("open");
      status.textContent = form.dataset.failed;
      throw error;
    }
  };

  const told = (count, query) => {
    const { one, many, nothing } = form.dataset;
    const short = query.length > LONG_NAME ? `${query.slice(0, LONG_NAME)}…` : query;
    return count > 1 ? many.replace("{count}", count) : count ? one : nothing.replace("{query}", () => short);
  };

  // While a Chinese word is being put together there are but the letters it is typed with.
  field.addEventListener("input", (event) => event.isComposing || update());
  field.addEventListener("compositionend", update);
  if (field.value) update();
}
