// Scene 1: FedLaAvg's Example 1. Two clients by turns; FedAvg walks to the wrong point, memory comes home.

import { ONE, ZERO, parse, whole } from "../core/fraction.js";
import { everyNth, oneByOne, remembering, runFloat } from "../core/floats.js";
import { quadratic } from "../core/methods.js";
import { besides, decimal, equalTo, exactMath, frac, h, id, math, num, op, shortText, sub, sup, valueOf } from "../view/dom.js";
import { chooser, hundredths, quarters, slider, steps } from "../view/controls.js";
import { ROLES } from "../view/palette.js";
import { card } from "../view/cards.js";

const NAMES = { fedavg: "FedAvg", fedprox: "FedProx", sampling: "Importance sampling", mifa: "MIFA", fedlaavg: "FedLaAvg" };
const MEMORY = ["fedlaavg", "mifa"];
const TWO = whole(2);
const LONG = 100;
const LONGEST = 600;

// One round with client i alone: x - e_i shrinks by this factor (methods without memory).
function shrinkage(key, given) {
  const { step, local, prox, blocks } = given;
  const strength = key === "fedprox" ? prox : ZERO;
  const base = ONE.sub(step.mul(TWO.add(strength))).pow(local);
  const once = base.add(ONE.sub(base).mul(strength).div(TWO.add(strength)));
  const all = whole(blocks[0] + blocks[1]);
  const scale = (i) => (key === "sampling" ? all.div(whole(2 * blocks[i])) : ONE);
  return blocks.map((_, i) => ONE.sub(ONE.sub(once).mul(scale(i))));
}

// x after client 1's block is e1 + R1 (x - e1), after client 2's e2 + R2 (x - e2): the fixed point of both, Theorem 1's X.
function withoutMemory(key, given) {
  const { blocks, optima } = given;
  const [first, second] = shrinkage(key, given).map((r, i) => r.pow(blocks[i]));
  const both = first.mul(second);
  const [e1, e2] = optima;
  const limit = both.abs().cmp(ONE) < 0 ? e2.add(e1.sub(e2).mul(second).mul(ONE.sub(first)).div(ONE.sub(both))) : null;
  const radius = Math.abs(both.toNumber());
  return { limit: limit && limit.toString(), radius, decay: -Math.log(radius) };
}

// The same in doubles, to a few digits: for fractions of thousands of digits, and while a slider moves.
function roughly(key, given) {
  const [e1, e2] = given.optima.map((x) => x.toNumber());
  const [first, second] = shrinkage(key, given).map((r, i) => r.toNumber() ** given.blocks[i]);
  const limit = Math.abs(first * second) < 1 ? e2 + ((e1 - e2) * second * (1 - first)) / (1 - first * second) : null;
  const radius = Math.abs(first * second);
  return { limit: limit === null ? null : limit.toFixed(4), radius, decay: -Math.log(radius) };
}

// The period map of y = x - x* has this trace and determinant, with a = 1 - step (FedLaAvg, Example 1, audited closed form).
function radiusWithMemory({ blocks, move, local }) {
  const [t1, t2] = blocks;
  if (local * (t1 + t2) > LONG) {
    const g = move.toNumber();
    const [a_, power_] = [1 - g, (1 - g) ** (t1 + t2 - 2)];
    const [half, product] = [(1 + power_ * (1 + a_) ** 2) / 2 - a_ ** (t1 - 1) - a_ ** (t2 - 1), g * g * power_];
    return half * half < product ? Math.sqrt(product) : Math.abs(half) + Math.sqrt(half * half - product);
  }
  const a = ONE.sub(move);
  const power = a.pow(t1 + t2 - 2);
  const determinant = move.mul(move).mul(power);
  const trace = ONE.add(power.mul(ONE.add(a).pow(2))).sub(TWO.mul(a.pow(t1 - 1))).sub(TWO.mul(a.pow(t2 - 1)));
  const discriminant = trace.mul(trace).sub(whole(4).mul(determinant));
  if (discriminant.cmp(ZERO) < 0) return Math.sqrt(determinant.toNumber());
  return (Math.abs(trace.toNumber()) + Math.sqrt(discriminant.toNumber())) / 2;
}

// The distance to 1 of a radius near 1 is lost in doubles; for a root near 1 it is p(1) over the distance of the other root, without loss.
function withMemory(given) {
  const radius = radiusWithMemory(given);
  const [t1, t2] = given.blocks;
  const g = given.move.toNumber();
  const [a, first, second] = [1 - g, (1 - g) ** (t1 - 1), (1 - g) ** (t2 - 1)];
  if (radius < 0.9 || 1 + first * second * (1 + a) ** 2 < 2 * (first + second)) return { radius, decay: -Math.log(radius) };
  const other = (g * g * first * second) / radius;
  return { radius, decay: -Math.log1p(-(2 * (first + second) - 4 * a * first * second) / (1 - other)) };
}

