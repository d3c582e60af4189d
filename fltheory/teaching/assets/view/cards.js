// What a curve amounts to: its name, where it is now, and its exact numbers.

import { decimal, h } from "./dom.js";

export function card({ name, role, now = null, rows, note = null }) {
  const lines = rows.filter(Boolean).map(([label, value, aside = ""]) => h("tr", {}, h("th", { scope: "row" }, label),
    h("td", {}, value, aside ? h("span", { class: "aside" }, aside) : null)));
  return h("section", { class: `card ${role.colour}` },
    h("h3", {}, h("span", { class: "swatch", "aria-hidden": "true" }), h("span", {}, name),
      now === null ? null : h("span", { class: "now", title: "model at this round" }, decimal(now, 4))),
    h("table", {}, h("tbody", {}, lines)), note ? h("p", { class: "note" }, note) : null);
}
