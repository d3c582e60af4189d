// The cause beside the curve: the clients' losses as parabolas, the model as a ball on the mean of them, and who pulls it how far.
// What a method remembers is an arrow that stays, broken, when its client has gone.

import { lastAtMost } from "../core/floats.js";
import { decimal } from "./dom.js";
import { FAMILY, widthOf } from "./marks.js";

const MAGNIFIED = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SEEN = 0.25;
const LOOKED_AT = 400;

const loss = ({ slope, optimum }, x) => 0.5 * slope * (x - optimum) ** 2;

// The mean of parabolas is one: its slope, its optimum, and how high it lies there.
export function meanOf(clients) {
  const slope = clients.reduce((total, one) => total + one.slope, 0) / clients.length;
  const optimum = clients.reduce((total, one) => total + one.slope * one.optimum, 0) / (slope * clients.length);
  return { slope, optimum, least: clients.reduce((total, one) => total + loss(one, optimum), 0) / clients.length };
}

// Where a lane stands at a time of the clock: the round whose pulls are shown, and the model there, on its way in between.
export function stateOf({ models, times, pulls }, at) {
  const last = models.length - 1;
  if (times) {
    const k = Math.max(0, lastAtMost(times, at + 1e-9));
    return { model: models[k], from: models[Math.max(0, k - 1)], pulls: k ? pulls(k - 1) : [] };
  }
  const k = Math.min(Math.floor(at + 1e-9), last);
  const round = Math.min(k, last - 1);
  const onward = k < last ? (at - k) * (models[k + 1] - models[k]) : 0;
  return { model: models[k] + onward, from: models[round], pulls: round < 0 ? [] : pulls(round) };
}

// What must be seen, and as much of the runs as lies within twice that.
function rangeOf({ clients, start, lanes }) {
  const keep = [...clients.map(({ optimum }) => optimum), start];
  let [low, high] = [Math.min(...keep), Math.max(...keep)];
  const slack = Math.max(high - low, 0.5) / 2;
  const [least, most] = [low - slack, high + slack];
  for (const { models } of lanes) for (const x of models) if (x >= least && x <= most) [low, high] = [Math.min(low, x), Math.max(high, x)];
  const margin = 0.1 * Math.max(high - low, 0.5);
  return [low - margin, high + margin];
}

// One scale for all arrows of a run: the longest of its beginning is to be seen.
function magnification({ lanes }, width) {
  let longest = 0;
  for (const { models, pulls } of lanes) {
    const rounds = Math.min(models.length - 1, LOOKED_AT);
    for (let t = 0; t < rounds; t += Math.max(1, Math.floor(rounds / 40))) {
      for (const { pull } of pulls(t)) if (Number.isFinite(pull)) longest = Math.max(longest, Math.abs(pull));
    }
  }
  return MAGNIFIED.find((k) => k * longest >= SEEN * width) ?? (longest ? MAGNIFIED.at(-1) : 1);
}

const ago = (age, unit) => (age ? `${age} ${unit}${age > 1 ? "s" : ""} old` : "now");

// What is seen, in words.
export function told(cause, at) {
  return cause.lanes.map((lane) => {
    const { model, pulls } = stateOf(lane, at);
    const names = lane.names ?? cause.clients.map(({ name }) => name);
    const each = pulls.map(({ client, pull, age }) => `client ${names[client]} pulls by ${decimal(pull, 3)}${age
      ? ` from memory, ${ago(age, "round")}` : ""}`).join(", ");
    return `${lane.name} at ${decimal(model, 4)}: ${each || "nobody pulls"}${lane.seats ? `; ${lane.seatsTold(at)}` : ""}`;
  }).join(". ");
}

