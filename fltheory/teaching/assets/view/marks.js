// Parts of a figure: widths of words, shapes of marks, the legend, strips of who is there.

const ruler = document.createElement("canvas").getContext("2d");
export const FAMILY = "system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif";

const MOST_WIDTHS = 4000;
const widths = new Map();

export function widthOf(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > MOST_WIDTHS) widths.clear();
    ruler.font = `${weight} ${size}px ${FAMILY}`;
    widths.set(key, ruler.measureText(text).width);
  }
  return widths.get(key);
}

// A curve of more points than these is drawn without marks.
export const MOST_MARKS = 62;

export const SHAPES = {
  circle: (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  square: (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  diamond: (x, y, r) => `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`,
  triangle: (x, y, r) => `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`,
  cross: (x, y, r) => {
    const third = (2 * r) / 3;
    const turns = [["h", 1], ["v", -1], ["h", 1], ["v", 1], ["h", 1], ["v", 1], ["h", -1], ["v", 1], ["h", -1], ["v", -1], ["h", -1]];
    return `M${x - r} ${y - third / 2}${turns.map(([way, sign]) => `${way}${sign * third}`).join("")}z`;
  },
};

export function strip(spec, box, font, toX, colours) {
  const { left, top, height } = box;
  const blocks = [];
  const names = [];
  const counted = spec.rounds <= 40;
  const one = toX(1) - toX(0);
  if (one >= 2) {
    let from = 0;
    for (let t = 1; t <= spec.rounds; t++) {
      if (!counted && t < spec.rounds && spec.cell(t) === spec.cell(from)) continue;
      const which = spec.cell(from);
      const inset = counted ? 1 : 0;
      if (which >= 0) blocks.push(["rect", { x: toX(from) + inset, y: top, width: Math.max(0.5, toX(t) - toX(from) - 2 * inset), height,
        rx: inset * 2, fill: colours[spec.colours[which]] }]);
      if (counted && which >= 0 && one > font) {
        names.push(["text", { x: (toX(from) + toX(t)) / 2, y: top + height / 2, "dominant-baseline": "central", "text-anchor": "middle",
          "font-size": Math.min(font * 0.85, height * 0.75), "font-weight": 700, fill: "#14171c" }, spec.names[which]]);
      }
      from = t;
    }
  } else {
    const paths = spec.colours.map(() => "");
    const [edge, line, tall] = [Math.round(left), top.toFixed(1), `v${height.toFixed(1)}`];
    const columns = Math.ceil(toX(spec.rounds) - left);
    // Many rounds share a column: it shows one of them, taken at uneven places, so that a regular pattern does not beat with the pixels.
    const at = (k) => (k < columns ? spec.cell(Math.min(spec.rounds - 1, Math.floor((k + ((k * 0.618034) % 1)) / one))) : null);
    for (let from = 0, to = 1, which = at(0); from < columns; to++) {
      const next = at(to);
      if (next === which) continue;
      if (which >= 0) paths[which] += `M${edge + from} ${line}h${to - from}${tall}h${from - to}z`;
      from = to;
      which = next;
    }
    spec.colours.forEach((colour, which) => blocks.push(["path", { d: paths[which], fill: colours[colour] }]));
  }
  return ["g", {}, [["g", {}, blocks], ["g", {}, names]]];
}

// Names of the curves in rows above the plot, each with a piece of its line; gives the drawing and its height.
export function legend(entries, { left, right, top, font, thick, colours }) {
  const [size, piece, apart, line] = [font * 0.95, font * 2.1, font * 1.3, font * 1.5];
  const drawn = [];
  let [x, y] = [left, top];
  for (const { text, colour, dash = "", marker = "", tile = "" } of entries) {
    const long = (colour ? piece + font * 0.5 : tile ? font * 1.4 : 0) + widthOf(text, size);
    if (x > left && x + long > right) [x, y] = [left, y + line];
    if (colour) drawn.push(["line", { x1: x, x2: x + piece, y1: y, y2: y, stroke: colours[colour], "stroke-width": thick,
      "stroke-dasharray": dash || null }]);
    if (marker) drawn.push(["path", { d: SHAPES[marker](x + piece / 2, y, thick * 1.7), fill: colours[colour] }]);
    if (tile) drawn.push(["rect", { x, y: y - font * 0.45, width: font * 0.9, height: font * 0.9, rx: 2, fill: colours[tile] }]);
    drawn.push(["text", { x: x + (colour ? piece + font * 0.5 : tile ? font * 1.4 : 0), y, "dominant-baseline": "central",
      "font-size": size,
      fill: colour ? colours.text[colour] : colours.soft }, text]);
    x += long + apart;
  }
  return [["g", { class: "legend" }, drawn], entries.length ? y - top + line : 0];
}
