// The search fields: `/` leads to one, and using one loads the search, not before. A page opened from a file cannot
// load it, since browsers let no file read another: this script is no module, so that it can say so there.
{
  const forms = [.../** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.search"))];
  const onPage = forms.find((form) => form.dataset.list);
  const fieldOf = (/** @type {HTMLFormElement} */ form) => /** @type {HTMLInputElement} */ (form.elements.namedItem("q"));
  const begun = new Set();

  const begin = async (/** @type {HTMLFormElement} */ form) => {
    if (begun.has(form)) return;
    begun.add(form);
    if (location.protocol === "file:") {
      say(form, form.dataset.served);
      return;
    }
    try {
      (await import("./search.js")).begin(form);
    } catch (error) {
      say(form, form.dataset.failed);
      throw error;
    }
  };

  // What stands between backquotes is code.
  const say = (/** @type {HTMLFormElement} */ form, text = "") => {
    const parts = text.split("`").map((part, place) => {
      const element = document.createElement(place % 2 ? "code" : "span");
      element.textContent = part;
      return element;
    });
    form.classList.add("open");
    form.querySelector(".search-status")?.replaceChildren(...parts);
  };

  // A field has one line: without a space the last word of a line would grow together with the next one's first.
  const paste = (/** @type {ClipboardEvent} */ event, /** @type {HTMLInputElement} */ field) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    field.setRangeText(text.replace(/\s+/g, " "), field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    field.dispatchEvent(new Event("input"));
  };

  for (const form of forms) {
    const field = fieldOf(form);
    field.addEventListener("focus", () => begin(form));
    field.addEventListener("paste", (event) => paste(event, field));
  }

  // The search page begins with the query in its address.
  if (onPage) {
    const field = fieldOf(onPage);
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    if (field.value || location.protocol === "file:") begin(onPage);
    else field.focus();
  }

  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const typing = target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    event.preventDefault();
    const field = fieldOf(onPage ?? forms[0]);
    field.focus();
    field.select();
  });
}