// The picture for a width: made once for the numbers, it gives the list for patch.js at every time of the clock.
export function causeDrawing(cause, width, colours, room = 0) {
  const font = Math.max(12.5, Math.min(26, width / (room ? 22 : 25)));
  const [low, high] = rangeOf(cause);
  const side = font * 0.9;
  const toX = (x) => side + ((x - low) / (high - low)) * (width - 2 * side);
  const magnified = magnification(cause, high - low);
  const row = font * 1.02;
  const tallOf = (lane) => font * 1.35 + row * lane.rows + (lane.seats || lane.deliveries ? font * 1.5 : 0) + font * 0.25;
  const note = magnified > 1 ? font * 1.3 : 0;
  const below = font * 1.5 + cause.lanes.reduce((total, lane) => total + tallOf(lane), 0) + note;
  const bowls = { top: font * 2.1, bottom: font * 2.1 + Math.max(Math.min(width * 0.44, 260), Math.min(width, room - below - font * 2.1)) };
  const means = cause.globals.map(({ members }) => meanOf(members.map((i) => cause.clients[i])));
  const most = Math.max(...means.map((one) => Math.max(loss(one, low), loss(one, high)) + one.least)) * 1.04 || 1;
  const toY = (y) => bowls.bottom - font * 0.6 - (y / most) * (bowls.bottom - bowls.top - font * 0.6);
  const halo = { stroke: colours.paper, "stroke-width": font * 0.35, "stroke-linejoin": "round", "paint-order": "stroke" };
  const text = (attributes, content) => ["text", { "font-size": font, fill: colours.ink, "dominant-baseline": "central", ...attributes },
    content];
  // A parabola between the ends of the picture is one curve of Bezier's.
  const bowl = ({ slope, optimum, least = 0 }) => {
    const middle = (low + high) / 2;
    const ends = [low, high].map((x) => `${toX(x).toFixed(1)} ${toY(loss({ slope, optimum }, x) + least).toFixed(1)}`);
    const bend = loss({ slope, optimum }, low) + least + slope * (low - optimum) * (middle - low);
    return `M${ends[0]}Q${toX(middle).toFixed(1)} ${toY(bend).toFixed(1)} ${ends[1]}`;
  };
  const lanesTop = bowls.bottom + font * 1.5;
  const height = Math.ceil(bowls.bottom + below);
  const ruled = [["line", { x1: side, x2: width - side, y1: bowls.bottom, y2: bowls.bottom, stroke: colours.soft, "stroke-width": 1 }],
    ...cause.globals.map((one, k) => ["path", { d: bowl(means[k]), fill: "none", stroke: colours.soft, "stroke-width": font * 0.42,
      opacity: 0.4, "stroke-dasharray": one.dash || null }]),
    ...cause.globals.map((one, k) => ["line", { x1: toX(means[k].optimum), x2: toX(means[k].optimum), y1: toY(means[k].least), 
      y2: bowls.bottom, stroke: colours.ink, "stroke-width": 1.2, "stroke-dasharray": "3 3" }])];

  // Clients with one loss share its parabola and its sign.
  const alike = cause.clients.map(({ optimum }) => cause.clients.findIndex((other) => Math.abs(toX(other.optimum) - toX(optimum)) < 1));

  function bowlsAt(there) {
    return cause.clients.flatMap((client, i) => {
      if (alike[i] !== i) return [];
      const together = cause.clients.filter((_, j) => alike[j] === i);
      const here = cause.clients.some((one, j) => alike[j] === i && (there >> (one.bit ?? j)) & 1);
      const name = together.map((one) => one.name).join(", ");
      const [y, r] = [bowls.bottom + font * 0.8, font * 0.62];
      const long = Math.max(2 * r, widthOf(name, font * 0.85, 700) + font * 0.4);
      const x = Math.max(side + long / 2, Math.min(width - side - long / 2, toX(client.optimum)));
      return [["path", { d: bowl(client), fill: "none", stroke: here ? colours.ink : colours.grey, "stroke-width": here ? font * 0.2 : 1.2,
        "stroke-dasharray": here ? null : "5 4", "clip-path": "url(#bowls)" }],
      ["rect", { x: x - long / 2, y: y - r, width: long, height: 2 * r, rx: 3, fill: here ? colours.ink : colours.pale }],
      text({ x, y, "text-anchor": "middle", "font-size": font * 0.85, "font-weight": 700, fill: here ? colours.paper : "#14171c" }, name)];
    });
  }

  function arrow(from, to, y, colour, broken) {
    const [a, b] = [toX(from), toX(to)].map((x) => Math.max(-20, Math.min(width + 20, x)));
    const way = Math.sign(b - a) || 1;
    const head = Math.min(font * 0.6, Math.abs(b - a));
    const w = font * 0.24;
    return ["g", {}, [
      ["line", { x1: a, x2: b - way * head * 0.8, y1: y, y2: y, stroke: colour, "stroke-width": w,
        "stroke-dasharray": broken ? "5 3" : null }],
      ["path", { d: `M${b.toFixed(1)} ${y.toFixed(1)}l${(-way * head).toFixed(1)} ${(-w * 1.5).toFixed(1)}v${(3 * w).toFixed(1)}z`,
        fill: broken ? colours.paper : colour, stroke: colour, "stroke-width": 1.2 }]]];
  }

  function pullsAt(lane, { from, pulls }, top, names) {
    let x = from;
    return pulls.filter(({ pull }) => Number.isFinite(from + pull)).slice(0, lane.rows).flatMap(({ client, pull, age }, k) => {
      const y = top + row * (k + 0.5);
      const to = x + magnified * pull;
      const [a, b] = [Math.min(toX(x), toX(to)), Math.max(toX(x), toX(to))];
      const said = `${names[client]}${lane.remembers ? `: ${ago(age, "round")}` : ""}`;
      const long = widthOf(said, font * 0.85) + 4;
      const right = b + long + 4 < width - side || a - long < side;
      const at = right ? Math.max(side, Math.min(b + 5, width - side - long)) : Math.min(Math.max(a - 5, side + long), width - side);
      const drawn = [arrow(x, to, y, colours[lane.colour], age > 0),
        text({ x: at, y, "text-anchor": right ? "start" : "end", "font-size": font * 0.85, fill: colours.soft, ...halo }, said)];
      x = to;
      return drawn;
    });
  }

  // The waiting room: who of the sample has come, who is awaited; a seat without a frame is not in the sample.
  function seatsAt(lane, at, y) {
    const size = font * 1.15;
    return lane.seats(at).flatMap((kind, i) => {
      const x = side + i * size * 1.35;
      const full = kind === "come";
      return [["rect", { x, y: y - size / 2, width: size, height: size, rx: 3, fill: full ? colours[lane.colour] : "none",
        stroke: kind === "out" ? "none" : colours[lane.colour], "stroke-width": 1.6,
        "stroke-dasharray": kind === "awaited" ? "3 2" : null }],
      text({ x: x + size / 2, y, "text-anchor": "middle", "font-size": font * 0.8, "font-weight": 700,
        fill: full ? colours.paper : colours.soft }, cause.clients[i].name)];
    }).concat([text({ x: side + cause.clients.length * size * 1.35 + 4, y, "font-size": font * 0.8, fill: colours.soft },
      lane.seatsTold(at))]);
  }

  // Deliveries on a line that runs with the clock, now at three quarters: the area of a disc is the weight that lands.
  function deliveriesAt(lane, at, y) {
    const [from, to] = [at - 0.78 * lane.span, at + 0.22 * lane.span];
    const place = (time) => side + ((time - from) / lane.span) * (width - 2 * side);
    const here = place(at);
    const pitch = (width - 2 * side) / lane.span * lane.apart;
    const largest = Math.min(font * 0.72, Math.max(font * 0.5, pitch / 2 - 1));
    return [["line", { x1: side, x2: width - side, y1: y, y2: y, stroke: colours.faint, "stroke-width": 1.5 }],
      ["line", { x1: here, x2: here, y1: y - font * 0.8, y2: y + font * 0.8, stroke: colours.ink, "stroke-width": 1.4 }],
      ...lane.deliveries(from, to).flatMap(({ time, client, weight, shift }) => {
        const landed = time <= at + 1e-9;
        const [x, r] = [place(time) + shift * (2 * largest + 1), largest * Math.sqrt(weight / lane.heaviest)];
        if (x < side + r || x > width - side - r) return [];
        return [["circle", { cx: x, cy: y, r, fill: landed ? colours[lane.colour] : colours.paper, stroke: colours[lane.colour],
          "stroke-width": 1.4 }],
        text({ x, y, "text-anchor": "middle", "font-size": Math.min(font * 0.75, r * 1.5), "font-weight": 700,
          fill: landed ? colours.paper : colours.text[lane.colour] }, cause.clients[client].name)];
      })];
  }

  const names = cause.clients.map(({ name }) => name);
  const at = (clock) => {
    const states = cause.lanes.map((lane) => stateOf(lane, clock));
    const drawn = [];
    const balls = [];
    let top = lanesTop;
    cause.lanes.forEach((lane, k) => {
      const mean = means[lane.on ?? 0];
      const [x, y] = [toX(states[k].model), toY(loss(mean, states[k].model) + mean.least)];
      if (x > -9 && x < width + 9) {
        balls.push(["line", { x1: x, x2: x, y1: y, y2: top + font * 0.7, stroke: colours[lane.colour], "stroke-width": 1, opacity: 0.5 }],
          ["circle", { cx: x, cy: y, r: font * 0.55, fill: colours[lane.colour], stroke: colours.paper, "stroke-width": 2 }]);
      }
      drawn.push(text({ x: side, y: top + font * 0.65, "font-size": font * 0.9, "font-weight": 700, fill: colours.text[lane.colour],
        ...halo }, lane.name), text({ x: width - side, y: top + font * 0.65, "text-anchor": "end", "font-size": font * 0.9,
        fill: colours.text[lane.colour], ...halo }, decimal(states[k].model, 3)));
      let below = top + font * 1.35;
      if (lane.seats) { drawn.push(...seatsAt(lane, clock, below + font * 0.75)); below += font * 1.5; }
      if (lane.deliveries) { drawn.push(...deliveriesAt(lane, clock, below + font * 0.75)); below += font * 1.5; }
      drawn.push(["g", {}, pullsAt(lane, states[k], below, lane.names ?? names)]);
      top += tallOf(lane);
    });
    return [["svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `The cause. ${told(cause, clock)}`,
      "font-family": FAMILY }, [
      ["defs", {}, [["clipPath", { id: "bowls" }, [["rect", { x: 0, y: bowls.top, width, height: bowls.bottom - bowls.top }]]]]],
      ["rect", { width, height, fill: colours.paper }],
      text({ x: side, y: font * 1.1, "font-weight": 700 }, cause.words(clock)),
      ["g", { "clip-path": "url(#bowls)" }, ruled], ["g", {}, bowlsAt(cause.there(clock))], ["g", {}, balls], ["g", {}, drawn],
      ...(note ? [text({ x: width - side, y: height - font * 0.7, "text-anchor": "end", "font-size": font * 0.8, fill: colours.soft },
        `arrows ${magnified} times as long`)] : [])]]];
  };
  return { at, height };
}
