// The switch keeps the section one reads, and the choice is remembered for the site's front door.
for (const link of document.querySelectorAll(".languages a")) {
  link.addEventListener("click", () => {
    link.hash = window.location.hash;
    try {
      localStorage.setItem("language", link.lang);
    } catch {
      // Storage may be forbidden; then the front door asks the browser's languages again.
    }
  });
}
