// What scrolls sideways can be scrolled with the keyboard: it gets the focus, and loses it again where it fits.
const scrolls = (/** @type {Element} */ element) => element.scrollWidth > element.clientWidth;

const watch = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (scrolls(target)) {
      target.setAttribute("tabindex", "0");
    } else {
      target.removeAttribute("tabindex");
    }
  }
});

// What can always be focused stays so.
for (const element of document.querySelectorAll("pre:not([tabindex]), .table-wrapper")) {
  watch.observe(element);
}
