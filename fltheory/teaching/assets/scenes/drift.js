// Scene 1: FedLaAvg's Example 1. Two clients by turns; FedAvg runs round a cycle away from the optimum, memory comes home.

import { ONE, parse } from "../core/fraction.js";
import { everyNth } from "../core/floats.js";
import { besides, decimal, equalTo, exactMath, flat, frac, h, id, math, num, op, shortText, sub, sup, valueOf } from "../view/dom.js";
import { chooser, hundredths, quarters, slider, steps, roundStrip } from "../view/controls.js";
import { ROLES, TILES } from "../view/palette.js";
import { MOST_MARKS } from "../view/marks.js";
import { card } from "../view/cards.js";
import { MEMORY, TWO, byTurns, setsOf } from "./turns.js";

const NAMES = { fedavg: "FedAvg", fedprox: "FedProx", sampling: "Importance sampling", mifa: "MIFA", fedlaavg: "FedLaAvg" };

const listed = (names) => names.join(names.length > 2 ? ", " : " and ");

// Twenty times closer by the last round shown than at the first.
const arrived = ({ decay }, settings, numbers) => (decay * Number(settings.rounds)) / numbers.period > Math.log(20);

function labelsOf(numbers, settings) {
  const together = new Map();
  for (const [key, { limit }] of Object.entries(numbers.methods)) {
    const place = limit ?? (MEMORY.includes(key) ? "none" : `none ${key}`);
    together.set(place, [...(together.get(place) ?? []), key]);
  }
  const labels = [...together].map(([place, keys]) => {
    const [found, home, names] = [numbers.methods[keys[0]], MEMORY.includes(keys[0]) && place === numbers.optimum,
      keys.map((key) => NAMES[key]).join(", ")];
    const colour = ROLES[keys[0]].colour;
    if (found.limit === null) return { y: found.models.at(-1), free: true, text: "no limit", name: names, colour,
      note: found.radius > 1 ? "runs away" : found.swing[0] === found.swing[1] ? "stays where it is" : "does not settle" };
    return { y: valueOf(place), text: shortText(place), name: names, colour, dotted: !home,
      note: `${home ? "the optimum" : "at the end of each period"}${arrived(found, settings, numbers) ? "" : ", not there yet"}` };
  });
  const leaning = ["fedavg", "fedprox"].filter((key) => numbers.methods[key]?.mean && settings.e1 !== settings.e2);
  if (leaning.length) labels.push({ y: valueOf(numbers.smallStep), text: shortText(numbers.smallStep), note: "mean over a period",
    name: leaning.map((key) => NAMES[key]).join(", "), colour: ROLES[leaning[0]].colour, dotted: true });
  return labels;
}

function figure(numbers, settings) {
  const series = [];
  const legend = [];
  for (const [key, found] of Object.entries(numbers.methods)) {
    const { colour, dash, marker } = ROLES[key];
    const [ends, values] = everyNth(found.models, numbers.period);
    series.push({ name: NAMES[key], y: found.models, colour, dash, width: 1.15, head: true, column: key },
      { x: ends, y: values, colour, marker, marks: key });
    legend.push({ text: NAMES[key], colour, dash, marker: ends.length > MOST_MARKS ? "" : marker });
  }
  return {
    title: "FedAvg drifts; does memory?", xlabel: "round", xmax: Number(settings.rounds), tick: numbers.period,
    legend: legend.some(({ marker }) => marker) ? [...legend, { text: "mark: the end of a period" }] : legend,
    panels: [{
      ylabel: "model", series, labels: labelsOf(numbers, settings),
      keep: [valueOf(settings.e1), valueOf(settings.e2), valueOf(settings.start)],
      levels: [
        { y: valueOf(settings.e1), text: "optimum of client 1 alone", colour: "faint", solid: true },
        { y: valueOf(settings.e2), text: "optimum of client 2 alone", colour: "faint", solid: true },
        { y: valueOf(numbers.optimum), colour: "ink", tick: shortText(numbers.optimum) },
      ],
      strips: [{ label: "available", cell: (t) => numbers.sets[t % numbers.period] - 1, colours: [...TILES, "both"],
        names: ["1", "2", "12"] }],
    }],
  };
}

