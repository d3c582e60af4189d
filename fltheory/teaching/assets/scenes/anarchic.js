// Scene 4: anarchic federated learning. Two worlds that the workers who come cannot tell apart, and what memory can and cannot do.

import { ZERO, parse, sum, whole } from "../core/fraction.js";
import { oneByOne, pullsOf, runFloat } from "../core/floats.js";
import { limitOfRounds, quadratic } from "../core/methods.js";
import { besides, decimal, exactMath, frac, h, id, m, math, num, op, shortText, sup, valueOf } from "../view/dom.js";
import { chooser, parts, quarters, slider, steps } from "../view/controls.js";
import { card } from "../view/cards.js";
import { TILES } from "../view/palette.js";
import { becauseAnarchic } from "./because.js";

const ROLES = {
  "cd-minus": { colour: "vermillion", dash: "", marker: "square" },
  "cs-minus": { colour: "blue", dash: "", marker: "circle" },
  "cd-plus": { colour: "orange", dash: "8 5", marker: "diamond" },
  "cs-plus": { colour: "sky", dash: "8 5", marker: "triangle" },
};
const NAMES = { "cd-minus": "AFA-CD, world A", "cs-minus": "AFA-CS, world A", "cd-plus": "AFA-CD, world B", "cs-plus": "AFA-CS, world B" };
const TWO = whole(2);

// Worker 1 has (x + G)^2 in both worlds; worker 2 has (x - G)^2 in world A and (x + 3G)^2 in world B (up to a constant).
const optima = (world, gap) => [gap.neg(), world === "minus" ? gap : gap.mul(whole(-3))];
const optimum = (world, gap) => (world === "minus" ? ZERO : gap.mul(whole(-2)));

// In every `rare`-th round worker 2 arrives instead of worker 1; never if that is 0.
const arriving = (rare) => (t) => (rare && (t + 1) % rare === 0 ? 1 : 0);

const NOTHING = { limit: null, mean: null, floor: null };

// While a slider moves, the last period stands for the cycle, to a few digits.
function roughly(models, period, centre) {
  const last = models.length - 1 - ((models.length - 1) % period);
  const list = Array.from(models.subarray(Math.max(0, last - period + 1), last + 1));
  if (list.some((x) => !(Math.abs(x) < 1e3))) return NOTHING;
  const mean = (values) => values.reduce((a, b) => a + b) / values.length;
  const told = (x) => (Math.round(x * 1e4) / 1e4 + 0).toFixed(4);
  return { limit: told(models[last]), mean: told(mean(list)), floor: told(mean(list.map((x) => 4 * (x - centre) ** 2))) };
}

// Where the cycle is when a period ends, its mean, and the mean of (2 (x - centre))^2 on it.
function settledAt({ cycle, stable, exact }, centre) {
  if (!stable) return NOTHING;
  const told = (x) => (exact ? x.toString() : x.toDecimals(4));
  const meanOf = (list) => sum(list).div(whole(list.length));
  const mean = meanOf(cycle);
  const spread = meanOf(cycle.map((x) => x.pow(2))).sub(TWO.mul(centre).mul(mean)).add(centre.pow(2));
  return { limit: told(cycle[0]), mean: told(mean), floor: told(whole(4).mul(spread)) };
}

function compute(settings, exact = true) {
  const gap = parse(settings.gap);
  const [rounds, rare, delay, local] = [settings.rounds, settings.rare, settings.delay, settings.local].map(Number);
  const list = oneByOne(rounds, arriving(rare), delay);
  const period = rare || 1;
  const settled = Array.from({ length: period }, (_, t) => [{ client: arriving(rare)(t), delay, steps: local }]);
  const curves = {};
  for (const key of settings.show.split(",").filter(Boolean)) {
    const [method, world] = key.split("-");
    const setup = { method: `afa-${method}`, problem: quadratic([TWO, TWO], optima(world, gap)), size: parse(settings.step),
      server: parse(settings.server), proximal: ZERO };
    const models = runFloat(setup, list, local, parse(settings.start));
    const found = exact ? limitOfRounds(setup, settled) : { radius: null };
    const centre = optimum(world, gap);
    const middle = centre.toNumber();
    let total = 0;
    for (let t = 0; t < rounds; t++) total += 4 * (models[t] - middle) * (models[t] - middle);
    curves[key] = { models, pulls: pullsOf(setup, list, local, models),
      ...(exact ? settledAt(found, centre) : roughly(models, period, middle)), radius: found.radius,
      meanSquared: total / rounds };
  }
  const dissimilarity = TWO.mul(gap).pow(2);
  return { dissimilarity: dissimilarity.toString(), optima: [ZERO.toString(),
    optimum("plus", gap).toString()], curves };
}

