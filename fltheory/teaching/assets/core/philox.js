// Counter-based randomness, bit for bit that of fltheory.randomness: Philox-4x32-10 keyed by (seed, purpose, round, client).

export const PURPOSE = { availability: 1, selection: 2 };

const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57];
const KEY_STEPS = [0x9e3779b9, 0xbb67ae85];

function high(a, b) {
  const [ah, al, bh, bl] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff];
  const middle = ah * bl + ((al * bl) >>> 16);
  const carry = (middle & 0xffff) + al * bh;
  return (ah * bh + Math.floor(middle / 65536) + Math.floor(carry / 65536)) >>> 0;
}

// A uniform integer in [0, 2^53).
export function randomInteger(seed, purpose, round, client) {
  let [w0, w1, w2, w3] = [0, client, round, purpose];
  let [k0, k1] = [seed >>> 0, Math.floor(seed / 4294967296) >>> 0];
  for (let i = 0; i < 10; i++) {
    const [high0, low0] = [high(w0, MULTIPLIERS[0]), Math.imul(w0, MULTIPLIERS[0]) >>> 0];
    const [high1, low1] = [high(w2, MULTIPLIERS[1]), Math.imul(w2, MULTIPLIERS[1]) >>> 0];
    [w0, w1, w2, w3] = [(high1 ^ w1 ^ k0) >>> 0, low1, (high0 ^ w3 ^ k1) >>> 0, low0];
    k0 = (k0 + KEY_STEPS[0]) >>> 0;
    k1 = (k1 + KEY_STEPS[1]) >>> 0;
  }
  return w0 * 2097152 + (w1 >>> 11);
}

const drawn = new Map();

// All draws of one client for rounds 0, 1, ...; kept, because moving a probability does not change them.
export function draws(seed, purpose, client, rounds) {
  const key = `${seed}:${purpose}:${client}`;
  let known = drawn.get(key);
  if (!known || known.length < rounds) {
    known = Float64Array.from({ length: rounds }, (_, t) => randomInteger(seed, purpose, t, client));
    if (drawn.size > 64) drawn.clear();
    drawn.set(key, known);
  }
  return known;
}

// Present with the given probability: the draw lies below the ceiling of p 2^53.
export function threshold(probability) {
  const scaled = probability.n << 53n;
  return Number(scaled / probability.d) + (scaled % probability.d ? 1 : 0);
}
