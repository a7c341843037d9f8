// A spec as chips: one for each mesh axis, in a box for each dimension or in that of the axes not used. A chip is dragged;
// or picked up with a click, Enter or Space and put into a box with a click; or moved with the arrow keys.

import { format } from "../model/notation.js";
import { html } from "../picture/dom.js";
import { printSpec } from "../model/spec.js";

const STEPS = new Map([["ArrowLeft", -1], ["ArrowUp", -1], ["ArrowRight", 1], ["ArrowDown", 1]]);
const DRAGGED = 4; // pixels from which on a pressed pointer drags

/**
 * @typedef {import("../model/layout.js").Mesh} Mesh
 * @typedef {import("../model/spec.js").Spec} Spec
 *
 * @typedef {[box: number, at: number]} At  where a chip is
 * @typedef {{ chip: HTMLElement, box: number, at: number }} Chip
 * @typedef {{ name: string, box: number, at: number, spec: Spec }} Picked  a chip, and the spec as it was
 * @typedef {Chip & { x: number, y: number, moved: boolean }} Drag  a chip that is pressed, and where
 */

/**
 * Fill `root` with chips from now on.
 * @param {HTMLElement} root
 * @param {object} page
 * @param {Record<string, string>} page.words
 * @param {(spec: Spec) => void} page.change
 * @param {(text: string) => void} page.say
 */
