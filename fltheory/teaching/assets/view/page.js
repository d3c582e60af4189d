// The page: one scene at a time, its settings in the address, a player, exports and explanations.

import { anarchic } from "../scenes/anarchic.js";
import { clocks } from "../scenes/clocks.js";
import { INSTANCES, counterexample, loadInstances } from "../scenes/counterexample.js";
import { drift } from "../scenes/drift.js";
import { forever, loadForever } from "../scenes/forever.js";
import { stragglers } from "../scenes/stragglers.js";
import { loadTheorems, theorems } from "../scenes/theorems.js";
import { asked } from "./asked.js";
import { controlElement, defaults, fromFragment, summary, toFragment } from "./controls.js";
import { h } from "./dom.js";
import { explainer, extra, recorded } from "./explain.js";
import { hand } from "./hand.js";
import { exporting } from "./exports.js";
import { causeDrawing } from "./cause.js";
import { palette } from "./palette.js";
import { place } from "./patch.js";
import { player } from "./player.js";
import { drawFigure } from "./plot.js";
import { fit, fullScreen, heightOf, onPaper, sizeOf } from "./screen.js";

const SCENES = [drift, clocks, stragglers, anarchic, counterexample, forever, theorems];
const AFTER = 60;
const LATER = 200;
const at = (name) => document.getElementById(name);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

loadInstances(recorded(), ["fedlaavg.thm1.fixed"]);
loadForever(extra.forever);
loadTheorems(extra.theorems);

const state = { scene: null, settings: null, numbers: null, drawn: null, position: 0, playing: false, last: null,
  dark: prefersDark.matches, later: 0, record: 0, speech: 0, size: null, description: "", answers: "", shown: null, guess: null,
  ranges: null, seen: false };
const [showPlot, showCause] = [place(at("plot")), place(at("cause"))];
const showWhy = explainer();

const total = () => state.scene.total(state.settings, state.numbers);
const whyOf = () => state.scene.why ?? [state.settings.claim, ...(INSTANCES.get(state.settings.claim)?.corrected ?? [])];

const write = (element, name, value) => { if (element[name] !== value) element[name] = value; };

// Said once things have come to rest, so that a listener is not flooded.
function speak() {
  clearTimeout(state.speech);
  state.speech = setTimeout(() => {
    const position = Math.floor(state.position);
    const said = state.scene.say(state.numbers, state.settings, position, state.shown);
    at("live").textContent = [`${state.figure.xlabel} ${position} of ${total()}: ${said}`, hands.measured()].filter(Boolean).join("; ");
  }, 400);
}

// The size is asked for only where it may have changed: to ask after a change to the page makes the browser lay it out at once.
const measure = () => { state.size = sizeOf(at("plot"), at("beside"), state.size); };

// While exact numbers are still on their way, the labels keep the room they had: the plot does not jump.
function draw(settling = false) {
  const { width } = state.size;
  const height = heightOf(state.size, state.scene.share, state.figure.panels.length);
  if (!settling) state.description = `${state.figure.title}. ${state.shown ? state.scene.say(state.numbers, state.settings, total(), true)
    : "Answers are hidden."}`;
  const keptRight = settling ? state.drawn.right : null;
  state.drawn = drawFigure(state.figure, { width, height, colours: palette(state.dark), description: state.description, keptRight,
    keptRanges: state.ranges });
  showPlot([state.drawn.svg]);
  const cause = state.scene.cause?.(state.numbers, state.settings);
  const made = state.scene.beside?.(state.numbers, state.settings, state.seen)
    ?? (cause?.lanes.length ? (...given) => causeDrawing(cause, ...given) : null);
  at("cause").hidden = !made;
  document.body.classList.toggle("alone", at("cause").hidden && document.body.classList.contains("full"));
  state.cause = made?.(state.size.beside, palette(state.dark), state.size.besideRoom);
  reveal();
  hands.show();
}

// Plot and cause by the same clock.
function reveal() {
  state.drawn.reveal(state.position);
  if (state.cause) showCause(state.cause.at(state.position));
}

function tell() {
  const position = Math.floor(state.position + 1e-9);
  at("scene").classList.toggle("begin", !position);
  write(at("position"), "max", String(total()));
  write(at("position"), "value", String(position));
  write(at("where"), "textContent", `${state.figure.xlabel} ${position.toLocaleString("en")} of ${total().toLocaleString("en")}`);
}

