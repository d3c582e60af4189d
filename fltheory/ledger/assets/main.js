// Addresses: the id of a claim after # opens its page; anything else is the front.
const go = (id) => {
  if (id) location.hash = id;
  else { history.pushState(null, "", location.pathname + location.search); show(); }
};

function show() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const claim = BY_ID.get(wanted);
  if (wanted === "article") return;
  document.body.dataset.view = claim ? "claim" : "front";
  here = claim ? claim.paper : "";
  $("article").innerHTML = claim ? card(claim) : front();
  document.title = claim ? `${claim.id}: ${claim.verdict}` : "fltheory: the ledger";
  ROWS.forEach(({ row }) => row.removeAttribute("aria-current"));
  if (claim) {
    const { row } = ROWS.find((one) => one.claim === claim);
    row.setAttribute("aria-current", "page");
    if (!$("side").contains(document.activeElement)) row.scrollIntoView({ block: "center" });
    if (claim.drawing) drawn(claim, $("picture"));
  } else showMap(DATA.papers[0].key);
  const place = !claim && wanted && $(wanted);
  if (place) place.scrollIntoView();
  else window.scrollTo(0, 0);
}

async function start() {
  DATA = await unpacked($("data").textContent);
  const rank = new Map(DATA.papers.map((paper, place) => [paper.key, place]));
  const order = new Intl.Collator("en", { numeric: true });
  DATA.claims.sort((one, other) => rank.get(one.paper) - rank.get(other.paper) || one.level - other.level
    || order.compare(one.id, other.id));
  DATA.claims.forEach((claim) => { claim.severity ||= ""; claim.rank ||= ""; });
  BY_ID = new Map(DATA.claims.map((claim) => [claim.id, claim]));
  makeFilters();
  makeList();
  choose();
  show();
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
  addEventListener("keydown", keys);
  let wide = innerWidth;
  addEventListener("resize", () => {
    const claim = BY_ID.get(decodeURIComponent(location.hash.slice(1)));
    if (innerWidth !== wide && claim && claim.drawing) drawn(claim, $("picture"));
    wide = innerWidth;
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && button.dataset.copy !== undefined) copied(button);
    if (button && button.dataset.map) showMap(button.dataset.map);
    const home = event.target.closest('a[href="#"]');
    if (home) { event.preventDefault(); go(""); }
  });
  document.body.dataset.ready = "yes";
}

start().catch((problem) => {
  $("article").innerHTML = `<p>This browser cannot open the data of the page (${escaped(problem.message)}). `
    + "<code>fltheory report -o ledger.md</code> writes the same as text.</p>";
  throw problem;
});
