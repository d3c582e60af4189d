// Scene 3: MIFA. Coin flips decide who is there; one can wait for the stragglers, remember them, or forget them.

import { ONE, ZERO, parse, sum, whole } from "../core/fraction.js";
import { inSets, pullsOf, remembering, runFloat } from "../core/floats.js";
import { quadratic } from "../core/methods.js";
import { PURPOSE, draws, threshold } from "../core/philox.js";
import { besides, decimal, equalTo, exactMath, frac, h, id, math, num, op, shortText, sub, valueOf } from "../view/dom.js";
import { chooser, parts, quarters, slider, steps } from "../view/controls.js";
import { card } from "../view/cards.js";
import { becauseStragglers } from "./because.js";

const ROLES = {
  memory: { colour: "blue", dash: "", marker: "circle" },
  waiting: { colour: "green", dash: "8 5", marker: "triangle" },
  biased: { colour: "vermillion", dash: "", marker: "square" },
};
const NAMES = { memory: "MIFA remembers", waiting: "FedAvg waits", biased: "FedAvg forgets" };
const SHORT = { memory: "MIFA", waiting: "waiting", biased: "forgetting" };
const OPTIMA = [3, 1, -1, -3].map(whole);
const CLIENTS = [0, 1, 2, 3];

// A set of clients is the sum of 2^i over its members.
const MEMBERS = Array.from({ length: 2 ** CLIENTS.length }, (_, mask) => CLIENTS.filter((i) => (mask >> i) & 1));
const EVERYBODY = MEMBERS.length - 1;

// The set of available clients in each round; everybody in round 0 (MIFA, Def. 5.2).
function availability(chances, seed, rounds) {
  const sets = new Uint8Array(rounds);
  for (const i of CLIENTS) {
    const [column, limit] = [draws(seed, PURPOSE.availability, i, rounds), threshold(chances[i])];
    for (let t = 0; t < rounds; t++) if (column[t] < limit) sets[t] |= 1 << i;
  }
  sets[0] = EVERYBODY;
  return sets;
}

// Pick a uniform sample, wait until each of it has been seen, let all of it deliver, pick again: who delivers, who is in the waiting
// room's sample, and who of it is still missing after each round.
function waitForSample(available, size, seed) {
  const picked = samples(seed, size, available.length);
  const sets = new Uint8Array(available.length);
  const [room, missing] = [new Uint8Array(available.length), new Uint8Array(available.length)];
  let [sample, awaited] = [0, 0];
  for (let t = 0; t < available.length; t++) {
    if (!awaited) {
      sample = picked[t];
      awaited = sample;
    }
    awaited &= ~available[t];
    [room[t], missing[t]] = [sample, awaited];
    if (!awaited) sets[t] = sample;
  }
  return { sets, room, missing };
}

// The set of the `size` clients with the least draws in round t; of equal draws the first comes first.
function lowest(columns, t, size) {
  let set = 0;
  for (let i = 0; i < columns.length; i++) {
    let before = 0;
    for (let j = 0; j < columns.length; j++) if (columns[j][t] < columns[i][t] || (j < i && columns[j][t] === columns[i][t])) before++;
    if (before < size) set |= 1 << i;
  }
  return set;
}

// The sample that would be picked in each round; chances do not change it.
const samples = remembering((seed, size, rounds) => {
  if (size === CLIENTS.length) return new Uint8Array(rounds).fill(EVERYBODY);
  const columns = CLIENTS.map((i) => draws(seed, PURPOSE.selection, i, rounds));
  return Uint8Array.from({ length: rounds }, (_, t) => lowest(columns, t, size));
});

// Mean and largest staleness so far, after each round.
function staleness(available) {
  const ages = new Int32Array(CLIENTS.length);
  const [mean, largest] = [new Float64Array(available.length), new Float64Array(available.length)];
  let [total, worst] = [0, 0];
  for (let t = 0; t < available.length; t++) {
    for (let i = 0; i < ages.length; i++) {
      ages[i] = (available[t] >> i) & 1 ? 0 : ages[i] + 1;
      total += ages[i];
      if (ages[i] > worst) worst = ages[i];
    }
    mean[t] = total / (ages.length * (t + 1));
    largest[t] = worst;
  }
  return [mean, largest];
}

