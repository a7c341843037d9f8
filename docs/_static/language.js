// The switch keeps the section one reads, and the choice is remembered for the site's front door.
/** @type {NodeListOf<HTMLAnchorElement>} */
const links = document.querySelectorAll(".languages a");
for (const link of links) {
  link.addEventListener("click", () => {
    link.hash = window.location.hash;
    try {
      localStorage.setItem("language", link.lang);
    } catch {
      // Storage may be forbidden; then the front door asks the browser's languages again.
    }
  });
}
