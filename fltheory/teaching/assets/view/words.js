// Where a word may stand in a plot: beside its line, at either end, where no curve and no other word is; else nowhere.

const CLEAR = 3;
const BESIDE_GRIPS = 46;

// Does a curve pass through a box? Its points are in tenths of a pixel, as one flat list in order of x.
function passes({ points, stairs, half }, box) {
  const [left, right, top, bottom] = [box.left - half - CLEAR, box.right + half + CLEAR, box.top - half, box.bottom + half];
  for (let k = 0; k + 3 < points.length; k += 2) {
    const [x, y, nextX, nextY] = [points[k] / 10, points[k + 1] / 10, points[k + 2] / 10, points[k + 3] / 10];
    if (nextX < left) continue;
    if (x > right) return false;
    const at = (place) => (stairs || nextX === x ? null : y + ((nextY - y) * (place - x)) / (nextX - x));
    const [a, b] = [at(Math.max(x, left)) ?? y, at(Math.min(nextX, right)) ?? nextY];
    if (Math.min(a, b) < bottom && Math.max(a, b) > top) return true;
  }
  return false;
}

const apart = (one, other) => one.right < other.left || other.right < one.left || one.bottom < other.top || other.bottom < one.top;

// A word of this size for the line at height y: above or below it, close or a little off, at the right or the left end of the frame.
export function freePlace({ y, width, size }, frame, curves, taken) {
  const heights = [-0.35, 1.1, -0.75, 1.5].map((part) => y + part * size);
  for (const [end, base] of ["right", "left"].flatMap((side) => heights.map((height) => [side, height]))) {
    const left = end === "right" ? frame.right - width - 4 : frame.left + BESIDE_GRIPS;
    const box = { left, right: left + width, top: base - 0.85 * size, bottom: base + 0.2 * size };
    const inside = box.top > frame.top - size && box.bottom < frame.bottom + 2 && width < frame.right - frame.left;
    const free = taken.every((other) => apart(box, other)) && !curves.some((curve) => passes(curve, box));
    if (inside && free) return { x: left, y: base, box };
  }
  return null;
}
