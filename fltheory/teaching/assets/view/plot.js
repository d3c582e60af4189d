// A figure from plain numbers: axes, curves thinned to the pixels, exact labels at the right, strips of who is there.

import { lastAtMost } from "../core/floats.js";
import { FEW, bandOf, finiteLength, pathOf, thinned } from "./curves.js";
import { decimal } from "./dom.js";
import { power, powerTicks, roundTicks } from "./ticks.js";
import { FAMILY, MOST_MARKS, SHAPES, legend, strip, widthOf } from "./marks.js";
import { freePlace } from "./words.js";

const ALL_SHOWN = 5;
const CLEAR_OF_GRIP = 13;

function rangeOf(list) {
  const count = finiteLength(list);
  let [lowest, highest] = [Infinity, -Infinity];
  for (let k = 0; k < count; k++) {
    if (list[k] < lowest) lowest = list[k];
    if (list[k] > highest) highest = list[k];
  }
  return [lowest, highest];
}

// What must be seen, and every curve whole unless one runs far away: then only as much again, above and below, as what must be seen.
function extent(panel) {
  const keep = [...(panel.keep ?? []), ...(panel.levels ?? []).map(({ y }) => y),
    ...(panel.labels ?? []).filter(({ free }) => !free).map(({ y }) => y)]
    .filter((y) => y !== null && Number.isFinite(y));
  let [low, high] = keep.length ? [Math.min(...keep), Math.max(...keep)] : [Infinity, -Infinity];
  const slack = keep.length ? Math.max(high - low, 1e-6) : Infinity;
  const ranges = panel.series.map(({ y }) => rangeOf(y));
  const [lowest, highest] = [Math.min(low, ...ranges.map(([a]) => a)), Math.max(high, ...ranges.map(([, b]) => b))];
  const all = highest - lowest <= ALL_SHOWN * slack && panel.series.every(({ y }) => finiteLength(y) === y.length);
  low = all ? lowest : Math.max(lowest, low - slack);
  high = all ? highest : Math.min(highest, high + slack);
  if (panel.floor !== undefined) low = Math.min(low, panel.floor);
  if (low === high) [low, high] = [panel.floor === undefined ? low - 1 : low, high + 1];
  const margin = 0.05 * (high - low);
  return [panel.floor === undefined ? low - margin : low, high + margin];
}

// Labels that would touch are moved apart, in order of their heights.
function spread(labels, gap, low, high) {
  const placed = labels.map((label) => ({ ...label })).sort((a, b) => a.at - b.at);
  for (let k = 1; k < placed.length; k++) placed[k].at = Math.max(placed[k].at, placed[k - 1].at + gap);
  if (placed.length) placed.at(-1).at = Math.min(placed.at(-1).at, high);
  for (let k = placed.length - 2; k >= 0; k--) placed[k].at = Math.min(placed[k].at, placed[k + 1].at - gap);
  if (placed.length && placed[0].at < low) { const up = low - placed[0].at; placed.forEach((label) => { label.at += up; }); }
  return placed;
}