const mrow = (parts) => math(...parts).firstChild;
const both = () => [sub("t", "1"), op("+"), sub("t", "2")];
const power = (exponent) => sup(id("q"), exponent);
const leaned = () => frac([sub("t", "1"), sub("e", "1"), op("+"), sub("t", "2"), sub("e", "2")], both());
const factor = (local) => {
  const base = [num(1), op("−"), num(2), id("γ")];
  return local === 1 ? base : [sup(mrow([flat("("), base, flat(")")]), num(local))];
};
const closed = () => math(id("X"), op("="), sub("e", "2"), op("+"), mrow([flat("("), sub("e", "1"), op("−"), sub("e", "2"), flat(")")]),
  frac([power(sub("t", "2")), flat("("), num(1), op("−"), power(sub("t", "1")), flat(")")], [num(1), op("−"), power(mrow(both()))]));
const shrinks = (settings) => ONE.sub(TWO.mul(parse(settings.step))).pow(Number(settings.local)).toString();

const PRESENT = ["Nobody is here", "Client 1 is here", "Client 2 is here", "Both are here"];

// The first method that forgets and the first that remembers; the losses are (x - e)^2.
function cause(numbers, settings) {
  const shown = Object.keys(numbers.methods);
  const two = [shown.find((key) => !MEMORY.includes(key)), shown.find((key) => MEMORY.includes(key))].filter(Boolean);
  const there = (at) => numbers.sets[Math.min(Math.floor(at + 1e-9), Number(settings.rounds) - 1) % numbers.period];
  return {
    clients: [1, 2].map((i) => ({ name: String(i), optimum: valueOf(settings[`e${i}`]), slope: 2 })), globals: [{ members: [0, 1] }],
    start: valueOf(settings.start), there, words: (at) => PRESENT[there(at)],
    lanes: two.map((key) => ({ key, name: NAMES[key], colour: ROLES[key].colour, models: numbers.methods[key].models,
      pulls: numbers.methods[key].pulls, remembers: MEMORY.includes(key), rows: MEMORY.includes(key) ? 2 : 1 })),
  };
}

// What may surprise in these settings.
function remarks(settings, numbers) {
  const { fedavg, fedprox } = numbers.methods;
  const gap = Math.abs(valueOf(settings.e1) - valueOf(settings.e2));
  const near = (text, part) => Math.abs(valueOf(text) - valueOf(numbers.optimum)) < part * gap;
  const swinging = MEMORY.filter((key) => numbers.methods[key] && numbers.methods[key].swing[1] - numbers.methods[key].swing[0] > gap / 4);
  return [
    fedprox && settings.local === "1" && "With one local step FedProx is FedAvg: it pulls back from the second step on.",
    fedavg?.limit && near(fedavg.limit, 0.02) && !near(fedavg.mean, 0.02) && "Lucky: at this step size FedAvg's periods end near the " +
      `optimum, but its mean over a period stays at ${shortText(fedavg.mean)}.`,
    fedavg && !fedavg.limit && "Here q is 1 or −1: FedAvg does not settle.",
    numbers.period > Number(settings.rounds) && `A period takes ${numbers.period} rounds, of which ${settings.rounds} are shown.`,
    gap && swinging.length && `${listed(swinging.map((key) => NAMES[key]))} still ${swinging.length > 1 ? "swing" : "swings"} to and fro.`,
  ].filter(Boolean).join(" ");
}

