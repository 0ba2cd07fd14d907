// The fitted model, run in the page: score = start + sum of weight x product of signs. Text from the table is only ever
// set as text.
(() => {
  "use strict";
  const root = document.getElementById("what-if");
  const { model: file, start, order } = JSON.parse(document.getElementById("what-if-model").textContent);
  const { columns, classes, model } = file;
  const SHOWN_COLUMNS = 12, SHOWN_TERMS = 8;

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const shorten = (text, most) => {
    const letters = Array.from(String(text));
    return letters.length <= most ? letters.join("") : letters.slice(0, most - 1).join("") + "…";
  };
  const readable = (value) => String(Number(value.toPrecision(5)));
  const percent = (value) => (100 * value).toFixed(1) + " %";

  // ---- codes of columns, signs of bits ----

  const known = (column) =>
    column.kind === "levels" ? column.levels.length + (column.other ? 1 : 0) : column.thresholds.length + 1;
  const codeOfMissing = (column) => known(column); // where missing has no code, this is the code of the unseen
  const codeOfUnseen = (column) => known(column) + (column.missing ? 1 : 0);
  const codeOfOther = (column) => (column.other ? column.levels.length : codeOfUnseen(column));
  const codeOfNumber = (column, value) => column.thresholds.filter((t) => t < value).length;
  const codeOf = (control, column) => {
    if (column.kind === "levels") return Number(control.value);
    return control.value.trim() === "" || Number.isNaN(Number(control.value))
      ? codeOfMissing(column)
      : codeOfNumber(column, Number(control.value));
  };
  const answers = model.bits.map((bit) => new Set(bit.codes));
  const inPoints = model.joins !== undefined; // terms are true or not; otherwise they are products of signs
  const joined = (names, join) => {
    if (join === "and" || names.length === 1) return names.join(" and ");
    return (names.length === 2 ? "exactly one of " : "an odd number of ") + names.join(", ");
  };
  const termNames = model.terms.map((term, i) => {
    const names = term.map((bit) => shorten(model.bits[bit].name, 60));
    return inPoints ? joined(names, model.joins[i]) : names.join(" XOR ");
  });

  // ---- the controls ----

  const controlOf = (column, place) => {
    const id = "what-if-column-" + place;
    let control;
    if (column.kind === "levels") {
      control = element("select", { id });
      column.levels.forEach((level, code) => control.append(element("option", { value: code, textContent: shorten(level, 80) })));
      control.append(element("option", { value: codeOfOther(column), textContent: "(any other)" }));
      control.append(element("option", { value: codeOfMissing(column), textContent: "(missing)" }));
    } else {
      control = element("input", { id, type: "number", step: "any", placeholder: "missing" });
    }
    control.dataset.position = column.position;
    const label = element("label", { htmlFor: id, textContent: shorten(column.name, 80) });
    return { control, box: element("div", { className: "field" }, label, control) };
  };
  const controls = columns.map(controlOf);
  const reset = () => {
    controls.forEach(({ control }, i) => {
      if (columns[i].kind === "levels") control.value = String(start[i]);
      else control.value = start[i] === null ? "" : String(start[i]);
    });
    update();
  };

  // ---- the prediction ----

  const predict = () => {
    const codes = controls.map(({ control }, i) => codeOf(control, columns[i]));
    const held = model.bits.map((bit, i) => answers[i].has(codes[bit.column]));
    const products = model.terms.map((term, i) => {
      const count = term.filter((bit) => held[bit]).length;
      if (!inPoints) return (term.length - count) % 2 ? -1 : 1;
      return Number(model.joins[i] === "and" ? count === term.length : count % 2);
    });
    const scores = model.intercept.map((value, output) =>
      model.weights.reduce((total, weights, term) => total + weights[output] * products[term], value));
    return { products, scores, prediction: linked(scores) };
  };
  const linked = (scores) => {
    if (model.link === "identity") {
      const [low, high] = model.limits || [-Infinity, Infinity];
      return [Math.min(Math.max(scores[0], low), high)];
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
  const termBody = element("tbody");
  const termHead = element("caption");

  const chosen = (scores) => // as the model does: probabilities may be equal where scores are not
    model.link === "logit" ? Number(scores[0] > 0) : scores.indexOf(Math.max(...scores));
  const showClasses = (shares, best) => {
    answer.textContent = shorten(classes[best], 60) + ", " + percent(shares[best]);
    shares.forEach((share, i) => {
      classRows[i].number.textContent = percent(share);
      classRows[i].fill.style.width = 100 * share + "%";
    });
  };
  const termRow = (name, holds, part, largest) => {
    const fill = element("span", { className: part > 0 ? "more" : "less" });
    fill.style.width = (largest ? (50 * Math.abs(part)) / largest : 0) + "%";
    return element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { textContent: holds }),
      element("td", { className: "num", textContent: (part >= 0 ? "+" : "−") + readable(Math.abs(part)) }),
      element("td", {}, element("div", { className: "live-bar middle" }, fill)));
  };
  const showTerms = (products, output) => {
    const parts = products.map((product, term) => product * model.weights[term][output]);
    const ranked = parts.map((_, term) => term).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
    const shown = ranked.slice(0, SHOWN_TERMS);
    const rest = ranked.slice(SHOWN_TERMS).reduce((total, term) => total + parts[term], 0);
    const largest = Math.max(...parts.map(Math.abs), Math.abs(rest), Math.abs(model.intercept[output]), 1e-12);
    const holds = (term) => (products[term] > 0) === (inPoints || model.terms[term].length % 2 === 1);
    const rows = shown.map((term) => termRow(termNames[term], holds(term) ? "true" : "false", parts[term], largest));
    if (ranked.length > SHOWN_TERMS) rows.push(termRow(`(${ranked.length - SHOWN_TERMS} other terms)`, "", rest, largest));
    termBody.replaceChildren(...rows, termRow("(start)", "", model.intercept[output], largest));
  };
  function update() {
    const { products, scores, prediction } = predict();
    let output = 0;
    if (classes === null) {
      answer.textContent = readable(prediction[0]);
      termHead.textContent = "What the number is made of";
    } else {
      const best = chosen(scores);
      showClasses(prediction, best);
      output = scores.length > 1 ? best : 0;
      const about = classes[scores.length > 1 ? best : 1];
      termHead.textContent = `What speaks for (+) and against (−) “${shorten(about, 60)}”`;
    }
    showTerms(products, output);
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
  const result = element("div", { className: "result" }, element("p", {}, "Prediction: ", answer));
  if (classRows.length) {
    result.append(element("table", { className: "classes" }, element("caption", { textContent: "Probabilities" }),
      element("tbody", {}, ...classRows.map(({ row }) => row))));
  }
  result.append(element("div", { className: "scroll" }, element("table", { className: "parts" }, termHead,
    element("thead", {}, element("tr", {}, ...["term", "here", "adds", ""].map((textContent) =>
      element(textContent ? "th" : "td", textContent ? { textContent, scope: "col" } : {})))), termBody)));
  root.replaceChildren(form, result);
  reset();
})();
