// Numbers of scene 2: who delivers when, the run under each kind of weights, and the cycle that it tends to.

import { EXACT } from "../core/arithmetic.js";
import { Fraction, ONE, ZERO, parse, sum, whole } from "../core/fraction.js";
import { limitCycle } from "../core/linear.js";
import { pullsOf, runFloat, schedule } from "../core/floats.js";
import { quadratic, run, stepper } from "../core/methods.js";
import { edgeOf } from "./edge.js";

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

export function readClocks(settings) {
  const clients = settings.mode === "pairs" ? 4 : settings.mode === "turns" ? 2 : Number(settings.clients);
  const ends = [parse(settings.e1), parse(settings.e2)];
  const between = (k) => ends[0].add(ends[1].sub(ends[0]).mul(new Fraction(BigInt(k), BigInt(clients - 1))));
  const optima = settings.mode === "pairs" ? [ends[0], ends[0], ends[1], ends[1]] : Array.from({ length: clients }, (_, i) => between(i));
  return { clients, optima, ends, times: Array.from({ length: clients }, (_, i) => parse(settings[`tau${i + 1}`])),
    window: parse(settings.window),
    horizon: Number(settings.horizon), local: Number(settings.local), step: parse(settings.step), start: parse(settings.start),
    show: settings.show.split(",") };
}

function mean(cycle) {
  const found = sum(cycle.map(parse)).div(whole(cycle.length));
  return cycle.some((x) => x.includes(".")) ? found.toDecimals() : found.toString();
}

export function byClocks(settings, exact = true) {
  const given = readClocks(settings);
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
    found.pulls = pullsOf(setup, rounds, local, found.models);
    found.groups = (n) => pattern.period[n % pattern.period.length];
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
