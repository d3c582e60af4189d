// Counter-based randomness, bit for bit that of fltheory.randomness: Philox-4x32-10 keyed by (seed, purpose, round, client).

export const PURPOSE = { availability: 1, selection: 2 };

const [FIRST, SECOND] = [0xd2511f53, 0xcd9e8d57];
const KEY_STEPS = [0x9e3779b9, 0xbb67ae85];
const UNIT = 2 ** -32;

// A uniform integer in [0, 2^53). The double a * b is off by less than 2^12, so taking away the low word, known exactly, leaves the high
// word after rounding.
export function randomInteger(seed, purpose, round, client) {
  let [w0, w1, w2, w3] = [0, client, round, purpose];
  let [k0, k1] = [seed >>> 0, Math.floor(seed * UNIT) >>> 0];
  for (let i = 0; i < 10; i++) {
    const low0 = Math.imul(w0, FIRST) >>> 0;
    const high0 = (w0 * FIRST - low0) * UNIT + 0.5;
    const low1 = Math.imul(w2, SECOND) >>> 0;
    const high1 = (w2 * SECOND - low1) * UNIT + 0.5;
    w0 = (high1 ^ w1 ^ k0) >>> 0;
    w1 = low1;
    w2 = (high0 ^ w3 ^ k1) >>> 0;
    w3 = low0;
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
    const before = known ?? new Float64Array(0);
    known = new Float64Array(rounds);
    known.set(before);
    for (let t = before.length; t < rounds; t++) known[t] = randomInteger(seed, purpose, t, client);
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