// Two worlds: worker 1 is the same in both, and each world has its own worker 2 and its own mean loss.
function cause(numbers, settings) {
  const gap = parse(settings.gap);
  const who = (at) => arriving(Number(settings.rare))(Math.min(Math.floor(at + 1e-9), Number(settings.rounds) - 1));
  const places = [gap.neg(), gap, gap.mul(whole(-3))].map((x) => x.toNumber());
  return {
    clients: ["1", "2 in A", "2 in B"].map((name, i) => ({ name, optimum: places[i], slope: 2, bit: Math.min(i, 1) })),
    globals: [{ members: [0, 1] }, { members: [0, 2], dash: "8 5" }], start: valueOf(settings.start),
    there: (at) => 1 << who(at), words: (at) => `Worker ${who(at) + 1} arrives`,
    lanes: Object.entries(numbers.curves).map(([key, found]) => ({ key, name: NAMES[key], colour: ROLES[key].colour, models: found.models,
      pulls: found.pulls, names: ["1", "2"], on: key.endsWith("plus") ? 1 : 0, remembers: key.startsWith("cs"),
      rows: key.startsWith("cs") ? 2 : 1 })),
  };
}

function figure(numbers, settings) {
  const gap = valueOf(settings.gap);
  const rare = Number(settings.rare);
  const series = [];
  const places = new Map();
  for (const [key, found] of Object.entries(numbers.curves)) {
    const role = ROLES[key];
    series.push({ name: NAMES[key], y: found.models, colour: role.colour, dash: role.dash, width: key.startsWith("cd") ? 1 : 1.2,
      head: true, marker: "", column: key });
    const place = found.mean ?? `none ${key}`;
    places.set(place, [...(places.get(place) ?? []), key]);
  }
  const short = (key) => NAMES[key].replace(", world", " in");
  const labels = [...places].map(([place, keys]) => {
    const y = place.startsWith("none") ? null : valueOf(place);
    const squared = numbers.curves[keys[0]].floor;
    return { y: y ?? numbers.curves[keys[0]].models.at(-1), free: y === null, text: y === null ? "diverges" : shortText(place),
      name: keys.length > 2 ? "all the same" : keys.map(short).join(", "), colour: ROLES[keys[0]].colour,
      note: keys.length > 1 && !rare ? "cannot tell A from B" : squared === null ? "" : squared === "0" ? "optimum"
        : `mean |∇f|² ${squared.length > 9 ? "" : "= "}${shortText(squared)}` };
  });
  return {
    title: "Anarchic workers", xlabel: "round", xmax: Number(settings.rounds), tick: 1,
    tiles: [{ text: "worker 1 arrives", tile: TILES[0] }, ...(rare ? [{ text: "worker 2 arrives", tile: TILES[1] }] : [])],
    panels: [{
      ylabel: "model", series, labels, keep: [valueOf(settings.start), 0, -2 * gap, -gap],
      levels: [
        { y: 0, colour: "ink", text: "optimum of world A", tick: "0" },
        { y: -2 * gap, colour: "soft", text: "optimum of world B", tick: shortText(numbers.optima[1]) },
        { y: -gap, colour: "faint", solid: true, text: "optimum of worker 1" },
      ],
      strips: [{ label: "arrives", cell: arriving(rare), colours: TILES, names: ["1", "2"] }],
    }],
  };
}

const sigma = () => m("msubsup", id("σ"), id("G"), num(2));

