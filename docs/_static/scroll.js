// What scrolls sideways can be scrolled with the keyboard and shows where there is more of it: it gets the focus, and a
// class for either side, and loses them again where it fits. What can always be focused stays so.
const show = (/** @type {HTMLElement} */ element) => {
  const { scrollLeft, scrollWidth, clientWidth } = element;
  const rest = scrollWidth - clientWidth;
  if (!always.has(element)) {
    if (rest > 0) element.setAttribute("tabindex", "0");
    else element.removeAttribute("tabindex");
  }
  // Half a pixel is no more.
  element.classList.toggle("more-before", scrollLeft > 1);
  element.classList.toggle("more-after", rest - scrollLeft > 1);
};

const watch = new ResizeObserver((changes) => changes.forEach(({ target }) => show(/** @type {HTMLElement} */ (target))));

/** @type {NodeListOf<HTMLElement>} */
const wide = document.querySelectorAll("pre, .table-wrapper, .sb-table, .sb-panels");
const always = new Set([...wide].filter((element) => element.hasAttribute("tabindex")));
for (const element of wide) {
  watch.observe(element);
  element.addEventListener("scroll", () => show(element), { passive: true });
}
