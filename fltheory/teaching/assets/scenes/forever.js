// Scene 6: for ever. Methods with memory are stable up to the step size 2/(τ + 1), for all rounds, clients and traces; beyond it a
// period in which everybody is silent together drives the model away.

import { ONE, ZERO, parse, whole } from "../core/fraction.js";
import { inSets, remembering, runFloat } from "../core/floats.js";
import { limitOfRounds, quadratic } from "../core/methods.js";
import { PURPOSE, draws, threshold } from "../core/philox.js";
import { besides, decimal, exactMath, frac, h, id, math, num, op, shortText, valueOf } from "../view/dom.js";
import { choice, parts, quarters, slider, steps } from "../view/controls.js";
import { card } from "../view/cards.js";
import { line } from "../view/line.js";
import { stepMap } from "../view/map.js";
import { exactly } from "./sides.js";

const ROLE = { colour: "blue", dash: "", marker: "circle" };
const OPTIMA = [3, 1, -1, -3].map(whole);
const TWO = whole(2);
export const MOST = 20;
const RECORD = {};
const LOOKS = ["orange", "purple", "sky", "vermillion"];

const factorAt = (staleness, step) => exactly(RECORD.factor, { max_staleness: whole(staleness), local_step_size: step, smoothness: ONE });

// The step size, times L, at which a period multiplies the model by -1.
export const borderAt = (staleness) => TWO.div(ONE.sub(factorAt(staleness, ONE)));

// Who delivers in each round, as sums of 2^i; everybody in round 0, and nobody is silent for more than `staleness` rounds.
const deliveries = remembering((silence, staleness, rounds, seed) => {
  const period = staleness + 1;
  const sets = new Uint8Array(rounds);
  OPTIMA.forEach((_, i) => {
    const phase = silence === "turns" ? Math.floor((i * period) / OPTIMA.length) : 0;
    const column = silence === "coins" ? draws(seed, PURPOSE.availability, i, rounds) : null;
    const least = column && threshold(ONE.div(whole(period)));
    let since = 0;
    for (let t = 0; t < rounds; t++) {
      const here = !t || (column ? since >= staleness || column[t] < least : t % period === phase);
      if (here) sets[t] |= 1 << i;
      since = here ? 0 : since + 1;
    }
  });
  return sets;
});

// One period of arrivals once all have been heard.
const periodOf = (sets, staleness) => Array.from(sets.subarray(staleness + 1, 2 * staleness + 2), (set) =>
  OPTIMA.flatMap((_, client) => ((set >> client) & 1 ? [{ client, delay: 0, steps: 1 }] : [])));

function compute(settings, exact = true) {
  const [staleness, rounds, seed] = [Number(settings.tau), Number(settings.rounds), Number(settings.seed)];
  const border = borderAt(staleness);
  const step = border.mul(parse(settings.part));
  const sets = deliveries(settings.silence, staleness, rounds, seed);
  const setup = { method: "mifa", problem: quadratic(OPTIMA.map(() => ONE), OPTIMA), size: step, server: ONE, proximal: ZERO };
  const models = runFloat(setup, inSets(sets, OPTIMA.length), 1, parse(settings.start));
  const found = { border: border.toString(), step: step.toString(), factor: factorAt(staleness, step).toString(), models, sets,
    proved: step.cmp(border) < 0, radius: null, stable: null };
  if (!exact || settings.silence === "coins") return found;
  const long = deliveries(settings.silence, staleness, 2 * staleness + 2, seed);
  const { radius, stable } = limitOfRounds(setup, periodOf(long, staleness));
  return { ...found, radius, stable };
}

const verdict = ({ proved, stable }) => (proved ? ["stable", "proved for all rounds"]
  : stable === false ? ["runs away", "from the border on"]
  : stable ? ["settles here", "but not on every trace"] : ["no promise", "from the border on"]);

function figure(numbers, settings) {
  const [text, note] = verdict(numbers);
  const start = valueOf(settings.start);
  const colour = numbers.proved ? "blue" : "vermillion";
  return {
    title: "Stable for ever, or not", xlabel: "round", xmax: Number(settings.rounds), tick: Number(settings.tau) + 1,
    panels: [{ ylabel: "model", series: [{ name: "MIFA", y: numbers.models, colour, width: 1.1, head: true, column: "model" }],
      keep: [start, -start, 0], levels: [{ y: 0, colour: "ink", tick: "0", text: "optimum" }],
      labels: [{ y: numbers.proved ? 0 : numbers.models.at(-1), free: true, text, name: "", note, colour }],
      strips: OPTIMA.map((_, i) => ({ label: `client ${i + 1} delivers`, slim: true, colours: ["grey"], names: [""],
        cell: (t) => ((numbers.sets[t] >> i) & 1 ? 0 : -1) })) }],
  };
}

function beside(numbers, settings, seen) {
  const allowed = RECORD.allowed.map(({ name, method, steps: list }, k) => ({ name: `${name.split(",")[0]}${name.includes("Theorem")
    ? ` Thm ${/Theorem ([\d.]+)/.exec(name)[1]}` : ""}`, colour: LOOKS[k % LOOKS.length], dash: method === "mifa" ? "" : "6 4",
  steps: list.map(valueOf) }));
  const told = !seen ? "Which step sizes are safe? The answer comes with the end of the run"
    : `Step size ${decimal(valueOf(numbers.step), 4)} over L at staleness ${settings.tau}: ${verdict(numbers).join(", ")}; ` +
      `the border is ${shortText(numbers.border)}`;
  const map = { most: MOST, border: Array.from({ length: MOST + 1 }, (_, t) => borderAt(t).toNumber()), allowed,
    staleness: Number(settings.tau), step: valueOf(numbers.step), proved: numbers.proved, seen, told };
  return (...place) => stepMap(map, ...place);
}

