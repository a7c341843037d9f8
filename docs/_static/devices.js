// The devices of a figure light up one after another with the arrow keys, as each does when one points at it: in the mesh
// and wherever it holds a piece.

/** The class that all boxes of a device have; a figure of too many devices has none. */
const PLACE = /\bsb-p(\d+)\b/;
/** @type {WeakMap<Element, number>} */
const lit = new WeakMap();

const devicesOf = (/** @type {Element} */ figure) =>
  [...figure.querySelectorAll(".sb-mesh [class*='sb-p']")].map((box) => Number(PLACE.exec(box.getAttribute("class") ?? "")?.[1]));

/** Light up the device at a place of the mesh, and no other. */
function light(/** @type {Element} */ figure, /** @type {number | null} */ place) {
  for (const box of figure.querySelectorAll(".sb-lit")) box.classList.remove("sb-lit");
  if (place !== null) for (const box of figure.querySelectorAll(`.sb-p${place}`)) box.classList.add("sb-lit");
}

for (const figure of document.querySelectorAll(".sb-figure")) {
  const count = Math.max(-1, ...devicesOf(figure)) + 1;
  // The explorer draws its pictures anew all the time.
  if (count < 2 || figure.closest(".explorer")) continue;
  for (const picture of /** @type {NodeListOf<HTMLElement>} */ (figure.querySelectorAll(".sb-panels"))) {
    picture.tabIndex = 0;
    picture.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      // Where there is something to scroll, these keys scroll.
      if (!step || event.altKey || event.ctrlKey || event.metaKey || picture.scrollWidth > picture.clientWidth) return;
      event.preventDefault();
      const place = ((lit.get(figure) ?? (step > 0 ? -1 : 0)) + step + count) % count;
      lit.set(figure, place);
      light(figure, place);
    });
    picture.addEventListener("blur", () => light(figure, null));
  }
}
