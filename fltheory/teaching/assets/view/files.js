// What leaves the page: the figure as SVG or PNG, its numbers as CSV, its address.

import { h } from "./dom.js";
import { place } from "./patch.js";
import { drawFigure } from "./plot.js";

const WIDTH = 1200;

export function download(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// The whole figure, as if it had been played to its end, as a file of its own.
export function svgText(figure, { colours, description, heading }) {
  const { svg, reveal } = drawFigure(figure, { width: WIDTH, height: figure.panels.length > 1 ? 840 : 680, colours, description,
    heading });
  const holder = h("div");
  place(holder)([svg]);
  reveal(Infinity);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(holder.firstChild)}\n`;
}

export async function pngOf(text) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = h("canvas", { width: image.width * 2, height: image.height * 2 });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}

// One row per round (or per time, where curves have their own clocks), full precision; or the table that the figure brings along.
export function csvText(figure) {
  if (figure.table) return `${figure.table.map((row) => row.join(",")).join("\n")}\n`;
  const series = figure.panels.flatMap((panel) => panel.series).filter(({ column }) => column);
  const places = [...new Set(series.flatMap(({ x, y }) => Array.from(x ?? y.keys())))].sort((a, b) => a - b);
  const many = series.some(({ x }) => x && new Set(x).size < x.length);
  if (many) {
    const rows = series.flatMap(({ column, x, y }) => Array.from(y, (value, k) => [column, k, x[k], value].join(",")));
    return `${["curve", "round", "time", "model"].join(",")}\n${rows.join("\n")}\n`;
  }
  const tables = series.map(({ x, y }) => new Map(Array.from(y, (value, k) => [x ? x[k] : k, value])));
  const rows = places.map((place) => [place, ...tables.map((table) => table.get(place) ?? "")].join(","));
  return `${[figure.xlabel.replace(" ", "_"), ...series.map(({ column }) => column)].join(",")}\n${rows.join("\n")}\n`;
}

// The address into the clipboard; says what came of it. From a file it is of use only to those who have the file.
export async function copyAddress() {
  try {
    await navigator.clipboard.writeText(location.href);
    return location.protocol === "file:" ? "Copied; send the file too" : "Copied";
  } catch {
    return "See address bar";
  }
}
