// A line of text with formulas between dollar signs: "so $x_1 = {a|b}$". Braces hold a fraction or a group, _ and ^ put the next part
// below and above; letters that stand together are one name.

import { flat, frac, h, id, m, math, num } from "./dom.js";

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

// A sentence whose letters have indices and powers in plain text: "σ_L", "N^(1/4)".
const INDEX = /(?<![\p{L}\p{N}_])(\p{L}\p{M}*['*]*)_(\{[^{}]*\}|[\p{L}\p{Nd}]+(?:,[\p{L}\p{Nd}]+)*)/u;
const POWER = /\^(\{[^{}]*\}|\([^()]*\)|[\p{L}\p{Nd}]+|\*)/u;
const SCRIPT = new RegExp(`${INDEX.source}|${POWER.source}`, "gu");
const bare = (text) => text.replace(/^[{(](.*)[})]$/, "$1");

export function worded(given) {
  const text = given.replaceAll(" - ", " − ");
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(SCRIPT)) {
    const [whole, base = "", below, above] = found;
    parts.push(text.slice(from, found.index), base, below ? h("sub", {}, bare(below)) : h("sup", {}, bare(above)));
    from = found.index + whole.length;
  }
  return [...parts, text.slice(from)];
}

export const line = (text) => text.split("$").map((part, k) => (k % 2 ? math(...row(part.match(/\d+|\p{L}+|\S/gu))) : part));
