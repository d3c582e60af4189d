// The stability edge: the least step size at which a weighted asynchronous method stops contracting, found by bisection in doubles.

import { growth } from "../core/doubles.js";

// What becomes of a run that does not settle, and where its step size stands.
export function unsettled({ orbit, radius }) {
  if (orbit) return [`${orbit.length}-cycle`, "for ever, no limit"];
  return Math.abs(radius - 1) < 1e-9 ? ["no limit", "at the stability edge"] : ["diverges", "past the stability edge"];
}

const LARGEST = 2;
const SCANNED = 128;
const [ROUGHLY, CLOSELY, CLEARLY] = [10, 40, 0.9];

// The homogeneous part of one period, as one flat list: each client's K steps on curvature one go the fraction phi of the way.
function periodMatrix(weights, groups, moved) {
  const size = weights.length + 1;
  const state = new Float64Array(size * size);
  for (let k = 0; k < size; k++) state[k * size + k] = 1;
  for (const group of groups) {
    for (const i of group) for (let j = 0; j < size; j++) state[j] -= weights[i] * moved * state[(1 + i) * size + j];
    for (const i of group) state.copyWithin((1 + i) * size, 0, size);
  }
  return state;
}

const known = new Map();

// What depends on the weights and the order of arrivals alone is kept for them.
export function edgeOf(setup, groups, local) {
  const key = JSON.stringify([setup.weights.map(String), groups]);
  if (!known.has(key)) {
    if (known.size > 200) known.clear();
    known.set(key, search(setup.weights.map((weight) => weight.toNumber()), groups));
  }
  return stepFor(known.get(key), local);
}

// The least step size with which K local steps go the fraction phi = 1 - (1 - step)^K of the way; null where there is none below 2.
function stepFor(phi, local) {
  if (phi === null) return null;
  if (phi <= 1) return 1 - (1 - phi) ** (1 / local);
  return local % 2 ? 1 + (phi - 1) ** (1 / local) : null;
}

// The least fraction of the way at which the period stops contracting. Around 1 a root of K magnifies rounding, so 1 is told as such.
function search(weights, groups) {
  const size = weights.length + 1;
  const stable = (phi) => {
    const matrix = periodMatrix(weights, groups, phi);
    return growth(matrix, size, ROUGHLY) < CLEARLY || growth(matrix, size, CLOSELY) < 1 - 1e-12;
  };
  let low = 0;
  let high = null;
  for (let k = 1; k <= SCANNED && high === null; k++) {
    const phi = (LARGEST * k) / SCANNED;
    if (stable(phi)) low = phi;
    else high = phi;
  }
  if (high === null || high >= LARGEST) return null;
  for (let k = 0; k < 40; k++) {
    const halfway = (low + high) / 2;
    if (stable(halfway)) low = halfway;
    else high = halfway;
  }
  return Math.abs(high - 1) < 1e-9 ? 1 : high;
}
