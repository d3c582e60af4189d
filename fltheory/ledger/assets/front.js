// The front: the headline by severity, theorems first; what the words mean; the map.
const COLUMNS = [["PROVED", "proved"], ["SUPPORTED", "held, not proved"], ["THEOREM", "result wrong"],
  ["HYPOTHESIS", "condition missing"], ["SLIP", "slip"], ["READING", "reading"], ["", "not graded"], ["OTHER", "other"]];

function cells(tally) {
  const { verdicts, severities } = tally;
  const known = (verdicts.PROVED || 0) + (verdicts.SUPPORTED || 0) + (verdicts.REFUTED || 0);
  return { PROVED: verdicts.PROVED || 0, SUPPORTED: verdicts.SUPPORTED || 0, ...severities, OTHER: tally.claims - known };
}

function headline() {
  const [first] = DATA.tallies;
  const whole = DATA.claims.length;
  if (!first || !first.group.includes("theorem")) return `<p class="lead">${whole} claims, each with a verdict and its evidence.</p>`;
  const number = cells(first);
  const wrong = first.verdicts.REFUTED || 0;
  const graded = [["THEOREM", "are wrong as results"], ["HYPOTHESIS", "need a condition that is not stated"],
    ["SLIP", "contain a slip that can be mended"], ["READING", "are false under one reading only"], ["", "are not graded yet"]]
    .filter(([name]) => number[name]).map(([name, says]) => `${number[name]}`
      + ` ${number[name] === 1 ? says.replace("are", "is").replace("need", "needs").replace("contain", "contains") : says}`);
  return `<p class="lead">The ${DATA.papers.length} papers print <b>${first.claims}</b> theorems, propositions and`
    + ` corollaries. Of these, `
    + `<b class="PROVED">${number.PROVED || "none"}</b> ${number.PROVED === 1 ? "is" : "are"} proved for everything said`
    + `${first.conditional ? `, ${first.conditional} of them with a hypothesis that the paper does not state` : ""}; `
    + `<b class="SUPPORTED">${number.SUPPORTED || "none"}</b> held in everything we tried but`
    + ` ${number.SUPPORTED === 1 ? "is" : "are"} not proved, and `
    + `<b class="REFUTED">${wrong || "none"}</b> ${wrong === 1 ? "has" : "have"} a`
    + ` counterexample${graded.length ? `: ${graded.join(", ")}` : ""}. `
    + `With every lemma, step, remark and correction of ours there are <b>${whole}</b> claims, each with its evidence.</p>`;
}

function tallyTable() {
  const used = COLUMNS.filter(([name]) => DATA.tallies.some((tally) => cells(tally)[name]));
  const head = used.map(([name, says]) => `<th scope="col"><i class="swatch s-${name || "none"}"></i>${says}</th>`).join("");
  const rows = DATA.tallies.map((tally) => {
    const number = cells(tally);
    const bars = used.filter(([name]) => number[name]).map(([name]) =>
      `<rect class="s-${name || "none"}" x="${100 * used.slice(0, used.findIndex(([other]) => other === name))
        .reduce((sum, [other]) => sum + (number[other] || 0), 0) / tally.claims}%""
          + " width="${100 * number[name] / tally.claims}%" height="8"/>`);
    return `<tr><th scope="row">${escaped(tally.group)}<svg class="share" width="100%" height="8"`
      + ` aria-hidden="true">${bars.join("")}</svg></th>`
      + `<td data-says="claims">${tally.claims}</td>${used.map(([name, says]) =>
        `<td data-says="${says}" class="${number[name] ? "some" : "none"}"><i class="s-${name || "none"}"></i>`
        + `${number[name] || "<span class=zero>·</span>"}</td>`).join("")}</tr>`;
  });
  return `<div class="scroll"><table class="tally"><thead><tr><th></th><th scope="col">claims</th>${head}</tr></thead>`
    + `<tbody>${rows.join("")}</tbody></table></div>`;
}

function theorems(paper) {
  const rows = DATA.claims.filter((claim) => claim.paper === paper.key && claim.rank && !claim.rank.startsWith("Lemma"))
    .map((claim) => `<tr><td><a href="#${escaped(claim.id)}">${escaped(claim.rank)}</a></td><td>${badge(claim)}</td>`
      + `<td>${linked(claim.says)}${claim.trueForm ? `<p class="small">True instead: ${link(claim.trueForm)}</p>` : ""}</td></tr>`);
  return `<section id="paper-${paper.key}"><h3>${escaped(paper.title)}</h3>`
    + `<p class="small">${escaped(paper.authors)}, ${paper.year}. ${escaped(paper.venue)}.</p>`
    + `${rows.length ? `<table class="theorems"><tbody>${rows.join("")}</tbody></table>` : ""}</section>`;
}

function front() {
  const words = Object.entries(DATA.verdicts).map(([name, told]) => `<dt class="${name}">${mark(name)}${name}</dt><dd>${told}</dd>`);
  const grades = Object.entries(DATA.severities).map(([name, told]) => `<dt>${name.toLowerCase()}</dt><dd>${told}</dd>`);
  const kinds = Object.entries(DATA.kinds).map(([name, told]) => `<dt>${name.toLowerCase()}</dt><dd>${told}</dd>`);
  const tabs = DATA.papers.map((paper, place) => `<button type="button" role="tab" aria-selected="${place === 0}"`
    + ` data-map="${paper.key}">${escaped(paper.name)}</button>`);
  return `<article class="front"><h1>What is true in the convergence theory of federated learning</h1>${headline()}${tallyTable()}`
    + `<section><h2>What the words mean</h2><div class="columns"><div><h3>Verdicts</h3><dl class="words">${words.join("")}</dl></div>`
    + `<div><h3>How bad a false claim is</h3><dl class="words">${grades.join("")}</dl><h3>Whose words</h3><dl`
    + ` class="words">${kinds.join("")}</dl></div></div>`
    + "<p>A yes is only as wide as its evidence: every page says which rounds, clients, losses and noise were tried, or"
    + " why a proof leaves nothing out. "
    + "A no comes with a counterexample that you can repeat without trusting us.</p></section>"
    + `<section><h2>Theorems, propositions and corollaries</h2>${DATA.papers.map(theorems).join("")}</section>`
    + `<section><h2>Which claim rests on which</h2>${LEGEND}<div class="tabs" role="tablist" aria-label="paper of the`
    + ` map">${tabs.join("")}</div><div id="map"></div></section>`
    + "<section><h2>Use it</h2><p>Keys: <kbd>/</kbd> search, <kbd>↓</kbd> <kbd>↑</kbd> through the list, <kbd>Enter</kbd>"
    + " open, <kbd>Esc</kbd> back. Every claim has an address: its id after <code>#</code>. "
    + "On the command line, <code>fltheory explain CLAIM</code> says the same, <code>fltheory replay CLAIM</code> repeats"
    + " a counterexample, <code>fltheory verify</code> decides everything again.</p></section></article>";
}

function showMap(paper) {
  $("map").innerHTML = paperMap(paper) || "<p>No claim of this paper rests on another one.</p>";
  document.querySelectorAll("[data-map]").forEach((tab) => tab.setAttribute("aria-selected", tab.dataset.map === paper));
}
