// What leaves the page: buttons for the plot, its numbers and its address.

import { summary, toFragment } from "./controls.js";
import { copyAddress, csvText, download, pngOf, svgText } from "./files.js";
import { palette } from "./palette.js";

const at = (name) => document.getElementById(name);

export function exporting(state, restNow) {
  const drawing = () => svgText(state.figure, { colours: palette(state.dark), description: state.description,
    heading: [state.figure.title, summary(state.scene, state.settings)] });

  // Exact numbers first, then the file, named after the settings.
  async function save(kind, type, make) {
    restNow();
    download(`${toFragment(state.scene, state.settings).replace(/[^\w.]+/g, "-").slice(1, 80)}.${kind}`, type, await make());
  }

  async function share() {
    restNow();
    at("share").textContent = await copyAddress();
    at("live").textContent = at("share").textContent;
    setTimeout(() => { at("share").textContent = "Copy link"; }, 3000);
  }

  at("share").addEventListener("click", share);
  at("svg").addEventListener("click", () => save("svg", "image/svg+xml", drawing));
  at("png").addEventListener("click", () => save("png", "image/png", () => pngOf(drawing())));
  at("csv").addEventListener("click", () => save("csv", "text/csv", () => csvText(state.figure)));
}
