// What a coordinate is decides what a run proves: a fraction, or an affine form over an unknown state (runs in doubles: floats.js).
// Rows are added, subtracted and scaled by coefficients; nothing else is asked of them.

import { gcd } from "./fraction.js";

export const EXACT = {
  of: (fraction) => fraction,
  coefficient: (fraction) => fraction,
  add: (a, b) => a.add(b),
  sub: (a, b) => a.sub(b),
  times: (c, a) => c.mul(a),
  clip: (a, bound) => (a.cmp(bound) > 0 ? bound : a.cmp(bound.neg()) < 0 ? bound.neg() : a),
};

const fills = (size, at, one, zero) => Array.from({ length: size }, (_, j) => (j === at ? one : zero));

// What each of two denominators lacks to be a common multiple; along a run one of them mostly divides the other.
function lacking(a, b) {
  if (a === b) return [1n, 1n];
  if (b % a === 0n) return [b / a, 1n];
  if (a % b === 0n) return [1n, a / b];
  const common = gcd(a, b);
  return [b / common, a / common];
}

// A form has one integer per unknown, one for the constant at the end, and one denominator for all; nothing is ever cancelled.
export function affine(size) {
  const combine = (a, b, sign) => {
    const [f, g] = lacking(a.d, b.d);
    return { n: a.n.map((x, j) => x * f + sign * (b.n[j] * g)), d: a.d * f };
  };
  return {
    of: (fraction) => ({ n: fills(size + 1, size, fraction.n, 0n), d: fraction.d }),
    coefficient: (fraction) => fraction,
    add: (a, b) => combine(a, b, 1n),
    sub: (a, b) => combine(a, b, -1n),
    times: (c, a) => ({ n: a.n.map((x) => c.n * x), d: c.d * a.d }),
    unknown: (k) => ({ n: fills(size + 1, k, 1n, 0n), d: 1n }),
  };
}

// The same in doubles: the coefficients, and the constant at the end.
export function affineDoubles(size) {
  return {
    of: (fraction) => fills(size + 1, size, fraction.toNumber(), 0),
    coefficient: (fraction) => fraction.toNumber(),
    add: (a, b) => a.map((x, j) => x + b[j]),
    sub: (a, b) => a.map((x, j) => x - b[j]),
    times: (c, a) => a.map((x) => c * x),
    unknown: (k) => fills(size + 1, k, 1, 0),
  };
}
