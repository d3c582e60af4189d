// The player: a run takes six seconds at speed 1, whatever its length.

const SECONDS = 6;
const at = (name) => document.getElementById(name);

export function player(state, { total, moveTo, speak }) {
  function pause() {
    state.playing = false;
    at("play").textContent = "Play";
    speak();
  }

  function tick(now) {
    if (!state.playing) return;
    const passed = state.last === null ? 0 : (now - state.last) / 1000;
    state.last = now;
    const speed = Math.max(1, total() / SECONDS) * Number(at("speed").value);
    moveTo(state.position + Math.min(passed, 0.25) * speed, true);
    if (state.position >= total()) pause();
    else requestAnimationFrame(tick);
  }

  function play() {
    if (state.position >= total()) moveTo(0, true);
    state.playing = true;
    state.last = null;
    at("play").textContent = "Pause";
    requestAnimationFrame(tick);
  }

  const faster = (by) => {
    const chosen = Math.max(0, Math.min(at("speed").options.length - 1, at("speed").selectedIndex + by));
    at("speed").selectedIndex = chosen;
    at("live").textContent = `speed ${at("speed").options[chosen].text}`;
  };

  const stop = () => { if (state.playing) pause(); };
  return { pause, faster, toggle: () => (state.playing ? pause() : play()),
    step: () => { stop(); moveTo(state.position >= total() ? 0 : Math.floor(state.position + 1e-9) + 1); },
    restart: () => { stop(); moveTo(0); } };
}
