// Exact linear algebra for period maps z -> A z + b: fixed point, stability, spectral radius; integers inside, so no gcd per step.

import { affine } from "./arithmetic.js";
import { Fraction, ONE, ZERO, gcd } from "./fraction.js";

function overCommonDenominator(rows) {
  let scale = 1n;
  for (const row of rows) for (const x of row) scale = (scale / gcd(scale, x.d)) * x.d;
  return [rows.map((row) => row.map((x) => x.n * (scale / x.d))), scale];
}

// The solution of M z = r by Bareiss' elimination, or null where there is none or more than one.
export function solve(matrix, right) {
  const size = matrix.length;
  const [rows] = overCommonDenominator(matrix.map((row, i) => [...row, right[i]]));
  let previous = 1n;
  for (let k = 0; k < size; k++) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    if (pivot < 0) return null;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < size; i++) {
      if (i === k) continue;
      const factor = rows[i][k];
      rows[i] = rows[i].map((x, j) => (rows[k][k] * x - factor * rows[k][j]) / previous);
    }
    previous = rows[k][k];
  }
  return rows.map((row, i) => new Fraction(row[size], row[i]));
}

// Coefficients of det(z - A), highest first, by Faddeev and LeVerrier's recursion.
export function characteristic(matrix) {
  const [a, scale] = overCommonDenominator(matrix);
  const size = a.length;
  const coefficients = [1n];
  let m = a.map((row) => row.map(() => 0n));
  for (let k = 1; k <= size; k++) {
    const inner = m.map((row, i) => row.map((x, j) => x + (i === j ? coefficients[k - 1] : 0n)));
    m = a.map((row) => row.map((_, j) => row.reduce((total, x, l) => total + x * inner[l][j], 0n)));
    coefficients.push(-m.reduce((total, row, i) => total + row[i], 0n) / BigInt(k));
  }
  return coefficients.map((c, k) => new Fraction(c, scale ** BigInt(k)));
}

// Do all roots lie strictly inside the unit circle? Schur and Cohn's recursion, exactly.
export function isSchurStable(coefficients) {
  let p = coefficients;
  while (p.length > 1) {
    const [lead, last] = [p[0], p[p.length - 1]];
    if (last.abs().cmp(lead.abs()) >= 0) return false;
    const mirrored = [...p].reverse();
    p = p.map((x, j) => lead.mul(x).sub(last.mul(mirrored[j]))).slice(0, -1);
    const head = p[0];
    p = p.map((x) => x.div(head));
  }
  return true;
}

function trimmed(p) {
  const first = p.findIndex((x) => !x.isZero);
  return first < 0 ? [] : p.slice(first);
}

function remainder(p, q) {
  let rest = p;
  while (rest.length >= q.length) {
    const factor = rest[0].div(q[0]);
    rest = trimmed(rest.map((x, j) => (j < q.length ? x.sub(factor.mul(q[j])) : x)).slice(1));
    if (!rest.length) break;
  }
  return rest;
}

function quotient(p, q) {
  const found = [];
  let rest = p;
  while (rest.length >= q.length) {
    const factor = rest[0].div(q[0]);
    found.push(factor);
    rest = rest.map((x, j) => (j < q.length ? x.sub(factor.mul(q[j])) : x)).slice(1);
  }
  return found;
}

// The polynomial with each of its roots once: multiple roots would spoil the digits of the iteration below.
function squareFree(p) {
  let [a, b] = [p, trimmed(p.slice(0, -1).map((x, j) => x.mul(new Fraction(BigInt(p.length - 1 - j)))))];
  while (b.length) [a, b] = [b, remainder(a, b)];
  return a.length > 1 ? quotient(p, a) : p;
}

// Largest modulus of a root: exact square-free part, then Durand and Kerner's iteration in doubles.
export function spectralRadius(coefficients) {
  let p = trimmed(coefficients);
  while (p.length > 1 && p[p.length - 1].isZero) p = p.slice(0, -1);
  if (p.length === 1) return 0;
  p = squareFree(p);
  const c = p.map((x) => x.div(p[0]).toNumber());
  const size = c.length - 1;
  if (size === 1) return Math.abs(c[1]);
  if (size === 2) {
    const discriminant = c[1] * c[1] - 4 * c[2];
    return discriminant < 0 ? Math.sqrt(c[2]) : (Math.abs(c[1]) + Math.sqrt(discriminant)) / 2;
  }
  const bound = 1 + Math.max(...c.slice(1).map(Math.abs));
  let roots = c.slice(1).map((_, k) => [bound * 0.6 * Math.cos(2 * k + 0.4), bound * 0.6 * Math.sin(2 * k + 0.4)]);
  const times = ([a, b], [x, y]) => [a * x - b * y, a * y + b * x];
  for (let round = 0; round < 500; round++) {
    let moved = 0;
    roots = roots.map((z, k) => {
      const value = c.slice(1).reduce((total, x) => { const next = times(total, z); return [next[0] + x, next[1]]; }, [1, 0]);
      const [u, v] = roots.reduce((total, other, j) => (j === k ? total : times(total, [z[0] - other[0], z[1] - other[1]])), [1, 0]);
      const norm = u * u + v * v;
      const step = norm ? [(value[0] * u + value[1] * v) / norm, (value[1] * u - value[0] * v) / norm] : [1e-8, 0];
      moved = Math.max(moved, Math.hypot(...step));
      return [z[0] - step[0], z[1] - step[1]];
    });
    if (moved < 1e-15 * bound) break;
  }
  return Math.max(...roots.map((z) => Math.hypot(...z)));
}

// The limit of a periodic affine run: `advance(arithmetic, state, t)` gives the state after round t, state[0] is the model.
export function limitCycle(size, period, advance) {
  const arithmetic = affine(size);
  let state = [...Array(size)].map((_, k) => arithmetic.unknown(k));
  const models = [];
  for (let t = 0; t < period; t++) {
    models.push(state[0]);
    state = advance(arithmetic, state, t);
  }
  const matrix = state.map((form) => form.slice(0, size));
  const system = matrix.map((row, i) => row.map((x, j) => (i === j ? ONE : ZERO).sub(x)));
  const fixed = solve(system, state.map((form) => form[size]));
  const polynomial = characteristic(matrix);
  const value = (form) => fixed.reduce((total, z, k) => (form[k].isZero ? total : total.add(form[k].mul(z))), form[size]);
  return { period, cycle: fixed && models.map(value), stable: isSchurStable(polynomial), radius: spectralRadius(polynomial) };
}
