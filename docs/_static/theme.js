// Before anything is painted: the theme that was chosen last. Furo has this line in each page; the policy forbids that.
let theme = "auto";
try {
  theme = localStorage.getItem("theme") || "auto";
} catch {
  // Storage may be forbidden.
}
document.body.dataset.theme = theme;
// The theme does this at the end of the page, and what it then shows would push the rest aside.
document.documentElement.classList.remove("no-js");
