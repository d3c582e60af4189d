// Scene 2: Fraboni et al. Who finishes when decides who is heard; weights can repair the mean, not the dance around it.

import { EXACT } from "../core/arithmetic.js";
import { Fraction, ONE, ZERO, parse, sum, whole } from "../core/fraction.js";
import { limitCycle } from "../core/linear.js";
import { lastAtMost, runFloat, schedule } from "../core/floats.js";
import { quadratic, run, stepper } from "../core/methods.js";
import { besides, decimal, exactMath, frac, h, id, math, num, op, shortText, sub, valueOf } from "../view/dom.js";
import { choice, chooser, parts, quarters, slider, steps } from "../view/controls.js";
import { card } from "../view/cards.js";
import { TILES } from "../view/palette.js";
import { becauseClocks } from "./because.js";
import { edgeOf, unsettled } from "./edge.js";

const ROLES = {
  identical: { colour: "vermillion", dash: "", marker: "square" },
  timed: { colour: "blue", dash: "", marker: "circle" },
  fedfix: { colour: "green", dash: "8 5", marker: "triangle" },
  turns: { colour: "purple", dash: "", marker: "diamond" },
  pairs: { colour: "purple", dash: "", marker: "diamond" },
};
const NAMES = { identical: "IDENTICAL", timed: "TIME-BASED", fedfix: "FedFix", turns: "Example 2", pairs: "Example 1" };
const LONGEST_PERIOD = 130;
const MOST_PERIODS = 24;

const lcm = (a, b) => (a / gcd_(a, b)) * b;
const gcd_ = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };

// Groups of clients per round, and the tick at which each round ends, until all clocks meet again; from there on the same again.
function asynchronous(ticks) {
  const together = ticks.reduce(lcm, 1);
  const next = ticks.slice();
  const [groups, ends] = [[], []];
  while (Math.min(...next) <= together) {
    const first = next.indexOf(Math.min(...next));
    groups.push([first]);
    ends.push(next[first]);
    next[first] += ticks[first];
  }
  return { groups, ends, together };
}

// Rounds that repeat a period, as flat lists; everybody always works on the model received after the last delivery.
function repeated(period, rounds, clients) {
  const list = schedule(rounds, rounds * clients);
  const received = new Int32Array(clients);
  let k = 0;
  for (let n = 0; n < rounds; n++) {
    const group = period[n % period.length];
    for (let j = 0; j < group.length; j++) {
      list.client[k] = group[j];
      list.delay[k++] = n - received[group[j]];
      received[group[j]] = n + 1;
    }
    list.first[n + 1] = k;
  }
  return list;
}

// 0, then the time at which each round ends.
function endings(rounds, endOf) {
  const times = new Float64Array(rounds + 1);
  for (let n = 0; n < rounds; n++) times[n + 1] = endOf(n);
  return times;
}

// The same as objects, for exact runs.
function delayed(groups, clients, local) {
  const received = Array(clients).fill(0);
  return groups.map((group, n) => group.map((client) => {
    const delay = n - received[client];
    received[client] = n + 1;
    return { client, delay, steps: local };
  }));
}

// One period on the small state: the model, and for each client the model it works on.
function cycleOf(setup, groups, clients, local) {
  return limitCycle(clients + 1, groups.length, (arithmetic) => {
    const advance = stepper(arithmetic, setup);
    return (state, t) => {
      const arrivals = groups[t].map((client) => ({ client, delay: 0, steps: local }));
      const { model } = advance({ model: state[0], latest: [] }, arrivals, ({ client }) => state[1 + client], t);
      return [model, ...state.slice(1).map((held, client) => (groups[t].includes(client) ? model : held))];
    };
  });
}

// The exact run between two returns of the whole state, for rounds that repeat every two.
function orbitOf(setup, rounds, start) {
  const long = Array.from({ length: 2 * MOST_PERIODS }, (_, t) => rounds[t < 2 ? t : 2 + (t % 2)]);
  const models = run(EXACT, setup, long, start);
  const seen = new Map();
  for (let t = 2; t < long.length; t += 2) {
    const key = `${models[t]} ${models[t - 1]}`;
    if (seen.has(key)) return models.slice(seen.get(key), t).map(String);
    seen.set(key, t);
  }
  return null;
}

