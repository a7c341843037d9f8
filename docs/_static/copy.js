// A copy button takes along the statements from above that its block needs: the build has found them.
const blocks = [...document.querySelectorAll("div.highlight pre:not(.cell_output pre)")];
/** @type {[statements: string[], places: number[][]]} */
const [statements, places] = JSON.parse(document.querySelector(".copies")?.textContent ?? "[[], []]");

document.addEventListener(
  "click",
  ({ target }) => {
    const block = target instanceof Element && target.closest(".copybtn")?.previousElementSibling;
    const needed = block ? places[blocks.indexOf(block)] : undefined;
    if (!block || !needed?.length) return;
    const code = needed.map((place) => `${statements[place]}\n`).join("");
    // Where a block has prompts, only lines with a prompt are copied.
    const lines = block.textContent?.startsWith(">>> ") ? code.replace(/^/gm, ">>> ").slice(0, -4) : `${code}\n`;
    // The button copies all that is in its block, seen or not, before this click has ended.
    const above = document.createElement("span");
    above.hidden = true;
    above.textContent = lines;
    block.prepend(above);
    setTimeout(() => above.remove());
  },
  { capture: true },
);
