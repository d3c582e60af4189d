// Numbers of scene 1: runs of each method by turns, the cycle that each tends to, and how fast.

import { ONE, ZERO, parse, sum, whole } from "../core/fraction.js";
import { inSets, pullsOf, remembering, runFloat } from "../core/floats.js";
import { limitOfRounds, quadratic } from "../core/methods.js";

export const MEMORY = ["fedlaavg", "mifa"];
export const TWO = whole(2);
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
  return { limit: limit && limit.toString(), mean: limit && meanOver(key, given, limit), radius, decay: -Math.log(radius) };
}

// The mean over a period of the cycle. A round with client i moves x by c_i (e_i - x), and over a period these moves sum to 0. With one c
// for both clients the mean is therefore that of the optima of whoever is there; importance sampling has two, and its rounds are summed up.
function meanOver(key, given, limit) {
  const { blocks, optima } = given;
  const period = whole(blocks[0] + blocks[1]);
  let [total, x] = [optima[0].mul(whole(blocks[0])).add(optima[1].mul(whole(blocks[1]))), limit];
  if (key === "sampling") shrinkage(key, given).forEach((r, i) => {
    const after = optima[i].add(x.sub(optima[i]).mul(r.pow(blocks[i])));
    total = total.add(x.sub(after).div(ONE.sub(r)));
    x = after;
  });
  return total.div(period).toString();
}

