// Exact linear algebra for period maps z -> A z + b: fixed point, stability, spectral radius; integers inside, so no gcd per step.

import { affine, affineDoubles } from "./arithmetic.js";
import { growth, largestRoot, solveDoubles } from "./doubles.js";
import { Fraction, gcd, parse } from "./fraction.js";

const WIDEST = 700;
const DIGITS = 6;
const PRIME = 67108859;

// The solution of M z = r, rows [M | r] of integers, by Bareiss' elimination: numerators over one determinant; null where there is not one.
export function solve(rows) {
  const size = rows.length;
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
  return { numerators: rows.map((row) => row[size]), determinant: previous };
}

// Coefficients of det(w - A) for integers, highest first, by Faddeev and LeVerrier's recursion.
export function characteristic(a) {
  const coefficients = [1n];
  let m = a.map((row) => row.map(() => 0n));
  for (let k = 1; k <= a.length; k++) {
    const inner = m.map((row, i) => row.map((x, j) => x + (i === j ? coefficients[k - 1] : 0n)));
    m = a.map((row) => row.map((_, j) => row.reduce((total, x, l) => total + x * inner[l][j], 0n)));
    coefficients.push(-m.reduce((total, row, i) => total + row[i], 0n) / BigInt(k));
  }
  while (coefficients.at(-1) === 0n) coefficients.pop();
  return coefficients;
}

// Do all roots lie strictly inside the unit circle? Schur and Cohn's recursion in integers, divided by the last leading one where it
// can be.
export function isSchurStable(coefficients) {
  const size = (n) => (n < 0n ? -n : n);
  let [p, previous] = [coefficients, 1n];
  while (p.length > 1) {
    const [lead, last] = [p[0], p[p.length - 1]];
    if (size(last) >= size(lead)) return false;
    const next = p.slice(0, -1).map((x, j) => lead * x - last * p[p.length - 1 - j]);
    p = next.every((x) => x % previous === 0n) ? next.map((x) => x / previous) : next;
    previous = lead;
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

const derivative = (p, times) => p.slice(0, -1).map((x, j) => times(x, p.length - 1 - j));

// Is a monic polynomial of integers without multiple roots modulo a prime? Then it has none at all.
function surelySquareFree(coefficients) {
  const modulo = (x) => ((x % PRIME) + PRIME) % PRIME;
  const inverse = (x) => {
    let power = 1;
    for (let rest = PRIME - 2, base = x; rest; rest >>= 1, base = (base * base) % PRIME) if (rest & 1) power = (power * base) % PRIME;
    return power;
  };
  const lean = (p) => { const first = p.findIndex(Boolean); return first < 0 ? [] : p.slice(first); };
  let a = coefficients.map((x) => modulo(Number(x % BigInt(PRIME))));
  let b = lean(derivative(a, (x, k) => (x * k) % PRIME));
  while (b.length) {
    let rest = a;
    while (rest.length >= b.length) {
      const factor = (rest[0] * inverse(b[0])) % PRIME;
      rest = lean(rest.map((x, j) => (j < b.length ? modulo(x - ((factor * b[j]) % PRIME)) : x)));
    }
    [a, b] = [b, rest];
  }
  return a.length === 1;
}

// The polynomial with each of its roots once: multiple roots would spoil the digits of the iteration in doubles.
function squareFree(coefficients) {
  const p = coefficients.map((x) => new Fraction(x));
  if (surelySquareFree(coefficients)) return p;
  let [a, b] = [p, trimmed(derivative(p, (x, k) => x.mul(new Fraction(BigInt(k)))))];
  while (b.length) [a, b] = [b, remainder(a, b)];
  return quotient(p, a).map((x, _, all) => x.div(all[0]));
}

// Largest modulus of w / scale over the roots w.
export function spectralRadius(coefficients, scale) {
  if (coefficients.length === 1) return 0;
  return largestRoot(squareFree(coefficients).map((x, k) => new Fraction(x.n, x.d * scale ** BigInt(k), true).toNumber()));
}

// The limit of a periodic affine run: `rounds(arithmetic)` gives a function from (state, t) to the state after round t, whose first entry
// is the model. Where the fractions become very long, the answer has a few digits and says so.
export function limitCycle(size, period, rounds) {
  const arithmetic = affine(size);
  const advance = rounds(arithmetic);
  let state = Array.from({ length: size }, (_, k) => arithmetic.unknown(k));
  const models = [];
  for (let t = 0; t < period; t++) {
    models.push(state[0]);
    state = advance(state, t);
    if (state[0].d >> BigInt(WIDEST)) return inDoubles(size, period, rounds);
  }
  const scale = state.reduce((total, { d }) => (total / gcd(total, d)) * d, 1n);
  const matrix = state.map(({ n, d }) => n.slice(0, size).map((x) => x * (scale / d)));
  const found = solve(matrix.map((row, i) => [...row.map((x, j) => (i === j ? scale : 0n) - x), state[i].n[size] * (scale / state[i].d)]));
  const polynomial = characteristic(matrix);
  const value = ({ n, d }) => new Fraction(found.numerators.reduce((total, z, k) => total + n[k] * z, n[size] * found.determinant),
    d * found.determinant);
  return { period, cycle: found && models.map(value), stable: isSchurStable(polynomial.map((x, k) => x * scale ** BigInt(
    polynomial.length - 1 - k))), radius: spectralRadius(polynomial, scale), exact: true };
}

function inDoubles(size, period, rounds) {
  const arithmetic = affineDoubles(size);
  const advance = rounds(arithmetic);
  let state = Array.from({ length: size }, (_, k) => arithmetic.unknown(k));
  const models = [];
  for (let t = 0; t < period; t++) {
    models.push(state[0]);
    state = advance(state, t);
  }
  const fixed = solveDoubles(state.map((row, i) => row.map((x, j) => (j === size ? x : Number(i === j) - x))));
  const radius = growth(state.flatMap((row) => row.slice(0, size)), size, 40);
  const value = (form) => parse(form.reduce((total, x, k) => total + x * (fixed[k] ?? 1), 0).toFixed(DIGITS));
  return { period, cycle: fixed && models.map(value), stable: radius < 1, radius, exact: false };
}