// What has been seen once in a scene is no secret any more.
function know(seen) {
  state.seen = seen;
  at("scene").classList.toggle("seen", seen);
}

// Answers (limits, formula, cards) come with the end of the run, unless asked for before or hidden even then.
const atEnd = () => state.position >= total();
function follow() {
  const shown = state.answers ? state.answers === "shown" : atEnd();
  if (shown === state.shown) return false;
  state.shown = shown;
  if (shown) know(true);
  at("scene").classList.toggle("asking", !shown);
  at("answers").textContent = shown ? "Hide answers" : "Show answers";
  return true;
}

function toggleAnswers() {
  state.answers = state.shown === atEnd() ? (state.shown ? "hidden" : "shown") : "";
  rest();
}

const tellCards = () => { for (const card of at("cards").children) card.follow(Math.floor(state.position + 1e-9)); };

function moveTo(position, quiet = false) {
  state.position = Math.max(0, Math.min(total(), position));
  if (follow()) draw();
  else reveal();
  tell();
  tellCards();
  if (!quiet) speak();
}

// Curves in doubles, with limits to a few digits.
function sketch() {
  const ended = state.numbers && state.position >= state.shownTotal;
  state.numbers = state.scene.compute(state.settings, false);
  state.figure = state.scene.figure(state.numbers, state.settings);
  state.position = ended ? total() : Math.min(state.position, total());
  state.shownTotal = total();
  draw(true);
  tell();
}

// Exact numbers: labels, formula and cards.
function settle() {
  clearTimeout(state.later);
  state.later = 0;
  const ended = state.position >= state.shownTotal;
  state.numbers = state.scene.compute(state.settings, true);
  state.figure = state.scene.figure(state.numbers, state.settings);
  state.position = ended ? total() : Math.min(state.position, total());
  state.shownTotal = total();
  at("formula").replaceChildren(state.scene.formula(state.settings, state.numbers));
  at("cards").replaceChildren(...state.scene.cards(state.numbers, state.settings));
  fit(document.querySelectorAll(".statement"));
  write(at("cards"), "ariaBusy", "false");
  follow();
  draw();
  moveTo(state.position);
}

// The address, and which settings and examples apply.
function record() {
  clearTimeout(state.record);
  state.record = 0;
  history.replaceState(null, "", address());
  for (const control of state.scene.controls) {
    const element = at(`set-${control.key}`) ?? at("controls").querySelector(`[id^="set-${control.key}-"]`);
    const place_ = element.closest(".strip");
    if (place_ && !place_.contains(document.activeElement)) place_.replaceWith(controlElement(control, state.settings, change));
    write(element.closest(".control, .chips"), "hidden", Boolean(control.when && !control.when(state.settings)));
  }
  for (const button of at("presets").children) button.setAttribute("aria-pressed", String(isPreset(button.textContent)));
}

const rest = () => { settle(); record(); };

const restNow = () => { if (state.later || state.record) rest(); };

// While a slider moves: curves first, within the frame; the rest once it rests.
function update() {
  sketch();
  write(at("cards"), "ariaBusy", "true");
  clearTimeout(state.later);
  clearTimeout(state.record);
  state.later = setTimeout(settle, AFTER);
  state.record = setTimeout(record, LATER);
}

function isPreset(name) {
  const [, changes] = state.scene.presets.find(([known]) => known === name);
  const wanted = { ...defaults(state.scene), ...changes };
  return state.scene.controls.every(({ key }) => wanted[key] === state.settings[key]);
}

const { pause, faster, toggle, step, restart } = player(state, { total, moveTo, speak });

// A pattern changes which settings there are, and its own buttons.
function change(key, value) {
  const control = state.scene.controls.find((one) => one.key === key);
  state.settings = { ...state.settings, [key]: value };
  if (control.kind !== "strip") return update();
  buildControls();
  rest();
}

// While a grip is held the plot keeps its scale.
const hands = hand(state, { change, freeze: () => { state.ranges = state.drawn.ranges; },
  thaw: () => { if (state.ranges) { state.ranges = null; draw(); } } });

function buildControls() {
  at("controls").replaceChildren(...state.scene.controls.map((control) => controlElement(control, state.settings, change)));
}

// Everything begins at rest: at round 0, or complete where motion is not welcome.
const begin = () => moveTo(still.matches ? Infinity : 0);