const subsets = () => MEMBERS.slice(1);
const choose = (n, k) => (k < 0 || k > n ? 0 : Array.from({ length: k }, (_, j) => (n - j) / (j + 1)).reduce((a, b) => a * b, 1));

// Mean of the largest of independent geometric times, over a uniform sample: inclusion and exclusion.
function expectedWait(chances, size) {
  const terms = subsets().filter((set) => set.length <= size).map((set) => {
    const absent = set.reduce((total, i) => total.mul(ONE.sub(chances[i])), ONE);
    const ways = whole(Math.round(choose(CLIENTS.length - set.length, size - set.length)));
    return ways.div(ONE.sub(absent)).mul(whole(set.length % 2 ? 1 : -1));
  });
  return sum(terms).div(whole(Math.round(choose(CLIENTS.length, size))));
}

// How much biased FedAvg listens to each client: E[1{i there} / number there].
function biasedWeights(chances) {
  return CLIENTS.map((i) => sum(subsets().filter((set) => set.includes(i)).map((set) =>
    CLIENTS.reduce((total, j) => total.mul(set.includes(j) ? chances[j] : ONE.sub(chances[j])), ONE).div(whole(set.length)))));
}

// E of the mean staleness over R rounds for one chance: q/p - q (1 - q^R) / (p^2 R).
function expectedStaleness(chance, rounds) {
  const p = chance.toNumber();
  const q = ONE.sub(chance).toNumber();
  return q / p - (q * (1 - q ** rounds)) / (p * p * rounds);
}

// All that the coin flips decide, and all that the chances decide; neither depends on the step size or the start.
const flipped = remembering((seed, rounds, size, ...texts) => {
  const available = availability(texts.map(parse), seed, rounds);
  const { sets: waiting, room, missing } = waitForSample(available, size, seed);
  const [meanStaleness, maxStaleness] = staleness(available);
  return { available, room, missing, meanStaleness, maxStaleness, updates: waiting.reduce((count, set) => count + (set ? 1 : 0), 0),
    arriving: inSets(available, CLIENTS.length), awaited: inSets(waiting, CLIENTS.length) };
});

const means = remembering((size, ...texts) => {
  const chances = texts.map(parse);
  const weights = biasedWeights(chances);
  const least = chances.reduce((a, b) => (a.cmp(b) < 0 ? a : b));
  return { expectedWait: expectedWait(chances, size).toString(), leastWait: ONE.div(least).toString(),
    inverse: sum(chances.map((p) => ONE.div(p))).div(whole(CLIENTS.length)).toString(),
    biasedLimit: sum(weights.map((w, i) => w.mul(OPTIMA[i]))).div(sum(weights)).toString() };
});

function compute(settings) {
  const texts = CLIENTS.map((i) => settings[`p${i + 1}`]);
  const [rounds, seed, size] = [Number(settings.rounds), Number(settings.seed), Number(settings.sample)];
  const { available, room, missing, meanStaleness, maxStaleness, updates, arriving, awaited } = flipped(seed, rounds, size, ...texts);
  const problem = quadratic(OPTIMA.map(() => ONE), OPTIMA);
  const setup = (method) => ({ method, problem, size: parse(settings.step), server: ONE, proximal: ZERO });
  const start = parse(settings.start);
  const [curves, pulls] = [{}, {}];
  for (const key of settings.show.split(",").filter(Boolean)) {
    const given = [setup(key === "memory" ? "mifa" : "fedavg"), key === "waiting" ? awaited : arriving, 1];
    curves[key] = runFloat(...given, start);
    pulls[key] = pullsOf(...given, curves[key]);
  }
  return { available, room, missing, curves, pulls, meanStaleness, maxStaleness, updates, ...means(size, ...texts),
    expectedStaleness: texts.reduce((total, p) => total + expectedStaleness(parse(p), rounds), 0) / CLIENTS.length };
}

