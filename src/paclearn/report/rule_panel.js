// Which rules apply to the row of the panel. It reads the controls that are there, and adds those that only rules need.
(() => {
  "use strict";
  const root = document.getElementById("what-if");
  const linear = JSON.parse(document.getElementById("what-if-model").textContent);
  const { columns, classes, model } = JSON.parse(document.getElementById("rule-model").textContent);
  const form = root.querySelector("form");
  const size = (column) =>
    (column.kind === "levels" ? column.levels.length + (column.other ? 1 : 0) : column.thresholds.length + 1) +
    (column.missing ? 1 : 0);

  // ---- values of controls: a text, a number, null where missing, undefined where never seen ----

  const known = new Map(linear.columns.map((column) => [column.position, column]));
  const added = columns.filter((column) => !known.has(column.position)).map((column, place) => {
    const id = "rule-column-" + place;
    let control;
    if (column.kind === "levels") {
      control = element("select", { id });
      column.levels.forEach((level, code) => control.append(element("option", { value: code, textContent: shorten(levelName(column, level), 80) })));
      control.append(element("option", { value: -1, textContent: "(any other)" }));
      control.append(element("option", { value: -2, textContent: "(missing)" }));
    } else {
      control = numberControl(column, id);
    }
    control.dataset.position = column.position;
    return element("div", { className: "field" }, element("label", { htmlFor: id, textContent: shorten(column.name, 80) }), control);
  });
  if (added.length) {
    form.querySelector("fieldset").append(element("div", { className: "fields" }, ...added));
  }
  const valueOf = (position) => {
    const control = root.querySelector(`[data-position="${position}"]`);
    const column = known.get(position) || columns.find((other) => other.position === position);
    if (control.tagName === "INPUT") return control.value.trim() === "" ? null : numberOf(column, control.value);
    const text = control.selectedOptions[0].textContent;
    const code = Number(control.value);
    if (code >= 0 && code < column.levels.length) return column.levels[code];
    return text === "(missing)" ? null : undefined;
  };
  const codeOf = (column) => {
    const value = valueOf(column.position), unseen = size(column);
    if (value === null || Number.isNaN(value)) return column.missing ? unseen - 1 : unseen;
    if (column.kind !== "levels") {
      return value === undefined ? unseen : column.thresholds.filter((t) => t < Number(value)).length;
    }
    const place = column.levels.findIndex((level) => level === String(value) || (column.numeric && Number(level) === Number(value)));
    if (place >= 0) return place;
    return column.other ? column.levels.length : unseen;
  };

  // ---- which rules apply ----

  const names = model.rules.map((rule) => rule.map((place) => shorten(model.conditions[place].name, 80)).join(" and "));
  const cells = model.conditions.map((asked) => new Set(asked.cells.map((cell) => cell.join())));
  const said = element("output", { className: "answer" });
  said.setAttribute("aria-live", "polite");
  const list = element("ul", { className: "rules" });
  const box = element("div", { className: "rule-answer" }, element("p", {}, "By the rules: ", said), list);
  root.querySelector(".result").prepend(box);
  const update = () => {
    const codes = columns.map(codeOf);
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
