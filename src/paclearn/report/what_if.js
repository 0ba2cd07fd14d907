// The fitted model, run in the page: score = intercept + what every effect adds in the cell of the row. Text from the
// table is only ever set as text.
(() => {
  "use strict";
  const root = document.getElementById("what-if");
  const model = JSON.parse(document.getElementById("what-if-model").textContent);
  const { columns, classes, effects, intercept, start, order } = model;
  const SHOWN_COLUMNS = 12, SHOWN_EFFECTS = 8, MOST_CHANGES = 3, MOST_LOG = 700, MOST_PAIRS = 30000;

  const readable = (value) => String(Number(value.toPrecision(5)));
  const percent = (value) => (100 * value).toFixed(1) + " %";
  const figures = (size) => Number(size.toPrecision(size < 100 ? 3 : 5)); // parts are read, the prediction is exact
  const signed = (value) => (value >= 0 ? "+" : "−") + readable(figures(Math.abs(value)));

  // ---- codes of columns ----

  const known = (column) =>
    column.kind === "levels" ? column.levels.length + (column.other ? 1 : 0) : column.thresholds.length + 1;
  const codeOfMissing = (column) => known(column); // where missing has no code, this is the code of the unseen
  const codeOfUnseen = (column) => known(column) + (column.missing ? 1 : 0);
  const codeOfOther = (column) => (column.other ? column.levels.length : codeOfUnseen(column));
  const codeOfNumber = (column, value) => column.thresholds.filter((t) => t < value).length;
  const codeOf = (control, column) => {
    if (column.kind === "levels") return Number(control.value);
    const number = numberOf(column, control.value);
    return Number.isNaN(number) ? codeOfMissing(column) : codeOfNumber(column, number);
  };
  const codeInWords = (column, code) => {
    if (code >= known(column)) return "missing";
    if (column.kind === "levels") return shorten(code < column.levels.length ? levelName(column, column.levels[code]) : "any other level", 40);
    const cut = (place) => isDate(column) ? dateOf(column, column.thresholds[place]).replace("T", " ") : readable(column.thresholds[place]);
    if (code === 0) return "up to " + cut(0);
    const low = "above " + cut(code - 1);
    return code < column.thresholds.length ? `${low} and up to ${cut(code)}` : low;
  };

  // ---- cells of effects ----

  const cellOf = (effect, codes) =>
    effect.columns.reduce((cell, column, axis) =>
      cell * effect.sizes[axis] + effect.places[axis][codes[column]], 0);
  effects.forEach((effect) => { effect.sizes = effect.places.map((place) => Math.max(...place) + 1); });
  const effectsOf = columns.map((_, column) => effects.filter((effect) => effect.columns.includes(column)));
  const namesOf = effects.map((effect) => effect.columns.map((c) => shorten(columns[c].name, 40)).join(" × "));
  const valuesInWords = (effect, codes) => effect.columns.map((c) => codeInWords(columns[c], codes[c])).join(", ");

  // ---- the controls ----

  const controlOf = (column, place) => {
    const id = "what-if-column-" + place;
    let control;
    if (column.kind === "levels") {
      control = element("select", { id });
      column.levels.forEach((level, code) => control.append(element("option", { value: code, textContent: shorten(levelName(column, level), 80) })));
      control.append(element("option", { value: codeOfOther(column), textContent: "(any other)" }));
      control.append(element("option", { value: codeOfMissing(column), textContent: "(missing)" }));
    } else {
      control = numberControl(column, id);
    }
    control.dataset.position = column.position;
    const label = element("label", { htmlFor: id, textContent: shorten(column.name, 80) });
    return { control, box: element("div", { className: "field" }, label, control) };
  };
  const controls = columns.map(controlOf);
  const reset = () => {
    controls.forEach(({ control }, i) => {
      if (columns[i].kind === "levels") control.value = String(start[i]);
      else control.value = start[i] === null ? "" : isDate(columns[i]) ? dateOf(columns[i], start[i]) : String(start[i]);
    });
    update();
  };

  // ---- the prediction ----

  const scoresOf = (cells) =>
    intercept.map((value, output) => effects.reduce((total, effect, i) => total + effect.values[cells[i]][output], value));
  const inPercent = model.link === "log"; // scores are logarithms of what is predicted
  const rungs = (scores) => // of ordered classes, a score each from the one of the row
    model.ladder ? model.ladder.starts.map((value, i) => value + model.ladder.ranks[i] * scores[0]) : scores;
  const linked = (sums) => {
    const scores = rungs(sums);
    if (classes === null) {
      const mean = inPercent ? Math.exp(scores[0]) : scores[0];
      const [low, high] = model.limits || [-Infinity, Infinity];
      return [Math.min(Math.max(mean, low), high)];
    }
    if (model.link === "log") {
      const [low, high] = model.limits || [-Infinity, Infinity];
      return [Math.min(Math.max(Math.exp(Math.min(Math.max(scores[0], -MOST_LOG), MOST_LOG)), low), high)];
    }
    if (model.link === "logit") {
      const up = 1 / (1 + Math.exp(-scores[0]));
      return [1 - up, up];
    }
    const largest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - largest));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((power) => power / total);
  };
  const chosen = (sums) => { // as the model does: probabilities may be equal where scores are not
    const scores = rungs(sums);
    return scores.length === 1 ? Number(scores[0] > 0) : scores.indexOf(Math.max(...scores));
  };

  // ---- what holds in 90 of 100 rows ----

  const sureOf = (prediction) => {
    if (model.margin === null) return "";
    if (classes === null) {
      const half = model.margin * (model.link === "log" ? prediction[0] : 1);
      return `In 90 of 100 such rows it is between ${readable(prediction[0] - half)} and ${readable(prediction[0] + half)}.`;
    }
    const most = Math.max(...prediction);
    const named = classes.filter((_, i) => 1 - prediction[i] <= model.margin || prediction[i] >= most);
    const words = named.map((label) => `“${shorten(label, 60)}”`);
    const which = words.length === 1 ? words[0] : `one of: ${words.join(", ")}`;
    return `An answer like this holds in 90 of 100 new rows: it is ${which}.`; // of all rows, not of those like this one
  };

  // ---- the smallest change that turns the decision ----

  const moved = (codes, scores, column, code) => { // scores after one value has changed
    const other = codes.slice();
    other[column] = code;
    return scores.map((score, output) => effectsOf[column].reduce((total, effect) =>
      total + effect.values[cellOf(effect, other)][output] - effect.values[cellOf(effect, codes)][output], score));
  };
  const margin = (sums, best) => { // how far the decision is from turning; below nought it has turned
    const scores = rungs(sums);
    return scores.length === 1 ? (best === 1 ? scores[0] : -scores[0])
      : scores[best] - Math.max(...scores.filter((_, i) => i !== best));
  };
  const distance = (column, from, to) => // how much of a change it is: a level is a level, a number goes step by step
    columns[column].kind === "levels" || from >= known(columns[column]) ? 0.5 : Math.abs(to - from) / known(columns[column]);
  const changesOf = (codes, scores, best, first = 0) => // of one value, in columns from the first on
    columns.flatMap((column, i) => i < first ? [] : Array.from({ length: known(column) }, (_, code) => code)
      .filter((code) => code !== codes[i])
      .map((code) => {
        const after = moved(codes, scores, i, code);
        return { column: i, code, after, left: margin(after, best), size: distance(i, codes[i], code) };
      }));
  const changed = (codes, { column, code }) => codes.map((old, i) => (i === column ? code : old));
  const least = (steps, by) => steps.reduce((a, b) => (a && a[by] <= b[by] ? a : b), null);
  const turned = (changes) => ({ changes, says: chosen(changes[changes.length - 1].after) });
  const turnByTwo = (codes, singles, best) => { // what two values do only together no single one shows
    let found = null;
    for (const one of singles) {
      const now = changed(codes, one);
      for (const other of changesOf(now, one.after, best, one.column + 1)) {
        const size = one.size + other.size;
        if (chosen(other.after) !== best && (!found || size < found.size)) found = { size, changes: [one, other] };
      }
    }
    return found;
  };
  const turnByMany = (codes, scores, best) => { // the most telling values, one after the other
    const changes = [];
    let now = codes, sums = scores;
    while (changes.length < MOST_CHANGES) {
      const open = changesOf(now, sums, best).filter((step) => changes.every(({ column }) => column !== step.column));
      const last = least(open.filter((step) => chosen(step.after) !== best), "size");
      const step = last || least(open, "left");
      if (!step || (!last && step.left >= margin(sums, best))) return null;
      changes.push(step);
      if (last) return turned(changes);
      now = changed(now, step);
      sums = step.after;
    }
    return null;
  };
  const turn = (codes, scores, best) => {
    const singles = changesOf(codes, scores, best);
    const one = least(singles.filter((step) => chosen(step.after) !== best), "size");
    if (one) return turned([one]);
    const two = singles.length ** 2 / 2 <= MOST_PAIRS ? turnByTwo(codes, singles, best) : null;
    return two ? turned(two.changes) : turnByMany(codes, scores, best);
  };
  const turnInWords = (codes, scores, best) => {
    const found = turn(codes, scores, best);
    if (!found) return "No change of one value was found that turns the decision, nor of two or three.";
    const parts = found.changes.map(({ column, code }) =>
      `“${shorten(columns[column].name, 40)}” were ${codeInWords(columns[column], code)} instead of ${codeInWords(columns[column], codes[column])}`);
    return `The smallest change that turns the decision: if ${parts.join(" and ")}, it would be “${shorten(classes[found.says], 60)}”.`;
  };

  // ---- showing it ----

  const answer = element("output", { className: "answer" });
  answer.setAttribute("aria-live", "polite");
  controls.forEach(({ control }) => answer.htmlFor.add(control.id));
  const classRows = (classes || []).map((label) => {
    const fill = element("span"), number = element("td", { className: "num" });
    const row = element("tr", {}, element("th", { scope: "row", textContent: shorten(label, 60) }), number,
      element("td", {}, element("div", { className: "live-bar" }, fill)));
    return { row, fill, number };
  });
  const partBody = element("tbody"), partHead = element("caption"), turning = element("p", { className: "turning" });
  const sure = element("p", { className: "sure" });

  const showClasses = (shares, best) => {
    answer.textContent = shorten(classes[best], 60) + ", " + percent(shares[best]);
    shares.forEach((share, i) => {
      classRows[i].number.textContent = percent(share);
      classRows[i].fill.style.width = 100 * share + "%";
    });
  };
  const added = (part) => (inPercent ? percentMore(part) : signed(part));
  const percentMore = (part) => (part >= Math.log(3) ? "×" + readable(Number(Math.exp(part).toPrecision(2)))
    : (part >= 0 ? "+" : "−") + (100 * Math.abs(Math.expm1(part))).toFixed(1) + " %");
  const partRow = (name, here, part, largest) => {
    const fill = element("span", { className: part > 0 ? "more" : "less" });
    fill.style.width = (largest ? (50 * Math.abs(part)) / largest : 0) + "%";
    return element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { textContent: here }),
      element("td", { className: "num", textContent: added(part) }),
      element("td", {}, element("div", { className: "live-bar middle" }, fill)));
  };
  const startRow = (value, largest) => (inPercent // not a share of anything
    ? element("tr", {}, element("th", { scope: "row", textContent: "(start)" }), element("td"),
      element("td", { className: "num", textContent: readable(Math.exp(value)) }), element("td"))
    : partRow("(start)", "", value, largest));
  const showParts = (codes, cells, output) => {
    const parts = effects.map((effect, i) => effect.values[cells[i]][output]);
    const ranked = parts.map((_, i) => i).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
    const rest = ranked.slice(SHOWN_EFFECTS).reduce((total, i) => total + parts[i], 0);
    const largest = Math.max(...parts.map(Math.abs), Math.abs(rest), inPercent ? 0 : Math.abs(intercept[output]), 1e-12);
    const rows = ranked.slice(0, SHOWN_EFFECTS).map((i) =>
      partRow(namesOf[i], valuesInWords(effects[i], codes), parts[i], largest));
    if (ranked.length > SHOWN_EFFECTS) rows.push(partRow(`(${ranked.length - SHOWN_EFFECTS} other effects)`, "", rest, largest));
    partBody.replaceChildren(...rows, startRow(intercept[output], largest));
  };
  const spots = [...document.querySelectorAll("[data-effect]")].map((figure) => ({
    effect: Number(figure.dataset.effect),
    marks: [...figure.querySelectorAll("[data-cells]")].map((mark) => ({ mark, cells: new Set(mark.dataset.cells.split(" ")) })),
  }));
  const showSpots = (cells) => spots.forEach(({ effect, marks }) =>
    marks.forEach(({ mark, cells: own }) => mark.classList.toggle("here", own.has(String(cells[effect])))));
  function update() {
    const codes = controls.map(({ control }, i) => codeOf(control, columns[i]));
    const cells = effects.map((effect) => cellOf(effect, codes));
    const scores = scoresOf(cells), prediction = linked(scores);
    let output = 0;
    if (classes === null) {
      answer.textContent = readable(prediction[0]);
      partHead.textContent = "What the number is made of";
    } else {
      const best = chosen(scores);
      showClasses(prediction, best);
      output = scores.length > 1 ? best : 0;
      const about = classes[scores.length > 1 ? best : 1];
      partHead.textContent = model.ladder ? "What speaks for a higher (+) and for a lower (−) class"
        : `What speaks for (+) and against (−) “${shorten(about, 60)}”`;
      turning.textContent = turnInWords(codes, scores, best);
    }
    sure.textContent = sureOf(prediction);
    showParts(codes, cells, output);
    showSpots(cells);
    root.dataset.prediction = JSON.stringify(prediction);
  }

  // ---- putting it together ----

  const fields = element("div", { className: "fields" }, ...order.slice(0, SHOWN_COLUMNS).map((i) => controls[i].box));
  const form = element("form", { className: "controls" },
    element("fieldset", {}, element("legend", { textContent: "A row like this" }), fields));
  if (order.length > SHOWN_COLUMNS) {
    const more = element("div", { className: "fields" }, ...order.slice(SHOWN_COLUMNS).map((i) => controls[i].box));
    form.firstChild.append(element("details", {},
      element("summary", { textContent: `${order.length - SHOWN_COLUMNS} more columns` }), more));
  }
  form.append(element("button", { type: "reset", textContent: "Back to a typical row" }));
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => { event.preventDefault(); reset(); });
  const result = element("div", { className: "result" }, element("p", {}, "Prediction: ", answer), sure, turning);
  if (classRows.length) {
    result.append(element("table", { className: "classes" }, element("caption", { textContent: "Probabilities" }),
      element("tbody", {}, ...classRows.map(({ row }) => row))));
  }
  result.append(element("div", { className: "scroll" }, element("table", { className: "parts" }, partHead,
    element("thead", {}, element("tr", {}, ...["effect", "here", "adds", ""].map((textContent) =>
      element(textContent ? "th" : "td", textContent ? { textContent, scope: "col" } : {})))), partBody)));
  root.replaceChildren(form, result);
  reset();
})();
