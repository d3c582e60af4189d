// Settings: what a scene can be asked, as data; their elements; and their place in the address, so that a state can be shared.

import { Fraction, parse } from "../core/fraction.js";
import { h } from "./dom.js";

const LONGEST_NUMBER = 40;

const range = (first, last, step = 1) => Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, k) => first + k * step);

export const steps = (pieces) => pieces.flatMap(([first, last, step]) => range(first, last, step)).map(String);
export const parts = (denominator, first, last, step = 1) =>
  range(first, last, step).map((k) => new Fraction(BigInt(k), BigInt(denominator)).toString());
export const hundredths = (first, last, step = 1) => parts(100, first, last, step);
export const quarters = (first, last) => parts(4, first, last);

// `when` says for which settings a control matters; the others are hidden.
export const slider = (key, label, values, initial, when = null) => ({ kind: "slider", key, label, values, initial, when });
export const choice = (key, label, options, initial, when = null) => ({ kind: "choice", key, label, options, initial, when });
export const chooser = (key, label, options, initial, when = null) => ({ kind: "chooser", key, label, options, initial, when });

// Rounds of a period, each a button that goes on to the next of: client 1, client 2, both, nobody. `derive` tells the rounds while the
// pattern is empty.
export const roundStrip = (key, label, initial, derive) => ({ kind: "strip", key, label, initial, derive });

export const LONGEST_PATTERN = 24;
const THERE = ["nobody", "client 1", "client 2", "both"];
const NEXT = [1, 2, 3, 0];

export const defaults = (scene) => Object.fromEntries(scene.controls.map((control) => [control.key, control.initial]));

function nearest(values, text) {
  const wanted = parse(text).toNumber();
  const distances = values.map((value) => Math.abs(parse(value).toNumber() - wanted));
  return distances.indexOf(Math.min(...distances));
}

// A value from outside is kept if the control could have given it; a slider also takes numbers between its marks, except in lists of
// counts.
export function accepted(control, text) {
  if (control.kind === "choice") return control.options.some(([key]) => key === text);
  if (control.kind === "chooser") return text.split(",").filter(Boolean).every((key) => control.options.some(([known]) => known === key));
  if (control.kind === "strip") return text.length <= LONGEST_PATTERN && /^[0-3]*[1-3][0-3]*$/.test(text);
  const value = text.length <= LONGEST_NUMBER && parse(text);
  if (!value) return false;
  if (control.values.every((x) => !x.includes("/")) && value.d !== 1n) return false;
  const ends = [parse(control.values[0]), parse(control.values.at(-1))];
  return value.cmp(ends[0]) >= 0 && value.cmp(ends[1]) <= 0;
}

// Whether answers are seen before the end of the run, or not even then; by default they come with the end.
const ANSWERS = ["shown", "hidden"];

export function toFragment(scene, settings, answers = "") {
  const changed = scene.controls.filter(({ key, initial }) => settings[key] !== initial).map(({ key }) => [key, settings[key]]);
  const plain = (text) => encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%2C", ",");
  const query = [...changed, ...(answers ? [["answers", answers]] : [])].map(([key, text]) => `${key}=${plain(text)}`).join("&");
  return `#${scene.id}${query ? `?${query}` : ""}`;
}

// The scene, its settings, whether answers are shown, and what of the address was not understood.
export function fromFragment(scenes, fragment) {
  const [name, query = ""] = fragment.replace(/^#/, "").split("?");
  const found = scenes.find(({ id }) => id === name);
  const scene = found ?? scenes[0];
  const settings = defaults(scene);
  let answers = "";
  const ignored = found || !name ? [] : [name];
  for (const [key, text] of new URLSearchParams(query)) {
    const control = scene.controls.find((one) => one.key === key);
    if (control && accepted(control, text)) settings[key] = text;
    else if (key === "answers" && ANSWERS.includes(text)) answers = text;
    else ignored.push(`${key}=${text}`);
  }
  return { scene, settings, answers, ignored: ignored.map((text) => text.slice(0, LONGEST_NUMBER)) };
}

// Settings in one line, for a file that leaves the page.
export const summary = (scene, settings) => scene.controls
  .filter(({ kind, key, when }) => kind !== "chooser" && (kind !== "strip" || settings[key]) && (!when || when(settings)))
  .map(({ key, label }) => `${label.split(",")[0]}: ${settings[key].replace("-", "−")}`).join(" · ");

function sliderElement(control, settings, change) {
  const name = `set-${control.key}`;
  const shown = h("output", { for: name }, settings[control.key].replace("-", "−"));
  const input = h("input", {
    type: "range", id: name, min: 0, max: control.values.length - 1, step: 1, value: nearest(control.values, settings[control.key]),
    "aria-valuetext": settings[control.key],
    oninput: (event) => {
      const text = control.values[Number(event.target.value)];
      shown.textContent = text.replace("-", "−");
      event.target.setAttribute("aria-valuetext", text);
      change(control.key, text);
    },
  });
  return h("div", { class: "control" }, h("label", { for: name }, control.label), shown, input);
}

function choiceElement(control, settings, change) {
  const name = `set-${control.key}`;
  const option = ([key, text]) => h("option", { value: key, selected: settings[control.key] === key }, text);
  const grouped = (list) => [...new Set(list.map(([,, group]) => group))].map((label) => {
    const made = list.filter(([,, group]) => group === label).map(option);
    return label ? h("optgroup", { label }, made) : made;
  });
  const select = h("select", { id: name, onchange: (event) => change(control.key, event.target.value) }, grouped(control.options));
  return h("div", { class: "control wide" }, h("label", { for: name }, control.label),
    control.search ? finder(control, select, grouped, change) : null, select);
}

// Greek letters are found by their names.
const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", Δ: "Delta", ε: "epsilon", η: "eta", μ: "mu", ν: "nu", ρ: "rho", σ: "sigma",
  Σ: "Sigma", τ: "tau", φ: "phi", Ω: "Omega", "√": "sqrt" };
