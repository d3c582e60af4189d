// The data, small helpers and words that every part uses.
let DATA, BY_ID;
const $ = (id) => document.getElementById(id);
const MARKS = { PROVED: "✓", CERTIFIED: "✓", SUPPORTED: "○", REFUTED: "✗", VACUOUS: "∅", UNDECIDED: "?" };
const LETTERS = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", η: "eta", θ: "theta",
  κ: "kappa", λ: "lambda", μ: "mu", ν: "nu", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", χ: "chi",
  ω: "omega", Δ: "delta", Σ: "sigma", "∇": "grad", "≤": "<=", "≥": ">=" };

const escaped = (text) => String(text).replace(/[&<>"]/g,
  (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
const stripped = (html) => html.replace(/<[^>]*>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">")
  .replace(/&amp;/g, "&").replace(/&#x27;/g, "'");
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const paperOf = (claim) => DATA.papers.find((paper) => paper.key === claim.paper);
const tail = (claim) => claim.id.slice(claim.paper.length + 1);
const title = (claim) => claim.rank || tail(claim);
const link = (id) => (BY_ID.has(id)
  ? `<a class="ref" href="#${escaped(id)}">${mark(BY_ID.get(id).verdict)}<code>${escaped(id)}</code></a>`
  : `<code>${escaped(id)}</code>`);
const mark = (verdict) => `<span class="mark ${verdict}" aria-hidden="true">${MARKS[verdict]}</span>`;
const badge = (claim) => `<span class="badge ${claim.verdict}">${mark(claim.verdict)}${claim.verdict}`
  + `${claim.severity ? `<small>${claim.severity.toLowerCase()}</small>` : ""}</span>`;

// Ids in sentences become links to their claims, also without the key of the paper on whose page they stand.
let here = "";
const linked = (html) => html.replace(/\b[a-z][A-Za-z0-9_]*\.[\w.-]*\w/g, (word) => {
  const id = [word, `${here}.${word}`].find((one) => BY_ID.has(one));
  return id ? `<a href="#${id}">${word}</a>` : word;
});

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