// The same in doubles, to a few digits: for fractions of thousands of digits, and while a slider moves.
function roughly(key, given) {
  const [e1, e2] = given.optima.map((x) => x.toNumber());
  const [first, second] = shrinkage(key, given).map((r, i) => r.toNumber() ** given.blocks[i]);
  const limit = Math.abs(first * second) < 1 ? e2 + ((e1 - e2) * second * (1 - first)) / (1 - first * second) : null;
  const radius = Math.abs(first * second);
  const mean = limit === null ? null : key !== "sampling" ? meanOver(key, given, null)
    : shrinkage(key, given).reduce(([total, x], r, i) => {
      const [e, factor, rounds] = [given.optima[i].toNumber(), r.toNumber(), given.blocks[i]];
      const after = e + factor ** rounds * (x - e);
      return [total + (e * rounds + (x - after) / (1 - factor)) / (given.blocks[0] + given.blocks[1]), after];
    }, [0, limit])[0].toFixed(4);
  return { limit: limit === null ? null : limit.toFixed(4), mean, radius, decay: -Math.log(radius) };
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

// Memory comes home from a delivery that moves by less than the whole way. At step size 1, where 1 - 2 step = -1, a delivery moves by all
// of it or by nothing: in turns of two rounds and more the model then follows whoever is there, else it does not settle.
function withMemory(key, given) {
  const { blocks, move, optima } = given;
  const optimum = optima[0].add(optima[1]).div(TWO).toString();
  if (move.cmp(ZERO) > 0 && move.cmp(ONE) < 0) return { limit: optimum, mean: optimum, ...paceWithMemory(given) };
  if (move.cmp(ONE) === 0 && Math.min(...blocks) > 1) {
    return { limit: optima[1].toString(), mean: meanOver(key, given, optima[1]), radius: 0, decay: Infinity };
  }
  return { limit: null, mean: null, radius: 1, decay: 0 };
}

// The distance to 1 of a radius near 1 is lost in doubles; for a root near 1 it is p(1) over the distance of the other root, without loss.
function paceWithMemory(given) {
  const radius = radiusWithMemory(given);
  const [t1, t2] = given.blocks;
  const g = given.move.toNumber();
  const [a, first, second] = [1 - g, (1 - g) ** (t1 - 1), (1 - g) ** (t2 - 1)];
  if (radius < 0.9 || 1 + first * second * (1 + a) ** 2 < 2 * (first + second)) return { radius, decay: -Math.log(radius) };
  const other = (g * g * first * second) / radius;
  return { radius, decay: -Math.log1p(-(2 * (first + second) - 4 * a * first * second) / (1 - other)) };
}

// Who is there in each round of a period, as sums of 2^i: blocks by turns, or any pattern of the digits 0 (nobody), 1, 2, 3 (both).
export const setsOf = ({ pattern, t1, t2 }) => (pattern ? [...pattern].map(Number)
  : [...Array(Number(t1)).fill(1), ...Array(Number(t2)).fill(2)]);

// A pattern that repeats a shorter one is that one.
function shortest(sets) {
  let period = 1;
  while (sets.length % period || sets.some((set, t) => set !== sets[t % period])) period++;
  return sets.slice(0, period);
}

// Any pattern: the period map's fixed point, solved in fractions.
function withPattern(given, setup) {
  const rounds = given.sets.map((set) => [0, 1].filter((i) => (set >> i) & 1).map((client) => ({ client, delay: 0, steps: given.local })));
  const { cycle, stable, radius, exact } = limitOfRounds(setup, rounds);
  const told = (x) => (exact ? x.toString() : x.toDecimals(4));
  const settled = stable && cycle;
  return { limit: settled ? told(cycle[0]) : null, mean: settled ? told(sum(cycle).div(whole(cycle.length))) : null, radius,
    decay: -Math.log(radius) };
}

// The mean of the optima of whoever is there, over the rounds in which there is somebody.
function leaning(sets, optima) {
  const middles = [null, optima[0], optima[1], optima[0].add(optima[1]).div(TWO)];
  const present = sets.filter(Boolean).map((set) => middles[set]);
  return present.length ? sum(present).div(whole(present.length)) : middles[3];
}

function read(settings) {
  const step = parse(settings.step);
  const local = Number(settings.local);
  const sets = shortest(setsOf(settings));
  const blocks = settings.pattern ? [0, 1].map((i) => sets.filter((set) => (set >> i) & 1).length)
    : [Number(settings.t1), Number(settings.t2)];
  const move = ONE.sub(ONE.sub(TWO.mul(step)).pow(local)).div(TWO);
  return { step, local, sets, pattern: settings.pattern, blocks, move, prox: parse(settings.prox),
    optima: [parse(settings.e1), parse(settings.e2)],
    start: parse(settings.start), rounds: Number(settings.rounds), show: settings.show.split(",").filter(Boolean) };
}

const turns = remembering((rounds, ...sets) => inSets(Uint8Array.from({ length: rounds }, (_, t) => sets[t % sets.length]), 2));

export function byTurns(settings, exact = true) {
  const given = read(settings);
  const { blocks, sets, optima, show } = given;
  const period = sets.length;
  const optimum = optima[0].add(optima[1]).div(TWO);
  const biased = leaning(sets, optima);
  const problem = quadratic([TWO, TWO], optima);
  const rounds = turns(given.rounds, ...sets);
  const methods = {};
  for (const key of show) {
    const weights = blocks.map((t) => whole(period).div(whole(2 * Math.max(1, t))));
    const setup = { method: key === "sampling" ? "weighted" : key, problem, size: given.step, server: ONE, weights,
      proximal: key === "fedprox" ? given.prox : ZERO };
    const models = runFloat(setup, rounds, given.local, given.start);
    const memory = MEMORY.includes(key);
    const long = given.local * period > (exact ? LONGEST : LONG);
    const found = given.pattern ? withPattern(given, setup) : (memory ? withMemory : long ? roughly : withoutMemory)(key, given);
    const last = models.subarray(-period - 1);
    methods[key] = { models, ...found, pulls: pullsOf(setup, rounds, given.local, models),
      smallStep: (key === "fedavg" || key === "fedprox" ? biased : optimum).toString(),
      swing: [Math.min(...last), Math.max(...last)] };
  }
  return { optimum: optimum.toString(), smallStep: biased.toString(), period, sets, methods };
}