// The waiting room and the memory, beside the model that each way of dealing with absence makes.
function cause(numbers, settings) {
  const round = (at) => Math.min(Math.floor(at + 1e-9), Number(settings.rounds) - 1);
  const members = (set) => MEMBERS[set].map((i) => i + 1).join(", ");
  const seats = (at) => CLIENTS.map((i) => (!((numbers.room[round(at)] >> i) & 1) ? "out"
    : (numbers.missing[round(at)] >> i) & 1 ? "awaited" : "come"));
  const missing = (at) => numbers.missing[round(at)];
  const lanes = { memory: { remembers: true, rows: 4 }, waiting: { rows: 1, seats,
    seatsTold: (at) => (missing(at) ? `waits for ${members(missing(at))}` : "complete: a step") }, biased: { rows: 4 } };
  return {
    clients: OPTIMA.map((x, i) => ({ name: String(i + 1), optimum: x.toNumber(), slope: 1 })), globals: [{ members: CLIENTS }],
    start: valueOf(settings.start), there: (at) => numbers.available[round(at)],
    words: (at) => (numbers.available[round(at)] ? `Here: ${members(numbers.available[round(at)])}` : "Nobody is here"),
    lanes: Object.keys(numbers.curves).map((key) => ({ key, name: NAMES[key], colour: ROLES[key].colour, models: numbers.curves[key],
      pulls: numbers.pulls[key], ...lanes[key] })),
  };
}

// A statistic of rounds 1, 2, ..., drawn from 0 on.
function fromRoundOne(values) {
  const all = new Float64Array(values.length + 1);
  all[0] = values[0];
  all.set(values, 1);
  return all;
}

function figure(numbers, settings) {
  const rounds = Number(settings.rounds);
  const series = Object.entries(numbers.curves).map(([key, y]) => ({ name: NAMES[key], y, colour: ROLES[key].colour, dash: ROLES[key].dash,
    width: key === "biased" ? 0.6 : 1.1, opacity: key === "biased" ? 0.8 : 1, head: true, column: key, stairs: key === "waiting" }));
  const labels = [];
  if (numbers.curves.biased) labels.push({ y: valueOf(numbers.biasedLimit), text: shortText(numbers.biasedLimit), name: SHORT.biased,
    note: numbers.biasedLimit === "0" ? "fair in the mean here" : "leans to who is there",
    colour: "vermillion", dotted: true });
  const home = ["memory", "waiting"].filter((key) => numbers.curves[key]);
  if (home.length) labels.push({ y: 0, text: "0", name: home.map((key) => SHORT[key]).join(", "), note: "the optimum",
    colour: ROLES[home[0]].colour });
  return {
    title: "Stragglers: wait, remember or forget", xlabel: "round", xmax: rounds, tick: 1,
    panels: [
      { ylabel: "model", weight: 1.5, series, labels, keep: [valueOf(settings.start), 0], levels: [{ y: 0, colour: "ink", tick: "0" }],
        strips: CLIENTS.map((i) => ({ label: `client ${i + 1} available`, slim: true, colours: ["grey"], names: [""],
          cell: (t) => ((numbers.available[t] >> i) & 1 ? 0 : -1) })) },
      { ylabel: "rounds away", weight: 0.8, floor: 0,
        series: [
          { name: "largest staleness", x: null, y: fromRoundOne(numbers.maxStaleness), colour: "orange", width: 0.9,
            stairs: true, column: "max_staleness" },
          { name: "mean staleness", x: null, y: fromRoundOne(numbers.meanStaleness), colour: "purple", width: 0.9,
            column: "mean_staleness" },
        ],
        labels: [{ y: numbers.maxStaleness.at(-1), text: `${numbers.maxStaleness.at(-1)}`, name: "τ max", note: "the worst client",
          colour: "orange" },
          { y: numbers.meanStaleness.at(-1), text: decimal(numbers.meanStaleness.at(-1), 3), name: "τ mean",
            note: "what MIFA's rate feels", colour: "purple" }] },
    ],
  };
}

function formula(settings, numbers) {
  return h("div", { class: "formula" },
    math(id("E"), op("max"), sub("T", "i")), equalTo(numbers.expectedWait),
    h("span", { class: "hint" }, "rounds to wait for the sample, at least ", math(frac([num(1)], [sub("p", "min")]), op("=")),
      exactMath(numbers.leastWait),
      " if all are awaited; memory is stale by ", math(frac([num(1)], [sub("p", "i")]), op("−"), num(1)), " on average: mean ",
      math(num(decimal(valueOf(numbers.inverse) - 1, 4)))));
}

