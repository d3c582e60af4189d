// Where the marks of an axis stand, and how they read.

import { decimal } from "./dom.js";

// Round steps of 1, 2, 5 that cut a range into about `count` pieces.
export function roundTicks(low, high, count) {
  const raw = (high - low) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((k) => k * unit >= raw) * unit;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

// The same for logarithms to base ten: powers of ten, or 1, 2, 5 between them where there is room for that.
export function powerTicks(low, high, count) {
  if (high - low > 1.5) return roundTicks(low, high, Math.min(count, high - low)).filter(Number.isInteger);
  const ticks = [];
  for (let k = Math.floor(low); k <= high; k++) {
    ticks.push(...[1, 2, 5].map((x) => k + Math.log10(x)).filter((y) => y >= low - 1e-9 && y <= high + 1e-9));
  }
  return ticks.length > 1 ? ticks : roundTicks(10 ** low, 10 ** high, count).map(Math.log10).filter(Number.isFinite);
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// Ten to a power, written out while that is short.
export const power = (y) => (Number.isInteger(y) && Math.abs(y) > 3
  ? `10${String(y).replace("-", "⁻").replace(/\d/g, (digit) => RAISED[digit])}` : decimal(10 ** y, 3));
