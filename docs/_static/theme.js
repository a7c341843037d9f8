// Before anything is painted: the theme that was chosen last. Furo has this line in each page; the policy forbids that.
let theme = "auto";
try {
  theme = localStorage.getItem("theme") || "auto";
} catch {
  // Storage may be forbidden.
}
document.body.dataset.theme = theme;