function cards(numbers, settings) {
  const rounds = Number(settings.rounds);
  const extra = {
    memory: [["updates", `${rounds} in ${rounds} rounds`], ["mean staleness", decimal(numbers.meanStaleness.at(-1), 4),
      `expected ${decimal(numbers.expectedStaleness, 4)}`],
      ["largest", String(numbers.maxStaleness.at(-1))]],
    waiting: [["updates", `${numbers.updates} in ${rounds} rounds`], ["expected wait", exactMath(numbers.expectedWait),
      besides(numbers.expectedWait)],
      ["this run", numbers.updates ? `${decimal(rounds / numbers.updates, 4)} per update` : "no update yet"]],
    biased: [["mean tends to", exactMath(numbers.biasedLimit), besides(numbers.biasedLimit)], ["optimum", "0"]],
  };
  return Object.entries(numbers.curves).map(([key, y]) => card({ name: NAMES[key], role: ROLES[key],
    now: (at) => y[Math.max(0, Math.min(at, rounds))], rows: extra[key] }));
}

const chance = (i, initial) => slider(`p${i}`, `chance of client ${i}`, parts(20, 1, 20), initial);

export const stragglers = {
  id: "stragglers", name: "Stragglers", title: "Wait for stragglers, or remember them",
  sentences: [
    "Four phones want 3, 1, −1 and −3, so the fair answer is 0. After a first round with everybody, each flips its own coin " +
      "in every round to decide whether it is here, and one of them is rarely lucky. What should the server do about those " +
      "who are missing?",
    "It can wait until everybody has been seen: fair, but the rarest phone sets the pace. It can forget the absent and go " +
      "on with whoever is here: fast, but it ends at the wrong point.",
    "Or it can remember. MIFA moves in every round along everybody's latest word, and what its rate feels in the long run " +
      "is the mean age of these words, not the largest.",
  ],
  asks: 1,
  why: ["mifa.TS", "mifa.TS.average", "mifa.def5.2.average", "mifa.taustats.usage", "mifa.exp.2", "mifa.eq3.comparison",
    "mifa.thm5.1.asymptote"],
  controls: [
    chooser("show", "Strategies", Object.entries(NAMES).map(([key, name]) => [key, name, ROLES[key]]), "memory,waiting,biased"),
    chance(1, "1/10"), chance(2, "2/5"), chance(3, "7/10"), chance(4, "1"),
    slider("sample", "clients awaited", ["1", "2", "3", "4"], "4"),
    slider("step", "step size", parts(100, 1, 50), "1/5"),
    slider("start", "start", quarters(-16, 16), "4"),
    slider("seed", "seed of the coin flips", steps([[1, 40, 1]]), "1"),
    slider("rounds", "rounds shown", [30, 60, 100, 200, 500, 1000, 2000, 5000, 10000].map(String), "100"),
  ],
  presets: [
    ["One rare client", {}],
    ["Everybody alike", { p1: "1/2", p2: "1/2", p3: "1/2", p4: "1/2" }],
    ["Nobody missing", { p1: "1", p2: "1", p3: "1", p4: "1" }],
    ["Wait for two of four", { sample: "2" }],
    ["A very rare one", { p1: "1/20", p2: "1", p3: "1", p4: "1", rounds: "500", step: "1/10" }],
  ],
  handles: [["start", "start"]],
  target: ({ biasedLimit }) => ["the mean that forgetting tends to", biasedLimit],
  total: (settings) => Number(settings.rounds),
  compute, figure, cause, cards, formula, because: becauseStragglers,
  say: (numbers, settings, at, answers) => Object.entries(numbers.curves).map(([key,
    y]) => `${NAMES[key]} ${decimal(y[Math.min(at, y.length - 1)], 4)}`).join("; ") +
    (answers ? `; mean staleness ${decimal(numbers.meanStaleness.at(-1), 3)}, largest ${numbers.maxStaleness.at(-1)}` : ""),
};
