// Scene 5: a theorem meets its counterexample. The recorded instance is run again in exact fractions; both sides stand as the ledger has
// them.

import { EXACT } from "../core/arithmetic.js";
import { ZERO, parse, sum, whole } from "../core/fraction.js";
import { limitOfRounds, run } from "../core/methods.js";
import { decimal, exactMath, h, shortText, valueOf } from "../view/dom.js";
import { choice, parts, slider } from "../view/controls.js";
import { card } from "../view/cards.js";

export const INSTANCES = new Map();
const ROLE = { colour: "blue", dash: "", marker: "circle" };
const SHOWN = 24;
const METHODS_OF = { async: "weighted" };

function problemOf(spec) {
  const rows = (name) => spec[name].map(([x]) => parse(x));
  if (spec.kind === "common-curvature") return { slopes: rows("tilts").map(() => parse(spec.curvature)), tilts: rows("tilts"),
    bound: null };
  const [slopes, centres] = [rows("curvatures"), rows(spec.kind === "clipped" ? "centres" : "optima")];
  return { slopes, tilts: slopes.map((x, i) => x.mul(centres[i]).neg()), bound: spec.kind === "clipped" ? parse(spec.bound) : null };
}

// Least (warm-up + period) with which the rounds repeat to their end, three times at least and over half of it.
function repeating(keys) {
  let best = null;
  for (let period = 1; period < keys.length; period++) {
    let shared = 0;
    while (period + shared < keys.length && keys[keys.length - 1 - shared] === keys[keys.length - 1 - period - shared]) shared++;
    const warmUp = keys.length - period - shared;
    if (shared >= 2 * period && 2 * (shared + period) >= keys.length && (!best || warmUp + period < best[0] + best[1])) best = [warmUp,
      period];
  }
  return best;
}

function roundsOf(trace) {
  return trace.delivers.map((row, t) => [...row].flatMap((cell, client) => (cell === "1"
    ? [{ client, delay: t - trace.started_from[t][client], steps: trace.local_steps[t][client] }] : [])));
}

const OPERATIONS = {
  "+": (...xs) => xs.reduce((a, b) => a + b), "*": (...xs) => xs.reduce((a, b) => a * b), "^": (a, b) => a ** b,
  max: Math.max, min: Math.min, abs: Math.abs, exp: Math.exp, log: Math.log, ceiling: Math.ceil, floor: Math.floor,
};

// A formula as nested lists, at given values, in doubles.
export function evaluate(node, values) {
  if (Array.isArray(node)) return OPERATIONS[node[0]](...node.slice(1).map((part) => evaluate(part, values)));
  return typeof node === "string" ? valueOf(node) : values[node.symbol];
}

// What depends on the start and the step size is measured again, exactly; the rest is the instance's own.
function measured(how, { models, gradient, curvature, size, weightsOf, limit, squares, undivided }) {
  const squared = (x) => gradient(x).pow(2);
  const gap = (x) => squared(x).div(whole(2).mul(curvature));
  if (how.startsWith("model:")) return models[Number(how.slice(6))].toNumber();
  if (how.startsWith("undivided:")) return undivided()[Number(how.slice(10))].toNumber();
  const average = () => {
    const weights = models.map((_, t) => weightsOf(t));
    return sum(models.map((x, t) => weights[t].mul(x))).div(sum(weights));
  };
  const known = {
    local_step_size: () => size(0).toNumber(),
    mean_squared_gradient: () => sum(squares.slice(0, -1)).div(whole(models.length - 1)).toNumber(),
    min_squared_gradient: () => Math.min(...squares.map((x) => x.toNumber())),
    initial_loss_gap: () => gap(models[0]).toNumber(),
    initial_distance: () => gradient(models[0]).div(curvature).abs().toNumber(),
    weighted_loss_gap: () => gap(average()).toNumber(),
    limit: () => limit()?.[0].toNumber() ?? null,
    limit_error: () => { const cycle = limit(); return cycle && sum(cycle.map(squared)).div(whole(cycle.length)).toNumber(); },
  };
  return known[how] ? known[how]() : undefined;
}

