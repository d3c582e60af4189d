// A line of text with formulas between dollar signs: "so $x_1 = {a|b}$". Braces hold a fraction or a group, _ and ^ put the next part
// below and above; letters that stand together are one name.

import { flat, frac, id, m, math, num } from "./dom.js";

function atom(tokens) {
  const token = tokens.shift();
  if (/^\d/.test(token)) return num(token);
  if (/^\p{L}/u.test(token)) return id(token);
  if (token !== "{") return flat(token);
  const above = row(tokens);
  const below = tokens.shift() === "|" ? row(tokens) : null;
  if (!below) return m("mrow", above);
  tokens.shift();
  return frac(above, below);
}

function scripted(tokens) {
  const base = atom(tokens);
  const found = {};
  while (tokens[0] === "_" || tokens[0] === "^") found[tokens.shift()] = atom(tokens);
  if (found._ && found["^"]) return m("msubsup", base, found._, found["^"]);
  return found._ ? m("msub", base, found._) : found["^"] ? m("msup", base, found["^"]) : base;
}

function row(tokens) {
  const parts = [];
  while (tokens.length && tokens[0] !== "|" && tokens[0] !== "}") parts.push(scripted(tokens));
  return parts;
}

export const line = (text) => text.split("$").map((part, k) => (k % 2 ? math(...row(part.match(/\d+|\p{L}+|\S/gu))) : part));
