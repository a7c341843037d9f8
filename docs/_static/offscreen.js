// To switch the theme, or to scroll, a browser goes through all that a page holds. Sections that are off the screen can be
// left out of that, see shardbook.css, but only once they have been laid out at this width: a link into the page must
// lead to its place, and nothing may jump. What is on the screen now stays drawn: left out, it would be gone for a frame.
const QUIET = 300;
/** @type {NodeListOf<HTMLElement>} */
const sections = document.querySelectorAll("article > section > section");
let due = 0;

const isFar = (/** @type {Element} */ section) => {
  const { top, bottom } = section.getBoundingClientRect();
  return bottom < -innerHeight || top > 2 * innerHeight;
};

const measure = () => {
  clearTimeout(due);
  for (const section of sections) section.classList.remove("measured");
  due = setTimeout(() => [...sections].filter(isFar).forEach((section) => section.classList.add("measured")), QUIET);
};

let width = innerWidth;
addEventListener("load", measure);
addEventListener("resize", () => {
  // On a phone the height changes with each turn of the direction in which one scrolls.
  if (innerWidth !== width) measure();
  width = innerWidth;
});