function formula(settings, numbers) {
  const limit = numbers.methods.fedavg?.limit;
  if (settings.pattern) return h("div", { class: "formula answer" }, math(id("X"), op("=")), exactMath(limit),
    h("span", { class: "hint" }, "FedAvg at the end of each period of your pattern: the one model that a period leaves where it was, ",
      "solved in fractions. Its mean over a period is that of the optima of whoever is there, ", exactMath(numbers.smallStep), ". ",
      remarks(settings, numbers)));
  return h("div", { class: "formula answer" }, closed(), limit ? equalTo(limit) : null,
    h("span", { class: "hint" }, "FedAvg at the end of each period, with ", math(id("q"), op("="), factor(Number(settings.local))),
      "; its mean over a period is ", math(leaned()), " ", equalTo(numbers.smallStep), " at every step size below 1, and X tends to it ",
      "as ", math(id("γ"), op("→"), num(0)), ". ", remarks(settings, numbers)));
}

// The derivation, with the numbers of the settings.
function because(settings, numbers) {
  const limit = numbers.methods.fedavg?.limit ?? null;
  const q = shrinks(settings);
  const after = (i) => mrow([sub("e", String(i)), op("+"), power(sub("t", String(i)))]);
  return [
    ["One round. The slope of ", math(sup(mrow([flat("("), id("x"), op("−"), sub("e", "i"), flat(")")]), num(2))), " is ",
      math(num(2), flat("("), id("x"), op("−"), sub("e", "i"), flat(")")), ", so a round with client i alone takes x to ",
      math(sub("e", "i"), op("+"), id("q"), flat("("), id("x"), op("−"), sub("e", "i"), flat(")")), " with ",
      math(id("q"), op("="), factor(Number(settings.local))), " ", equalTo(q), "."],
    settings.pattern ? ["One period. Your pattern is a chain of such rounds, so it takes x to a x + b with fixed a and b. The x that it ",
      "leaves where it was is ", math(id("X"), op("="), frac([id("b")], [num(1), op("−"), id("a")])), " ", limit ? equalTo(limit) : null,
      ": FedAvg's model at the end of each period."] : ["One period. ", math(sub("t", "1"), op("="), num(settings.t1)),
      " rounds of client 1 take x to ",
      math(id("y"), op("="), after(1), flat("("), id("x"), op("−"), sub("e", "1"), flat(")")), ", then ",
      math(sub("t", "2"), op("="), num(settings.t2)), " of client 2 take y to ", math(after(2), flat("("), id("y"), op("−"), sub("e", "2"),
        flat(")")), ". The x that a period leaves where it was is ", closed(), " ", limit ? equalTo(limit) : null,
      ": FedAvg's model at the end of each period. In between it goes on moving."],
    ["Its mean. Every round moves x by ",
      math(flat("("), num(1), op("−"), id("q"), flat(")"), flat("("), sub("e", "i"), op("−"), id("x"), flat(")")),
      ", and over a period of the cycle the moves sum to 0: so the mean of x is the mean of the optima of whoever is there, ",
      settings.pattern ? "here" : math(leaned()), " ", equalTo(numbers.smallStep), ", at every step size below 1."],
    ["Memory. MIFA and FedLaAvg move along the average of both clients' last gradients. At ", exactMath(numbers.optimum),
      " these cancel, whoever is away, so it is a point of rest."],
  ];
}

function cards(numbers) {
  return Object.entries(numbers.methods).map(([key, found]) => {
    const tenfold = Math.ceil((numbers.period * Math.LN10) / found.decay);
    return card({
      name: NAMES[key], role: ROLES[key], now: (at) => found.models[Math.min(at, found.models.length - 1)],
      rows: [
        ["at period ends", exactMath(found.limit), besides(found.limit)],
        ["mean of a period", exactMath(found.mean), besides(found.mean)],
        ["both, as γ → 0", exactMath(found.smallStep), besides(found.smallStep)],
        ["last period shown", `${decimal(found.swing[0], 4)} … ${decimal(found.swing[1], 4)}`, ""],
        ["10× closer in", found.decay <= 0 ? "never" : tenfold <= numbers.period ? "one period"
          : `${tenfold < 1e9 ? tenfold.toLocaleString("en") : decimal(tenfold)} rounds`, ""],
      ],
    });
  });
}

