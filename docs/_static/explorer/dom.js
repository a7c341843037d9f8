// Elements. What is typed or linked becomes text or the value of an attribute here, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes and children: elements or text. An attribute that is false or null is left out. */
export const html = (tag, attributes = {}, ...children) => made(document.createElement(tag), attributes, children);

/** The same for SVG. */
export const svg = (tag, attributes = {}, ...children) => made(document.createElementNS(SVG, tag), attributes, children);

/** Set attributes, and remove those that are false or null. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

/** A template with `code` in backquotes, as elements. */
export function told(text) {
  return text.split("`").map((part, place) => (place % 2 ? html("code", {}, part) : part));
}

/** A table in a frame that scrolls on a narrow page, and can be scrolled by keyboard. */
export function table(label, head, rows) {
  const row = (tag, cells) => html("tr", {}, ...cells.map((cell) => html(tag, tag === "th" ? { scope: "col" } : {}, cell)));
  return html(
    "div",
    { class: "sb-table", role: "group", tabindex: 0, "aria-label": label },
    html("table", {}, html("thead", {}, row("th", head)), html("tbody", {}, ...rows.map((cells) => row("td", cells)))),
  );
}

function made(element, attributes, children) {
  set(element, attributes);
  element.append(...children);
  return element;
}
