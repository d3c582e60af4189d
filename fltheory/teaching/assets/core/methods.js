// The methods, written once over any arithmetic: who delivers what, how it is collected, how the model moves.
// A problem has gradients h_i x + b_i (clipped where it has a bound); K local steps add up to a multiple of the first gradient.

import { ONE, ZERO, whole } from "./fraction.js";
import { limitCycle } from "./linear.js";

// `scale`: a delivery is kept as the plain sum of gradients, times its step size, or per local step.
// `collect`: the mean over arrivals, the arrivals with given weights, or the mean over everybody's latest.
export const METHODS = {
  fedavg: { scale: "size", collect: "arrivals" },
  fedprox: { scale: "size", collect: "arrivals" },
  weighted: { scale: "size", collect: "weights" },
  mifa: { scale: "sum", collect: "latest" },
  fedlaavg: { scale: "size", collect: "latest" },
  "afa-cd": { scale: "step", collect: "arrivals" },
  "afa-cs": { scale: "step", collect: "latest" },
};

export const quadratic = (curvatures, optima) => ({ slopes: curvatures, tilts: curvatures.map((h, i) => h.mul(optima[i]).neg()),
  bound: null });

// 1 + r + ... + r^(K-1) with r = 1 - size (h + proximal strength): what K local steps make of the first gradient.
export function gain(slope, size, steps, proximal = ZERO) {
  const shrink = ONE.sub(size.mul(slope.add(proximal)));
  let total = ZERO;
  for (let k = 0; k < steps; k++) total = ONE.add(shrink.mul(total));
  return total;
}

// setup: {method, problem, size (a fraction, or a function of the round), server, weights, proximal, kick}
// A kick {round, client} adds 1 to the gradient that this client delivers in this round (one local step): the response to noise.
// The result maps ({model, latest}, arrivals, pulled, t) to the next state; an arrival {client, delay, steps} started from pulled(arrival).
export function stepper(arithmetic, setup) {
  const { scale, collect } = METHODS[setup.method];
  const { slopes, tilts, bound } = setup.problem;
  const sizeAt = typeof setup.size === "function" ? setup.size : () => setup.size;
  const h = slopes.map(arithmetic.coefficient);
  const b = tilts.map(arithmetic.of);
  const share = arithmetic.coefficient(ONE.div(whole(slopes.length)));
  const known = slopes.map(() => ({}));

  function factor(i, steps, size) {
    const last = known[i];
    if (last.steps !== steps || last.size !== size) {
      const scaled = { size, sum: ONE, step: ONE.div(whole(steps)) }[scale];
      const value = bound ? scaled : gain(slopes[i], size, steps, setup.proximal).mul(scaled);
      known[i] = { steps, size, value: arithmetic.coefficient(value) };
    }
    return known[i].value;
  }

  function gradient(i, row) {
    const plain = arithmetic.add(arithmetic.times(h[i], row), b[i]);
    return bound ? arithmetic.clip(plain, arithmetic.coefficient(bound)) : plain;
  }

  function delivery(i, row, steps, size, kicked) {
    let total = kicked ? arithmetic.add(gradient(i, row), arithmetic.of(ONE)) : gradient(i, row);
    let local = row;
    for (let k = 1; bound && k < steps; k++) {
      local = arithmetic.sub(local, arithmetic.times(arithmetic.coefficient(size), gradient(i, local)));
      total = arithmetic.add(total, gradient(i, local));
    }
    return arithmetic.times(factor(i, steps, size), total);
  }

  const portions = slopes.map((_, count) => arithmetic.coefficient(ONE.div(whole(count + 1))));
  const weights = (setup.weights ?? []).map(arithmetic.coefficient);
  const zero = arithmetic.of(ZERO);
  let moves = { size: null, value: null };

  return function advance(state, arrivals, pulled, t) {
    const size = sizeAt(t);
    if (moves.size !== size) moves = { size, value: arithmetic.coefficient(scale === "size" ? setup.server : setup.server.mul(size)) };
    const kicked = (client) => setup.kick?.round === t && setup.kick.client === client;
    let latest = state.latest;
    let collected = zero;
    if (collect === "latest") {
      latest = latest.slice();
      for (const one of arrivals) {
        latest[one.client] = delivery(one.client, pulled(one), one.steps, sizeAt(t - one.delay), kicked(one.client));
      }
      for (const row of latest) collected = arithmetic.add(collected, row);
      collected = arithmetic.times(share, collected);
    } else {
      for (const one of arrivals) {
        const weight = collect === "weights" ? weights[one.client] : portions[arrivals.length - 1];
        collected = arithmetic.add(collected, arithmetic.times(weight, delivery(one.client, pulled(one), one.steps,
          sizeAt(t - one.delay), kicked(one.client))));
      }
    }
    return { model: arithmetic.sub(state.model, arithmetic.times(moves.value, collected)), latest };
  };
}

// The models of a run: rounds[t] lists {client, delay, steps} for each arrival.
export function run(arithmetic, setup, rounds, start) {
  const advance = stepper(arithmetic, setup);
  let state = { model: arithmetic.of(start), latest: setup.problem.slopes.map(() => arithmetic.of(ZERO)) };
  const models = [state.model];
  let now = 0;
  const pulled = ({ delay }) => models[now - delay];
  for (; now < rounds.length; now++) {
    state = advance(state, rounds[now], pulled, now);
    models.push(state.model);
  }
  return models;
}

// The limit cycle along rounds that repeat: the state is the model, older models still in use, and the kept updates of those who arrive.
export function limitOfRounds(setup, rounds) {
  const remembering = METHODS[setup.method].collect === "latest";
  const heard = remembering ? [...new Set(rounds.flat().map(({ client }) => client))].sort() : [];
  const oldest = Math.max(0, ...rounds.flat().map(({ delay }) => delay));
  const size = 1 + oldest + heard.length;
  return limitCycle(size, rounds.length, (arithmetic) => {
    const advance = stepper(arithmetic, setup);
    return (state, t) => {
      const past = state.slice(0, 1 + oldest);
      const latest = setup.problem.slopes.map((_, i) => (heard.includes(i) ? state[1 + oldest + heard.indexOf(i)] : arithmetic.of(ZERO)));
      const next = advance({ model: state[0], latest }, rounds[t], ({ delay }) => past[delay], t);
      return [next.model, ...past.slice(0, oldest), ...heard.map((i) => next.latest[i])];
    };
  });
}