function formula(settings, numbers) {
  const squared = () => sup(math(op("|"), op("∇"), id("f"), op("|")).firstChild, num(2));
  return h("div", { class: "formula" },
    math(m("munder", op("max"), id("A, B")), squared(), op("≥"), num(4), sup(id("G"), num(2)), op("="), sigma(), op("=")),
    exactMath(numbers.dissimilarity),
    h("span", { class: "hint" }, "whatever the server does, if worker 2 never arrives; in general ",
      math(sigma(), op("min"), sup(math(op("("), num(1), op(","), frac([id("M"), op("−"), id("s")], [id("s")]),
        op(")")).firstChild, num(2))),
      " when s of M workers ever arrive"));
}

function cards(numbers) {
  return Object.entries(numbers.curves).map(([key, found]) => card({
    name: NAMES[key], role: ROLES[key], now: (at) => found.models[Math.min(at, found.models.length - 1)],
    rows: [
      ["mean in the end", exactMath(found.mean), besides(found.mean)],
      ["at period ends", exactMath(found.limit), besides(found.limit)],
      ["|∇f|² in the end", exactMath(found.floor), besides(found.floor)],
      ["|∇f|² so far", decimal(found.meanSquared, 4)],
      [math(sigma()), exactMath(numbers.dissimilarity)],
    ],
  }));
}

export const anarchic = {
  id: "anarchic", name: "Anarchy", title: "Two worlds that nobody can tell apart",
  sentences: [
    "Workers come when they like: worker 1 almost always, worker 2 rarely or never. World A and world B differ only in what " +
      "worker 2 wants. Can a server tell in which world it is?",
    "If worker 2 never comes, it cannot: all that it sees is the same in both, so in one of them it must be wrong, whatever " +
      "it does. That is the floor.",
    "If worker 2 comes now and then, AFA-CD, which averages arrivals, leans to worker 1 and keeps a lower floor; AFA-CS " +
      "keeps everybody's last word and reaches the optimum of its own world.",
  ],
  asks: 1,
  why: ["afl.thm1", "afl.thm1c", "afl.thm1c.upper", "afl.rem2.attained", "afl.rem6.limit"],
  controls: [
    chooser("show", "Method and world", Object.entries(NAMES).map(([key, name]) => [key, name, ROLES[key]]),
      "cd-minus,cs-minus,cd-plus,cs-plus"),
    slider("rare", "worker 2 arrives every … rounds (0: never)", ["0", ...steps([[2, 20, 1], [25, 40, 5]])], "8"),
    slider("gap", "distance G", quarters(1, 8), "1"),
    slider("step", "worker's step size", parts(100, 1, 40), "1/10"),
    slider("server", "server's step size", parts(4, 1, 16), "1"),
    slider("local", "local steps", steps([[1, 8, 1]]), "1"),
    slider("delay", "delay of the work", steps([[0, 4, 1]]), "0"),
    slider("start", "start", quarters(-16, 16), "2"),
    slider("rounds", "rounds shown", [40, 80, 160, 320, 1000, 2000, 5000, 10000].map(String), "80"),
  ],
  presets: [
    ["Worker 2 comes rarely", {}],
    ["Worker 2 never comes", { rare: "0" }],
    ["By turns", { rare: "2" }],
    ["Late and with local steps", { delay: "4", local: "4", rare: "8" }],
    ["Too late to be stable", { delay: "4", server: "4", step: "1/4" }],
  ],
  handles: [["start", "start"], ["gap", "optimum of worker 1, at −G", -1]],
  target: ({ curves }) => { const [key, found] = Object.entries(curves)[0] ?? [];
    return found?.mean ? [`the mean of ${NAMES[key]}`, found.mean] : null; },
  total: (settings) => Number(settings.rounds),
  compute, figure, cause, cards, formula, because: becauseAnarchic,
  say: (numbers, settings, at, answers) => Object.entries(numbers.curves).map(([key, { models, mean }]) => `${NAMES[key]} ` +
    decimal(models[Math.min(at, models.length - 1)], 4) + (answers ? `, mean in the end ${shortText(mean)}` : "")).join("; "),
};