function patterns(settings, given) {
  const { clients, times, window, horizon } = given;
  const inTurn = (weights, period) => ({ weights, period, ends: endings(horizon, (n) => n + 1) });
  if (settings.mode === "pairs") return { pairs: inTurn(Array(4).fill(new Fraction(1n, 2n)), [[1, 3], [0, 2]]) };
  if (settings.mode === "turns") return { turns: inTurn([parse(settings.q1), parse(settings.q2)], [[0], [1]]) };
  const found = {};
  const scale = times.reduce((total, { d }) => lcm(total, Number(d)), 1);
  const ticks = times.map((time) => Number(time.n) * (scale / Number(time.d)));
  const rate = sum(times.map((time) => ONE.div(time)));
  const share = ONE.div(whole(clients));
  const { groups, ends, together } = asynchronous(ticks);
  const events = ticks.reduce((total, tick) => total + Math.floor((horizon * scale) / tick), 0);
  const clocked = { period: groups, ends: endings(events, (n) => (Math.floor(n / groups.length) * together + ends[n % groups.length])
    / scale) };
  const cycles = times.map((time) => Number(time.div(window).ceil()));
  const inWindow = (n) => cycles.flatMap((cycle, i) => ((n + 1) % cycle ? [] : [i]));
  const windows = Number(whole(horizon).div(window).floor());
  if (given.show.includes("identical")) found.identical = { ...clocked, weights: times.map(() => ONE) };
  if (given.show.includes("timed")) found.timed = { ...clocked, weights: times.map((time) => rate.mul(time).mul(share)) };
  if (given.show.includes("fedfix")) {
    const length = window.toNumber();
    found.fedfix = { weights: cycles.map((cycle) => share.mul(whole(cycle))), ends: endings(windows, (n) => (n + 1) * length),
      period: Array.from({ length: cycles.reduce(lcm, 1) }, (_, n) => inWindow(n)) };
  }
  return found;
}

function read(settings) {
  const clients = settings.mode === "pairs" ? 4 : settings.mode === "turns" ? 2 : Number(settings.clients);
  const ends = [parse(settings.e1), parse(settings.e2)];
  const between = (k) => ends[0].add(ends[1].sub(ends[0]).mul(new Fraction(BigInt(k), BigInt(clients - 1))));
  const optima = settings.mode === "pairs" ? [ends[0], ends[0], ends[1], ends[1]] : Array.from({ length: clients }, (_, i) => between(i));
  return { clients, optima, ends, times: Array.from({ length: clients }, (_, i) => parse(settings[`tau${i + 1}`])),
    window: parse(settings.window),
    horizon: Number(settings.horizon), local: Number(settings.local), step: parse(settings.step), start: parse(settings.start),
    show: settings.show.split(",") };
}

function compute(settings, exact = true) {
  const given = read(settings);
  const { clients, optima, local, step, start } = given;
  const curvatures = optima.map(() => ONE);
  const problem = quadratic(curvatures, optima);
  const clockless = settings.mode !== "clocks";
  const curves = {};
  for (const [key, pattern] of Object.entries(patterns(settings, given))) {
    const setup = { method: "weighted", problem, size: step, server: ONE, weights: pattern.weights, proximal: ZERO };
    const rounds = repeated(pattern.period, pattern.ends.length - 1, clients);
    const found = { models: runFloat(setup, rounds, local, start), times: pattern.ends, weights: pattern.weights.map(String),
      period: pattern.period.length };
    const arrivals = pattern.weights.map((_, i) => pattern.period.filter((group) => group.includes(i)).length);
    found.expected = pattern.weights.map((weight, i) => weight.mul(whole(arrivals[i])).div(whole(pattern.period.length)).toString());
    if (exact && pattern.period.length <= LONGEST_PERIOD) {
      const limit = cycleOf(setup, pattern.period, clients, local);
      const exactly = (x) => (limit.exact ? x.toString() : x.toDecimals());
      Object.assign(found, { cycle: limit.cycle && limit.cycle.map(exactly), stable: limit.stable, radius: limit.radius });
      found.mean = found.cycle && mean(found.cycle);
      found.edge = edgeOf(setup, pattern.period, local);
      const twice = () => delayed([...pattern.period, ...pattern.period], clients, local);
      found.orbit = clockless && !limit.stable ? orbitOf(setup, twice(), start) : null;
    }
    curves[key] = found;
  }
  const printed = settings.mode === "turns"
    ? optima[0].mul(parse(settings.q1)).add(optima[1].mul(parse(settings.q2))).div(parse(settings.q1).add(parse(settings.q2))) : null;
  return { optimum: sum(optima).div(whole(clients)).toString(), phi: ONE.sub(ONE.sub(step).pow(local)).toString(),
    printed: printed && printed.toString(), curves };
}

