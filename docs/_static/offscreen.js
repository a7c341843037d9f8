// To switch the theme, or to scroll, a browser goes through all that a page holds. Sections that are off the screen can be
// left out of that, see shardbook.css, but only once they have been laid out at this width: a link into the page must
// lead to its place, and nothing may jump.
const QUIET = 300;
let due = 0;

const measure = () => {
  clearTimeout(due);
  document.documentElement.classList.remove("measured");
  due = setTimeout(() => document.documentElement.classList.add("measured"), QUIET);
};

let width = innerWidth;
addEventListener("load", measure);
addEventListener("resize", () => {
  // On a phone the height changes with each turn of the direction in which one scrolls.
  if (innerWidth !== width) measure();
  width = innerWidth;
});
