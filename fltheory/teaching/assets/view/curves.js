// Curves for the screen: thousands of points thinned to the pixels they fall on, without losing a peak, and written as paths.

const FAR = 1e6;
const FEW = 600;
const KNOWN = 32768;
const TEXTS = Array(KNOWN);

// A number of tenths as text; the texts are kept, because a curve of thousands of points uses the same few again and again.
const tenths = (k) => (k >= 0 && k < KNOWN ? (TEXTS[k] ??= String(k / 10)) : String(k / 10));

// How many numbers stand before the first that is not finite.
export function finiteLength(list) {
  for (let k = 0; k < list.length; k++) if (!Number.isFinite(list[k])) return k;
  return list.length;
}

// Points of a curve in tenths of a pixel, as one flat list x, y, x, y, ...: all if they are few, else the least and the greatest of each
// column of pixels, in order. A point (x, y) lies at left + x across, base + y down; without `xs` the k-th point has x = k.
export function thinned(xs, ys, { left, across, base, down }) {
  const count = finiteLength(ys);
  const points = [];
  const height = (y) => Math.max(-FAR, Math.min(FAR, Math.round(10 * (base + y * down))));
  if (count <= FEW) {
    for (let k = 0; k < count; k++) points.push(Math.round(10 * (left + (xs ? xs[k] : k) * across)), height(ys[k]));
    return points;
  }
  let [cell, low, high] = [-1, 0, 0];
  for (let k = 0; k <= count; k++) {
    const here = k === count ? Infinity : Math.floor(left + (xs ? xs[k] : k) * across);
    if (here !== cell) {
      if (cell >= 0) {
        points.push(10 * cell + 5, height(ys[low < high ? low : high]));
        if (low !== high) points.push(10 * cell + 5, height(ys[low < high ? high : low]));
      }
      cell = here;
      low = k;
      high = k;
    } else if (ys[k] < ys[low]) low = k;
    else if (ys[k] > ys[high]) high = k;
  }
  return points;
}

// The path through such points, or along stairs; points within a level stretch are left out.
export function pathOf(points, stairs) {
  let [x, y] = points;
  let path = `M${tenths(x)} ${tenths(y)}`;
  let behind = false;
  for (let k = 2; k < points.length; k += 2) {
    const nextX = points[k];
    const nextY = points[k + 1];
    if (nextY === y) behind = true;
    else {
      if (stairs) {
        if (nextX !== x || behind) path += `H${tenths(nextX)}`;
        path += `V${tenths(nextY)}`;
      } else {
        if (behind) path += `H${tenths(x)}`;
        path += nextX === x ? `V${tenths(nextY)}` : `L${tenths(nextX)} ${tenths(nextY)}`;
      }
      behind = false;
    }
    x = nextX;
    y = nextY;
  }
  return behind ? `${path}H${tenths(x)}` : path;
}
