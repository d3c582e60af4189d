// What depends on where the page is shown: full screen, paper, a narrow place.

// The plot on the whole screen, for a projector: everything but the examples, the player and the numbers goes away.

export function fullScreen(changed) {
  const show = (full) => {
    document.body.classList.toggle("full", full);
    scrollTo(0, 0);
    changed();
  };
  addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) show(false); });
  return () => {
    const full = !document.body.classList.contains("full");
    show(full);
    if (full) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
  };
}

// A plot ends where the screen does, if that leaves it this much; its legend comes on top. Where the page has been scrolled, a plot may
// stick to the top, and its own place is as it was.
const [LEAST, LEGEND, NARROW] = [270, 56, 1088];

// On the whole screen a plot leaves room for the numbers below it, in a narrow place for the player.
export function sizeOf(plot, beside, before) {
  const full = document.body.classList.contains("full");
  const tall = (name) => document.getElementById(name).offsetHeight + 20;
  const below = (full ? tall("formula") : 0) + (innerWidth < NARROW ? tall("play") : 0);
  return { width: Math.max(300, Math.round(plot.clientWidth)), beside: Math.max(280, Math.round(beside.clientWidth)), screen: innerHeight,
    full, besideRoom: full && innerWidth >= NARROW ? innerHeight - scrollY - beside.getBoundingClientRect().top - 24 : 0,
    room: scrollY && before ? before.room : innerHeight - scrollY - plot.getBoundingClientRect().top - LEGEND - below };
}

export function heightOf({ width, screen, room, full }, share = 0.5, panels = 1) {
  if (full && room >= LEAST) return Math.round(Math.min(room, width * 0.8));
  const wanted = Math.max(300, Math.min(width * (width < 560 ? 0.95 : 0.52), screen * share)) * (panels > 1 ? 1.25 : 1);
  const most = width < 560 ? screen * 0.46 : Infinity;
  return Math.round(Math.min(most, room < LEAST ? wanted : Math.min(wanted, room)));
}

// On paper: light, with the settings in a line in place of the sliders.
export function onPaper(state, changed, settings) {
  const turn = (dark) => { state.dark = dark; changed(); };
  addEventListener("beforeprint", () => {
    const before = state.dark;
    document.getElementById("printed").textContent = settings();
    turn(false);
    addEventListener("afterprint", () => turn(before), { once: true });
  });
}

// A formula too wide for its place is written smaller, as far as it can still be read; beyond that it scrolls, and says so.
const SMALLEST = 0.57;

export function fit(formulas) {
  for (const one of formulas) {
    one.style.fontSize = "";
    const part = one.clientWidth / one.scrollWidth;
    if (part < 1) one.style.fontSize = `${parseFloat(getComputedStyle(one).fontSize) * Math.max(SMALLEST, 0.98 * part)}px`;
    one.classList.toggle("wide", one.scrollWidth > one.clientWidth + 1);
  }
}
