// What the page can be asked from outside: the numbers of a scene for any settings, and who pulls in every round.

import { plain } from "../core/floats.js";
import { defaults } from "./controls.js";

export function asked(scenes) {
  const find = (name) => scenes.find(({ id }) => id === name);

  function compute(name, settings, exact = true) {
    const scene = find(name);
    return scene.compute({ ...defaults(scene), ...settings }, exact);
  }

  // Of each method drawn beside the curve.
  function pulls(name, settings) {
    const { lanes } = find(name).cause(compute(name, settings), { ...defaults(find(name)), ...settings });
    return Object.fromEntries(lanes.map(({ key, models, pulls: each }) => [key, { models,
      pulls: Array.from({ length: models.length - 1 }, (_, t) => each(t)) }]));
  }

  return { compute: (...given) => plain(compute(...given)), pulls: (...given) => plain(pulls(...given)),
    settings: (name) => find(name).controls.map(({ key }) => key), scenes: scenes.map(({ id }) => id) };
}