const centre = (text) => (text.length <= 5 ? shortText(text) : `≈ ${decimal(valueOf(text), 3)}`);

function figure(numbers, settings) {
  const given = read(settings);
  const clockless = settings.mode !== "clocks";
  const panel = { ylabel: "model", series: [], labels: [], keep: [...given.optima.map((x) => x.toNumber()), given.start.toNumber()],
    levels: given.ends.map((end, k) => ({ y: end.toNumber(), text: clockless
      ? `optimum of ${settings.mode === "pairs" ? "type" : "client"} ${k + 1}` :
      `optimum of client ${k ? given.clients : 1}`, colour: "faint", solid: true })) };
  panel.levels.push({ y: valueOf(numbers.optimum), colour: "ink", tick: shortText(numbers.optimum) });
  for (const [key, found] of Object.entries(numbers.curves)) {
    const role = ROLES[key];
    panel.series.push({ name: NAMES[key], x: clockless ? null : found.times, y: found.models, colour: role.colour, dash: role.dash,
      stairs: !clockless, width: 1, marker: clockless ? role.marker : "", head: true, column: key });
    const many = found.cycle && new Set(found.cycle).size;
    if (found.stable) {
      panel.labels.push({ y: valueOf(found.mean), text: centre(found.mean), name: NAMES[key],
        note: many > 1 ? `circles through ${many} points` : "one point", colour: role.colour });
    } else if (found.stable === false) {
      const [text, note] = unsettled(found);
      panel.labels.push({ y: found.models.at(-1), free: true, text, name: NAMES[key], note, colour: role.colour });
    }
  }
  if (!clockless && given.horizon <= 200) {
    panel.strips = given.times.map((time, i) => ({ label: `client ${i + 1}: one block, one update`, slim: true, colours: TILES,
      names: ["", ""], cell: (t) => Math.floor(t / time.toNumber()) % 2 }));
  }
  return { title: "Asynchronous weights", xlabel: clockless ? "round" : "clock time", xmax: given.horizon, tick: clockless ? 1 : 0,
    panels: [panel] };
}

function formula(settings, numbers) {
  if (settings.mode === "pairs") {
    return h("div", { class: "formula" }, math(m2("n+2"), op("−"), m2("n+1"), op("+"), id("φ"), m2("n"), op("="), id("φ"), id("θ*")),
      h("span", { class: "hint" }, "stable exactly for ", math(num(0), op("<"), id("φ"), op("<"), num(1)), "; here ", math(id("φ"),
        op("=")), exactMath(numbers.phi)));
  }
  if (settings.mode === "turns") {
    const found = numbers.curves.turns;
    return h("div", { class: "formula" }, found.stable ? [h("span", {}, "the two points "), exactMath(found.cycle[0]), h("span", {},
      " and "), exactMath(found.cycle[1])] : found.stable === undefined ? null : "no limit",
    h("span", { class: "hint" }, "the paper prints one limit ", exactMath(numbers.printed)));
  }
  return h("div", { class: "formula" },
    named("IDENTICAL", num(1)),
    named("TIME-BASED", op("("), op("∑"), frac([num(1)], [sub("τ", "j")]), op(")"), sub("τ", "i"), sub("p", "i")),
    named("FedFix", op("⌈"), frac([sub("τ", "i")], [id("Δt")]), op("⌉"), sub("p", "i")));
}

const named = (name, ...right) => h("span", { class: "pair" }, math(sub("d", "i"), op("="), ...right), h("span", { class: "hint" }, name));
const m2 = (index) => sub("θ", index);

function cards(numbers) {
  return Object.entries(numbers.curves).map(([key, found]) => {
    const points = found.cycle && [...new Set(found.cycle)];
    const listed = points && (points.length <= 3 ? points.map((x, j) => [j ? ", " : "", exactMath(x)]) :
      `${points.length} points, ${decimal(Math.min(...points.map(valueOf)), 4)} … ${decimal(Math.max(...points.map(valueOf)), 4)}`);
    return card({
      name: NAMES[key], role: ROLES[key], now: (at) => modelAt(found, at),
      rows: [
        ["weights d", found.weights.map((x, j) => [j ? ", " : "", exactMath(x)])],
        ["mean weights q", found.expected.map((x, j) => [j ? ", " : "", exactMath(x)])],
        found.cycle === undefined ? null : [found.stable ? "limit cycle" : "no limit", found.stable ? listed : found.orbit
          ? found.orbit.map((x, j) => [j ? ", " : "", exactMath(x)]) : unsettled(found)[1]],
        found.cycle && found.stable ? ["its mean", exactMath(found.mean), besides(found.mean)] : null,
        found.radius === undefined ? null : ["per period ×", decimal(found.radius, 4)],
        found.edge === undefined ? null : ["stable below", found.edge === null ? "step size 2" : `step size ${decimal(found.edge, 5)}`],
      ],
    });
  });
}

