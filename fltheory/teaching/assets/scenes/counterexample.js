// Scene 5: a theorem meets its counterexample. Both sides stand as the ledger has them; where the counterexample has a run, it is played.

import { decimal, exactMath, h, shortText, valueOf } from "../view/dom.js";
import { choice, parts, slider } from "../view/controls.js";
import { card } from "../view/cards.js";
import { worded } from "../view/line.js";
import { replay } from "./replay.js";
import { evaluateSides, sidesFigure, valueRows } from "./sides.js";
import { spaced, written, writtenStatement } from "./written.js";

export const INSTANCES = new Map();
const ROLE = { colour: "blue", dash: "", marker: "circle" };

function compute(settings) {
  const instance = INSTANCES.get(settings.claim);
  return instance.run ? replay(instance, settings) : evaluateSides(instance);
}

const hasValue = (instance) => Object.values(instance.measures).some((how) => how === "limit")
  || /^model:/.test(instance.measures[instance.left.symbol] ?? "");

function contradicted(sign, left, right) {
  if (left === null) return null;
  const close = Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
  return sign === "=" ? !close : sign === "<=" ? left > right && !close : left < right && !close;
}

function figure(numbers, settings) {
  const instance = INSTANCES.get(settings.claim);
  if (!instance.run) return sidesFigure(instance, numbers);
  const xmax = numbers.models.length - 1;
  const onModel = hasValue(instance) && numbers.left !== null;
  const series = [{ name: numbers.noisy ? "mean model" : "model", y: numbers.models, colour: "blue", width: 1.1,
    marker: "circle", head: true, column: "model" }];
  const levels = numbers.optimum === null ? [] : [{ y: valueOf(numbers.optimum), colour: "soft", tick: shortText(numbers.optimum) }];
  const labels = [];
  const name = { "=": "claimed", "<=": "the bound", ">=": "the bound" }[instance.sign];
  if (onModel) {
    labels.push({ y: numbers.left, text: numbers.changed ? decimal(numbers.left, 4) : shortText(instance.ledger.left), name: "true",
      note: "what the run gives", colour: "blue", dotted: true });
    labels.push({ y: numbers.right, text: numbers.changed ? decimal(numbers.right, 4) : shortText(instance.ledger.right), name,
      note: "what is printed", colour: "vermillion", dotted: true });
  }
  const panels = [{ ylabel: numbers.noisy ? "mean model" : "model", series, levels, labels, keep: numbers.models }];
  if (instance.left.symbol === "mean_squared_gradient" && numbers.squared && numbers.right !== null) {
    let total = 0;
    const means = numbers.squared.slice(0, -1).map((x, t) => { total += x; return total / (t + 1); });
    panels.push({ ylabel: "mean |∇f|²", weight: 0.9, floor: 0, keep: [0, numbers.right, ...means],
      series: [{ name: "mean squared gradient", x: means.map((_, t) => t + 1), y: means, colour: "purple", marker: "square", width: 1.1,
        head: true, column: "mean_squared_gradient" }],
      labels: [{ y: means.at(-1), text: decimal(means.at(-1), 4), name: "true", note: "mean |∇f|² of the run", colour: "purple" },
        { y: numbers.right, text: decimal(numbers.right, 4), name: "the bound", note: "what is printed", colour: "vermillion",
          dotted: true }] });
  }
  if (instance.left.symbol === "min_squared_gradient" && numbers.squared && numbers.right !== null) {
    panels.push({ ylabel: "E |∇f|²", weight: 0.9, floor: 0, keep: [0, numbers.right, ...numbers.squared],
      series: [{ name: "expected squared gradient", y: numbers.squared, colour: "purple", marker: "square", width: 1.1, head: true,
        column: "expected_squared_gradient" }],
      labels: [{ y: numbers.left, text: decimal(numbers.left, 4), name: "true", note: "the least of E |∇f|²", colour: "purple" },
        { y: numbers.right, text: decimal(numbers.right, 4), name: "the bound", note: "what is printed", colour: "vermillion",
          dotted: true }] });
  }
  return { title: `${settings.claim} meets its counterexample`, xlabel: "round", xmax, tick: 1, panels };
}

const SIGNS = { "=": "=", "<=": "≤", ">=": "≥", "= O of": "≤" };

// As the ledger has it, if that is one exact number, else to some digits.
const sideMath = (text, value) => (/^-?\d+(\/\d+)?$/.test(text) ? exactMath(text) : h("span", { title: text }, `≈ ${decimal(value, 6)}`));

const toldAs = (text, rough) => (/^-?\d{1,9}(\/\d{1,9})?$/.test(text) ? shortText(text) : rough);

