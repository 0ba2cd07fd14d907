// Which rules apply to the row of the panel. It reads the controls that are there, and adds those that only rules need.
(() => {
  "use strict";
  const root = document.getElementById("what-if");
  const { columns, classes, model } = JSON.parse(document.getElementById("rule-model").textContent);
  const form = root.querySelector("form");

  // ---- the controls ----

  const there = (position) => root.querySelector(`[data-position="${position}"]`);
  const added = placesOf(columns).filter(({ position }) => !there(position))
    .map((place, i) => controlOf(place, "rule-column-" + i, clockAt(place.position, columns)).box);
  if (added.length) {
    form.querySelector("fieldset").append(element("div", { className: "fields" }, ...added));
  }
  const valueAt = (position) => valueOfControl(there(position));

  // ---- which rules apply ----

  const names = model.rules.map((rule) => rule.map((place) => shorten(model.conditions[place].name, 80)).join(" and "));
  const cells = model.conditions.map((asked) => new Set(asked.cells.map((cell) => cell.join())));
  const said = element("output", { className: "answer" });
  said.setAttribute("aria-live", "polite");
  const list = element("ul", { className: "rules" });
  const box = element("div", { className: "rule-answer" }, element("p", {}, "By the rules: ", said), list);
  root.querySelector(".result").prepend(box);
  const update = () => {
    const codes = columns.map((column) => codeOf(column, valueOf(column, valueAt)));
    const holds = model.conditions.map((asked, i) => cells[i].has(asked.columns.map((column) => codes[column]).join()));
    const applies = model.rules.flatMap((rule, place) => (rule.every((asked) => holds[asked]) ? [place] : []));
    const shares = model.predictions[applies.length ? applies[0] : model.rules.length];
    said.textContent = shorten(classes[shares.indexOf(Math.max(...shares))], 60);
    list.replaceChildren(...(applies.length ? applies.map((place) => names[place]) : ["no rule applies"]).map((text) =>
      element("li", { textContent: text })));
    root.dataset.rules = JSON.stringify({ applies, shares });
  };
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("reset", () => setTimeout(update));
  update();
})();
