// Curves for the screen: thousands of points thinned to the pixels they fall on, without losing a peak, and written as paths.

const FAR = 1e6;
export const FEW = 600;
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

// The area that a thick line through the least and the greatest of each column covers: far cheaper to fill than the line is to stroke.
// `half` of its breadth, in tenths too, is added on all sides. Dashes, as in stroke-dasharray, run along the axis where the band is
// level; where it rises or falls it is drawn whole, so that no peak hides between two dashes.
export function bandOf(points, half, dash = "") {
  const [xs, tops, bottoms] = [[points[0] - half], [points[1]], [points[1]]];
  for (let k = 0; k < points.length; k += 2) {
    const at = points[k] === xs[xs.length - 1] ? xs.length - 1 : xs.length;
    xs[at] = points[k];
    tops[at] = Math.min(tops[at] ?? Infinity, points[k + 1]);
    bottoms[at] = Math.max(bottoms[at] ?? -Infinity, points[k + 1]);
  }
  xs.push(xs[xs.length - 1] + half);
  tops.push(tops[tops.length - 1]);
  bottoms.push(bottoms[bottoms.length - 1]);
  const shown = dashed(dash);
  const level = (i, j) => Math.abs(tops[i] - tops[j]) <= half && Math.abs(bottoms[i] - bottoms[j]) <= half;
  let path = "";
  let [top, bottom] = [[], []];
  for (let j = 0; j < xs.length; j++) {
    if (shown(xs[j] - points[0]) || !level(j, Math.max(0, j - 1)) || !level(j, Math.min(xs.length - 1, j + 1))) {
      let [low, high] = [tops[j], bottoms[j]];
      for (let i = j - 1; i >= 0 && xs[j] - xs[i] <= half; i--) [low, high] = [Math.min(low, tops[i]), Math.max(high, bottoms[i])];
      for (let i = j + 1; i < xs.length && xs[i] - xs[j] <= half; i++) [low, high] = [Math.min(low, tops[i]), Math.max(high, bottoms[i])];
      top.push(xs[j], low - half);
      bottom.push(xs[j], high + half);
    } else if (top.length) {
      path += around(top, bottom);
      [top, bottom] = [[], []];
    }
  }
  return top.length ? path + around(top, bottom) : path;
}

// Is a dash drawn so many tenths of a pixel from the beginning?
function dashed(text) {
  const lengths = text.split(" ").filter(Boolean).map((x) => 10 * Number(x));
  const whole = lengths.reduce((a, b) => a + b, 0);
  return (x) => {
    let rest = whole ? Math.max(0, x) % whole : 0;
    let k = 0;
    while (k < lengths.length && rest >= lengths[k]) rest -= lengths[k++];
    return k % 2 === 0;
  };
}

function around(top, bottom) {
  const back = [];
  for (let k = bottom.length - 2; k >= 0; k -= 2) back.push(bottom[k], bottom[k + 1]);
  return `${pathOf(top)}L${pathOf(back).slice(1)}Z`;
}

// The path through such points, or along stairs; points within a level stretch are left out.
export function pathOf(points, stairs = false) {
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
