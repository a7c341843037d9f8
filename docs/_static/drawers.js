// On a narrow page the theme's lists are drawers behind signs that only a pointer can reach. Here they become buttons.
for (const name of ["__navigation", "__toc"]) {
  const state = /** @type {HTMLInputElement | null} */ (document.getElementById(name));
  if (!state) continue;
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = document.querySelectorAll(`label[for="${name}"] > .icon`);
  const tell = () => buttons.forEach((button) => button.setAttribute("aria-expanded", `${state.checked}`));
  for (const button of buttons) {
    button.tabIndex = 0;
    button.setAttribute("role", "button");
    button.setAttribute("aria-label", state.getAttribute("aria-label") ?? "");
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      state.click();
    });
  }
  state.addEventListener("change", tell);
  tell();
}
