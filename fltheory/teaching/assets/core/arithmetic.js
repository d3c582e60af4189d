// What a coordinate is decides what a run proves: a fraction, or an affine form over an unknown state (doubles: floats.js).
// Rows are added, subtracted and scaled by coefficients; nothing else is asked of them.

import { ONE, ZERO } from "./fraction.js";

export const EXACT = {
  of: (fraction) => fraction,
  coefficient: (fraction) => fraction,
  add: (a, b) => a.add(b),
  sub: (a, b) => a.sub(b),
  times: (c, a) => c.mul(a),
  clip: (a, bound) => (a.cmp(bound) > 0 ? bound : a.cmp(bound.neg()) < 0 ? bound.neg() : a),
};

// A form is a list of fractions: one coefficient per unknown, and the constant at the end.
export function affine(size) {
  const constant = (fraction) => [...Array(size).fill(ZERO), fraction];
  return {
    of: constant,
    coefficient: (fraction) => fraction,
    add: (a, b) => a.map((x, j) => (b[j].isZero ? x : x.add(b[j]))),
    sub: (a, b) => a.map((x, j) => (b[j].isZero ? x : x.sub(b[j]))),
    times: (c, a) => a.map((x) => (x.isZero ? x : c.mul(x))),
    unknown: (k) => [...Array(size + 1)].map((_, j) => (j === k ? ONE : ZERO)),
  };
}