// E |grad f|^2 at each model: its square at the mean, and what each draw of noise in the gradients adds.
function expectedSquares(models, { gradient, curvature, variance, setup, rounds, start }) {
  const squares = models.map((x) => gradient(x).pow(2));
  if (variance.isZero) return squares;
  const draws = rounds.flatMap((round, t) => round.map(({ client }) => ({ round: t, client })));
  const moved = draws.map((kick) => run(EXACT, { ...setup, kick }, rounds, start));
  return squares.map((square, t) => square.add(variance.mul(sum(moved.map((path) => curvature.mul(path[t].sub(models[t])).pow(2))))));
}

function compute(settings) {
  const instance = INSTANCES.get(settings.claim);
  const spec = instance.run;
  const factor = parse(settings.factor);
  const sizes = (Array.isArray(spec.local_step_size) ? spec.local_step_size : [spec.local_step_size]).map((x) => parse(x).mul(factor));
  const constant = !Array.isArray(spec.local_step_size);
  const size = (t) => sizes[Math.min(t, sizes.length - 1)];
  const problem = problemOf(spec.problem);
  const rounds = roundsOf(spec.trace);
  const setup = { method: METHODS_OF[spec.algorithm] ?? spec.algorithm, problem, size: constant ? sizes[0] : size,
    server: parse(spec.server_step_size),
    weights: (spec.settings.weights ?? []).map(parse), proximal: ZERO };
  const start = parse(spec.start[0]).add(parse(settings.shift));
  const keys = rounds.map((round) => JSON.stringify(round));
  const found = repeating(keys);
  const asksLimit = Object.values(instance.measures).some((how) => how.startsWith("limit"));
  const period = asksLimit ? found : null;
  const played = rounds.slice();
  while (period && played.length < SHOWN) played.push(rounds[rounds.length - period[1] + ((played.length - rounds.length) % period[1])]);
  const path = run(EXACT, setup, played, start);
  const models = path.slice(0, rounds.length + 1);
  const importance = spec.problem.importance.map(parse);
  const mean = (list) => sum(list.map((x, i) => importance[i].mul(x)));
  const curvature = mean(problem.slopes);
  const tilt = mean(problem.tilts);
  const gradient = (x) => curvature.mul(x).add(tilt);
  const squares = problem.bound ? null
    : expectedSquares(models, { gradient, curvature, variance: parse(spec.problem.noise_squared), setup, rounds, start });
  const undivided = () => run(EXACT, { ...setup, server: setup.server.mul(whole(problem.slopes.length)) }, rounds, start);
  const offset = parse(spec.parameters.step_offset ?? "0");
  const weightsOf = (t) => offset.add(whole(t)).mul(offset.add(whole(t - 1)));
  const limit = () => {
    const settled = Math.ceil(Math.max(period[0], ...rounds.flat().map(({ delay }) => delay)) / period[1]) * period[1];
    const { stable, cycle } = limitOfRounds(setup, rounds.slice(settled, settled + period[1]));
    return stable ? cycle : null;
  };
  const values = Object.fromEntries(Object.entries(instance.values).map(([name, node]) => [name, evaluate(node, {})]));
  const changed = settings.shift !== "0" || settings.factor !== "1";
  let complete = instance.live || !changed;
  for (const [name, how] of Object.entries(instance.live ? instance.measures : {})) {
    const value = measured(how, { models, gradient, curvature, size, weightsOf, limit, squares, undivided });
    if (value === null) complete = false;
    else if (value !== undefined) values[name] = value;
  }
  const [left, right] = complete ? [evaluate(instance.left, values), evaluate(instance.right, values)] : [null, null];
  return { models: path.map((x) => x.toNumber()), exact: path.map(String), recorded: rounds.length, left, right, changed,
    optimum: problem.bound || curvature.isZero ? null : tilt.neg().div(curvature).toString(),
    squared: squares && squares.map((x) => x.toNumber()), noisy: spec.problem.noise_squared !== "0" };
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
  const xmax = numbers.models.length - 1;
  const onModel = hasValue(instance) && numbers.left !== null;
  const series = [{ name: numbers.noisy ? "mean model" : "model", y: numbers.models, colour: "blue", width: 1.1, marker: "circle", head: true, column: "model" }];
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

const SIGNS = { "=": "=", "<=": "≤", ">=": "≥" };

function formula(settings, numbers) {
  const instance = INSTANCES.get(settings.claim);
  const broken = contradicted(instance.sign, numbers.left, numbers.right);
  const side = (label, value) => h("div", { class: "side" }, h("span", { class: "hint" }, label), h("strong", {}, value));
  const recorded = h("div", { class: "sides" }, side("left side", exactMath(instance.ledger.left)), h("span", { class: "sign" },
    SIGNS[instance.sign], h("span", { class: "cross" }, "?")),
    side("right side", exactMath(instance.ledger.right)));
  const [left, right] = [decimal(numbers.left, 6), decimal(numbers.right, 6)];
  const outcome = broken ? "still a contradiction" : "no contradiction any more";
  const now = numbers.left === null ? "cannot be evaluated for these settings"
    : numbers.changed ? `${left} on the left, ${right} on the right, ${outcome}` : `${left} ${SIGNS[instance.sign]} ${right} is false`;
  return h("div", { class: "formula theorem" }, h("blockquote", {}, instance.says), h("p", { class: "place" }, instance.place), recorded,
    h("p", { class: broken ? "verdict bad" : "verdict" }, numbers.changed ? "With your settings: " : "Run again here: ", now,
      numbers.changed ? " (the theorem's hypotheses may not hold there)" : ""));
}

function cards(numbers, settings) {
  const instance = INSTANCES.get(settings.claim);
  const within = (at) => Math.min(at, numbers.models.length - 1);
  const spec = instance.run;
  return [
    card({ name: (at) => `${numbers.noisy ? "Mean model" : "Model"} after round ${within(at)}`, role: ROLE, now: (at) => numbers.models[within(at)], rows: [
      ["exactly", (at) => exactMath(numbers.exact[within(at)])],
      ["optimum", exactMath(numbers.optimum)], ["method", spec.algorithm], ["clients, rounds",
        `${spec.trace.delivers[0].length}, ${numbers.recorded}`]] }),
    card({ name: "The claim", role: { colour: "vermillion" }, rows: [["statement", h("code", {}, instance.statement)], ["verdict",
      instance.verdict],
      ["corrected by", instance.corrected.length ? instance.corrected.join(", ") : "–"], ["found among", instance.found]] }),
  ];
}

export const counterexample = {
  id: "counterexample", name: "Counterexamples", title: "A theorem meets its counterexample",
  sentences: [
    "Pick a printed claim that the ledger has refuted: its smallest recorded instance is run again here, in exact fractions.",
    "The two sides stand below as the ledger has them, and the run shows where they part.",
    "Then change the start or the step size and see whether the contradiction goes away.",
  ],
  why: [],
  controls: [
    choice("claim", "Claim", [["", ""]], ""),
    slider("factor", "step size times", parts(20, 1, 40), "1"),
    slider("shift", "start moved by", parts(4, -16, 16), "0"),
  ],
  presets: [],
  total: (settings, numbers) => numbers.models.length - 1,
  compute, figure, cards, formula,
  say: (numbers, settings, at) => `model ${decimal(numbers.models[Math.min(at, numbers.models.length - 1)], 5)}; ` +
    `left ${decimal(numbers.left, 5)}, right ${decimal(numbers.right, 5)}`,
};

// The instances come with the page as data; the first of `favourites` that is there is shown first.
export function loadInstances(list, favourites) {
  list.forEach((instance) => INSTANCES.set(instance.id, instance));
  const control = counterexample.controls[0];
  control.options = list.map(({ id, short }) => [id, `${id}: ${short}`]);
  control.initial = favourites.find((id) => INSTANCES.has(id)) ?? list[0].id;
  const named = (id, name, extra = {}) => (INSTANCES.has(id) ? [[name, { claim: id, ...extra }]] : []);
  counterexample.presets = [...named("fedlaavg.thm1", "FedAvg's limit"), ...named("fraboni.ex1", "The six-cycle"),
    ...named("fraboni.ex2", "Two points"),
    ...named("afl.alg2", "The box of AFA-CD"), ...named("afl.thm2", "AFL's Theorem 2"), ...named("fedlaavg.thm1", "Tiny steps repair it",
      { factor: "1/20" })];
  counterexample.why = null;
}

