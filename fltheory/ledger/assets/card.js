// The page of one claim; of a false one it leads with what is true.
const section = (name, html) => (html ? `<section><h2>${name}</h2>${html}</section>` : "");
const paragraph = (html, kind = "") => (html ? `<p${kind ? ` class="${kind}"` : ""}>${linked(html)}</p>` : "");
const formula = (claim) => `<div class="formula" tabindex="0" role="group" aria-label="the statement">${claim.statement}</div>`;

function verdictSentence(claim) {
  if (claim.verdict === "REFUTED") {
    return claim.severity ? `False: ${DATA.severities[claim.severity]}.`.replace("False: false", "False")
      : "False: there is a counterexample that anyone can replay.";
  }
  if (claim.verdict === "SUPPORTED") {
    return "Not proved. It held in everything that was tried; what that was stands under “How we know”.";
  }
  if (claim.verdict === "PROVED" && claim.kernel) {
    return "Proved for everything that it says, by a proof that Coq has checked.";
  }
  const told = DATA.verdicts[claim.verdict];
  return `${capital(told)}.`;
}

function hypotheses(claim) {
  const groups = claim.kind === "OURS" ? [["Hypotheses", 1], ["Not stated in the paper", 0]]
    : [["The paper states", 1], ["Needed, but not stated in the paper", 0]];
  return groups.map(([name, stated]) => {
    const members = (claim.assumes || []).filter(([, isStated]) => isStated === stated);
    const rows = members.map(([says, , fails]) => `<li>${linked(says)}`
      + `${fails ? ' <strong class="fails">fails on the counterexample</strong>' : ""}</li>`);
    return members.length ? `<h3>${name}</h3><ul>${rows.join("")}</ul>` : "";
  }).join("");
}

function trueForm(claim) {
  const other = BY_ID.get(claim.trueForm);
  if (!other) return "";
  const listed = (name, says) => (says ? `<p class="given">${name}</p>`
    + `<ul>${says.map((one) => `<li>${linked(one)}</li>`).join("")}</ul>` : "");
  return `<div class="inset"><p>${badge(other)} <a href="#${other.id}"><code>${other.id}</code></a>`
    + `</p>${paragraph(other.says)}${formula(other)}`
    + `${listed("It assumes also", claim.adds)}${listed("It does without", claim.drops)}`
    + `${paragraph(verdictSentence(other).replace(" under “How we know”", " on its page"), "small")}</div>`;
}

function truth(claim) {
  const others = (claim.correctedBy || []).filter((id) => id !== claim.trueForm);
  return section("What is true", [
    paragraph(claim.note),
    trueForm(claim),
    others.length ? `<p>${claim.trueForm || claim.verdict === "PROVED" ? "See also" : "Corrected by"}`
      + ` ${others.map(link).join(", ")}.</p>` : "",
    claim.corrects ? `<p>It corrects ${link(claim.corrects)}, or says more.</p>` : "",
    claim.restsOn ? `<p>${claim.verdict === "REFUTED" ? "The refutation" : "The proof"} rests on`
      + ` ${claim.restsOn.map(link).join(", ")}.</p>` : "",
    claim.proof ? `<p>${claim.kernel || claim.verdict === "PROVED" ? "The proof in words" : "Proof on paper, not checked by a machine"}: `
      + `<code>${escaped(claim.proof)}</code></p>` : "",
  ].join("")) + section("What to cite", `<p>${linked(escaped(claim.cite))}</p>`);
}

function claimed(claim) {
  const paper = paperOf(claim);
  const where = (claim.where || []).map(([letter, says]) => `<dt>${letter}</dt><dd>${says}</dd>`).join("");
  return section({ PRINTED: "What the paper claims", READ: "What the paper claims, as we read it",
    OURS: "What we claim" }[claim.kind], [
    paragraph(claim.says, "says"),
    claim.formula ? `<p>The paper has: ${linked(claim.formula)}</p>` : "",
    claim.reading ? `<p><b>Read so:</b> ${linked(claim.reading)}</p>` : "",
    ...(claim.alternatives || []).map((other) => `<p><b>Or so:</b> ${linked(other)}</p>`),
    `<p class="given">${claim.assumes ? "Under the hypotheses below," : "In symbols,"}</p>`,
    formula(claim),
    claim.order ? '<p class="small">that is: the left side is at most a constant times the right side'
      + (claim.hides ? `; the constant depends on ${claim.hides} and on nothing else.</p>`
        : ", with one constant for all admissible instances.</p>") : "",
    where ? `<dl class="where">${where}</dl>` : "",
    `<p class="small">${escaped(paper.authors)}: <cite>${escaped(paper.title)}</cite> (${paper.year}), `
      + `${escaped(claim.place)}. ${escaped(paper.version ? `Judged: ${paper.version}.` : "")} `
      + `<button type="button" class="copy" data-copy="${escaped(claim.latex)}">copy LaTeX</button></p>`,
  ].join("")) + section("Hypotheses", hypotheses(claim));
}

