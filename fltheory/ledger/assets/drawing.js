// Counterexamples drawn: a run with both sides, growth along a path, or two numbers.
const HIGH = 260;
const EDGE = { left: 58, right: 16, top: 16, bottom: 40 };
const short = (value) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1).replace("e+", "e") : String(Number(value.toPrecision(4)));
};

function ticks(low, high, logarithmic) {
  if (logarithmic) {
    const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    const every = Math.max(1, Math.ceil((to - from) / 5));
    const found = [];
    for (let power = from; power <= to; power += every) found.push(10 ** power);
    return found.filter((one) => one >= low * 0.999 && one <= high * 1.001);
  }
  const rough = (high - low) / 5 || 1;
  const base = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * base).find((one) => one >= rough);
  const found = [];
  for (let one = Math.ceil(low / step) * step; one <= high + step / 1e6; one += step) found.push(Math.abs(one) < step / 1e6 ? 0 : one);
  return found;
}

// One plot: curves [{name, kind, points: [[x, y]]}], levels [{name, kind, at}].
function plot({ wide, curves, levels = [], across, up, logX = false, until = null, whole = false }) {
  const points = curves.flatMap((curve) => curve.points);
  const heights = [...points.map(([, y]) => y), ...levels.map((level) => level.at)];
  let [low, high] = [Math.min(...heights), Math.max(...heights)];
  const logY = low > 0 && high / low > 60;
  if (!logY) {
    const room = (high - low || Math.abs(high) || 1) * 0.08;
    [low, high] = [low >= 0 && low < 0.4 * high ? Math.min(0, low) : low - room, high + room];
  } else [low, high] = [low / 1.5, high * 1.5];
  const xs = points.map(([x]) => x);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const scale = (value, from, to, log) => (log ? (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from) || 1)
    : (value - from) / (to - from || 1));
  const x = (value) => EDGE.left + scale(value, first, last, logX) * (wide - EDGE.left - EDGE.right);
  const y = (value) => HIGH - EDGE.bottom - scale(value, low, high, logY) * (HIGH - EDGE.top - EDGE.bottom);
  const grid = ticks(low, high, logY).map((at) => `<path class="grid" d="M${EDGE.left} ${y(at)}H${wide - EDGE.right}"/>`
    + `<text x="${EDGE.left - 8}" y="${y(at) + 4}" text-anchor="end">${short(at)}</text>`);
  const marks = (logX ? ticks(first, last, true) : ticks(first, last, false).filter((at) => !whole || Number.isInteger(at)))
    .map((at) => `<text x="${x(at)}" y="${HIGH - 22}" text-anchor="middle">${short(at)}</text>`);
  const beyond = until !== null && until < last
    ? `<rect class="beyond" x="${x(until)}" y="${EDGE.top}" width="${x(last) - x(until)}"`
      + ` height="${HIGH - EDGE.top - EDGE.bottom}"/>` : "";
  const flat = levels.map((level) => `<path class="level ${level.kind}" d="M${EDGE.left} ${y(level.at)}H${wide - EDGE.right}"/>`);
  const lines = curves.map((curve) => `<path class="curve ${curve.kind}"`
    + ` d="M${curve.points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}"/>`
    + (curve.points.length <= 30 ? curve.points.map(([a, b]) => `<circle class="${curve.kind}" cx="${x(a).toFixed(1)}"`
    + ` cy="${y(b).toFixed(1)}" r="3"/>`).join("") : ""));
  return `<svg class="plot" width="${wide}" height="${HIGH}" viewBox="0 0 ${wide} ${HIGH}" role="img"`
    + ` aria-label="${escaped(up)} over ${escaped(across)}">`
    + `${beyond}${grid.join("")}${marks.join("")}${flat.join("")}${lines.join("")}`
    + `<text x="${(EDGE.left + wide - EDGE.right) / 2}" y="${HIGH - 4}" text-anchor="middle"`
    + ` class="axis">${escaped(across)}</text></svg>`;
}

const key = (entries) => {
  const parts = entries.map(([kind, says]) => '<span><svg width="26" height="10" aria-hidden="true">'
    + `<path class="curve ${kind}" d="M1 5H25"/></svg>${says}</span>`);
  return `<p class="key small">${parts.join("")}</p>`;
};
const numbered = (values, from) => values.map((value, place) => [place + from, value])
  .filter(([, value]) => value !== null && value !== undefined);
