// A copy button takes along what its code needs: blocks above it, by their places, and lines that stand nowhere.
const blocks = [...document.querySelectorAll("div.highlight pre:not(.cell_output pre)")];
const taken = JSON.parse(document.querySelector(".copies")?.textContent ?? "[]");
const texts = blocks.map((block) => block.textContent.trimEnd());

document.addEventListener(
  "click",
  ({ target }) => {
    const block = target.closest(".copybtn")?.previousElementSibling;
    const needed = taken[blocks.indexOf(block)] ?? [];
    if (!needed.length) return;
    // The button copies all that is in its block, seen or not; it does so before this click has ended.
    const above = document.createElement("span");
    above.hidden = true;
    above.textContent = needed.map((each) => (typeof each === "string" ? each : `${texts[each]}\n`)).join("\n") + "\n";
    block.prepend(above);
    setTimeout(() => above.remove());
  },
  { capture: true },
);
