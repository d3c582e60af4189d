// A formula of the ledger, as nested lists, the way one writes it: fractions, roots, letters where there are some, else names in words.

import { flat, frac, id, m, math, num, op, sub } from "../view/dom.js";

const isNumber = (node) => typeof node === "string";
const row = (parts) => m("mrow", ...parts);
const inParens = (node, names) => row([flat("("), ...sumOf(node, names), flat(")")]);
const SPANS = { abs: ["|", "|"], ceiling: ["⌈", "⌉"], floor: ["⌊", "⌋"] };

export const spaced = (name) => name.replaceAll("_", " ");

function symbol(name, letters) {
  const letter = letters[name];
  if (!letter) return m("mtext", spaced(name));
  const [base, below] = letter.split("_");
  return below ? sub(base, below) : id(base);
}

// A node as factors above and below a fraction line, each as [base, exponent].
function factorsOf(node) {
  if (Array.isArray(node) && node[0] === "*") {
    const parts = node.slice(1).map(factorsOf);
    return [parts.flatMap(([above]) => above), parts.flatMap(([, below]) => below)];
  }
  if (isNumber(node)) {
    const [above, below] = node.split("/");
    return [above === "1" ? [] : [[above, "1"]], below ? [[below, "1"]] : []];
  }
  if (Array.isArray(node) && node[0] === "^" && isNumber(node[2])) {
    return node[2].startsWith("-") ? [[], [[node[1], node[2].slice(1)]]] : [[[node[1], node[2]]], []];
  }
  return [[[node, "1"]], []];
}

function powerOf([base, exponent], alone, names) {
  if (exponent === "1/2") return m("msqrt", ...sumOf(base, names));
  const simple = exponent === "1" && alone;
  const shown = isNumber(base) ? num(base) : Array.isArray(base) && base[0] === "+" && !simple ? inParens(base, names)
    : Array.isArray(base) && !SPANS[base[0]] && exponent !== "1" ? inParens(base, names) : row(atom(base, names));
  return exponent === "1" ? shown : m("msup", shown, isNumber(exponent) ? num(exponent) : row(sumOf(exponent, names)));
}

function productOf(factors, names) {
  if (!factors.length) return [num(1)];
  return factors.flatMap((factor, k) => [...(k ? [op("·")] : []), powerOf(factor, factors.length === 1, names)]);
}

function atom(node, names) {
  if (isNumber(node)) return termOf(node, names).parts;
  if (!Array.isArray(node)) return [symbol(node.symbol, names)];
  const [kind, ...given] = node;
  if (kind === "+") return sumOf(node, names);
  if (kind === "*") return termOf(node, names).parts;
  if (kind === "^") return [powerOf([given[0], given[1]], false, names)];
  const inner = given.flatMap((part, k) => [...(k ? [op(",")] : []), ...sumOf(part, names)]);
  return SPANS[kind] ? [flat(SPANS[kind][0]), ...inner, flat(SPANS[kind][1])] : [id(kind), flat("("), ...inner, flat(")")];
}

// One summand without its sign.
function termOf(node, names) {
  const [above, below] = factorsOf(node);
  let minus = false;
  const positive = above.flatMap(([base, exponent]) => {
    if (!isNumber(base) || !base.startsWith("-") || exponent !== "1") return [[base, exponent]];
    minus = !minus;
    return base === "-1" ? [] : [[base.slice(1), exponent]];
  });
  const parts = below.length ? [frac(productOf(positive, names), productOf(below, names))] : productOf(positive, names);
  return { minus, parts };
}

// Summands, those with a minus last.
const termsOf = (node, names) => (Array.isArray(node) && node[0] === "+" ? node.slice(1) : [node]).map((part) => termOf(part, names))
  .sort((one, other) => one.minus - other.minus);

function sumOf(node, names) {
  return termsOf(node, names).flatMap(({ minus, parts }, k) => [...(minus ? [op("−")] : k ? [op("+")] : []), ...parts]);
}

export const written = (node, names = {}) => math(...sumOf(node, names));

// Left side, sign, right side: one piece per summand, so that a long formula breaks between them.
const SIGNS = { "<=": " ≤ ", ">=": " ≥ ", "=": " = ", "= O of": " = O of " };

export const writtenStatement = ({ left, sign, right, letters }) => [written(left, letters), SIGNS[sign],
  ...termsOf(right, letters).flatMap(({ minus, parts }, k) => [minus ? " − " : k ? " + " : "", math(...parts)])];
