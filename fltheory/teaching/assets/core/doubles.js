// Square matrices of doubles: growth, roots and fixed points, for what is too long to be exact or only looked at.

// |A^(2^k)|^(1/2^k), with the size carried as a logarithm; rows one after the other in one flat list.
export function growth(matrix, size, squarings) {
  let power = Float64Array.from(matrix);
  let next = new Float64Array(size * size);
  let log = 0;
  for (let k = 0; k < squarings; k++) {
    let largest = 0;
    for (let j = 0; j < power.length; j++) largest = Math.max(largest, Math.abs(power[j]));
    if (largest === 0) return 0;
    log += Math.log(largest) / 2 ** k;
    for (let j = 0; j < power.length; j++) power[j] /= largest;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        let total = 0;
        for (let l = 0; l < size; l++) total += power[i * size + l] * power[l * size + j];
        next[i * size + j] = total;
      }
    }
    [power, next] = [next, power];
  }
  return Math.exp(log);
}

// The solution of rows [M | r] by elimination, or null where there is none or more than one.
export function solveDoubles(rows) {
  const size = rows.length;
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let i = k + 1; i < size; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    if (!rows[pivot][k]) return null;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = 0; i < size; i++) {
      const factor = i === k ? 0 : rows[i][k] / rows[k][k];
      if (factor) for (let j = k; j <= size; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  return rows.map((row, i) => row[size] / row[i]);
}

// Largest modulus of a root of the monic polynomial 1, c[1], c[2], ... without multiple roots, by Durand and Kerner's iteration.
export function largestRoot(c) {
  const size = c.length - 1;
  if (size === 1) return Math.abs(c[1]);
  if (size === 2) {
    const discriminant = c[1] * c[1] - 4 * c[2];
    return discriminant < 0 ? Math.sqrt(c[2]) : (Math.abs(c[1]) + Math.sqrt(discriminant)) / 2;
  }
  const bound = 1 + Math.max(...c.slice(1).map(Math.abs));
  const re = Float64Array.from({ length: size }, (_, k) => bound * 0.6 * Math.cos(2 * k + 0.4));
  const im = Float64Array.from({ length: size }, (_, k) => bound * 0.6 * Math.sin(2 * k + 0.4));
  for (let round = 0; round < 500; round++) {
    let moved = 0;
    for (let k = 0; k < size; k++) {
      let [a, b, u, v] = [1, 0, 1, 0];
      for (let j = 1; j <= size; j++) [a, b] = [a * re[k] - b * im[k] + c[j], a * im[k] + b * re[k]];
      for (let j = 0; j < size; j++) {
        if (j !== k) [u, v] = [u * (re[k] - re[j]) - v * (im[k] - im[j]), u * (im[k] - im[j]) + v * (re[k] - re[j])];
      }
      const norm = u * u + v * v;
      const [x, y] = norm ? [(a * u + b * v) / norm, (b * u - a * v) / norm] : [1e-8, 0];
      moved = Math.max(moved, Math.hypot(x, y));
      re[k] -= x;
      im[k] -= y;
    }
    if (moved < 1e-15 * bound) break;
  }
  return Math.max(...re.map((x, k) => Math.hypot(x, im[k])));
}
