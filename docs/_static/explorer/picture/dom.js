// Elements. What is typed or linked becomes text or the value of an attribute here, never markup.

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element with attributes and children: elements or text. An attribute that is false or null is left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node | string)} children
 */
export const html = (tag, attributes, ...children) => made(document.createElement(tag), attributes, children);

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...(Node | string)} children
 */
export const svg = (tag, attributes, ...children) => made(document.createElementNS(SVG, tag), attributes, children);

/**
 * The element that is there, by a selector.
 * @param {ParentNode} root
 * @param {string} selector
 */
export function the(root, selector) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}`);
  return found;
}

/** The field of a form that is there, by its name. */
export const input = (/** @type {ParentNode} */ root, /** @type {string} */ name) =>
  /** @type {HTMLInputElement} */ (the(root, `[name="${name}"]`));

/**
 * Set attributes, and remove those that are false or null.
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : `${value}`);
  }
}

/** A template with `code` in backquotes, as elements. */
export function told(/** @type {string} */ text) {
  return text.split("`").map((part, place) => (place % 2 ? html("code", {}, part) : part));
}

/**
 * A table in a frame that scrolls on a narrow page, and can be scrolled by keyboard.
 * @param {string} label
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(label, head, rows) {
  const top = html("tr", {}, ...head.map((cell) => html("th", { scope: "col" }, cell)));
  const body = rows.map((cells) => html("tr", {}, ...cells.map((cell) => html("td", {}, cell))));
  return html(
    "div",
    { class: "sb-table", role: "group", tabindex: 0, "aria-label": label },
    html("table", {}, html("thead", {}, top), html("tbody", {}, ...body)),
  );
}

/**
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function made(element, attributes, children) {
  set(element, attributes);
  element.append(...children);
  return element;
}