function read(settings) {
  const step = parse(settings.step);
  const local = Number(settings.local);
  const blocks = [Number(settings.t1), Number(settings.t2)];
  const move = ONE.sub(ONE.sub(TWO.mul(step)).pow(local)).div(TWO);
  return { step, local, blocks, move, prox: parse(settings.prox), optima: [parse(settings.e1), parse(settings.e2)],
    start: parse(settings.start), rounds: Number(settings.rounds), show: settings.show.split(",").filter(Boolean) };
}

const turns = remembering((rounds, period, first) => oneByOne(rounds, (t) => (t % period < first ? 0 : 1)));

function compute(settings, exact = true) {
  const given = read(settings);
  const { blocks, optima, show } = given;
  const period = blocks[0] + blocks[1];
  const optimum = optima[0].add(optima[1]).div(TWO);
  const biased = optima[0].mul(whole(blocks[0])).add(optima[1].mul(whole(blocks[1]))).div(whole(period));
  const problem = quadratic([TWO, TWO], optima);
  const rounds = turns(given.rounds, period, blocks[0]);
  const methods = {};
  for (const key of show) {
    const weights = blocks.map((t) => whole(period).div(whole(2 * t)));
    const setup = { method: key === "sampling" ? "weighted" : key, problem, size: given.step, server: ONE, weights,
      proximal: key === "fedprox" ? given.prox : ZERO };
    const models = runFloat(setup, rounds, given.local, given.start);
    const memory = MEMORY.includes(key);
    const long = given.local * period > (exact ? LONGEST : LONG);
    const found = memory ? { limit: optimum.toString(), ...withMemory(given) } : (long ? roughly : withoutMemory)(key, given);
    const last = models.subarray(-period - 1);
    methods[key] = { models, ...found,
      smallStep: (key === "fedavg" || key === "fedprox" ? biased : optimum).toString(),
      swing: [Math.min(...last), Math.max(...last)] };
  }
  return { optimum: optimum.toString(), smallStep: biased.toString(), period, methods };
}

function figure(numbers, settings) {
  const blocks = [Number(settings.t1), Number(settings.t2)];
  const rounds = Number(settings.rounds);
  const series = [];
  const labels = [];
  const together = new Map();
  for (const [key, found] of Object.entries(numbers.methods)) {
    const role = ROLES[key];
    const swings = !MEMORY.includes(key);
    series.push({ name: NAMES[key], y: found.models, colour: role.colour, dash: swings ? "" : role.dash, width: swings ? 0.5 : 1.15,
      opacity: swings ? 0.6 : 1, marker: swings ? "" : role.marker, head: true, column: key });
    if (swings) {
      const [ends, values] = everyNth(found.models, numbers.period);
      series.push({ name: `${NAMES[key]} at the end of each period`, x: ends, y: values, colour: role.colour,
        dash: role.dash, width: 1.3, marker: role.marker });
    }
    const place = found.limit === null ? `none ${key}` : found.limit;
    together.set(place, [...(together.get(place) ?? []), key]);
  }
  for (const [place, keys] of together) {
    const y = place.startsWith("none") ? null : valueOf(place);
    const swinging = keys.some((key) => MEMORY.includes(key)) && numbers.methods[keys[0]].radius > 0.9;
    const text = y === null ? "runs away" : shortText(place);
    const note = y === null ? "no limit" : swinging ? "the optimum, but very slowly" : place === numbers.optimum ? "the optimum"
      : "the wrong point";
    labels.push({ y: y ?? numbers.methods[keys[0]].models.at(-1), free: y === null, text, name: keys.map((key) => NAMES[key]).join(", "),
      note,
      colour: ROLES[keys[0]].colour, dotted: y !== null && !MEMORY.includes(keys[0]) });
  }
  return {
    title: "FedAvg drifts, memory does not", xlabel: "round", xmax: rounds, tick: numbers.period,
    panels: [{
      ylabel: "model", series, labels,
      keep: [valueOf(settings.e1), valueOf(settings.e2), valueOf(settings.start)],
      levels: [
        { y: valueOf(settings.e1), text: "optimum of client 1 alone", colour: "faint", solid: true },
        { y: valueOf(settings.e2), text: "optimum of client 2 alone", colour: "faint", solid: true },
        { y: valueOf(numbers.optimum), colour: "ink", tick: shortText(numbers.optimum) },
      ],
      strips: [{ label: "available", cell: (t) => (t % numbers.period < blocks[0] ? 0 : 1), colours: ["sky", "orange"], names: ["1",
        "2"] }],
    }],
  };
}

