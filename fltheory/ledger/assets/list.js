// The list of claims beside the text: search, filters, arrows.
const FILTERS = [["paper", "paper"], ["verdict", "verdict"], ["severity", "severity"], ["kind", "kind"]];
const ROWS = [];

const haystack = (claim) => {
  const told = [claim.id, claim.place, claim.rank, claim.says, claim.note, claim.reading, claim.statement,
    ...(claim.assumes || []).map(([says]) => says), ...(claim.where || []).flat(),
    ...(claim.evidence || []).flatMap(([, , parts]) => parts)].filter(Boolean).join(" ");
  return `${named(stripped(told).replace(/\s+/g, " "))} ${named(stripped(told.replace(/<[^>]*>/g, "")))}`;
};

// Letters as they are typed: sigma_G, σ_G and sigmaG are the same word.
const named = (text) => text.replace(/[α-ωΔΣ∇≤≥]/g, (sign) => LETTERS[sign] || sign).replace(/[_^{}]/g, "").toLowerCase();

function makeFilters() {
  const names = { paper: (key) => DATA.papers.find((paper) => paper.key === key).name,
    verdict: (name) => name, severity: (name) => name.toLowerCase(),
    kind: (name) => ({ PRINTED: "printed", READ: "read by us", OURS: "ours" })[name] };
  const order = { paper: DATA.papers.map((paper) => paper.key), verdict: Object.keys(DATA.verdicts),
    severity: Object.keys(DATA.severities), kind: Object.keys(DATA.kinds) };
  $("filters").innerHTML = FILTERS.map(([key, label]) => {
    const count = (value) => DATA.claims.filter((claim) => claim[key] === value).length;
    const options = order[key].filter(count)
      .map((value) => `<option value="${value}">${escaped(names[key](value))} (${count(value)})</option>`);
    return `<label><span class="unseen">${label}</span><select id="by-${key}">`
      + `<option value="">any ${label}</option>${options.join("")}</select></label>`;
  }).join("") + '<button id="clear" type="button">clear</button>';
  FILTERS.forEach(([key]) => $(`by-${key}`).addEventListener("change", choose));
  $("search").addEventListener("input", choose);
  $("clear").addEventListener("click", () => clear());
}

function clear() {
  FILTERS.forEach(([key]) => { $(`by-${key}`).value = ""; });
  $("search").value = "";
  choose();
}

function makeList() {
  const parts = [];
  DATA.papers.forEach((paper) => {
    parts.push(`<h2>${escaped(paper.name)}</h2><ol>`);
    DATA.claims.filter((claim) => claim.paper === paper.key).forEach((claim) => {
      parts.push(`<li><a href="#${escaped(claim.id)}" data-id="${escaped(claim.id)}">${mark(claim.verdict)}`
        + `<span><b>${escaped(title(claim))}</b><span class="unseen">, ${claim.verdict}</span>`
        + `<small>${escaped(claim.rank ? tail(claim) : claim.place)}</small></span></a></li>`);
    });
    parts.push("</ol>");
  });
  $("list").innerHTML = parts.join("");
  $("list").querySelectorAll("a").forEach((row) => ROWS.push({ row, item: row.parentElement,
    claim: BY_ID.get(row.dataset.id), text: null }));
}

function choose() {
  const words = named($("search").value).split(/\s+/).filter(Boolean);
  const wanted = FILTERS.map(([key]) => [key, $(`by-${key}`).value]).filter(([, value]) => value);
  let number = 0;
  ROWS.forEach((one) => {
    if (words.length && one.text === null) one.text = haystack(one.claim);
    const fits = wanted.every(([key, value]) => one.claim[key] === value)
      && words.every((word) => one.text.includes(word));
    one.item.hidden = !fits;
    number += fits;
  });
  $("list").querySelectorAll("ol").forEach((list) => {
    const empty = ![...list.children].some((item) => !item.hidden);
    list.hidden = empty;
    list.previousElementSibling.hidden = empty;
  });
  const chosen = words.length || wanted.length;
  document.body.dataset.chosen = chosen ? "yes" : "no";
  $("clear").hidden = !chosen;
  $("count").textContent = number === 1 ? "1 claim" : `${number || "no"} claims`;
}

const shownRows = () => ROWS.filter((one) => !one.item.hidden).map((one) => one.row);

function keys(event) {
  const typing = event.target.matches("input, select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !typing) {
    event.preventDefault();
    if (document.body.dataset.view === "claim" && getComputedStyle($("side")).display === "none") go("");
    $("search").focus();
    $("search").select();
  } else if (event.key === "Escape") {
    if ($("search").value) clear();
    else if (location.hash) go("");
    document.activeElement.blur();
  } else if (event.key === "Enter" && event.target === $("search")) {
    const [first] = shownRows();
    if (first) first.click();
  } else if (["ArrowDown", "ArrowUp"].includes(event.key) && !event.target.matches("select")) {
    const inList = $("list").contains(event.target);
    if (!inList && event.target !== $("search")) return;
    event.preventDefault();
    const rows = shownRows();
    const here = rows.indexOf(event.target);
    const next = here + (event.key === "ArrowDown" ? 1 : -1);
    if (next < 0) $("search").focus();
    else if (rows[next]) rows[next].focus();
  }
}
