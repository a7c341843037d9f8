// The search fields: `/` leads to one, and using one loads the search, not before. A page opened from a file cannot
// load it, since browsers let no file read another: this script is no module, so that it can say so there.
{
  const forms = [...document.querySelectorAll("form.search")];
  const onPage = forms.find((form) => form.dataset.list);
  const begun = new Set();

  const begin = async (form) => {
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
  const say = (form, text) => {
    const parts = text.split("`").map((part, place) => {
      const element = document.createElement(place % 2 ? "code" : "span");
      element.textContent = part;
      return element;
    });
    form.classList.add("open");
    form.querySelector(".search-status").replaceChildren(...parts);
  };

  // A field has one line: without a space the last word of a line would grow together with the next one's first.
  const paste = (event) => {
    const field = event.target;
    const text = event.clipboardData.getData("text");
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    field.setRangeText(text.replace(/\s+/g, " "), field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input"));
  };

  for (const form of forms) {
    form.elements.q.addEventListener("focus", () => begin(form));
    form.elements.q.addEventListener("paste", paste);
  }

  // The search page begins with the query in its address.
  if (onPage) {
    onPage.elements.q.value = new URLSearchParams(location.search).get("q") ?? "";
    if (onPage.elements.q.value || location.protocol === "file:") begin(onPage);
    else onPage.elements.q.focus();
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    event.preventDefault();
    const field = (onPage ?? forms[0]).elements.q;
    // On a phone the field is in the drawer at the side.
    if (field.getBoundingClientRect().right <= 0) document.getElementById("__navigation").checked = true;
    field.focus();
    field.select();
  });
}
