// The fitted model, run in the page: score = intercept + what every effect adds in the cell of the row. Text from the
// table is only ever set as text.
(() => {
  "use strict";
  const root = document.getElementById("what-if");
  const model = JSON.parse(document.getElementById("what-if-model").textContent);
  const { columns, classes, effects, intercept, start, dates, order } = model;
  const SHOWN_COLUMNS = 12, SHOWN_EFFECTS = 8, MOST_CHANGES = 3, MOST_LOG = 700, MOST_PAIRS = 30000, MOST_DAYS = 3000;

  const readable = (value) => String(Number(value.toPrecision(5)));
  const percent = (value) => (100 * value).toFixed(1) + " %";
  const figures = (size) => Number(size.toPrecision(size < 100 ? 3 : 5)); // parts are read, the prediction is exact
  const signed = (value) => (value >= 0 ? "+" : "−") + readable(figures(Math.abs(value)));

  const codeInWords = (column, code) => {
    if (code >= known(column)) return "missing";
    const number = (value) => (isDate(column) ? dayInWords(column, value) : readable(value));
    if (column.kind === "levels") {
      const level = column.levels[code];
      return shorten(level === undefined ? "any other level" : isDate(column) ? dayInWords(column, level) : level, 40);
    }
    if (code === 0) return "up to " + number(column.thresholds[0]);
    const low = "above " + number(column.thresholds[code - 1]);
    return code < column.thresholds.length ? `${low} and up to ${number(column.thresholds[code])}` : low;
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

  const places = placesOf(columns); // what a person may change: a column, or a date that columns are made from
  const dateAt = new Map(dates.map((date) => [date.position, date]));
  const controls = places.map((place, i) =>
    controlOf(place, "what-if-column-" + i, Boolean(dateAt.get(place.position)?.clock)));
  const madeFrom = places.map(({ position }) => columns.flatMap((column, i) =>
    (column.source ? column.source.features.includes(position) : column.position === position) ? [i] : []));
  const valuesOf = () => new Map(places.map(({ position }, i) => [position, valueOfControl(controls[i].control)]));
  const codesOf = (values) => columns.map((column) => codeOf(column, valueOf(column, (position) => values.get(position))));
  const reset = () => {
    controls.forEach(({ control }, i) => {
      const date = dateAt.get(places[i].position), first = start[madeFrom[i][0]];
      if (date) control.value = textOf(momentOf(date.start), control.type !== "date");
      else if (control.tagName !== "SELECT") control.value = first === null ? "" : String(first);
      else control.value = first < known(columns[madeFrom[i][0]]) ? codeOrOther(columns[madeFrom[i][0]], first) : "missing";
    });
    update();
  };
  const codeOrOther = (column, code) => (code < column.levels.length ? String(code) : "other");

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

  const touched = madeFrom.map((made) => [...new Set(made.flatMap((column) => effectsOf[column]))]);
  const scoresAfter = (place, before, after, scores) => scores.map((score, output) => touched[place].reduce((total, effect) =>
    total + effect.values[cellOf(effect, after)][output] - effect.values[cellOf(effect, before)][output], score));
  const margin = (sums, best) => { // how far the decision is from turning; below nought it has turned
    const scores = rungs(sums);
    return scores.length === 1 ? (best === 1 ? scores[0] : -scores[0])
      : scores[best] - Math.max(...scores.filter((_, i) => i !== best));
  };
  const otherCodes = ({ codes, values }, place) => { // of a column of its own: every other code, and how far that is
    const [i] = madeFrom[place], column = columns[i], from = codes[i], all = known(column);
    return Array.from({ length: all }, (_, code) => code).filter((code) => code !== from).map((code) => ({
      codes: codes.map((old, j) => (j === i ? code : old)), values, words: [codeInWords(column, code), codeInWords(column, from)],
      size: column.kind === "levels" || from >= all ? 0.5 : Math.abs(code - from) / all, // a number goes step by step
    }));
  };
  const daysKnown = new Map(); // codes of the columns that a date makes, day by day: they are asked for many times
  const daysOf = (values, place) => {
    const { position } = places[place], { first, last } = dateAt.get(position);
    const others = madeFrom[place].flatMap((i) => columns[i].source.features).map((p) => (p === position ? "" : values.get(p)));
    const key = [place, ...others].join();
    if (!daysKnown.has(key)) {
      const low = momentOf(first), step = DAY * Math.max(1, Math.ceil((momentOf(last) - low) / DAY / MOST_DAYS));
      daysKnown.set(key, Array.from({ length: Math.floor((momentOf(last) - low) / step) + 1 }, (_, i) => low + i * step)
        .map((moment) => ({ moment, made: madeFrom[place].map((i) =>
          codeOf(columns[i], valueOf(columns[i], (p) => (p === position ? moment : values.get(p))))) })));
    }
    return daysKnown.get(key);
  };
  const otherDays = ({ codes, values }, place) => { // for everything that a date may say, the nearest day that says it
    const { position } = places[place], now = values.get(position), { first, last } = dateAt.get(position);
    const said = (moment) => textOf(moment, controls[place].control.type !== "date").replace("T", " ");
    const distance = (moment) => (now === null ? 0.5 : Math.abs(moment - now) / (momentOf(last) - momentOf(first) || DAY));
    const nearest = new Map();
    daysOf(values, place).forEach((day) => day.made.forEach((code, k) => {
      const key = k + ":" + code;
      if (code !== codes[madeFrom[place][k]] && (!nearest.has(key) || distance(day.moment) < distance(nearest.get(key).moment))) {
        nearest.set(key, day);
      }
    }));
    return [...new Set(nearest.values())].map(({ moment, made }) => ({
      codes: codes.map((old, i) => (madeFrom[place].includes(i) ? made[madeFrom[place].indexOf(i)] : old)),
      values: new Map(values).set(position, moment),
      words: [said(moment), now === null ? "missing" : said(now)], size: distance(moment),
    }));
  };
  const changesOf = (row, scores, best, first = 0) => // of one value, in places from the first on
    places.flatMap((_, place) => place < first ? []
      : (columns[madeFrom[place][0]].source ? otherDays : otherCodes)(row, place).map((step) => {
        const after = scoresAfter(place, row.codes, step.codes, scores);
        return { ...step, place, after, left: margin(after, best) };
      }));
  const least = (steps, by) => steps.reduce((a, b) => (a && a[by] <= b[by] ? a : b), null);
  const turned = (changes) => ({ changes, says: chosen(changes[changes.length - 1].after) });
  const turnByTwo = (singles, best) => { // what two values do only together no single one shows
    let found = null;
    for (const one of singles) {
      for (const other of changesOf(one, one.after, best, one.place + 1)) {
        const size = one.size + other.size;
        if (chosen(other.after) !== best && (!found || size < found.size)) found = { size, changes: [one, other] };
      }
    }
    return found;
  };
  const turnByMany = (row, scores, best) => { // the most telling values, one after the other
    const changes = [];
    let now = row, sums = scores;
    while (changes.length < MOST_CHANGES) {
      const open = changesOf(now, sums, best).filter((step) => changes.every(({ place }) => place !== step.place));
      const last = least(open.filter((step) => chosen(step.after) !== best), "size");
      const step = last || least(open, "left");
      if (!step || (!last && step.left >= margin(sums, best))) return null;
      changes.push(step);
      if (last) return turned(changes);
      now = step;
      sums = step.after;
    }
    return null;
  };
  const turn = (row, scores, best) => {
    const singles = changesOf(row, scores, best);
    const one = least(singles.filter((step) => chosen(step.after) !== best), "size");
    if (one) return turned([one]);
    const two = singles.length ** 2 / 2 <= MOST_PAIRS ? turnByTwo(singles, best) : null;
    return two ? turned(two.changes) : turnByMany(row, scores, best);
  };
  const turnInWords = (row, scores, best) => {
    const found = turn(row, scores, best);
    if (!found) return "No change of one value was found that turns the decision, nor of two or three.";
    const parts = found.changes.map(({ place, words }) =>
      `“${shorten(places[place].name, 40)}” were ${words[0]} instead of ${words[1]}`);
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
    const values = valuesOf(), codes = codesOf(values);
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
      turning.textContent = turnInWords({ codes, values }, scores, best);
    }
    sure.textContent = sureOf(prediction);
    showParts(codes, cells, output);
    showSpots(cells);
    root.dataset.prediction = JSON.stringify(prediction);
  }

  // ---- putting it together ----

  const ranked = [...new Set(order.flatMap((i) => madeFrom.flatMap((made, place) => (made.includes(i) ? [place] : []))))];
  const boxes = ranked.map((place) => controls[place].box);
  const fields = element("div", { className: "fields" }, ...boxes.slice(0, SHOWN_COLUMNS));
  const form = element("form", { className: "controls" },
    element("fieldset", {}, element("legend", { textContent: "A row like this" }), fields));
  if (boxes.length > SHOWN_COLUMNS) {
    const more = element("div", { className: "fields" }, ...boxes.slice(SHOWN_COLUMNS));
    form.firstChild.append(element("details", {},
      element("summary", { textContent: `${boxes.length - SHOWN_COLUMNS} more columns` }), more));
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
