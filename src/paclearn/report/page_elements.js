// What the programs of the page share.
"use strict";
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// Columns that hold dates count days from a first one; controls show the date, at midnight where none has a clock.
const DAY = 86400000;
const isDate = (column) =>
  Boolean(column.source) && column.source.part === "days since" && column.name === column.source.of[0];
const hasClock = (column) => (column.thresholds || column.levels).some((days) => Number(days) % 1 !== 0);
const dateOf = (column, days) => {
  const text = new Date(Date.parse(column.source.first) + Math.round(days * DAY)).toISOString();
  return hasClock(column) ? text.slice(0, 16) : text.slice(0, 10);
};
const daysOf = (column, text) => (Date.parse(text.length > 10 ? text + "Z" : text) - Date.parse(column.source.first)) / DAY;
const numberControl = (column, id) => isDate(column)
  ? element("input", { id, type: hasClock(column) ? "datetime-local" : "date" })
  : element("input", { id, type: "number", step: "any", placeholder: "missing" });
const numberOf = (column, text) => (text.trim() === "" ? NaN : isDate(column) ? daysOf(column, text) : Number(text));
const levelName = (column, level) => (isDate(column) ? dateOf(column, Number(level)).replace("T", " ") : level);
const shorten = (text, most) => {
  const letters = Array.from(String(text));
  return letters.length <= most ? letters.join("") : letters.slice(0, most - 1).join("") + "…";
};
