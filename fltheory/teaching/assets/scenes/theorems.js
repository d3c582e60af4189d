// Scene 7: your theorem. Both sides of a headline theorem along a run that meets all its hypotheses, as printed and as corrected.

import { EXACT } from "../core/arithmetic.js";
import { ZERO, parse, sum, whole } from "../core/fraction.js";
import { run } from "../core/methods.js";
import { besides, decimal, exactMath, h, shortText, valueOf } from "../view/dom.js";
import { choice, parts, slider } from "../view/controls.js";
import { card } from "../view/cards.js";
import { worded } from "../view/line.js";
import { METHODS_OF, evaluate, problemOf, roundsOf } from "./replay.js";
import { exactly } from "./sides.js";
import { written } from "./written.js";

const THEOREMS = new Map();
const TWO = whole(2);
const VERSIONS = [["printed", "as stated"], ["corrected", "its correction, at the largest step that it allows"]];

const versionOf = (entry, settings) => entry.plays && (entry.plays[settings.version] ?? entry.plays.printed);

// The values of the right side after so many rounds.
function valuesAt(version, rounds, size, gap) {
  const fixed = Object.entries(version.fixed).map(([name, one]) => [name, parse(Array.isArray(one) ? one[rounds - 1] : one)]);
  return { ...Object.fromEntries(fixed), num_rounds: whole(rounds), local_step_size: size, initial_loss_gap: gap };
}

function compute(settings) {
  const entry = THEOREMS.get(settings.claim);
  const version = versionOf(entry, settings);
  if (!version) return { left: [], right: [], exact: [], ratio: entry.tightest?.ratio ?? null, models: null };
  const spec = version.run;
  const size = parse(spec.local_step_size).mul(parse(settings.factor));
  const problem = problemOf(spec.problem);
  const setup = { method: METHODS_OF[spec.algorithm] ?? spec.algorithm, problem, size, server: parse(spec.server_step_size),
    proximal: ZERO };
  const models = run(EXACT, setup, roundsOf(spec.trace), parse(settings.start));
  const clients = whole(problem.slopes.length);
  const [slope, tilt] = [sum(problem.slopes).div(clients), sum(problem.tilts).div(clients)];
  const squares = models.map((x) => slope.mul(x).add(tilt).pow(2));
  const gap = squares[0].div(TWO.mul(slope));
  const [left, right, ratios] = [[], [], []];
  let total = ZERO;
  for (let rounds = 1; rounds < models.length; rounds++) {
    total = total.add(squares[rounds - 1]);
    left.push(total.div(whole(rounds)));
    const values = valuesAt(version, rounds, size, gap);
    const bound = exactly(version.right, values);
    right.push(bound ? bound.toNumber() : evaluate(version.right, Object.fromEntries(Object.entries(values)
      .map(([name, x]) => [name, x.toNumber()]))));
    ratios.push(bound ? left.at(-1).div(bound) : null);
  }
  return { left: left.map((x) => x.toNumber()), exact: left.map(String), right, ratio: ratios.at(-1)?.toString() ?? null,
    models: models.map((x) => x.toNumber()) };
}

const broken = ({ left, right }, at) => left[at] > right[at] * (1 + 1e-12);
const shown = (numbers, at) => Math.max(0, Math.min(Math.floor(at), numbers.left.length) - 1);
const ratioAt = (numbers, at) => numbers.left[at] / numbers.right[at];

function figure(numbers, settings) {
  const entry = THEOREMS.get(settings.claim);
  const title = `${entry.paper}, ${entry.rank}`;
  if (!numbers.models) return tightest(entry, title);
  const power = (list) => list.map((x) => Math.log10(x));
  const x = numbers.left.map((_, k) => k + 1);
  const [left, right] = [power(numbers.left), power(numbers.right)];
  const label = (y, value, name, note, colour) => ({ y, text: decimal(value, 4), name, note, colour });
  return { title, xlabel: "round", xmax: numbers.left.length, tick: 1,
    table: [["rounds", "left", "right"], ...numbers.left.map((one, k) => [k + 1, one, numbers.right[k]])],
    panels: [{ ylabel: "mean |∇f|²", powers: true, keep: [...left, ...right],
      series: [{ name: "left: mean |∇f|² of the run", x, y: left, colour: "blue", marker: "circle", width: 1.1, head: true,
        column: "left" },
        { name: "right: the bound", x, y: right, colour: "vermillion", dash: "8 5", marker: "square", width: 1.1, head: true,
          column: "right" }],
      labels: [label(left.at(-1), numbers.left.at(-1), "left", broken(numbers, left.length - 1) ? "above its bound" : "the run", "blue"),
        label(right.at(-1), numbers.right.at(-1), "right", "the bound", "vermillion")] }] };
}

// A theorem without a run to play: the tightest sides that the ledger has, as bars.
function tightest({ tightest: found }, title) {
  const exact = found && [found.left, found.right].every((text) => /^-?\d+(\/\d+)?$/.test(text));
  const [left, right] = exact ? [found.left, found.right].map(valueOf) : [null, null];
  const bar = (at, y, colour) => ({ x: [at, at], y: [0, y], colour, width: 16, bar: true });
  return { title, xlabel: "side", xmax: 2, tick: 1, xticks: [[0.5, "left"], [1.5, "right"]],
    table: [["name", "value"], ...(exact ? [["left", left], ["right", right]] : [["ratio", found?.ratio ?? ""]])],
    panels: [{ ylabel: "value", keep: exact ? [0, left, right] : [0, 1], levels: [{ y: 0, colour: "soft", tick: "0" }],
      series: exact ? [bar(0.5, left, "blue"), bar(1.5, right, "vermillion")] : [],
      labels: exact ? [{ y: left, text: shortText(found.left), name: "left side", colour: "blue", dotted: true },
        { y: right, text: shortText(found.right), name: "right side", colour: "vermillion", dotted: true }]
        : [{ y: 0.5, text: "no run", name: "to play", note: "see the ledger", colour: "blue" }] }] };
}

