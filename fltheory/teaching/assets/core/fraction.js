// Exact fractions over BigInt, always in lowest terms with a positive denominator.

const magnitude = (n) => (n < 0n ? -n : n);
const bits = (n) => magnitude(n).toString(16).length * 4;

export function gcd(a, b) {
  a = magnitude(a);
  b = magnitude(b);
  while (b) [a, b] = [b, a % b];
  return a;
}

export class Fraction {
  constructor(numerator, denominator = 1n, lowest = false) {
    if (denominator === 0n) throw new RangeError("a fraction needs a denominator other than 0");
    const common = lowest || denominator === 1n ? 1n : gcd(numerator, denominator) * (denominator < 0n ? -1n : 1n);
    this.n = common === 1n ? numerator : numerator / common;
    this.d = common === 1n ? denominator : denominator / common;
  }

  add(other) { return new Fraction(this.n * other.d + other.n * this.d, this.d * other.d); }
  sub(other) { return new Fraction(this.n * other.d - other.n * this.d, this.d * other.d); }
  mul(other) { return new Fraction(this.n * other.n, this.d * other.d); }
  div(other) { return new Fraction(this.n * other.d, this.d * other.n); }
  neg() { return new Fraction(-this.n, this.d, true); }
  abs() { return new Fraction(magnitude(this.n), this.d, true); }
  pow(exponent) { return new Fraction(this.n ** BigInt(exponent), this.d ** BigInt(exponent), true); }

  cmp(other) {
    const difference = this.n * other.d - other.n * this.d;
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  eq(other) { return this.n === other.n && this.d === other.d; }
  get isZero() { return this.n === 0n; }
  ceil() { return -floorDivide(-this.n, this.d); }
  floor() { return floorDivide(this.n, this.d); }

  // A quotient of 64 bits or more is rounded once more by Number: the error stays near one unit in the last place.
  toNumber() {
    if (bits(this.n) < 50 && bits(this.d) < 50) return Number(this.n) / Number(this.d);
    const shift = 66 + bits(this.d) - bits(this.n);
    const quotient = shift > 0 ? (this.n << BigInt(shift)) / this.d : this.n / (this.d << BigInt(-shift));
    const half = Math.trunc(-shift / 2);
    return Number(quotient) * 2 ** half * 2 ** (-shift - half);
  }

  // Some digits with a point, which says that they are not all.
  toDecimals(digits = 6) { return this.toNumber().toFixed(digits); }

  toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
}

function floorDivide(a, b) {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

export const ZERO = new Fraction(0n);
export const ONE = new Fraction(1n);

export const whole = (n) => new Fraction(BigInt(n));

// "3", "-1/4" or "0.25"; anything else is null.
export function parse(text) {
  const found = /^([+-]?\d+)(?:\/(\d+)|\.(\d+))?$/.exec(text);
  if (!found) return null;
  const [, head, denominator, decimals] = found;
  if (denominator !== undefined) return BigInt(denominator) === 0n ? null : new Fraction(BigInt(head), BigInt(denominator));
  if (decimals !== undefined) return new Fraction(BigInt(head + decimals), 10n ** BigInt(decimals.length));
  return new Fraction(BigInt(head));
}

// Over one denominator, reduced once: long fractions of one cycle mostly share it.
export function sum(fractions) {
  const below = fractions.reduce((total, { d }) => (total % d ? (total / gcd(total, d)) * d : total), 1n);
  return new Fraction(fractions.reduce((total, { n, d }) => total + n * (below / d), 0n), below);
}