function line([verdict, whole, [head, ...rest], byKernel], kernel) {
  return `<li><p>${mark(verdict)}<b class="${verdict}">${verdict}</b> by ${linked(head)}`
    + `${whole ? ' <span class="whole">covers everything that the claim says</span>' : ""}</p>`
    + `${byKernel && kernel ? kernelBox(kernel) : rest.map((part) => paragraph(part, "small")).join("")}</li>`;
}

function kernelBox(theorem) {
  const rows = [["Theorem", `<code>${escaped(theorem.theorem)}</code> in <code>${escaped(theorem.file)}</code>`],
    ["Proves", theorem.says], ["For", theorem.scope],
    ["If", theorem.hypotheses.length ? `<ul>${theorem.hypotheses.map((one) => `<li>${one}</li>`).join("")}`
      + `</ul>` : "nothing beyond the record of the run"],
    ["Axioms", `${theorem.axioms.map((name) => `<code>${escaped(name)}</code>`).join(", ") || "none"} (those of Coq’s real numbers)`],
    ["Checked", `by the kernel of Coq ${escaped(theorem.coq)}; sources <code>${escaped(theorem.sources)}</code>`],
    ["To trust it", "read the head of the file, the record of the run and the statement; the proof need not be read"]];
  return `<div class="inset kernel"><h3>A proof that a machine has checked</h3><dl>${rows.map(([name, told]) =>
    `<dt>${name}</dt><dd>${told}</dd>`).join("")}</dl></div>`;
}

function commands(claim) {
  const rows = claim.commands.map(([does, run]) => `<li><span>${escaped(does)}</span><span class="command">`
    + `<code>${escaped(run)}</code><button type="button" class="copy" data-copy="${escaped(run)}">copy</button></span></li>`);
  const file = claim.file ? `<p class="small">The counterexample: <a href="${escaped(claim.file.replace("verification/", ""))}">`
    + `${escaped(claim.file)}</a>. Paths are those of a clone of the repository.</p>` : "";
  return section("Check it yourself", `<ul class="commands">${rows.join("")}</ul>${file}`);
}

function glossary(claim) {
  const used = new Set([claim.verdict, ...[...(claim.evidence || []), ...(claim.attacks || [])].map(([verdict]) => verdict)]);
  if (claim.trueForm) used.add(BY_ID.get(claim.trueForm).verdict);
  const rows = Object.entries(DATA.verdicts).filter(([name]) => used.has(name))
    .map(([name, told]) => `<dt class="${name}">${mark(name)}${name}</dt><dd>${told}</dd>`);
  return section("Words", `<dl class="words">${rows.join("")}</dl>`);
}

function card(claim) {
  const lines = (claim.evidence || []).map((one) => line(one, claim.kernel)).join("");
  const attacks = (claim.attacks || []).map((one) => line(one)).join("");
  const parts = { claimed: claimed(claim), truth: truth(claim) };
  const picture = claim.drawing ? section("The counterexample", '<div id="picture"></div>') : "";
  const middle = claim.verdict === "REFUTED" ? [parts.truth, parts.claimed, picture] : [parts.claimed, picture, parts.truth];
  return `<article class="card"><p class="crumbs"><a href="#">Ledger</a> / <a href="#paper-${claim.paper}">`
    + `${escaped(paperOf(claim).name)}</a></p>`
    + `<h1>${escaped(claim.rank || claim.place)} <code>${escaped(claim.id)}</code></h1>`
    + `<p class="verdict">${badge(claim)} <span>${verdictSentence(claim)}</span> <em>${capital(DATA.kinds[claim.kind])}.</em></p>`
    + middle.join("")
    + section("How we know", `${lines ? `<ul class="lines">${lines}</ul>` : "<p>Nothing is recorded yet.</p>"}`)
    + section("How it was attacked", attacks && `<ul class="lines">${attacks}</ul>`)
    + section("What rests on what", localMap(claim))
    + commands(claim) + glossary(claim) + "</article>";
}

async function copied(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    const area = document.createElement("textarea");
    area.value = button.dataset.copy;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = button.textContent;
  button.textContent = "copied";
  setTimeout(() => { button.textContent = before; }, 1200);
}