const byTurnsAlone = ({ pattern }) => !pattern;

export const drift = {
  id: "drift", name: "Drift", title: "FedAvg drifts; does memory?",
  sentences: [
    "Two phones train one model. The first wants x = e₁ and is here for t₁ rounds, then the second, which wants e₂, for t₂ " +
      "rounds, and so on; the fair answer lies midway. Where will the model end?",
    "FedAvg listens to whoever is here. It is pulled to and fro for ever, round a cycle whose mean leans to the phone that " +
      "is here more often.",
    "MIFA and FedLaAvg also remember what the absent phone said last, and come home to the point midway. It is not free: " +
      "with long turns they swing for a long time before they arrive.",
  ],
  // The first sentence asks, the others tell.
  asks: 1,
  why: ["fedlaavg.thm1.fixed", "fedlaavg.thm1.closed", "fedlaavg.thm1.limit", "fedlaavg.ex1.stability", "fedlaavg.ex1.stability.slow",
    "fedlaavg.ex1.variants", "mifa.alg.is"],
  controls: [
    chooser("show", "Methods", Object.entries(NAMES).map(([key, name]) => [key, name, ROLES[key]]), "fedavg,mifa,fedlaavg"),
    roundStrip("pattern", "Who is there, round by round", "", setsOf),
    slider("t1", "t₁, rounds of client 1", steps([[1, 20, 1], [25, 100, 5]]), "1", byTurnsAlone),
    slider("t2", "t₂, rounds of client 2", steps([[1, 20, 1], [25, 100, 5]]), "3", byTurnsAlone),
    slider("step", "step size γ", hundredths(1, 100), "1/4"),
    slider("local", "local steps", steps([[1, 10, 1]]), "1"),
    slider("prox", "FedProx strength μ", hundredths(0, 400, 10), "1", ({ show }) => show.includes("fedprox")),
    slider("e1", "optimum of client 1", quarters(-8, 8), "0"),
    slider("e2", "optimum of client 2", quarters(-8, 8), "1"),
    slider("start", "start", quarters(-8, 8), "0"),
    slider("rounds", "rounds shown", [12, 20, 28, 40, 60, 100, 200, 400, 1000, 2000, 5000, 10000].map(String), "28"),
  ],
  presets: [
    ["Example 1", {}],
    ["Equal turns", { t2: "1" }],
    ["Any pattern", { pattern: "122312" }],
    ["Small steps", { step: "1/100", rounds: "400" }],
    ["A lucky step size", { t1: "2", t2: "1", step: "19/100" }],
    ["All five methods", { show: "fedavg,fedprox,sampling,mifa,fedlaavg", local: "2", step: "1/10", rounds: "60" }],
    ["Memory swings too", { t1: "100", t2: "100", step: "1/100", local: "10", rounds: "2000" }],
  ],
  handles: [["start", "start"], ["e1", "optimum of client 1"], ["e2", "optimum of client 2"]],
  // What a guess is measured against.
  target: ({ methods }) => { const key = methods.fedavg ? "fedavg" : Object.keys(methods)[0];
    return key && methods[key].mean ? [`${NAMES[key]}'s mean over a period`, methods[key].mean] : null; },
  total: (settings) => Number(settings.rounds),
  compute: byTurns, figure, cause, cards, formula, because,
  say: (numbers, settings, at, answers) => Object.entries(numbers.methods).map(([key, { models, limit, mean }]) =>
    `${NAMES[key]} ${decimal(models[Math.min(at, models.length - 1)], 4)}` +
    (answers ? `, ${shortText(limit)} at period ends, mean ${shortText(mean)}` : "")).join("; "),
};
