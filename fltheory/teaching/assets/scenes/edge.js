// The stability edge: the least step size at which a weighted asynchronous method stops contracting, found by bisection in doubles.

const LARGEST = 2;
const SCANNED = 128;
const [ROUGHLY, CLOSELY, CLEARLY] = [10, 40, 0.9];

const product = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((total, x, k) => total + x * b[k][j], 0)));

// |A^(2^k)|^(1/2^k), with the size carried as a logarithm.
function radius(matrix, squarings) {
  let [power, log] = [matrix, 0];
  for (let k = 0; k < squarings; k++) {
    const size = Math.max(...power.flat().map(Math.abs));
    if (size === 0) return 0;
    log += Math.log(size) / 2 ** k;
    power = product(power.map((row) => row.map((x) => x / size)), power.map((row) => row.map((x) => x / size)));
  }
  return Math.exp(log);
}

// The homogeneous part of one period: each client's K steps on curvature one go the fraction phi of the way.
function periodMatrix(setup, groups, step, local) {
  const weights = setup.weights.map((weight) => weight.toNumber() * (1 - (1 - step) ** local));
  let state = Array.from({ length: weights.length + 1 }, (_, i) => Array.from({ length: weights.length + 1 }, (__, j) => Number(i === j)));
  for (const group of groups) {
    const model = state[0].map((x, j) => group.reduce((total, i) => total - weights[i] * state[1 + i][j], x));
    state = [model, ...state.slice(1).map((held, i) => (group.includes(i) ? model : held))];
  }
  return state;
}

export function edgeOf(setup, groups, local) {
  const stable = (step) => {
    const matrix = periodMatrix(setup, groups, step, local);
    return radius(matrix, ROUGHLY) < CLEARLY || radius(matrix, CLOSELY) < 1 - 1e-12;
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