function formula(settings, numbers) {
  const entry = THEOREMS.get(settings.claim);
  const over = numbers.models && broken(numbers, numbers.left.length - 1);
  const verdict = numbers.models ? [over ? "The run leaves its bound behind: left over right is " : "Left over right at the end: ",
    exactMath(numbers.ratio ?? String(ratioAt(numbers, numbers.left.length - 1)))]
    : entry.tightest ? ["The largest ratio of left to right in the ledger is ", exactMath(entry.tightest.ratio)]
      : ["The ledger has no exact ratio for this claim."];
  return h("div", { class: "formula theorem" }, h("blockquote", {}, worded(entry.says)),
    h("p", { class: "place" }, `${entry.paper}, ${entry.rank === "ours" ? "a theorem of ours" : entry.rank}`,
      numbers.models ? `; the run: ${entry.trace}` : ""),
    h("p", { class: `verdict answer${over ? " bad" : ""}` }, verdict));
}

const inLedger = (id) => h("a", { href: `../build/ledger.html#${id}`, title: "the ledger page, which make verify writes" }, id);

function cards(numbers, settings) {
  const entry = THEOREMS.get(settings.claim);
  const version = versionOf(entry, settings);
  const claim = card({ name: "In the ledger", role: { colour: "vermillion" }, open: true, top: version ? [h("div", { class: "statement",
    tabindex: "0", role: "group", "aria-label": "statement" }, "mean |∇f|² ≤ ", written(version.right, LETTERS))] : [], rows: [
    ["card", inLedger(entry.id)], ["verdict", entry.verdict],
    ["corrected by", entry.corrected.length ? entry.corrected.map(([id, verdict], k) => [k ? ", " : "", inLedger(id), ` ${verdict}`])
      : "–"],
    ["largest ratio known", entry.tightest ? exactMath(entry.tightest.ratio) : "–", besides(entry.tightest?.ratio)]] });
  if (!version) return [claim];
  return [claim, card({ name: (at) => `After ${shown(numbers, at) + 1} rounds`, role: { colour: "blue" }, rows: [
    ["left", (at) => exactMath(numbers.exact[shown(numbers, at)])], ["right", (at) => decimal(numbers.right[shown(numbers, at)], 6)],
    ["left / right", (at) => decimal(ratioAt(numbers, shown(numbers, at)), 5)],
    ["step size", exactMath(parse(version.run.local_step_size).mul(parse(settings.factor)).toString())]] })];
}

const LETTERS = { num_rounds: "T", local_step_size: "η", server_step_size: "η_s", smoothness: "L", local_steps: "K", max_delay: "τ_max",
  max_staleness: "τ_max", num_clients: "N", clients_per_round: "m", gradient_noise: "σ", dissimilarity: "σ_G", gradient_bound: "G",
  staleness_bound: "E", initial_loss_gap: "Δ", least_local_steps: "K_min" };

const plays = (settings) => Boolean(THEOREMS.get(settings.claim)?.plays);

export const theorems = {
  id: "theorem", name: "Your theorem", title: "How close does a run come to its bound?",
  sentences: [
    "A theorem says: on every run, left is at most right. Choose one, guess how close a run comes, and press Play.",
    "If the curves cross, the theorem is false as it is printed; choose its correction and see which step sizes it still allows.",
    "If they stay apart, the gap is what the proof gives away, or a worse run that nobody has found yet.",
  ],
  asks: 1, why: null, share: 0.42,
  controls: [
    choice("claim", "Theorem", [["", ""]], ""),
    choice("version", "Which bound", VERSIONS, "printed", (settings) => Boolean(THEOREMS.get(settings.claim)?.plays?.corrected)),
    slider("factor", "step size times", parts(20, 1, 20), "1", plays),
    slider("start", "start", parts(4, 1, 8), "1", plays),
  ],
  presets: [],
  total: (settings, numbers) => (numbers.models ? numbers.left.length : 2),
  compute: (settings) => compute(settings), figure, cards, formula,
  say: (numbers, settings, at, answers) => (numbers.models
    ? `left ${decimal(numbers.left[shown(numbers, at)], 4)}, right ${decimal(numbers.right[shown(numbers, at)], 4)}` : "no run to play") +
    (answers && numbers.ratio ? `; ratio ${shortText(numbers.ratio)}` : ""),
};

export function loadTheorems(list) {
  list.forEach((entry) => THEOREMS.set(entry.id, entry));
  const [control] = theorems.controls;
  control.options = list.map((one) => [one.id, `${one.paper}, ${one.rank === "ours" ? one.id : one.rank}: ${one.verdict.toLowerCase()}`,
    one.plays ? "With a run to play" : "Sides from the ledger"]);
  control.initial = list[0].id;
  const named = (claim, name, more = {}) => (THEOREMS.has(claim) ? [[name, { claim, ...more }]] : []);
  theorems.presets = [...named("afl.thm2", "AFL's Theorem 2"), ...named("afl.thm2", "Its correction", { version: "corrected" }),
    ...named("afl.thm3", "AFL's Theorem 3"), ...named("fedlaavg.thm3", "FedLaAvg's Theorem 3"),
    ...named("mifa.potential.rate", "Memory, for ever")];
}
