// A spec as chips: one for each mesh axis, in a box for each dimension or in that of the axes not used. A chip is dragged;
// or picked up with a click, Enter or Space and put into a box with a click; or moved with the arrow keys.

import { format } from "./notation.js";
import { html } from "./dom.js";
import { printSpec } from "./spec.js";

const DRAGGED = 4; // pixels from which on a pressed pointer drags

/**
 * Fill `root` with chips from now on.
 * @param {{ words: Record<string, string>, change: (spec: string[][]) => void, say: (text: string) => void }} page
 * @returns {(spec: string[][], shape: number[], mesh: object) => void} what shows a spec
 */
export function chips(root, { words, change, say }) {
  let shown = { spec: [], shape: [], mesh: { names: [], sizes: [] } };
  let boxes = []; // axis names in each box, that of the unused ones last
  let picked = null; // { name, spec: as it was }
  let focus = null; // the chip that has the focus: [box, place]
  let drag = null;

  const place = (box) => (box === boxes.length - 1 ? words.unused : format(words.dimension, { at: box }));
  const chipAt = (box, at) => root.querySelector(`[data-box="${box}"][data-at="${at}"]`);

  function show(spec, shape, mesh) {
    shown = { spec, shape, mesh };
    const used = spec.flat();
    const dimensions = Math.max(shape.length, spec.length);
    boxes = Array.from({ length: dimensions }, (_, at) => spec[at] ?? []);
    boxes.push(mesh.names.filter((name) => !used.includes(name)));
    const focused = root.contains(document.activeElement) && focus;
    root.replaceChildren(...boxes.map(drawBox));
    if (focused) chipAt(...focus)?.focus();
  }

  function drawBox(names, box) {
    const last = box === boxes.length - 1;
    const size = last ? "" : ` · ${shown.shape[box] ?? "—"}`;
    const label = html("span", { class: "explorer-box-name" }, place(box) + size);
    const element = html("div", { class: "explorer-box", role: "group", "aria-label": place(box) + size }, label);
    element.dataset.target = box;
    element.classList.toggle("extra", !last && box >= shown.shape.length);
    element.append(...names.map((name, at) => drawChip(name, box, at)));
    if (picked) {
      const here = format(words.put_here, { axis: picked.name, place: place(box) });
      element.append(html("button", { type: "button", class: "explorer-here", "aria-label": here }, "+"));
    }
    return element;
  }

  function drawChip(name, box, at) {
    const size = shown.mesh.sizes[shown.mesh.names.indexOf(name)];
    const label = format(words.chip, { axis: name, size: size ?? "?", place: place(box) });
    const pressed = picked?.name === name && picked.box === box && picked.at === at;
    const attributes = { type: "button", class: "explorer-chip", "aria-label": label, "aria-pressed": `${pressed}` };
    const chip = html("button", { ...attributes, "data-box": box, "data-at": at }, name, html("small", {}, ` ${size ?? "?"}`));
    chip.setAttribute("aria-describedby", root.dataset.help);
    return chip;
  }

  /** Take a chip to a box, to its end or before the chip at a place; chips of one name in the unused box are one. */
  function move(from, target, before = Infinity) {
    const name = boxes[from.box][from.at];
    const next = boxes.map((names) => [...names]);
    next[from.box].splice(from.at, 1);
    const at = Math.min(before - (from.box === target && from.at < before ? 1 : 0), next[target].length);
    next[target].splice(at, 0, name);
    focus = [target, at];
    if (picked) Object.assign(picked, { box: target, at });
    const spec = next.slice(0, -1);
    while (spec.length && !spec.at(-1).length) spec.pop();
    if (target === boxes.length - 1) focus = [target, Math.max(0, shown.mesh.names.filter((each) => !spec.flat().includes(each)).indexOf(name))];
    change(spec);
    say(format(words.moved, { axis: name, place: place(target), spec: printSpec(spec) }));
  }

  function pick(box, at) {
    const name = boxes[box][at];
    const again = picked?.box === box && picked.at === at;
    picked = again ? null : { name, box, at, spec: shown.spec };
    say(format(again ? words.put_down : words.picked_up, { axis: name, place: place(box) }));
    redraw([box, at]);
  }

  function redraw(chip) {
    focus = chip;
    show(shown.spec, shown.shape, shown.mesh);
    chipAt(...chip)?.focus();
  }

  function putBack() {
    const { name, spec } = picked;
    picked = null;
    change(spec);
    const box = Math.max(boxes.findIndex((names) => names.includes(name)), 0);
    redraw([box, Math.max(boxes[box].indexOf(name), 0)]);
    say(format(words.put_back, { axis: name, place: place(box) }));
  }

  const chipOf = (event) => {
    const chip = event.target.closest(".explorer-chip");
    return chip && { chip, box: Number(chip.dataset.box), at: Number(chip.dataset.at) };
  };

  root.addEventListener("focusin", (event) => {
    const found = chipOf(event);
    focus = found && [found.box, found.at];
  });

  root.addEventListener("keydown", (event) => {
    const found = chipOf(event);
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (event.key === "Escape" && picked) {
      event.preventDefault();
      putBack();
    } else if (found && step && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const target = found.box + step;
      if (boxes[target]) move(found, target);
    }
  });

  root.addEventListener("click", (event) => {
    if (drag?.moved) return;
    const found = chipOf(event);
    const box = event.target.closest(".explorer-box");
    if (found) pick(found.box, found.at);
    else if (box && picked) {
      const from = { box: picked.box, at: picked.at };
      picked = null;
      move(from, Number(box.dataset.target));
      redraw(focus);
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
    const target = boxUnder(event);
    const others = target ? [...target.querySelectorAll(".explorer-chip")].filter((chip) => chip !== drag.chip) : [];
    const next = others.find((chip) => {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      return event.clientY < top || (event.clientY < bottom && event.clientX < (left + right) / 2);
    });
    rest();
    picked = null;
    // Afterwards: the click that a drag ends with is none, and a touch ends on the element that it began on.
    setTimeout(() => {
      if (target) move(drag, Number(target.dataset.target), next ? Number(next.dataset.at) : Infinity);
      drag = null;
    });
  });

  root.addEventListener("pointercancel", () => {
    if (drag?.moved) rest();
    drag = null;
  });

  function rest() {
    drag.chip.style.translate = "";
    drag.chip.classList.remove("dragged");
    for (const box of root.children) box.classList.remove("target");
  }

  function boxUnder({ clientX, clientY }) {
    const under = document.elementsFromPoint(clientX, clientY).map((element) => element.closest(".explorer-box"));
    return under.find((box) => box && root.contains(box));
  }

  return show;
}