const bound = () => frac([num(2)], [id("τ"), op("+"), num(1)]);

const formula = (settings, numbers) => h("div", { class: "formula" },
  math(id("η"), id("L"), op("=")), exactMath(numbers.step),
  h("span", { class: "secret" }, math(op(numbers.proved ? "<" : "≥"), bound(), op("=")), exactMath(numbers.border)),
  h("span", { class: "hint answer" }, numbers.proved
    ? "Below the border every run stays bounded, and its mean squared gradient falls like 1/T: for every number of rounds and clients, " +
      "all smooth losses and every trace in which nobody is silent for more than τ rounds. Coq has checked the proof."
    : "From the border on one trace is enough: all clients silent together for τ rounds, again and again. No theorem can promise more."));

function cards(numbers, settings) {
  const staleness = Number(settings.tau);
  const rows = RECORD.allowed.map(({ name, steps: list, condition }) => [name, exactMath(list[staleness]),
    `${decimal(valueOf(numbers.border) / valueOf(list[staleness]), 3)} times below the border` +
      (condition ? `, at L/μ = ${condition}` : "")]);
  return [
    card({ name: "This run", role: ROLE, now: (at) => numbers.models[Math.min(at, numbers.models.length - 1)], rows: [
      ["all silent together", h("span", {}, "× ", exactMath(numbers.factor), " per period"), besides(numbers.factor)],
      ["this trace", numbers.radius === null ? "has no period" : `× ${decimal(numbers.radius, 4)} per period`],
      ["border", exactMath(numbers.border), besides(numbers.border)]] }),
    card({ name: "Step sizes that theorems allow, times L", role: { colour: "orange" }, rows: [...rows,
      ["proved here", RECORD.proved], ["breaks by", RECORD.breaks]] })];
}

const because = (settings, numbers) => [
  line("Below. Let S be the sum of the steps since a client last answered, at $w_s$. Its share of the potential, " +
    "$f_i(w_s)$ $+ ⟨∇ f_i(w_s), w − w_s⟩$ $+ ∣w − w_s∣^2 / S$, loses a square in every round. While no S passes $2 / L$ the mean over " +
    "the clients is above f, so the loss never climbs above its start: for every trace, and for ever."),
  [...line("Beyond. Let all clients answer in every $(τ + 1)$-th round only, with losses $L x^2 / 2$. The server walks " +
    "$τ + 1$ steps along one old gradient, so a period multiplies x by $1 − (τ + 1) η L$: "), exactMath(numbers.factor),
  ". From the border on that is −1 or less."],
  line("So the border is sharp: it is proved from one side and broken from the other. Theorems ask for less because they also speak of " +
    "noise, of local steps, or of other methods."),
];

export const forever = {
  id: "forever", name: "Forever", title: "How old may memory be, for ever?",
  sentences: [
    "Memory is old news. A server that walks along old gradients must take shorter steps the older they are. How short, if nobody is " +
      "silent for more than τ rounds?",
    "The blue region is proved: below 2/(τ + 1) nothing runs away, in any number of rounds, with any number of clients, on any such " +
      "trace.",
    "Push the slider over the border and let everybody fall silent together: the model overshoots, and each swing is wider than the last.",
  ],
  asks: 1,
  why: ["mifa.potential.rate", "mifa.potential.period", "mifa.potential.identity", "mifa.potential.distance"],
  controls: [
    slider("part", "step size, as a part of the border", [...parts(100, 2, 94, 4), ...parts(100, 95, 110), ...parts(100, 112, 150, 2)],
      "9/10"),
    slider("tau", "τ, the longest silence", steps([[0, MOST, 1]]), "3"),
    choice("silence", "Who is silent when", [["together", "all together"], ["turns", "by turns"], ["coins", "by coin flips"]], "together"),
    slider("start", "start", quarters(-16, 16), "4"),
    slider("seed", "seed of the coin flips", steps([[1, 40, 1]]), "1", ({ silence }) => silence === "coins"),
    slider("rounds", "rounds shown", [20, 40, 60, 100, 200, 500, 1000, 10000].map(String), "60"),
  ],
  presets: [
    ["Just below", { part: "19/20" }],
    ["On the border", { part: "1" }],
    ["Just beyond", { part: "21/20" }],
    ["Beyond, by turns", { part: "21/20", silence: "turns" }],
    ["Fresh gradients", { tau: "0", part: "19/20" }],
    ["Twenty rounds old", { tau: "20", part: "21/20", rounds: "200" }],
  ],
  handles: [["start", "start"]],
  total: (settings) => Number(settings.rounds),
  compute, figure, beside, cards, formula, because,
  say: (numbers, settings, at, answers) => `model ${decimal(numbers.models[Math.min(at, numbers.models.length - 1)], 4)}${answers
    ? `; ${verdict(numbers).join(", ")}` : ""}`,
};

export const loadForever = (record) => Object.assign(RECORD, record);