function formula(settings, numbers) {
  const instance = INSTANCES.get(settings.claim);
  const broken = contradicted(instance.sign, numbers.left, numbers.right);
  const side = (label, value) => h("div", { class: "side" }, h("span", { class: "hint" }, label), h("strong", {}, value));
  const sign = h("span", { class: "sign" }, SIGNS[instance.sign], h("span", { class: "cross" }, "?"));
  const recorded = h("div", { class: "sides answer" }, numbers.ratios ? [side("left over right", "grows"), sign, side("", "any constant")]
    : [side("left side", sideMath(instance.ledger.left, numbers.left)), sign,
      side("right side", sideMath(instance.ledger.right, numbers.right))]);
  const [left, right] = [decimal(numbers.left, 6), decimal(numbers.right, 6)];
  const promise = { "=": "", "<=": "at most ", ">=": "at least ", "= O of": "at most " }[instance.sign];
  const gives = instance.run ? "the run gives" : "these values give";
  const now = numbers.ratios ? `Left over right reaches ${decimal(numbers.ratios.at(-1), 4)} and keeps growing, so no constant is enough.`
    : numbers.left === null ? "With your settings the sides cannot be evaluated."
    : !numbers.changed ? `The claim promises ${promise}${toldAs(instance.ledger.right, right)}; ` +
      `${gives} ${toldAs(instance.ledger.left, left)}.`
    : `With your settings the left side is ${left} and the right side ${right}: the contradiction ${broken ? "stands" : "is gone"}. ` +
      "The claim's hypotheses may not hold there.";
  return h("div", { class: "formula theorem" }, h("blockquote", {}, worded(instance.says)), h("p", { class: "place" }, instance.place),
    recorded, h("p", { class: broken || numbers.ratios ? "verdict bad answer" : "verdict answer" }, now));
}

// The statement as a formula, and what its letters stand for.
const stated = (instance) => [
  h("div", { class: "statement", tabindex: "0", role: "group", "aria-label": "statement" }, writtenStatement(instance)),
  h("p", { class: "hint" }, Object.keys(instance.letters).flatMap((name, k) => [k ? ", " : "",
    written({ symbol: name }, instance.letters), ` ${spaced(name)}`])),
];

function cards(numbers, settings) {
  const instance = INSTANCES.get(settings.claim);
  const spec = instance.run;
  const claim = card({ name: "The claim", role: { colour: "vermillion" }, open: true, top: stated(instance), rows: [
    ["verdict", instance.verdict], ["corrected by", instance.corrected.length ? instance.corrected.join(", ") : "–"],
    ["found among", instance.found]] });
  if (!spec) return [claim, card({ name: "Values", role: ROLE, rows: valueRows(instance) })];
  const within = (at) => Math.min(at, numbers.models.length - 1);
  return [claim,
    card({ name: (at) => `${numbers.noisy ? "Mean model" : "Model"} after round ${within(at)}`, role: ROLE,
      now: (at) => numbers.models[within(at)], rows: [
      ["exactly", (at) => exactMath(numbers.exact[within(at)])],
      ["optimum", exactMath(numbers.optimum)], ["method", spec.algorithm], ["clients, rounds",
        `${spec.trace.delivers[0].length}, ${numbers.recorded}`]] }),
  ];
}

const hasRun = (settings) => Boolean(INSTANCES.get(settings.claim)?.run);

export const counterexample = {
  id: "counterexample", name: "Counterexamples", title: "A theorem meets its counterexample",
  sentences: [
    "Here are the printed claims that the ledger has refuted. Pick one, read it, and ask yourself what its authors may have " +
      "overlooked. Then press Play: the run that contradicts it is computed again, in exact fractions.",
    "Both sides stand here as the ledger has them. Where a claim speaks of no run, you see its two sides at the values that " +
      "break it.",
    "Now look for the way out: move the start or shrink the step size until the contradiction goes away. Often that is the " +
      "hypothesis that was missing.",
  ],
  why: [], share: 0.38,
  controls: [
    { ...choice("claim", "Claim", [["", ""]], ""), search: true },
    slider("factor", "step size times", parts(20, 1, 40), "1", hasRun),
    slider("shift", "start moved by", parts(4, -16, 16), "0", hasRun),
  ],
  presets: [],
  total: (settings, numbers) => (numbers.models ?? numbers.ratios ?? [0, 1, 2]).length - 1,
  compute, figure, cards, formula,
  say: (numbers, settings, at, answers) =>
    (numbers.models ? `model ${decimal(numbers.models[Math.min(at, numbers.models.length - 1)], 5)}; ` : "") +
    (!answers ? "" : numbers.ratios ? `left over right ${decimal(numbers.ratios[Math.min(at, numbers.ratios.length - 1)], 4)}`
      : `left ${decimal(numbers.left, 5)}, right ${decimal(numbers.right, 5)}`),
};

// The instances come with the page as data; the first of `favourites` that is there is shown first.
export function loadInstances(list, favourites) {
  list.forEach((instance) => INSTANCES.set(instance.id, instance));
  const control = counterexample.controls[0];
  const group = ({ run, paper }) => (run ? "With a run to play" : `${paper}: sides at values`);
  control.options = [...list].sort((a, b) => Number(!a.run) - Number(!b.run))
    .map((one) => [one.id, `${one.id}: ${one.short}`, group(one), `${one.says} ${one.place}`]);
  control.initial = favourites.find((id) => INSTANCES.has(id)) ?? list[0].id;
  const named = (id, name, extra = {}) => (INSTANCES.has(id) ? [[name, { claim: id, ...extra }]] : []);
  counterexample.presets = [
    ...named("fedlaavg.thm1.fixed", "FedAvg's limit"), ...named("fraboni.ex1", "The six-cycle"),
    ...named("fraboni.ex2", "Two points"),
    ...named("afl.alg2", "The box of AFA-CD"), ...named("afl.thm2", "AFL's Theorem 2"),
    ...named("fedlaavg.thm1.fixed", "Small steps come close",
      { factor: "1/20" })];
  counterexample.why = null;
}

