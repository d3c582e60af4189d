// The map of step sizes against staleness: what is proved, what breaks, what theorems allow, and where the run stands.

import { FAMILY, widthOf } from "./marks.js";

const POWERS = [1, 0.1, 0.01, 0.001];
const [LEAST, LARGEST] = [Math.log10(2.4e-4), Math.log10(3.2)];

export function stepMap({ most, border, allowed, staleness, step, proved, seen, told }, width, colours, room = 0) {
  const font = Math.max(12, Math.min(20, width / 28));
  const height = Math.round(Math.max(Math.min(width * 0.92, 620), Math.min(width * 1.1, room)));
  const frame = { left: font * 3.4, right: width - font * 0.9, top: font * 2.4, bottom: height - font * 3.2 };
  const toX = (t) => frame.left + ((t + 0.5) / (most + 1)) * (frame.right - frame.left);
  const toY = (y) => frame.bottom - ((Math.log10(y) - LEAST) / (LARGEST - LEAST)) * (frame.bottom - frame.top);
  const text = (attributes, content) => ["text", { "font-size": font, fill: colours.ink, "dominant-baseline": "central", ...attributes },
    content];
  const half = toX(1) - toX(0.5);
  const stairs = border.map((y, t) => `${(toX(t) - half).toFixed(1)} ${toY(y).toFixed(1)}H${(toX(t) + half).toFixed(1)}`).join("L");
  const region = `M${stairs}V${frame.bottom}H${frame.left}Z`;
  const grid = POWERS.flatMap((y) => [
    ["line", { x1: frame.left, x2: frame.right, y1: toY(y), y2: toY(y), stroke: colours.faint, "stroke-width": 0.8 }],
    text({ x: frame.left - font * 0.4, y: toY(y), "text-anchor": "end", fill: colours.soft, "font-size": font * 0.9 }, String(y))]);
  const ticks = [0, 5, 10, 15, 20].filter((t) => t <= most).map((t) => text({ x: toX(t), y: frame.bottom + font * 0.9,
    "text-anchor": "middle", fill: colours.soft, "font-size": font * 0.9 }, String(t)));
  const curves = allowed.flatMap(({ name, colour, dash, steps }) => {
    const path = `M${steps.map((y, t) => `${toX(t).toFixed(1)} ${toY(y).toFixed(1)}`).join("L")}`;
    const long = widthOf(name, font * 0.85, 700);
    const place = Math.min(most - 1, Math.ceil(((long + font) / (frame.right - frame.left)) * (most + 1)));
    const y = toY(steps[most - place]) - font * 0.75;
    return [["path", { d: path, fill: "none", stroke: colours[colour], "stroke-width": font * 0.16, "stroke-dasharray": dash || null }],
      text({ x: frame.right - 4, y, "text-anchor": "end", "font-size": font * 0.85, "font-weight": 700, fill: colours.text[colour] },
        name)];
  });
  // Where neither the mark's own line nor a curve passes.
  const beside = staleness > most / 2 ? { x: frame.left + font * 0.5, y: toY(0.035) }
    : { x: toX(staleness) + font * 0.6, y: toY(staleness < 5 ? 0.021 : 0.016) };
  const here = [toX(staleness), Math.max(frame.top, Math.min(frame.bottom, toY(step)))];
  const mark = proved ? "blue" : "vermillion";
  const list = [["svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `The map. ${told}`,
    "font-family": FAMILY }, [
    ["rect", { width, height, fill: colours.paper }],
    text({ x: font * 0.9, y: font * 1.1, "font-weight": 700 }, "Step size times L, against staleness"),
    ["g", {}, seen ? [["path", { d: region, fill: colours.blue, opacity: 0.16 }],
      ["path", { d: `M${stairs}`, fill: "none", stroke: colours.blue, "stroke-width": font * 0.2 }]] : []],
    ["g", {}, grid],
    ["line", { x1: frame.left, x2: frame.left, y1: frame.top, y2: frame.bottom, stroke: colours.soft }],
    ["line", { x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom, stroke: colours.soft }],
    ["g", {}, ticks],
    text({ x: (frame.left + frame.right) / 2, y: height - font, "text-anchor": "middle" }, "τ, the longest silence in rounds"),
    ["g", {}, seen ? curves : []],
    ["line", { x1: here[0], x2: here[0], y1: here[1], y2: frame.bottom, stroke: colours[mark], "stroke-width": 1.4, 
      "stroke-dasharray": "3 3" }],
    ["circle", { cx: here[0], cy: here[1], r: font * 0.55, fill: colours[mark], stroke: colours.paper, "stroke-width": 2 }],
    ["g", {}, seen ? [
      text({ x: frame.right - 4, y: frame.top + font * 0.6, "text-anchor": "end", "font-weight": 700, fill: colours.text.vermillion },
        "beyond: one trace breaks it"),
      text({ ...beside, "font-weight": 700, "font-size": font * 0.9, fill: colours.text.blue }, "proved: η L < 2/(τ + 1)")]
      : [text({ x: (frame.left + frame.right) / 2, y: frame.top + font * 1.2, "text-anchor": "middle", fill: colours.soft },
        "Which step sizes are safe?")]],
  ]]];
  return { at: () => list, height };
}
