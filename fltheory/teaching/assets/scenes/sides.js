// A counterexample without a run: its two sides at the recorded values, or their ratio as one of the values grows.

import { ONE, parse, sum } from "../core/fraction.js";
import { decimal, exactMath, shortText } from "../view/dom.js";
import { evaluate } from "./replay.js";
import { spaced, written } from "./written.js";

const DOUBLINGS = 14;

const OPERATIONS = { "+": (...xs) => sum(xs), "*": (...xs) => xs.reduce((a, b) => a.mul(b)), "^": power,
  max: (...xs) => xs.reduce((a, b) => (a.cmp(b) > 0 ? a : b)) };

function power(base, exponent) {
  if (exponent.d !== 1n || (base.isZero && exponent.n < 0n)) return null;
  return exponent.n < 0n ? ONE.div(base.pow(-exponent.n)) : base.pow(exponent.n);
}

// A formula in fractions, where doubles may overflow on the way; null where anything but sums, products and whole powers comes in.
export function exactly(node, values) {
  if (!Array.isArray(node)) return typeof node === "string" ? parse(node) : values[node.symbol] ?? null;
  const parts = node.slice(1).map((part) => exactly(part, values));
  return parts.includes(null) ? null : OPERATIONS[node[0]]?.(...parts) ?? null;
}

function exactSides(instance) {
  const values = Object.fromEntries(Object.entries(instance.values).map(([name, node]) => [name, exactly(node, {})]));
  return [instance.left, instance.right].map((side) => exactly(side, values));
}

function sidesAt(instance, grown) {
  const values = { ...grown };
  for (const [name, node] of Object.entries(instance.values)) values[name] = evaluate(node, grown);
  return [evaluate(instance.left, values), evaluate(instance.right, values)];
}

// For a claim of order: left over right at 1, 2, 4, ..., as far as doubles reach.
function ratiosOf(instance) {
  const sides = Array.from({ length: DOUBLINGS + 1 }, (_, k) => sidesAt(instance, { [instance.grows]: 2 ** k }));
  const found = sides.map(([left, right]) => left / right);
  const end = found.findIndex((x) => !Number.isFinite(x));
  return end < 0 ? found : found.slice(0, end);
}

export function evaluateSides(instance) {
  if (instance.grows) return { left: null, right: null, ratios: ratiosOf(instance), changed: false };
  const rough = sidesAt(instance, {});
  const [left, right] = exactSides(instance).map((side, k) => side?.toNumber() ?? rough[k]);
  return { left, right, changed: false };
}

const told = (node) => (typeof node === "string" ? exactMath(node) : decimal(evaluate(node, {}), 6));
const steady = (node) => (Array.isArray(node) ? node.every(steady) : typeof node === "string");

export function valueRows(instance) {
  const rows = Object.entries(instance.values).map(([name, node]) => [spaced(name), steady(node) ? told(node) : written(node)]);
  const ratio = instance.ledger.left.replaceAll("**", "^").replaceAll("*", " ");
  const order = instance.grows ? [["left over right", ratio], [spaced(instance.grows), "grows without bound"]] : [];
  return [...order, ...rows];
}

export function sidesFigure(instance, numbers) {
  const title = `${instance.id} meets its counterexample`;
  if (numbers.ratios) {
    const places = [...numbers.ratios.keys()].filter((k) => numbers.ratios[k] > 0);
    const powers = places.map((k) => Math.log10(numbers.ratios[k]));
    return { title, xlabel: `doublings of ${instance.grows.replaceAll("_", " ")}`, xmax: numbers.ratios.length - 1, tick: 1,
      table: [[instance.grows, "left_over_right"], ...numbers.ratios.map((x, k) => [2 ** k, x])],
      panels: [{ ylabel: "left / right", powers: true, keep: powers, 
        series: [{ x: places, y: powers, colour: "vermillion", marker: "square", width: 1.1, head: true }],
        labels: [{ y: powers.at(-1), text: decimal(numbers.ratios.at(-1), 3), name: "left / right", note: "beyond any constant",
          colour: "vermillion" }] }] };
  }
  const bar = (x, y, colour) => ({ x: [x, x], y: [0, y], colour, width: 16, bar: true });
  const asTold = (text, value) => (/^-?\d+(\/\d+)?$/.test(text) ? shortText(text) : `≈ ${decimal(value, 4)}`);
  const label = (y, text, name, colour) => ({ y, text: asTold(text, y), name, colour, dotted: true });
  const fixed = Object.entries(instance.values).map(([name, node]) => [name, typeof node === "string" ? node : evaluate(node, {})]);
  return { title, xlabel: "side", xmax: 2, tick: 1, xticks: [[0.5, "left"], [1.5, "right"]],
    table: [["name", "value"], ["left", numbers.left], ["right", numbers.right], ...fixed],
    panels: [{ ylabel: "value", keep: [0, numbers.left, numbers.right], levels: [{ y: 0, colour: "soft", tick: "0" }],
      series: [bar(0.5, numbers.left, "blue"), bar(1.5, numbers.right, "vermillion")],
      labels: [label(numbers.left, instance.ledger.left, "left side", "blue"),
        label(numbers.right, instance.ledger.right, "right side", "vermillion")] }] };
}
