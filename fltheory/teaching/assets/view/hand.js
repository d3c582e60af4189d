// What can be taken by the hand in the plot: the start, the optima and a guess; and rounds of the strip, which are clicked.
// Each is a slider of its own for the keyboard and for listeners.

import { parse } from "../core/fraction.js";
import { LONGEST_PATTERN, turned } from "./controls.js";
import { decimal, h, shortText, valueOf } from "./dom.js";

const at = (name) => document.getElementById(name);
const PIECES = 100;

// A slider of the settings is moved as if by itself: the address, the examples and the numbers follow.
function put(key, index) {
  const input = at(`set-${key}`);
  const wanted = Math.max(0, Math.min(Number(input.max), index));
  if (Number(input.value) === wanted) return;
  input.value = wanted;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

export function hand(state, { freeze, thaw, change }) {
  const inside = (y) => Math.max(state.drawn.place.top, Math.min(state.drawn.place.bottom, y));
  const held = (event) => state.drawn.place.fromY(event.clientY - at("plot").getBoundingClientRect().top);
  const BY = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 4, PageDown: -4 };

  // A grip at a height of the plot: `drag` is told the height in numbers, `move` by how many steps.
  function grip({ name, label, kind, drag, move }) {
    const element = h("button", { type: "button", id: name, class: `grip ${kind}`, role: "slider", "aria-label": label,
      "aria-orientation": "vertical" });
    element.addEventListener("pointerdown", (event) => { element.setPointerCapture(event.pointerId); freeze(); });
    element.addEventListener("pointermove", (event) => { if (element.hasPointerCapture(event.pointerId)) drag(held(event)); });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) element.addEventListener(end, thaw);
    element.addEventListener("keydown", (event) => {
      if (!BY[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move(BY[event.key]);
    });
    return element;
  }

  const setting = ([key, label, sign = 1]) => {
    const control = state.scene.controls.find((one) => one.key === key);
    const values = control.values.map((text) => sign * parse(text).toNumber());
    const element = grip({ name: `hand-${key}`, label: `${label}, in the plot`, kind: key === "start" ? "start" : "optimum",
      drag: (y) => put(key, values.reduce((best, x, k) => (Math.abs(x - y) < Math.abs(values[best] - y) ? k : best), 0)),
      move: (by) => put(key, Number(at(`set-${key}`).value) + sign * by) });
    const show = (place) => {
      const value = sign * valueOf(state.settings[key]);
      place_(element, key === "start" ? place.left : place.left + 30, inside(place.toY(value)));
      tell(element, value, Math.min(...values), Math.max(...values), (sign < 0 ? "−" : "") + state.settings[key].replace("-", "−"));
    };
    return { element, show };
  };

  const place_ = (element, x, y) => { element.style.left = `${x}px`; element.style.top = `${y}px`; };
  const tell = (element, now, least, most, text) => {
    element.setAttribute("aria-valuemin", least);
    element.setAttribute("aria-valuemax", most);
    element.setAttribute("aria-valuenow", now);
    element.setAttribute("aria-valuetext", text);
  };

  // The guess stays where it was put until the scene or its settings change; at the end of the run it is measured.
  const line = h("div", { id: "guessed", hidden: true }, h("span"));
  const guess = (() => {
    const put_ = (y) => {
      const [low, high] = state.drawn.ranges[0];
      state.guess = Math.max(low, Math.min(high, y));
      show(state.drawn.place);
    };
    const element = grip({ name: "hand-guess", label: "your guess", kind: "guess", drag: put_,
      move: (by) => put_((state.guess ?? middle()) + (by * (state.drawn.ranges[0][1] - state.drawn.ranges[0][0])) / PIECES) });
    const middle = () => (state.drawn.ranges[0][0] + state.drawn.ranges[0][1]) / 2;
    const show = (place) => {
      const value = state.guess ?? middle();
      const y = inside(place.toY(value));
      place_(element, place.left + (place.right - place.left) * 0.5, y);
      tell(element, value, ...state.drawn.ranges[0], state.guess === null ? "not placed" : decimal(value, 3));
      line.hidden = state.guess === null;
      element.classList.toggle("unplaced", line.hidden);
      if (line.hidden) return;
      line.style.left = `${place.left}px`;
      line.style.width = `${place.right - place.left}px`;
      line.style.top = `${y}px`;
      line.firstChild.textContent = measured();
    };
    return { element, show };
  })();

  // The distance of the guess, once the answers are there.
  function measured() {
    const target = state.shown && state.scene.target?.(state.numbers, state.settings);
    const said = `your guess: ${decimal(state.guess, 3)}`;
    if (!target) return said;
    return `${said}, ${decimal(Math.abs(state.guess - valueOf(target[1])), 3)} away from ${target[0]}, ${shortText(target[1])}`;
  }

  const cells = h("div", { id: "cells", "aria-hidden": "true", title: "Click a round to change who is there" });
  const editable = () => state.scene.controls.find(({ kind }) => kind === "strip");
  cells.addEventListener("click", (event) => {
    const round = state.drawn.place.cells.roundAt(event.clientX - at("plot").getBoundingClientRect().left);
    const pattern = turned(editable(), state.settings, round);
    if (pattern) change(editable().key, pattern);
  });

  let shown = [];
  return {
    measured: () => (state.guess === null ? "" : measured()),
    // The grips of a scene.
    open: () => {
      shown = [...(state.scene.handles ?? []).map(setting), ...(state.scene.target ? [guess] : [])];
      at("hand").replaceChildren(...shown.map(({ element }) => element), line, cells);
    },
    // Where they are now.
    show: () => {
      const { place } = state.drawn;
      shown.forEach((one) => one.show(place));
      if (!state.scene.target) line.hidden = true;
      cells.hidden = !place.cells || !editable() || editable().derive(state.settings).length > LONGEST_PATTERN;
      if (cells.hidden) return;
      Object.assign(cells.style, { left: `${place.left}px`, width: `${place.right - place.left}px`, top: `${place.cells.top}px`,
        height: `${place.cells.height}px` });
    },
  };
}
