// Elements of HTML and MathML from plain calls; text is always text, never markup.

const MATH = "http://www.w3.org/1998/Math/MathML";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
export const m = (tag, ...children) => build(document.createElementNS(MATH, tag), {}, children);

export const id = (text) => (text.endsWith("\u0304") ? m("mover", m("mi", text.slice(0, -1)), flat("¯")) : m("mi", text));
export const op = (text) => m("mo", text);
const tight = (text) => (text === "∣" ? { lspace: "0", rspace: "0" } : {});
export const flat = (text) => build(document.createElementNS(MATH, "mo"), { stretchy: "false", ...tight(text) }, [text]);
export const num = (text) => m("mn", String(text).replace("-", "−"));
export const sub = (base, below) => m("msub", id(base), /^\d+$/.test(below) ? num(below) : id(below));
export const sup = (base, above) => m("msup", base, above);
export const frac = (above, below) => m("mfrac", m("mrow", above), m("mrow", below));
export const math = (...parts) => m("math", m("mrow", ...parts));

const LONGEST = 9;
const isLong = (text) => text.split("/").some((part) => part.length > LONGEST);

// An exact fraction, as one reads it: built up if it is short, else in decimals, with the fraction itself as a tooltip.
export function exactMath(text) {
  if (text === null || text === undefined) return math(m("mtext", "none"));
  const [above, below] = text.split("/");
  if (text.includes(".")) return math(op("≈"), num(decimal(Number(text))));
  if (isLong(text)) return h("span", { title: text.length < 2000 ? text : null }, math(op("≈"), num(decimal(valueOf(text)))));
  if (below === undefined) return math(num(above));
  const parts = frac(num(above.replace("-", "")), num(below));
  return above.startsWith("-") ? math(op("−"), parts) : math(parts);
}

// "= 14/15", or "≈ 0.9333" where the number is not told whole.
export function equalTo(text) {
  const rough = text === null || text.includes(".") || isLong(text);
  return [rough ? null : h("span", { class: "equals" }, "= "), exactMath(text)];
}

// What stands beside an exact number: its decimals, or how long the fraction is.
export function besides(text) {
  if (text === null || text === undefined || text.includes(".") || (!text.includes("/") && !isLong(text))) return "";
  return isLong(text) ? `${text.replace(/[-/]/g, "").length} digits` : decimal(valueOf(text));
}

// The quotient of two long integers, in doubles, from their leading digits.
export function ratio(above, below = "1") {
  const keep = (text) => { const digits = text.replace("-", ""); return [Number(digits.slice(0, 17)), Math.max(0, digits.length - 17)]; };
  const [[a, m1], [b, m2]] = [keep(above), keep(below)];
  return (above.startsWith("-") ? -1 : 1) * (a / b) * 10 ** (m1 - m2);
}

export function valueOf(text) {
  if (text === null || text === undefined) return null;
  return text.includes(".") ? Number(text) : ratio(...text.split("/"));
}

// Four or five digits, with a real minus sign; large and small numbers in powers of ten.
export function decimal(x, digits = 5) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  const text = size !== 0 && (size >= 1e6 || size < 1e-4) ? x.toExponential(1) : String(Number(x.toPrecision(digits)));
  return text.replace("e+", "e").replaceAll("-", "−");
}

// A short fraction as text for labels: "14/15", or decimals where it is long.
export function shortText(text) {
  if (text === null || text === undefined) return "no limit";
  return text.length <= LONGEST && !text.includes(".") ? text.replace("-", "−") : `≈ ${decimal(valueOf(text), 4)}`;
}
