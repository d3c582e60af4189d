// The run of a recorded counterexample, again, in exact fractions; and a statement's two sides at values.

import { EXACT } from "../core/arithmetic.js";
import { ZERO, parse, sum, whole } from "../core/fraction.js";
import { limitOfRounds, run } from "../core/methods.js";
import { valueOf } from "../view/dom.js";

const SHOWN = 24;
export const METHODS_OF = { async: "weighted" };

export function problemOf(spec) {
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

export function roundsOf(trace) {
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

export function replay(instance, settings) {
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