// A line of settings, broken between them where it would be too wide.
function broken(text, room, size) {
  const lines = [];
  for (const part of text.split(" · ")) {
    const longer = `${lines.at(-1)} · ${part}`;
    if (lines.length && widthOf(longer, size, 700) <= room) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

// The whole figure as a list for patch.js, and how to show it, once it is in place, only up to some x.
export function drawFigure(figure, { width, height: wanted, colours, description, keptRight = null, keptRanges = null, heading = null }) {
  const font = Math.max(12, Math.min(22, width / 58));
  const wide = width >= 700;
  const ranges = keptRanges ?? figure.panels.map(extent);
  const bottom = font * 3.5;
  const weights = figure.panels.map(({ weight = 1 }) => weight);
  const stripsHeight = figure.panels.map(({ strips = [] }) => strips.reduce((total, { slim }) => total + font * (slim ? 0.95 : 1.5),
    strips.length ? font * 0.8 : 0));
  const gap = font * 2.2;
  const thick = Math.max(2.2, Math.min(5, width / 330));
  const curves = figure.panels.flatMap(({ series }) => series).filter(({ name }) => name);
  const entries = [...figure.legend ?? (curves.length > 1 ? curves.map(({ name, ...one }) => ({ text: name, ...one })) : []),
    ...figure.tiles ?? []];
  const heads_ = heading ? [heading[0], ...broken(heading[1], width - 2 * font, font * 0.9)] : [];
  const headed = heading ? font * (0.2 + 1.5 * heads_.length) : 0;
  const [named_, above] = legend(entries, { left: font * 0.95, right: width - font * 0.5, top: headed + font * 1.2, font, thick, colours });
    const beginning = headed + above + font * 1.5;
  const least = bottom + beginning + stripsHeight.reduce((a, b) => a + b, 0) + (gap + font * 4) * figure.panels.length;
  const height = Math.max(least, wanted + Math.round(above + font * 1.5 * Math.max(0, heads_.length - 2)));
  const room = height - bottom - beginning - stripsHeight.reduce((a, b) => a + b, 0) - gap * (figure.panels.length - 1);
  const total = weights.reduce((a, b) => a + b, 0);
  const talls = weights.map((weight) => (room * weight) / total);
  const ticksOf = talls.map((tall, k) => (figure.panels[k].powers ? powerTicks : roundTicks)(...ranges[k],
    Math.max(2, Math.min(6, tall / (font * 2.6)))));
  const said = (k, y) => (figure.panels[k].powers ? power(y) : decimal(y));
  const away = Math.max(font * 0.55, CLEAR_OF_GRIP);
  const tickTexts = figure.panels.flatMap(({ levels = [] }, k) => [...ticksOf[k].map((y) => said(k, y)),
    ...levels.map(({ tick = "" }) => tick)]);
  const named = width >= 520 && figure.panels.some(({ ylabel }) => ylabel);
  const left = Math.max(...tickTexts.map((label) => widthOf(label, font, 700))) + away + font * (named ? 1.85 : 0.45);
  const longest = Math.max(0, ...figure.panels.flatMap(({ labels = [], strips = [] }) => [
    ...labels.flatMap(({ text, name, note = "" }) => [widthOf(wide && name ? `${text}  ${name}` : text, font * 1.12, 700), wide
      ? widthOf(note, font * 0.9) : 0]),
    ...strips.map(({ label = "" }) => (wide ? widthOf(label, font * 0.95) : 0))]));
  const right = keptRight ?? Math.min(width * 0.38, longest * (wide ? 1 : 0.8) + font * 1.4);
  const inner = width - left - right;
  const toX = (x) => left + (x / figure.xmax) * inner;
  const text = (attributes, content) => ["text", { "font-size": font, fill: colours.ink, ...attributes }, content];
  const drawn = [];
  const places = [];
  const heads = [];
  let top = beginning;
  const clip = {};
  const frames = [];

  figure.panels.forEach((panel, index) => {
    const tall = talls[index];
    const [low, high] = ranges[index];
    const base = top;
    const toY = (y) => base + tall - ((y - low) / (high - low)) * tall;
    frames.push(["clipPath", { id: `frame-${index}` }, [["rect", { x: left - 6, y: base - 6, width: inner + 12, height: tall + 12 }]]]);
    places.push({ left, right: left + inner, top: base, bottom: base + tall, toY, cells: null,
      fromY: (y) => low + ((base + tall - y) / tall) * (high - low) });
    const [grid, marks, dotted, shown, words, beside, taken] = [[], [], [], [], [], [], []];
    const marked = (panel.levels ?? []).filter(({ tick }) => tick);
    const ticks = ticksOf[index].filter((y) => marked.every((level) => Math.abs(toY(level.y) - toY(y)) > font * 1.2));
    for (const y of ticks) {
      grid.push(["line", { x1: left, x2: left + inner, y1: toY(y), y2: toY(y), stroke: colours.faint, "stroke-width": 0.6 }]);
      marks.push(text({ x: left - away, y: toY(y), "text-anchor": "end", "dominant-baseline": "central", fill: colours.soft },
        said(index, y)));
    }
    const [inside, passing] = [[], []];
    for (const level of panel.levels ?? []) {
      const y = toY(level.y);
      grid.push(["line", { x1: left, x2: left + inner, y1: y, y2: y, stroke: colours[level.colour], "stroke-width": level.solid ? 1.6
        : 1.8, "stroke-dasharray": level.solid ? null : "9 6" }]);
      if (level.tick) marks.push(text({ x: left - away, y, "text-anchor": "end", "dominant-baseline": "central",
        "font-weight": 700 }, level.tick));
      if (level.text && inner > 330) inside.push({ text: level.text, y });
      passing.push({ points: [left, y, left + inner, y].map((x) => 10 * x), half: 0 });
    }
    for (const label of panel.labels ?? []) {
      if (!label.dotted) continue;
      const y = toY(label.y);
      dotted.push(["line", { x1: left, x2: left + inner, y1: y, y2: y, stroke: colours[label.colour], "stroke-width": 1.4,
        "stroke-dasharray": "2 4" }]);
      passing.push({ points: [left, y, left + inner, y].map((x) => 10 * x), half: 0 });
    }
    for (const one of panel.series) {
      const points = thinned(one.x, one.y, { left, across: inner / figure.xmax, base: toY(0), down: -tall / (high - low) });
      const breadth = thick * (one.width ?? 1);
      const told = { opacity: one.opacity ?? 1, "data-column": one.column ?? null };
      if (!one.marks) {
        passing.push({ points, stairs: one.stairs, half: one.marker || one.head ? thick * 1.7 : breadth / 2 });
        shown.push(["path", one.y.length > FEW
          ? { d: bandOf(points, Math.round(5 * breadth), one.dash), fill: colours[one.colour], ...told }
          : { d: pathOf(points, one.stairs), fill: "none", stroke: colours[one.colour], "stroke-width": breadth, "stroke-linejoin": "round",
            "stroke-linecap": one.dash || one.bar ? "butt" : "round", "stroke-dasharray": one.dash || null, ...told }]);
      }
      if (one.marker && one.y.length <= MOST_MARKS && points.length === 2 * one.y.length) {
        const radius = thick * (one.marks ? 1.7 : 1.3);
        const shapes = Array.from(one.y, (_, k) => SHAPES[one.marker](points[2 * k] / 10, points[2 * k + 1] / 10, radius));
        shown.push(["path", { d: shapes.join(""), fill: colours[one.colour], "data-marks": one.marks ?? null }]);
      }
      if (one.head) {
        const dot = {};
        heads.push({ dot, one, toY, base, tall, spec: ["circle", { r: thick * 2.1, fill: colours[one.colour], stroke: colours.paper,
          "stroke-width": thick * 0.7 }, [], dot] });
      }
    }
    const size = font * 0.85;
    const frame = { left, right: left + inner, top: base, bottom: base + tall };
    for (const { text: said, y } of inside) {
      const found = freePlace({ y, width: widthOf(said, size), size }, frame, passing, taken);
      if (!found) continue;
      taken.push(found.box);
      words.push(text({ x: found.x, y: found.y, "font-size": size, fill: colours.soft, class: "word" }, said));
    }
    words.push(["line", { x1: left, x2: left, y1: base, y2: base + tall, stroke: colours.soft, "stroke-width": 1 }]);
    if (panel.ylabel && named) marks.push(text({ x: font * 0.95, y: base + tall / 2, "text-anchor": "middle",
      transform: `rotate(-90 ${font * 0.95} ${base + tall / 2})` }, panel.ylabel));
    const labels = (panel.labels ?? []).map((label) => ({ ...label, at: Number.isFinite(label.y) ? Math.max(base, Math.min(base + tall,
      toY(label.y))) : base }));
    const notes = wide && (labels.length - 1) * font * 2.7 <= tall - font * 2.6;
    const apart = font * (notes ? 2.7 : wide ? 1.4 : 1.2);
    for (const label of spread(labels, apart, base + font * 0.4, base + tall - font * (notes ? 2.2 : 0.5))) {
      const x = left + inner + font * 0.8;
      const content = wide && label.name ? `${label.text}  ${label.name}` : label.text.replace("≈ ", "");
      const fitting = (size, words_, weight) => size * Math.min(1, (width - x - 2) / widthOf(words_, size, weight));
      beside.push(text({ x, y: label.at, "dominant-baseline": "central", "font-weight": 700,
        "font-size": fitting(font * (wide ? 1.12 : 0.9), content, 700), fill: colours.text[label.colour] }, content));
      if (notes && label.note) beside.push(text({ x, y: label.at + font * 1.25, "dominant-baseline": "central",
        "font-size": fitting(font * 0.9, label.note, 400), fill: colours.soft }, label.note));
    }
    drawn.push(["g", {}, grid], ["g", {}, marks], ["g", { "clip-path": `url(#frame-${index})` }, [["g", { class: "answer" }, dotted],
      ["g", { "clip-path": "url(#reveal)" }, shown]]], ["g", {}, words], ["g", { class: "answer" }, beside]);
    top += tall;
    const strips = panel.strips ?? [];
    const below = [];
    if (strips.length) top += font * 0.6;
    for (const one of strips) {
      const high_ = font * (one.slim ? 0.72 : 1.15);
      places[index].cells ??= { top, height: high_, roundAt: (x) => Math.floor(((x - left) / inner) * figure.xmax) };
      below.push(strip({ rounds: figure.xmax, ...one }, { left, top, height: high_ }, font, toX, colours));
      if (wide && one.label) below.push(text({ x: left + inner + font * 0.8, y: top + high_ / 2, "dominant-baseline": "central",
        fill: colours.soft,
        "font-size": font * (one.slim ? 0.8 : 0.95) }, one.label));
      top += font * (one.slim ? 0.95 : 1.5);
    }
    drawn.push(["g", {}, below]);
    if (strips.length) top += font * 0.2;
    if (index < figure.panels.length - 1) top += gap;
  });

  const axis = height - bottom;
  const [scale, numbers] = [[["line", { x1: left, x2: left + inner, y1: axis + 2, y2: axis + 2, stroke: colours.soft, "stroke-width": 1 }]],
    [text({ x: left + inner / 2, y: height - font * 0.5, "text-anchor": "middle" }, figure.xlabel)]];
  const count = Math.max(2, Math.min(9, inner / (font * 5)));
  let xticks = roundTicks(0, figure.xmax, count).filter((x) => !figure.tick || Number.isInteger(x));
  const whole = figure.tick ? Math.floor(figure.xmax / figure.tick) : 0;
  if (whole && whole <= count * 1.2) xticks = Array.from({ length: whole + 1 }, (_, k) => k * figure.tick);
  for (const [x, name] of figure.xticks ?? xticks.map((one) => [one, one.toLocaleString("en")])) {
    scale.push(["line", { x1: toX(x), x2: toX(x), y1: axis + 2, y2: axis + 7, stroke: colours.soft }]);
    numbers.push(text({ x: toX(x), y: axis + 7 + font * 0.8, "text-anchor": "middle", "dominant-baseline": "central",
      fill: colours.soft }, name));
  }
  drawn.push(["g", {}, scale], ["g", {}, numbers], ["g", {}, heads.map(({ spec }) => spec)]);
  const fitted = (line, size) => size * Math.min(1, (width - 2 * font) / widthOf(line, size, 700));
  const titles = heads_.map((line, k) => text({ x: font * 0.95, y: font * (1.6 + 1.5 * k),
    "font-size": fitted(line, font * (k ? 0.9 : 1.2)),
    "font-weight": k ? 400 : 700, fill: k ? colours.soft : colours.ink }, line));
  const svg = ["svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": description, "font-family": FAMILY }, [
    ["defs", {}, [["clipPath", { id: "reveal" }, [["rect", { x: 0, y: 0, height }, [], clip]]], ...frames]],
    ["rect", { width, height, fill: colours.paper }], ...titles, named_, ...drawn]];

  function reveal(x) {
    const all = x >= figure.xmax;
    clip.element.setAttribute("width", all ? width : Math.max(0, toX(x) + 0.5));
    for (const { dot, one, toY, base, tall } of heads) {
      const k = Math.max(0, one.x ? lastAtMost(one.x, x + 1e-9) : Math.min(one.y.length - 1, Math.floor(x + 1e-9)));
      const onward = !one.x && !one.stairs && k + 1 < one.y.length ? x - k : 0;
      const y = toY(onward ? one.y[k] + onward * (one.y[k + 1] - one.y[k]) : one.y[k]);
      const visible = Number.isFinite(y) && y > base - 6 && y < base + tall + 6;
      dot.element.setAttribute("visibility", visible && !all ? "visible" : "hidden");
      if (!visible || all) continue;
      dot.element.setAttribute("cx", toX(one.x ? one.x[k] : k + onward));
      dot.element.setAttribute("cy", y);
    }
  }
  return { svg, reveal, right, ranges, place: places[0] };
}
