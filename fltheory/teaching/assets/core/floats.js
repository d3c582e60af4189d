// Runs in doubles, without an object per round: ten thousand rounds of five methods take a small part of a frame.
// The same methods as in methods.js, for constant step sizes and gradients without a bound; flat lists of who arrives instead of objects.

import { ONE, whole } from "./fraction.js";
import { METHODS, gain } from "./methods.js";

// Round t has the arrivals first[t], ..., first[t + 1] - 1; arrival k is client[k]'s, with work begun delay[k] rounds ago.
export function schedule(rounds, arrivals) {
  return { first: new Int32Array(rounds + 1), client: new Uint8Array(arrivals), delay: new Int32Array(arrivals) };
}

// One arrival per round: clientOf(t), with work as old as `delay` allows.
export function oneByOne(rounds, clientOf, delay = 0) {
  const list = schedule(rounds, rounds);
  for (let t = 0; t < rounds; t++) {
    list.first[t + 1] = t + 1;
    list.client[t] = clientOf(t);
    list.delay[t] = Math.min(t, delay);
  }
  return list;
}

// Sets of clients, each the sum of 2^i over its members; everybody works on the present model.
export function inSets(sets, clients) {
  const list = schedule(sets.length, sets.length * clients);
  let k = 0;
  for (let t = 0; t < sets.length; t++) {
    for (let i = 0; i < clients; i++) if ((sets[t] >> i) & 1) list.client[k++] = i;
    list.first[t + 1] = k;
  }
  return list;
}

// What the gradients of each client, and the sum of what is collected, are multiplied by.
function factorsOf(setup, steps) {
  const { scale } = METHODS[setup.method];
  const scaled = { size: setup.size, sum: ONE, step: ONE.div(whole(steps)) }[scale];
  const factor = doubles(setup.problem.slopes.map((slope) => gain(slope, setup.size, steps, setup.proximal).mul(scaled)));
  return { factor, move: (scale === "size" ? setup.server : setup.server.mul(setup.size)).toNumber() };
}

const doubles = (list) => Float64Array.from(list, (x) => x.toNumber());

// The models of a run of `steps` local steps per delivery; `setup` as in methods.js.
export function runFloat(setup, { first, client, delay }, steps, start) {
  const { collect } = METHODS[setup.method];
  const { slopes, tilts } = setup.problem;
  const clients = slopes.length;
  const [h, b] = [doubles(slopes), doubles(tilts)];
  const { factor, move } = factorsOf(setup, steps);
  const portions = Float64Array.from({ length: clients + 1 }, (_, count) => 1 / count);
  const weights = collect === "weights" ? doubles(setup.weights) : portions;
  const [remembers, weighs] = [collect === "latest", collect === "weights"];
  const rounds = first.length - 1;
  const models = new Float64Array(rounds + 1);
  const latest = new Float64Array(clients);
  let model = start.toNumber();
  models[0] = model;
  for (let t = 0; t < rounds; t++) {
    const from = first[t];
    const to = first[t + 1];
    let collected = 0;
    for (let k = from; k < to; k++) {
      const i = client[k];
      const delivery = factor[i] * (h[i] * models[t - delay[k]] + b[i]);
      if (remembers) latest[i] = delivery;
      else collected += (weighs ? weights[i] : portions[to - from]) * delivery;
    }
    if (remembers) {
      for (let i = 0; i < clients; i++) collected += latest[i];
      collected *= portions[clients];
    }
    model -= move * collected;
    models[t + 1] = model;
  }
  return models;
}

// Who moves the model in round t, and by how much: {client, pull, age}, where `age` is how many rounds ago it delivered. The pulls add up
// to the next model less this one. What is remembered pulls in every round, what is averaged only in its own.
export function pullsOf(setup, { first, client, delay }, steps, models) {
  const { collect } = METHODS[setup.method];
  const clients = setup.problem.slopes.length;
  let known = null;
  return (t) => {
    known ??= { ...factorsOf(setup, steps), h: doubles(setup.problem.slopes), b: doubles(setup.problem.tilts),
      weights: collect === "weights" ? doubles(setup.weights) : null };
    const { factor, move, h, b, weights } = known;
    const count = first[t + 1] - first[t];
    const pull = (k, round, share) => ({ client: client[k], age: t - round,
      pull: -move * share * factor[client[k]] * (h[client[k]] * models[round - delay[k]] + b[client[k]]) });
    const found = [];
    for (let k = first[t]; k < first[t + 1]; k++) {
      found.push(pull(k, t, collect === "latest" ? 1 / clients : weights ? weights[client[k]] : 1 / count));
    }
    for (let round = t - 1; collect === "latest" && round >= 0 && found.length < clients; round--) {
      for (let k = first[round]; k < first[round + 1]; k++) {
        if (found.every((one) => one.client !== client[k])) found.push(pull(k, round, 1 / clients));
      }
    }
    return found.sort((one, other) => one.client - other.client);
  };
}

// Every so-many-th number of a list, from the first, and their places.
export function everyNth(list, step) {
  const count = Math.floor((list.length - 1) / step) + 1;
  const [places, values] = [new Float64Array(count), new Float64Array(count)];
  for (let k = 0; k < count; k++) {
    places[k] = k * step;
    values[k] = list[k * step];
  }
  return [places, values];
}

// What a function gave last, kept until it is asked for something else: most moves of a slider change little.
export function remembering(make) {
  let [key, value] = [null, null];
  return (...given) => {
    const asked = given.join(" ");
    if (asked !== key) [key, value] = [asked, make(...given)];
    return value;
  };
}

// The place of the last number in an ascending list that is at most x; -1 if there is none.
export function lastAtMost(list, x) {
  let [low, high] = [-1, list.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Numbers for the outside, with plain lists and without functions.
export function plain(value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (value === null || typeof value !== "object") return value;
  return Array.isArray(value) ? value.map(plain) : Object.fromEntries(Object.entries(value)
    .filter(([, part]) => typeof part !== "function").map(([key, part]) => [key, plain(part)]));
}
