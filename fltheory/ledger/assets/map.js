// Which claim rests on which: one small graph per group of related claims.
const NODE = { wide: 168, high: 30, across: 44, down: 8 };
const NARROW = { wide: 150, high: 30, across: 28, down: 8 };

function edges() {
  const found = [];
  DATA.claims.forEach((claim) => {
    if (claim.corrects && BY_ID.has(claim.corrects)) found.push([claim.corrects, claim.id, "corrected"]);
    (claim.restsOn || []).filter((base) => BY_ID.has(base) && BY_ID.get(base).corrects !== claim.id)
      .forEach((base) => found.push([base, claim.id, "base"]));
  });
  return found;
}

function groups() {
  const all = edges();
  const beside = new Map();
  all.forEach(([from, to]) => [[from, to], [to, from]].forEach(([one, other]) => {
    if (!beside.has(one)) beside.set(one, []);
    beside.get(one).push(other);
  }));
  const seen = new Set();
  return DATA.claims.filter((claim) => beside.has(claim.id)).flatMap((claim) => {
    if (seen.has(claim.id)) return [];
    const members = [];
    const waiting = [claim.id];
    while (waiting.length) {
      const id = waiting.shift();
      if (!seen.has(id)) {
        seen.add(id);
        members.push(id);
        waiting.push(...beside.get(id));
      }
    }
    const inside = new Set(members);
    return [{ members, edges: all.filter(([from]) => inside.has(from)) }];
  });
}

function layers({ members, edges: mine }) {
  const depth = new Map(members.map((id) => [id, 0]));
  for (let turn = 0; turn < Math.min(5, members.length); turn += 1) {
    mine.forEach(([from, to]) => { depth.set(to, Math.min(4, Math.max(depth.get(to), depth.get(from) + 1))); });
  }
  const columns = [];
  members.forEach((id) => { (columns[depth.get(id)] ||= []).push(id); });
  return columns.filter(Boolean);
}

function graph(group, here = "") {
  const node = innerWidth < 480 ? NARROW : NODE;
  const columns = layers(group);
  const tallest = Math.max(...columns.map((column) => column.length));
  const step = node.high + node.down;
  const wide = columns.length * node.wide + (columns.length - 1) * node.across + 2;
  const high = tallest * step + 2;
  const at = new Map();
  columns.forEach((column, x) => column.forEach((id, y) => at.set(id, [1 + x * (node.wide + node.across),
    1 + (y + (tallest - column.length) / 2) * step])));
  const lines = group.edges.map(([from, to, kind]) => {
    const [[x1, y1], [x2, y2]] = [at.get(from), at.get(to)];
    const [start, end] = [x1 + node.wide, x2 - 5];
    const [up, low] = [y1 + node.high / 2, y2 + node.high / 2];
    return `<path class="${kind}" d="M${start} ${up}C${start + 22} ${up} ${end - 22} ${low} ${end} ${low}"/>`
      + `<path class="tip" d="M${end} ${low - 4}l5 4l-5 4z"/>`;
  });
  const nodes = [...at].map(([id, [x, y]]) => {
    const claim = BY_ID.get(id);
    const name = title(claim);
    const most = Math.floor((node.wide - 30) / 6.6);
    const shown = name.length > most ? `${name.slice(0, most - 1)}…` : name;
    return `<a href="#${id}" class="node ${claim.verdict}${id === here ? " here" : ""}"><title>${escaped(id)}: ${claim.verdict}</title>`
      + `<rect x="${x}" y="${y}" width="${node.wide}" height="${node.high}" rx="4"/>`
      + `<text x="${x + 10}" y="${y + 20}" class="sign">${MARKS[claim.verdict]}</text>`
      + `<text x="${x + 26}" y="${y + 20}">${escaped(shown)}</text></a>`;
  });
  return `<svg class="map" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}" role="group"`
    + ` aria-label="related claims">${lines.join("")}${nodes.join("")}</svg>`;
}

const LEGEND = '<p class="legend small"><svg width="46" height="10" aria-hidden="true"><path class="corrected" d="M2 5H38"/>'
  + '<path class="tip" d="M38 1l5 4l-5 4z"/></svg> is corrected by <svg width="46" height="10" aria-hidden="true">'
  + '<path class="base" d="M2 5H38"/><path class="tip" d="M38 1l5 4l-5 4z"/></svg> is taken for granted by</p>';

function localMap(claim) {
  const mine = groups().find(({ members }) => members.includes(claim.id));
  return mine ? `<div class="scroll">${graph(mine, claim.id)}</div>${LEGEND}` : "";
}

function paperMap(key) {
  const mine = groups().filter(({ members }) => BY_ID.get(members[0]).paper === key);
  mine.sort((one, other) => other.members.length - one.members.length);
  return mine.map((group) => `<div class="scroll">${graph(group)}</div>`).join("");
}
