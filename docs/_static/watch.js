// The steps of a collective, which stand side by side, become pictures that a reader scrubs: by a slider or two buttons.
for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".watch"))) {
  const list = figure.querySelector(".watch-steps");
  if (!list) continue;
  const steps = [...list.children];
  const last = steps.length - 1;
  const slider = document.createElement("input");
  Object.assign(slider, { type: "range", min: "0", max: `${last}`, step: "1", value: "0" });
  slider.setAttribute("aria-label", figure.dataset.scrub ?? "");
  // What a step says is read aloud when the step changes; by the slider itself while that has the focus.
  const told = document.createElement("p");
  told.className = "watch-told";

  /** @param {number} step */
  const show = (step) => {
    const before = steps.findIndex((each) => each.classList.contains("now"));
    steps.forEach((each, place) => each.classList.toggle("now", place === step));
    // Only forward do pieces fly.
    figure.classList.toggle("forward", step > before && before >= 0);
    slider.value = `${step}`;
    const said = steps[step].querySelector(".watch-said");
    slider.setAttribute("aria-valuetext", said?.textContent ?? "");
    told.innerHTML = said?.innerHTML ?? "";
    previous.setAttribute("aria-disabled", `${step === 0}`);
    next.setAttribute("aria-disabled", `${step === last}`);
  };
  /** @param {string} sign @param {string} name @param {number} by */
  const button = (sign, name, by) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = sign;
    made.setAttribute("aria-label", name);
    made.addEventListener("click", () => {
      told.setAttribute("aria-live", "polite");
      const step = Number(slider.value) + by;
      if (step >= 0 && step <= last) show(step);
    });
    return made;
  };
  const previous = button("←", figure.dataset.previous ?? "", -1);
  const next = button("→", figure.dataset.next ?? "", 1);
  slider.addEventListener("input", () => {
    told.removeAttribute("aria-live");
    show(Number(slider.value));
  });
  const controls = document.createElement("div");
  controls.className = "watch-controls";
  controls.append(previous, slider, next);
  list.before(controls, told);
  figure.classList.add("scrubbed");
  show(0);
}