const spelt = (text) => text.replace(/[α-ωΑ-Ω√]/gu, (letter) => GREEK[letter] ?? letter).replaceAll("²", "^2");

// A field that leaves only the options with all its words; Enter chooses the first of them.
function finder(control, select, grouped, change) {
  const told = h("output", { for: `find-${control.key}` });
  const texts = new Map(control.options.map(([key, name, , more = ""]) => [key, `${name} ${more} ${spelt(more)}`.toLowerCase()]));
  const matching = (text) => control.options.filter(([key]) =>
    text.toLowerCase().split(" ").every((word) => texts.get(key).includes(word)));
  const field = h("input", { type: "search", id: `find-${control.key}`, placeholder: "search", autocomplete: "off",
    "aria-label": `Search in: ${control.label}`,
    oninput: () => {
      const found = matching(field.value);
      const kept = select.value;
      select.replaceChildren(...grouped(found).flat());
      if (found.some(([key]) => key === kept)) select.value = kept;
      else select.selectedIndex = -1;
      told.textContent = field.value ? `${found.length} of ${control.options.length}` : "";
    },
    onkeydown: (event) => {
      const [first] = matching(field.value);
      if (event.key !== "Enter" || !first) return;
      event.preventDefault();
      select.value = first[0];
      change(control.key, first[0]);
    } });
  return h("div", { class: "finder" }, field, told);
}

function chooserElement(control, settings, change) {
  const on = new Set(settings[control.key].split(","));
  const boxes = control.options.map(([key, text, role]) => h("label", { class: `chip ${role.colour}` },
    h("input", {
      type: "checkbox", id: `set-${control.key}-${key}`, checked: on.has(key),
      onchange: (event) => {
        if (event.target.checked) on.add(key);
        else on.delete(key);
        change(control.key, control.options.map(([known]) => known).filter((known) => on.has(known)).join(","));
      },
    }), h("span", {}, text)));
  return h("fieldset", { class: "chips" }, h("legend", {}, control.label), boxes);
}

// The pattern in which one round has moved on to the next possibility; a pattern in which nobody ever comes is left as it was.
export function turned(control, settings, round) {
  const sets = control.derive(settings);
  const next = sets.map((set, t) => (t === round % sets.length ? NEXT[set] : set)).join("");
  return accepted(control, next) ? next : null;
}

function stripElement(control, settings, change) {
  const sets = control.derive(settings);
  const shown = sets.slice(0, LONGEST_PATTERN);
  const put = (text, focus) => {
    if (text === null || !accepted(control, text)) return;
    change(control.key, text);
    document.getElementById(focus)?.focus();
  };
  const cell = (set, t) => h("button", { type: "button", id: `set-${control.key}-${t}`, class: `tile tile-${set}`,
    "aria-label": `round ${t + 1} of ${sets.length}: ${THERE[set]}`,
    onclick: () => put(turned(control, settings, t), `set-${control.key}-${t}`) }, ["–", "1", "2", "12"][set]);
  const longer = () => put(`${sets.join("")}${sets.at(-1)}`, `set-${control.key}-more`);
  const shorter = () => put(sets.slice(0, -1).join(""), `set-${control.key}-less`);
  return h("fieldset", { class: "chips strip" }, h("legend", {}, control.label),
    sets.length > LONGEST_PATTERN ? h("span", { class: "hint" }, `${sets.length} rounds are too many to click.`) : shown.map(cell),
    h("button", { type: "button", id: `set-${control.key}-less`, class: "tile", "aria-label": "one round less in the period",
      disabled: sets.length < 2 || sets.length > LONGEST_PATTERN, onclick: shorter }, "−"),
    h("button", { type: "button", id: `set-${control.key}-more`, class: "tile", "aria-label": "one round more in the period",
      disabled: sets.length >= LONGEST_PATTERN, onclick: longer }, "+"));
}

const ELEMENTS = { slider: sliderElement, choice: choiceElement, chooser: chooserElement, strip: stripElement };

export const controlElement = (control, settings, change) => ELEMENTS[control.kind](control, settings, change);