function open(fragment) {
  const { ignored, ...asked } = fromFragment(SCENES, fragment);
  Object.assign(state, asked, { playing: false, guess: null, ranges: null });
  at("notice").textContent = ignored.length ? `Not understood in the address, and left out: ${ignored.join(", ")}` : "";
  at("notice").hidden = !ignored.length;
  at("play").textContent = "Play";
  at("scene").dataset.scene = state.scene.id;
  at("scene").classList.toggle("proofs", !state.scene.cause && !state.scene.beside);
  at("title").textContent = state.scene.title;
  at("sentences").replaceChildren(...state.scene.sentences.map((text, k) =>
    h("span", { class: k < (state.scene.asks ?? Infinity) ? null : "answer" }, `${text} `)));
  document.title = `${state.scene.title} – fltheory`;
  const link = ({ id, name }, k) => h("a", { href: `#${id}`, "aria-current": state.scene.id === id ? "page" : null },
    h("span", { "aria-hidden": "true" }, String(k + 1)), name);
  at("scenes").replaceChildren(...SCENES.map(link));
  at("scenes").scrollLeft = at("scenes").querySelector("[aria-current]").offsetLeft - at("scenes").offsetLeft - 40;
  const choose = (changes) => {
    if (state.playing) pause();
    state.settings = { ...defaults(state.scene), ...changes };
    state.answers = "";
    state.guess = null;
    buildControls();
    rest();
    begin();
  };
  at("presets").replaceChildren(...state.scene.presets.map(([name, changes]) =>
    h("button", { type: "button", onclick: () => choose(changes) }, name)));
  at("presets").hidden = !state.scene.presets.length;
  buildControls();
  hands.open();
  state.position = Infinity;
  state.shownTotal = 0;
  measure();
  rest();
  know(false);
  state.shown = null;
  begin();
}

function showTheme() {
  document.documentElement.dataset.theme = state.dark ? "dark" : "light";
  at("theme").textContent = state.dark ? "Light" : "Dark";
  at("theme").setAttribute("aria-pressed", String(state.dark));
  if (state.drawn) draw();
}

const why = () => { restNow(); showWhy(whyOf(), state.scene.because?.(state.settings, state.numbers) ?? []); };

onPaper(state, showTheme, () => summary(state.scene, state.settings));
const toggleFull = fullScreen(() => { measure(); draw(); });

at("play").addEventListener("click", toggle);
at("step").addEventListener("click", step);
at("restart").addEventListener("click", restart);
at("position").addEventListener("input", (event) => { if (state.playing) pause(); moveTo(Number(event.target.value)); });
at("theme").addEventListener("click", () => { state.dark = !state.dark; showTheme(); });
prefersDark.addEventListener("change", (event) => { state.dark = event.matches; showTheme(); });
at("why").addEventListener("click", why);
exporting(state, restNow);
at("answers").addEventListener("click", toggleAnswers);
at("full").addEventListener("click", toggleFull);
at("controls").addEventListener("submit", (event) => event.preventDefault());
const address = () => toFragment(state.scene, state.settings, state.answers);
addEventListener("hashchange", () => { if (location.hash !== address()) at("explanation").close(), open(location.hash); });
new ResizeObserver(() => {
  const before = state.size.width;
  measure();
  if (Math.abs(state.size.width - before) <= 1) return;
  fit(document.querySelectorAll(".statement"));
  draw();
}).observe(at("plot"));
addEventListener("keydown", (event) => {
  const held = event.ctrlKey || event.metaKey || event.altKey;
  if (event.key === "w" && !held && at("explanation").open) return at("explanation").close();
  const busy = held || at("explanation").open;
  const typing = event.target.closest?.("input, select, button, a, summary, pre");
  if (busy || event.target.type === "search" || (typing && (event.key === " " || event.target.closest("select")))) return;
  const acts = { " ": toggle, ".": step, 0: restart, a: toggleAnswers, f: toggleFull, d: () => at("theme").click(), w: why,
    "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1) };
  const chosen = SCENES[Number(event.key) - 1];
  if (chosen) location.hash = chosen.id;
  else if (acts[event.key]) acts[event.key]();
  else return;
  event.preventDefault();
});

window.fltheory = { ...asked(SCENES), position: () => state.position, atRest: () => !state.later && !state.record, rest: restNow };
showTheme();
open(location.hash);
