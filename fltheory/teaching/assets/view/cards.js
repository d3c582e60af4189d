// What a curve amounts to: its name, where it is now, and its exact numbers.

import { decimal, h } from "./dom.js";

// What depends on the round is a function of it: `now`, the name, or a row's value. The element's `follow(round)` shows these and leaves
// the rest alone, so that playing costs little. The rows are answers, unless the card is open; what
// stands on `top` of them has the whole width.
export function card({ name, role, now = null, rows, open = false, top = [] }) {
  const following = [];
  const filled = (element, value) => {
    if (typeof value === "function") following.push((at) => element.replaceChildren(value(at)));
    else element.append(...[value].flat(2));
    return element;
  };
  const lines = rows.filter(Boolean).map(([label, value, aside = ""]) => {
    const cell = filled(h("td", {}), value);
    if (aside) cell.append(h("span", { class: "aside" }, aside));
    return h("tr", {}, h("th", { scope: "row" }, label), cell);
  });
  const shown = now && filled(h("span", { class: "now", title: "model at this round" }), (at) => decimal(now(at), 4));
  const section = h("section", { class: `card ${role.colour}` },
    h("h3", {}, h("span", { class: "swatch", "aria-hidden": "true" }), filled(h("span", {}), name), shown),
    top, h("table", { class: open ? null : "answer" }, h("tbody", {}, lines)));
  section.follow = (at) => following.forEach((one) => one(at));
  return section;
}
