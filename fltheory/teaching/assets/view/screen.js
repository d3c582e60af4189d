// The plot on the whole screen, for a projector: everything but the examples, the player and the numbers goes away.

export function fullScreen(changed) {
  const show = (full) => {
    document.body.classList.toggle("full", full);
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
