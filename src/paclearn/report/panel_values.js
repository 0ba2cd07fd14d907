// From the controls of the panel to the codes of columns. A date has one control, whatever columns are made from it.
// A value is a number, a level, a moment in milliseconds, null where it is missing, undefined where it was never seen.
const DAY = 86400000;
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

// ---- codes ----

const known = (column) =>
  column.kind === "levels" ? column.levels.length + (column.other ? 1 : 0) : column.thresholds.length + 1;
const codeOfMissing = (column) => known(column); // where missing has no code, this is the code of the unseen
const codeOfUnseen = (column) => known(column) + (column.missing ? 1 : 0);
const codeOf = (column, value) => {
  if (value === null || Number.isNaN(value)) return codeOfMissing(column);
  if (column.kind !== "levels") {
    return value === undefined ? codeOfUnseen(column) : column.thresholds.filter((t) => t < Number(value)).length;
  }
  const place = column.levels.findIndex(
    (level) => level === String(value) || (column.numeric && Number(level) === Number(value)));
  return place >= 0 ? place : column.other ? column.levels.length : codeOfUnseen(column);
};

// ---- dates ----

const isDate = (column) => // its numbers are days since a first date, and are read as dates
  Boolean(column.source) && column.source.part === "days since" && column.name === column.source.of[0];
const hasClock = (column) => (column.thresholds || column.levels).some((days) => Number(days) % 1 !== 0);
const momentOf = (text) => (text.trim() === "" ? null : Date.parse(text.length > 10 ? text + "Z" : text));
const textOf = (moment, clock) => new Date(moment).toISOString().slice(0, clock ? 16 : 10);
const dayInWords = (column, days) =>
  textOf(Date.parse(column.source.first) + Math.round(days * DAY), hasClock(column)).replace("T", " ");
const partOf = (source, moments) => { // what a column makes of its dates
  if (moments.some((moment) => moment === null || Number.isNaN(moment))) return null;
  const [moment, later] = moments, date = new Date(moment);
  switch (source.part) {
    case "year": return date.getUTCFullYear();
    case "month": return date.getUTCMonth() + 1;
    case "weekday": return WEEKDAYS[(date.getUTCDay() + 6) % 7];
    case "hour": return date.getUTCHours();
    case "days since": return (moment - Date.parse(source.first)) / DAY;
    default: return (later - moment) / DAY;
  }
};
const valueOf = (column, valueAt) => // from what stands in a row, by places in the table
  (column.source ? partOf(column.source, column.source.features.map(valueAt)) : valueAt(column.position));

// ---- controls ----

const placesOf = (columns) => { // places in the table that columns are read from: their names and first columns
  const places = new Map();
  columns.forEach((column) => {
    const read = column.source ? column.source.features.map((p, i) => [p, column.source.of[i]]) : [[column.position, column.name]];
    read.forEach(([position, name]) => places.has(position) || places.set(position, { position, name, column }));
  });
  return [...places.values()];
};
const clockAt = (position, columns) => columns.some((column) => column.source && column.source.features.includes(position)
  && (column.source.part === "hour" || (column.source.part.startsWith("days") && hasClock(column))));
const levelControl = (column, id) => {
  const option = (value, level, textContent) => element("option", { value, level, textContent });
  return element("select", { id },
    ...column.levels.map((level, code) => option(code, level, shorten(level, 80))),
    option("other", undefined, "(any other)"), option("missing", null, "(missing)"));
};
const controlOf = ({ position, name, column }, id, clock) => {
  let control;
  if (column.source) control = element("input", { id, type: clock ? "datetime-local" : "date" });
  else if (column.kind === "levels") control = levelControl(column, id);
  else control = element("input", { id, type: "number", step: "any", placeholder: "missing" });
  control.dataset.position = position;
  return { control, box: element("div", { className: "field" }, element("label", { htmlFor: id, textContent: shorten(name, 80) }), control) };
};
const valueOfControl = (control) => {
  if (control.tagName === "SELECT") return control.selectedOptions[0].level;
  if (control.type !== "number") return momentOf(control.value);
  return control.value.trim() === "" ? null : Number(control.value);
};
