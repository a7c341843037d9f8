// What looks alike on a page in every theme and width, so that axe need look at one of many. Two elements are alike if
// in each state that was noted they have the same tag, classes and look, and the same behind them.
globalThis.alike = (() => {
  const TEXT = ["color", "fontSize", "fontWeight", "textShadow", "textDecorationLine", "borderBottomStyle", "visibility"];
  // What is behind a text: these, of itself and all around it, wherever they are not as in most elements.
  const BEHIND = {
    backgroundColor: "rgba(0, 0, 0, 0)", backgroundImage: "none", opacity: "1", filter: "none", mixBlendMode: "normal",
    position: "static",
  };
  const CONTROLS = "a[href], button, input, select, textarea";
  let kinds = new Map();
  let chosen = [];
  const hiding = new CSSStyleSheet();
  const shown = {};

  /** Tell apart what differs in the present state, and note what is shown in it. */
  function note(state) {
    const numbers = new Map();
    const number = (text) => numbers.get(text) ?? (numbers.set(text, numbers.size), numbers.size - 1);
    const behind = new Map();
    const found = new Map();
    shown[state] = new Set();
    // Parents come before what they hold.
    for (const element of document.querySelectorAll("*")) {
      const style = getComputedStyle(element);
      const own = Object.keys(BEHIND).filter((name) => style[name] !== BEHIND[name]).map((name) => style[name]);
      const before = behind.get(element.parentElement);
      behind.set(element, own.length ? number([before, ...own].join("|")) : before);
      const look = [element.tagName, element.getAttribute("class"), behind.get(element), ...TEXT.map((name) => style[name])];
      found.set(element, number([kinds.get(element), ...look].join("|")));
      if (element.checkVisibility({ visibilityProperty: true })) shown[state].add(element);
    }
    kinds = found;
  }

  /** Of the spans that colour code leave one of each kind, and of the others the text: half of all elements are such. */
  function merge() {
    const kept = new Set();
    // What a span holds comes before it.
    for (const span of [...document.querySelectorAll("pre span")].reverse()) {
      const kind = kinds.get(span);
      const plain = !span.firstElementChild && [...span.attributes].every(({ name }) => name === "class");
      if (plain && kept.has(kind)) span.replaceWith(...span.childNodes);
      else kept.add(kind);
    }
    for (const block of document.querySelectorAll("pre")) block.normalize();
  }

  /** The block of text that a link stands in, if there is more in it: only then the link's look must tell it from that. */
  function textAround(link) {
    let block = link.parentElement;
    while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
    return block.textContent.trim().length > link.textContent.trim().length ? block : null;
  }

  /** Show again what was hidden. */
  function whole() {
    hiding.disabled = true;
  }

  /**
   * Hide all but the first and the last of each kind of what has text of its own or can be used. None is taken away:
   * what comes first or after another one stays so.
   */
  function sample() {
    const ever = new Set(Object.values(shown).flatMap((each) => [...each]));
    const found = new Map();
    for (const element of document.querySelectorAll("body *")) {
      const says = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      const control = element.matches(CONTROLS);
      if (!(says || control) || !ever.has(element)) continue;
      const around = control && element.matches("a") ? textAround(element) : null;
      const kind = [kinds.get(element), says, around && kinds.get(around)].join(" ");
      const one = { element, around: around ?? element };
      found.set(kind, [found.get(kind)?.[0] ?? one, one]);
    }
    const all = [...found.values()].flat();
    const kept = new Set();
    for (const { around } of all) {
      for (const each of around.querySelectorAll("*")) kept.add(each);
      for (let each = around; each; each = each.parentElement) kept.add(each);
    }
    for (const element of document.querySelectorAll("body *")) {
      if (!kept.has(element)) element.dataset.alike = "";
    }
    hiding.replaceSync("[data-alike] { display: none !important }");
    document.adoptedStyleSheets.push(hiding);
    chosen = [...new Set(all.map(({ element }) => element))];
  }

  /** What was not hidden. */
  function samples() {
    return chosen;
  }

  /** What is shown in a state and was not in another one. */
  function only(state, other) {
    return [...shown[state]].filter((element) => !shown[other].has(element));
  }

  return { note, only, sample, samples, whole, merge };
})();