const compared = (drawing) => `<p>At the recorded counterexample the left side is <b class="num">${drawing.left}</b> and`
  + ` the right side <b class="num">${drawing.right}</b>.</p>`;

function drawnRun(drawing, wide) {
  const parts = [];
  const longer = drawing.path[0].values.length - 1 > drawing.rounds;
  if (drawing.sides) {
    const [left, right] = drawing.sides.map((side) => numbered(side.values, 1));
    if (left.length > 1) {
      const until = longer ? drawing.rounds : null;
      const beyond = longer ? ` Round ${drawing.rounds} is the recorded one; beyond it, shaded, the same pattern goes on.` : "";
      parts.push(`<figure>${plot({ wide, across: "rounds", up: "both sides of the claim", whole: true, until,
        curves: [{ kind: "right", points: right }, { kind: "left", points: left }] })}`
        + `${key([["left", "left side: what happens"], ["right", "right side: what the claim says"]])}`
        + `<figcaption>Both sides of the claim after each round of the`
        + ` run.${beyond}</figcaption></figure>`);
    } else parts.push(drawnValues(drawing, wide));
  }
  const path = drawing.path.map((series, place) => ({ kind: `path path${place}`, points: numbered(series.values, 0) }));
  const levels = (drawing.levels || []).map((level) => ({ kind: level.name, at: level.values[0] }));
  const names = drawing.path.map((series, place) => [`path path${place}`, series.name]);
  if (levels.length) names.push(["left", "left side: where it ends"], ["right", "right side: what the claim says"]);
  if (path[0].points.length > 2 || levels.length) {
    parts.push(`<figure>${plot({ wide, across: "round", up: "the model", whole: true, curves: path, levels })}${key(names)}`
      + `<figcaption>The server’s model in each round${drawing.noisy ? ", without the noise" : ""}:`
      + ` ${escaped(drawing.says)}.</figcaption></figure>`);
  }
  return parts.join("");
}

const ratioSays = (drawing) => "<figcaption>The left side over the right side. An order of magnitude allows any constant,"
  + ` but here the ratio passes every constant as ${escaped(drawing.variable)} grows.</figcaption>`;

function drawnGrowth(drawing, wide) {
  const points = drawing.sides[0].values.map((value, place) => [drawing.at[place], value])
    .filter(([, value]) => value !== null && value > 0);
  const curve = points.length > 2 ? `<figure>${plot({ wide, across: drawing.variable, up: "left/right", logX: true,
    curves: [{ kind: "left", points }] })}${ratioSays(drawing)}</figure>` : "";
  return `${curve}<p class="small">The ratio: ${drawing.left.replace(/^ratio /, "")}</p>`;
}

function drawnValues(drawing, wide) {
  const values = drawing.numbers || [];
  if (values.length !== 2) return "";
  const most = Math.max(...values.map(Math.abs)) || 1;
  const room = wide - 20;
  const signed = values.some((value) => value < 0);
  const zero = signed ? 10 + room / 2 : 10;
  const unit = (signed ? room / 2 : room) / most;
  const bar = (value, place, kind) => `<rect class="bar ${kind}" x="${Math.min(zero, zero + value * unit)}"`
    + ` y="${10 + 34 * place}" width="${Math.max(1.5, Math.abs(value) * unit)}" height="22"/>`;
  return `<figure><svg class="plot" width="${wide}" height="80" viewBox="0 0 ${wide} 80" role="img" aria-label="both sides as bars">`
    + `${bar(values[0], 0, "left")}${bar(values[1], 1, "right")}<path class="grid" d="M${zero} 4V74"/></svg>`
    + `${key([["left", `left side ${drawing.left}`], ["right", `right side ${drawing.right}`]])}</figure>`;
}

function drawn(claim, box) {
  const { drawing } = claim;
  const wide = Math.max(280, Math.min(720, box.clientWidth));
  const shape = { run: drawnRun, growth: drawnGrowth, values: drawnValues }[drawing.kind];
  const sign = claim.order ? "" : compared(drawing);
  box.innerHTML = `${drawing.kind === "values" ? "" : sign}${shape(drawing, wide)}`;
}