export function chips(root, { words, change, say }) {
  /** @type {{ spec: Spec, shape: number[], mesh: Mesh }} */
  let shown = { spec: [], shape: [], mesh: { names: [], sizes: [], types: [], order: null } };
  /** @type {string[][]} */
  let boxes = []; // axis names in each box, that of the unused ones last
  /** @type {Picked | null} */
  let picked = null;
  /** @type {At | null} */
  let focus = null; // the chip that has the focus
  /** @type {Drag | null} */
  let drag = null;

  const place = (/** @type {number} */ box) => (box === boxes.length - 1 ? words.unused : format(words.dimension, { at: box }));
  const focusOn = (/** @type {At} */ [box, at]) =>
    /** @type {HTMLElement | null} */ (root.querySelector(`[data-box="${box}"][data-at="${at}"]`))?.focus();

  /** Show a spec. */
  function show(/** @type {Spec} */ spec, /** @type {number[]} */ shape, /** @type {Mesh} */ mesh) {
    shown = { spec, shape, mesh };
    const used = spec.flat();
    const dimensions = Math.max(shape.length, spec.length);
    boxes = Array.from({ length: dimensions }, (_, at) => spec[at] ?? []);
    boxes.push(mesh.names.filter((name) => !used.includes(name)));
    const focused = root.contains(document.activeElement) && focus;
    root.replaceChildren(...boxes.map(drawBox));
    if (focused) focusOn(focused);
  }

  function drawBox(/** @type {string[]} */ names, /** @type {number} */ box) {
    const last = box === boxes.length - 1;
    const size = last ? "" : ` · ${shown.shape[box] ?? "—"}`;
    const label = html("span", { class: "explorer-box-name" }, place(box) + size);
    const element = html("div", { class: "explorer-box", role: "group", "aria-label": place(box) + size }, label);
    element.dataset.target = `${box}`;
    element.classList.toggle("extra", !last && box >= shown.shape.length);
    element.append(...names.map((name, at) => drawChip(name, box, at)));
    if (picked) {
      const here = format(words.put_here, { axis: picked.name, place: place(box) });
      element.append(html("button", { type: "button", class: "explorer-here", "aria-label": here }, "+"));
    }
    return element;
  }

  function drawChip(/** @type {string} */ name, /** @type {number} */ box, /** @type {number} */ at) {
    const size = shown.mesh.sizes[shown.mesh.names.indexOf(name)];
    const label = format(words.chip, { axis: name, size: size ?? "?", place: place(box) });
    const pressed = picked?.name === name && picked.box === box && picked.at === at;
    const attributes = { type: "button", class: "explorer-chip", "aria-label": label, "aria-pressed": `${pressed}` };
    const where = { "data-box": box, "data-at": at, "aria-describedby": root.dataset.help };
    return html("button", { ...attributes, ...where }, name, html("small", {}, ` ${size ?? "?"}`));
  }

  /**
   * Take a chip to a box, to its end or before the chip at a place; chips of one name in the unused box are one.
   * @param {{ box: number, at: number }} from
   * @param {number} target
   * @returns {At} where it is then
   */
  function move(from, target, before = Infinity) {
    const name = boxes[from.box][from.at];
    const next = boxes.map((names) => [...names]);
    next[from.box].splice(from.at, 1);
    const at = Math.min(before - (from.box === target && from.at < before ? 1 : 0), next[target].length);
    next[target].splice(at, 0, name);
    focus = [target, at];
    if (picked) Object.assign(picked, { box: target, at });
    const spec = next.slice(0, -1);
    while (spec.at(-1)?.length === 0) spec.pop();
    if (target === boxes.length - 1) focus = [target, Math.max(0, shown.mesh.names.filter((each) => !spec.flat().includes(each)).indexOf(name))];
    const there = focus;
    change(spec);
    say(format(words.moved, { axis: name, place: place(target), spec: printSpec(spec) }));
    return there;
  }

  function pick(/** @type {number} */ box, /** @type {number} */ at) {
    const name = boxes[box][at];
    const again = picked?.box === box && picked.at === at;
    picked = again ? null : { name, box, at, spec: shown.spec };
    say(format(again ? words.put_down : words.picked_up, { axis: name, place: place(box) }));
    redraw([box, at]);
  }

  function redraw(/** @type {At} */ chip) {
    focus = chip;
    show(shown.spec, shown.shape, shown.mesh);
    focusOn(chip);
  }

  function putBack(/** @type {Picked} */ { name, spec }) {
    picked = null;
    change(spec);
    const box = Math.max(boxes.findIndex((names) => names.includes(name)), 0);
    redraw([box, Math.max(boxes[box].indexOf(name), 0)]);
    say(format(words.put_back, { axis: name, place: place(box) }));
  }

  /** What of a kind an event is on. */
  const closest = (/** @type {Event} */ { target }, /** @type {string} */ selector) =>
    /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(selector));
  const chipOf = (/** @type {Event} */ event) => {
    const chip = closest(event, ".explorer-chip");
    return chip && { chip, box: Number(chip.dataset.box), at: Number(chip.dataset.at) };
  };

  root.addEventListener("focusin", (event) => {
    const found = chipOf(event);
    focus = found && [found.box, found.at];
  });

  root.addEventListener("keydown", (event) => {
    const found = chipOf(event);
    const step = STEPS.get(event.key);
    if (event.key === "Escape" && picked) {
      event.preventDefault();
      putBack(picked);
    } else if (found && step && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const target = found.box + step;
      if (boxes[target]) move(found, target);
    }
  });

  root.addEventListener("click", (event) => {
    if (drag?.moved) return;
    const found = chipOf(event);
    const box = closest(event, ".explorer-box");
    if (found) pick(found.box, found.at);
    else if (box && picked) {
      const from = picked;
      picked = null;
      redraw(move(from, Number(box.dataset.target)));
    }
  });

  root.addEventListener("pointerdown", (event) => {
    const found = chipOf(event);
    drag = found && event.button === 0 ? { ...found, x: event.clientX, y: event.clientY, moved: false } : null;
  });

  root.addEventListener("pointermove", (event) => {
    if (!drag || !event.buttons) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(x, y) < DRAGGED) return;
    if (!drag.moved) {
      drag.moved = true;
      drag.chip.setPointerCapture(event.pointerId);
      drag.chip.classList.add("dragged");
    }
    drag.chip.style.translate = `${x}px ${y}px`;
    const target = boxUnder(event);
    for (const box of root.children) box.classList.toggle("target", box === target);
  });

  root.addEventListener("pointerup", (event) => {
    if (!drag?.moved) return;
    const dragged = drag;
    const target = boxUnder(event);
    const inTarget = /** @type {NodeListOf<HTMLElement> | undefined} */ (target?.querySelectorAll(".explorer-chip"));
    const others = [...(inTarget ?? [])].filter((chip) => chip !== dragged.chip);
    const next = others.find((chip) => {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      return event.clientY < top || (event.clientY < bottom && event.clientX < (left + right) / 2);
    });
    rest(dragged);
    picked = null;
    // Afterwards: the click that a drag ends with is none, and a touch ends on the element that it began on.
    setTimeout(() => {
      if (target) move(dragged, Number(target.dataset.target), next ? Number(next.dataset.at) : Infinity);
      drag = null;
    });
  });

  root.addEventListener("pointercancel", () => {
    if (drag?.moved) rest(drag);
    drag = null;
  });

  function rest(/** @type {Drag} */ { chip }) {
    chip.style.translate = "";
    chip.classList.remove("dragged");
    for (const box of root.children) box.classList.remove("target");
  }

  function boxUnder(/** @type {PointerEvent} */ { clientX, clientY }) {
    const under = document.elementsFromPoint(clientX, clientY).map((element) => element.closest(".explorer-box"));
    return /** @type {HTMLElement | undefined} */ (under.find((box) => box && root.contains(box)));
  }

  return show;
}