function formula(settings, numbers) {
  const [q, t1, t2] = [id("q"), () => sub("t", "1"), () => sub("t", "2")];
  const power = (exponent) => sup(id("q"), exponent);
  const both = () => [t1(), op("+"), t2()];
  const local = Number(settings.local);
  const base = [op("("), num(1), op("−"), num(2), id("γ"), op(")")];
  const limit = numbers.methods.fedavg?.limit;
  return h("div", { class: "formula" },
    math(id("X"), op("="), sub("e", "2"), op("+"), mrow([op("("), sub("e", "1"), op("−"), sub("e", "2"), op(")")]),
      frac([power(t2()), op("("), num(1), op("−"), power(t1()), op(")")], [num(1), op("−"), power(mrow(both()))])),
    limit ? equalTo(limit) : null,
    h("span", { class: "hint" }, "with ", math(q, op("="), local === 1 ? base : sup(mrow(base), num(local))),
      ", and ", math(op("→"), frac([t1(), sub("e", "1"), op("+"), t2(), sub("e", "2")], both())), " = ", exactMath(numbers.smallStep),
      " only as the step size ", math(id("γ")), " vanishes"));
}

const mrow = (parts) => math(...parts).firstChild;

function cards(numbers) {
  return Object.entries(numbers.methods).map(([key, found]) => {
    const tenfold = Math.ceil((numbers.period * Math.LN10) / found.decay);
    return card({
      name: NAMES[key], role: ROLES[key], now: (at) => found.models[Math.min(at, found.models.length - 1)],
      rows: [
        ["limit", exactMath(found.limit), besides(found.limit)],
        ["small steps", exactMath(found.smallStep), besides(found.smallStep)],
        ["last period", `${decimal(found.swing[0], 4)} … ${decimal(found.swing[1], 4)}`, ""],
        ["10× closer in", found.decay <= 0 ? "never" : tenfold <= numbers.period ? "one period"
          : `${tenfold < 1e9 ? tenfold.toLocaleString("en") : decimal(tenfold)} rounds`, ""],
      ],
    });
  });
}

export const drift = {
  id: "drift", name: "Drift", title: "FedAvg drifts, memory does not",
  sentences: [
    "Two clients take turns: client 1 is available for t₁ rounds, then client 2 for t₂, and the fair model lies midway " +
      "between their optima.",
    "FedAvg hears only who is there, so it ends at a wrong point that depends on the step size, not at the optimum and not where the " +
      "printed theorem puts it.",
    "MIFA and FedLaAvg remember what the absent client last said and come home; but when γt₁ and γt₂ are large, FedLaAvg " +
      "itself swings to and fro like FedAvg for a very long time.",
  ],
  why: ["fedlaavg.thm1", "fedlaavg.thm1.closed", "fedlaavg.thm1.limit", "fedlaavg.ex1.stability", "fedlaavg.ex1.stability.slow",
    "fedlaavg.ex1.variants", "mifa.alg.is"],
  controls: [
    chooser("show", "Methods", Object.entries(NAMES).map(([key, name]) => [key, name, ROLES[key]]), "fedavg,mifa,fedlaavg"),
    slider("t1", "t₁, rounds of client 1", steps([[1, 20, 1], [25, 100, 5]]), "1"),
    slider("t2", "t₂, rounds of client 2", steps([[1, 20, 1], [25, 100, 5]]), "3"),
    slider("step", "step size γ", hundredths(1, 99), "1/4"),
    slider("local", "local steps", steps([[1, 10, 1]]), "1"),
    slider("prox", "FedProx strength μ", hundredths(0, 400, 10), "1"),
    slider("e1", "optimum of client 1", quarters(-8, 8), "0"),
    slider("e2", "optimum of client 2", quarters(-8, 8), "1"),
    slider("start", "start", quarters(-8, 8), "0"),
    slider("rounds", "rounds shown", [12, 20, 28, 40, 60, 100, 200, 400, 1000, 2000, 5000, 10000].map(String), "28"),
  ],
  presets: [
    ["Example 1", {}],
    ["Equal turns", { t2: "1" }],
    ["A lucky step size", { t1: "2", t2: "1", step: "19/100" }],
    ["All five methods", { show: "fedavg,fedprox,sampling,mifa,fedlaavg", local: "2", step: "1/10", rounds: "60" }],
    ["FedLaAvg swings too", { t1: "100", t2: "100", step: "1/100", local: "10", rounds: "2000", show: "fedavg,fedlaavg" }],
  ],
  total: (settings) => Number(settings.rounds),
  compute, figure, cards, formula,
  say: (numbers, settings, at) => Object.entries(numbers.methods)
    .map(([key, { models, limit }]) => `${NAMES[key]} ${decimal(models[Math.min(at, models.length - 1)], 4)}, limit ${shortText(limit)}`)
    .join("; "),
};
