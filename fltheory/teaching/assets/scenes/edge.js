// The stability edge: the least step size at which a weighted asynchronous method stops contracting, found by bisection in doubles.

import { growth } from "../core/doubles.js";

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

// Depends on the weights, the order of arrivals and the local steps alone, and is kept for them.
export function edgeOf(setup, groups, local) {
  const key = JSON.stringify([setup.weights.map(String), groups, local]);
  if (!known.has(key)) {
    if (known.size > 200) known.clear();
    known.set(key, search(setup.weights.map((weight) => weight.toNumber()), groups, local));
  }
  return known.get(key);
}

function search(weights, groups, local) {
  const size = weights.length + 1;
  const stable = (step) => {
    const matrix = periodMatrix(weights, groups, 1 - (1 - step) ** local);
    return growth(matrix, size, ROUGHLY) < CLEARLY || growth(matrix, size, CLOSELY) < 1 - 1e-12;
  };
  let low = 0;
  let high = null;
  for (let k = 1; k <= SCANNED && high === null; k++) {
    const step = (LARGEST * k) / SCANNED;
    if (stable(step)) low = step;
    else high = step;
  }
  if (high === null || high >= LARGEST) return null;
  for (let k = 0; k < 40; k++) {
    const halfway = (low + high) / 2;
    if (stable(halfway)) low = halfway;
    else high = halfway;
  }
  return high;
}

