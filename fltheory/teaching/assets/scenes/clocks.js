// Scene 2: Fraboni et al. Who finishes when decides who is heard; weights can repair the mean, not the dance around it.

import { lastAtMost } from "../core/floats.js";
import { besides, decimal, exactMath, frac, h, id, math, num, op, shortText, sub, valueOf } from "../view/dom.js";
import { choice, chooser, parts, quarters, slider, steps } from "../view/controls.js";
import { card } from "../view/cards.js";
import { TILES } from "../view/palette.js";
import { becauseClocks } from "./because.js";
import { unsettled } from "./edge.js";
import { byClocks, readClocks } from "./times.js";

const ROLES = {
  identical: { colour: "vermillion", dash: "", marker: "square" },
  timed: { colour: "blue", dash: "", marker: "circle" },
  fedfix: { colour: "green", dash: "8 5", marker: "triangle" },
  turns: { colour: "purple", dash: "", marker: "diamond" },
  pairs: { colour: "purple", dash: "", marker: "diamond" },
};
const NAMES = { identical: "IDENTICAL", timed: "TIME-BASED", fedfix: "FedFix", turns: "Example 2", pairs: "Example 1" };
const centre = (text) => (text.length <= 5 ? shortText(text) : `≈ ${decimal(valueOf(text), 3)}`);

function figure(numbers, settings) {
  const given = readClocks(settings);
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

// Deliveries on a line of time, with the weights that land; so many of the shortest updates are seen at once.
const SPANS = { 2: 8, 3: 6, 4: 5 };

function cause(numbers, settings) {
  const given = readClocks(settings);
  const clockless = settings.mode !== "clocks";
  const first = Object.values(numbers.curves)[0];
  const landed = (found, at) => lastAtMost(found.times, at + 1e-9) - 1;
  const who = (at) => (first && landed(first, at) >= 0 ? first.groups(landed(first, at)) : []);
  const names = (group) => group.map((i) => i + 1).join(" and ");
  const lane = ([key, found]) => {
    const weights = found.weights.map(valueOf);
    const { times } = found;
    const shortest = Math.max(1, Math.min(...given.times.map((x) => x.toNumber())));
    return { key, name: NAMES[key], colour: ROLES[key].colour, models: found.models, times: found.times, pulls: found.pulls,
      rows: clockless ? Math.max(...[0, 1].map((n) => found.groups(n).length)) : key === "fedfix" ? given.clients : 1, 
      span: SPANS[given.clients] * shortest, apart: shortest / given.clients, heaviest: Math.max(...weights),
      deliveries: (from, to) => {
        const list = [];
        for (let k = Math.max(1, lastAtMost(found.times, from) + 1); k < found.times.length && found.times[k] <= to; k++) {
          const group = found.groups(k - 1);
          let [first, last] = [k, k];
          while (first > 1 && times[first - 1] === times[k]) first--;
          while (times[last + 1] === times[k]) last++;
          group.forEach((client, j) => list.push({ time: found.times[k], client, weight: weights[client],
            shift: k - (first + last) / 2 + j - (group.length - 1) / 2 }));
        }
        return list;
      } };
  };
  return {
    clients: given.optima.map((x, i) => ({ name: String(i + 1), optimum: x.toNumber(), slope: 1 })),
    globals: [{ members: given.optima.map((_, i) => i) }], start: given.start.toNumber(),
    there: (at) => who(at).reduce((set, i) => set | (1 << i), 0),
    words: (at) => (who(at).length ? `Client ${names(who(at))} just delivered` : "Everybody computes"),
    lanes: Object.entries(numbers.curves).map(lane),
  };
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

const clocked = (settings) => settings.mode === "clocks";
const client = (i) => (settings) => clocked(settings) && Number(settings.clients) >= i;

export const clocks = {
  id: "async", name: "Asynchrony", title: "Who finishes first is heard most",
  sentences: [
    "Nobody waits here. Each client works on the last model that it received and delivers when it is done, so in the same " +
      "time a fast client is heard more often than a slow one. Whom will the model please?",
    "With the same weight for everybody, the fast ones. Weights proportional to the time an update takes (TIME-BASED), or " +
      "windows in which updates are collected (FedFix), make the long-run shares fair again.",
    "Even then the model mostly does not stand still: each delivery moves it to the next point of a small cycle. From the " +
      "stability edge on it never settles; at step size 1 Fraboni's Example 1 runs through six values for ever.",
  ],
  asks: 1,
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
  handles: [["start", "start"], ["e1", "optimum at one end"], ["e2", "optimum at the other"]],
  target: ({ curves }) => { const [key, found] = Object.entries(curves)[0] ?? [];
    return found?.stable ? [`the mean of ${NAMES[key]}'s cycle`, found.mean] : null; },
  total: (settings) => Number(settings.horizon),
  compute: byClocks, figure, cause, cards, formula, because: becauseClocks,
  say: (numbers, settings, at, answers) => Object.entries(numbers.curves).map(([key, found]) => {
    const now = modelAt(found, at);
    const end = !answers || found.stable === undefined ? "" : !found.stable ? ", unstable"
      : `, limit cycle of mean ${decimal(valueOf(found.mean), 4)}`;
    return `${NAMES[key]} ${decimal(now, 4)}${end}`;
  }).join("; "),
};
