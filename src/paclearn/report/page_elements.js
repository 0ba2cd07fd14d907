// What the programs of the page share.
"use strict";
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const shorten = (text, most) => {
  const letters = Array.from(String(text));
  return letters.length <= most ? letters.join("") : letters.slice(0, most - 1).join("") + "…";
};