const modelAt = ({ models, times }, at) => models[Math.max(0, lastAtMost(times, at + 1e-9))];

function mean(cycle) {
  const found = sum(cycle.map(parse)).div(whole(cycle.length));
  return cycle.some((x) => x.includes(".")) ? found.toDecimals() : found.toString();
}

const clocked = (settings) => settings.mode === "clocks";
const client = (i) => (settings) => clocked(settings) && Number(settings.clients) >= i;

export const clocks = {
  id: "async", name: "Asynchrony", title: "Who finishes first is heard most",
  sentences: [
    "Every client always computes and delivers when it is done, so in the same time a fast client is heard more often than a slow one.",
    "With identical weights the model leans towards the fast clients; weights proportional to the update time (TIME-BASED), or FedFix's " +
      "windows, make the long-run weights fair.",
    "Still the model mostly does not settle at one point but circles through a limit cycle, and from the stability edge on it never " +
      "settles: at step size 1, Fraboni's Example 1 runs through six values for ever.",
  ],
  why: ["fraboni.eq12", "fraboni.eq14", "fraboni.ex1", "fraboni.ex1.corrected", "fraboni.ex2", "fraboni.ex2.stable", "fraboni.exp.fig2"],
  controls: [
    choice("mode", "Setting", [["clocks", "Update times"], ["pairs", "Example 1: two pairs by turns"], ["turns",
      "Example 2: two by turns"]], "clocks"),
    chooser("show", "Weights", ["identical", "timed", "fedfix"].map((key) => [key, NAMES[key], ROLES[key]]), "identical,timed,fedfix",
      clocked),
    slider("clients", "clients", ["2", "3", "4"], "2", clocked),
    slider("tau1", "update time of client 1", steps([[1, 6, 1]]), "1", clocked),
    slider("tau2", "update time of client 2", steps([[1, 6, 1]]), "2", clocked),
    slider("tau3", "update time of client 3", steps([[1, 6, 1]]), "5", client(3)),
    slider("tau4", "update time of client 4", steps([[1, 6, 1]]), "3", client(4)),
    slider("window", "window Δt of FedFix", parts(2, 1, 12), "1", clocked),
    slider("q1", "weight of client 1", parts(4, 1, 12), "1", (settings) => settings.mode === "turns"),
    slider("q2", "weight of client 2", parts(4, 1, 12), "1", (settings) => settings.mode === "turns"),
    slider("step", "step size", parts(20, 1, 38), "1/10"),
    slider("local", "local steps", steps([[1, 5, 1]]), "1"),
    slider("e1", "optimum at one end", quarters(-8, 8), "0"),
    slider("e2", "optimum at the other", quarters(-8, 8), "1"),
    slider("start", "start", quarters(-16, 16), "0"),
    slider("horizon", "time shown", [12, 20, 30, 50, 100, 200, 500, 1000, 2500, 5000].map(String), "50"),
  ],
  presets: [
    ["One twice as slow", {}],
    ["Three clients, 2, 3, 5", { clients: "3", tau1: "2", tau2: "3", tau3: "5", window: "2", horizon: "100" }],
    ["The six-cycle", { mode: "pairs", step: "1", start: "3", e1: "-1", e2: "0", horizon: "20" }],
    ["Just stable", { mode: "pairs", step: "19/20", start: "3", e1: "-1", e2: "0", horizon: "100" }],
    ["Two points, not one", { mode: "turns", step: "1/2", horizon: "20" }],
    ["Past the edge", { mode: "turns", step: "1", q1: "5/4", q2: "5/4", horizon: "20", start: "1/4" }],
  ],
  total: (settings) => Number(settings.horizon),
  compute, figure, cards, formula, because: becauseClocks,
  say: (numbers, settings, at, answers) => Object.entries(numbers.curves).map(([key, found]) => {
    const now = modelAt(found, at);
    const end = !answers || found.stable === undefined ? "" : !found.stable ? ", unstable"
      : `, limit cycle of mean ${decimal(valueOf(found.mean), 4)}`;
    return `${NAMES[key]} ${decimal(now, 4)}${end}`;
  }).join("; "),
};
