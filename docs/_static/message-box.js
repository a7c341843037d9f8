// The box above all messages of errors: as one types or pastes, the list shows those that have all the words, or, if it
// is a message with the reader's own names in it, those that are most like it. It works on a page opened from a file too.
const LONGEST = 4000; // characters that are read, the last ones: a traceback ends with its error
const WORDS = 6; // from so many words on it is a message
const SHARE = 0.3; // of what a query says, that a message must have
const NEAREST = 8;
const WHOLE = 20; // messages that are shown whole, so that one sees why they are there

/** What a form says, with a number put in. */
const filled = (template = "", /** @type {number} */ count) => template.replace("{count}", `${count}`);

/** The messages most like a text; none if the module cannot be loaded, as from a file. */
async function nearest(/** @type {string} */ text, /** @type {[text: string, id: number][]} */ messages) {
  const { matcher } = await import("./messages.js");
  return matcher(messages)(text, SHARE).slice(0, NEAREST);
}

/** The messages that have most of the words of a text. */
function alike(/** @type {string[]} */ words, /** @type {string[]} */ texts) {
  const counts = texts.map((text) => words.filter((word) => text.includes(word)).length);
  const places = counts.flatMap((count, place) => (count >= words.length / 2 ? [place] : []));
  return places.sort((one, other) => counts[other] - counts[one]).slice(0, NEAREST);
}

function begin(/** @type {HTMLFormElement} */ form, /** @type {HTMLElement} */ list) {
  const field = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("q"));
  const status = /** @type {HTMLElement} */ (form.querySelector(".message-status"));
  const items = [...list.children];
  const codes = items.map((item) => /** @type {HTMLElement} */ (item.querySelector("code")));
  const begun = codes.map((code) => code.textContent ?? "");
  const messages = codes.map((code, place) => code.dataset.whole ?? begun[place]);
  const texts = items.map((item, place) => `${messages[place]} ${item.textContent}`.toLowerCase());
  let turn = 0;

  async function find(/** @type {string} */ text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const places = texts.flatMap((each, place) => (words.every((word) => each.includes(word)) ? [place] : []));
    if (places.length || words.length < WORDS) return { places, exact: true };
    const pairs = messages.map((message, place) => /** @type {[string, number]} */ ([message, place]));
    return { places: await nearest(text, pairs).catch(() => alike(words, texts)), exact: false };
  }

  async function update() {
    if (field.value.length > LONGEST) field.value = field.value.slice(-LONGEST);
    const mine = ++turn;
    const text = field.value.trim();
    const { places, exact } = await find(text);
    if (mine !== turn) return; // more was typed meanwhile
    for (const place of places) {
      codes[place].textContent = text && places.length <= WHOLE ? messages[place] : begun[place];
    }
    list.replaceChildren(...places.map((place) => items[place]));
    document.body.classList.toggle("finds-message", Boolean(text));
    const { one, many, nearest, nothing } = form.dataset;
    const told = places.length === 1 ? one : filled(many, places.length);
    status.textContent = text ? ((places.length ? (exact ? told : nearest) : nothing) ?? "") : "";
  }

  // A megabyte of log in the field would stop the page: of what is too long the end is put in.
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (text.length <= LONGEST) return;
    event.preventDefault();
    field.value = text.slice(-LONGEST);
    update();
  });
  field.addEventListener("input", update);
  if (field.value) update();
}

const box = /** @type {HTMLFormElement | null} */ (document.querySelector("form.message-box"));
const all = /** @type {HTMLElement | null} */ (document.querySelector(".error-messages:not(.page-entries)"));
if (box && all) begin(box, all);
