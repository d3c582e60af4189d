"""The ledger's page in a browser: search, filters, addresses, keys, formulas, widths and schemes;
it asks the network for nothing and complains about nothing."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fltheory.ledger import report_page, runner
from fltheory.ledger.attack_record import recorded_attacks
from fltheory.ledger.report_page import as_html
from fltheory.ledger.report_rows import Row, rows
from fltheory.ledger.runner import counterexample_file
from fltheory.papers import all_claims
from tests.teaching.page_tabs import UNSEEN, Tab

READY = "document.body.dataset.ready === 'yes'"
SHOWN = "[...document.querySelectorAll('#list li:not([hidden]) a')].map((one) => one.dataset.id)"
ARTICLE = "document.querySelector('#article').innerText"

RAW = """async () => { const bad = [], hidden = new CSSStyleSheet();
  hidden.replaceSync("body { display: none }");
  document.adoptedStyleSheets.push(hidden);
  for (const row of document.querySelectorAll("#list a")) {
    location.hash = row.dataset.id;
    await new Promise((done) => addEventListener("hashchange", done, { once: true }));
    const article = document.querySelector("#article"), parts = [];
    const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) parts.push(walk.currentNode.data);
    const plain = parts.join("\\n").replace(/counterexamples\\/[\\w./-]*|[\\w./-]*\\.v\\b/g, "");
    if (/\\*\\*|\\\\[a-z]+[_{ ]|undefined|NaN|\\[object/.test(plain)
        || !document.title.startsWith(`${row.dataset.id}:`)
        || !article.querySelector("math")) bad.push(row.dataset.id); }
  document.adoptedStyleSheets.pop();
  return bad; }"""
"""The claims whose page has program text in its words, or no formula; nothing is laid out, for only
the words are read."""
WORK = """() => { const box = document.querySelector("#search");
  const watch = new MutationObserver(() => {});
  watch.observe(document, { subtree: true, childList: true, attributes: true });
  box.value = "gradient"; box.dispatchEvent(new Event("input"));
  const all = watch.takeRecords();
  watch.disconnect();
  const made = all.flatMap((one) => [...one.addedNodes]).filter((one) => one.localName);
  return [made.length, all.length, document.querySelectorAll("#list *").length]; }"""
"""What a search makes and changes, and how many elements the list has."""


@pytest.fixture(scope="module")
def found() -> list[Row]:
    return rows(list(all_claims().values()), runner.recorded(), recorded_attacks())


@pytest.fixture(scope="module")
def html(found: list[Row]) -> str:
    return as_html(found)


@pytest.fixture(scope="module")
def only_tab(browser: Any, html: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    file: Path = tmp_path_factory.mktemp("ledger") / "ledger.html"
    file.write_text(html, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1366, "height": 900})
    page.add_init_script(f"({UNSEEN})()")
    opened = Tab(page, file.as_uri())
    page.on("console", lambda message: opened.complaints.append(message.text))
    page.on("pageerror", lambda problem: opened.complaints.append(str(problem)))
    page.on("request", lambda request: opened.requests.append(request.url))
    opened.open("")
    opened.wait(READY)
    yield opened
    page.close()


@pytest.fixture
def tab(only_tab: Tab) -> Iterator[Tab]:
    only_tab.js("() => { location.hash = ''; document.querySelector('#clear').click(); }")
    yield only_tab
    outside = [url for url in only_tab.requests if not url.startswith(("file:", "about:", "data:"))]
    assert (only_tab.complaints, outside) == ([], [])


def opened(tab: Tab, claim: str) -> None:
    """The page of a claim, by its address."""
    tab.js("(claim) => { location.hash = claim; }", claim)
    tab.wait(f"document.title.startsWith('{claim}:')")


def test_every_claim_is_in_the_list_and_has_a_page_without_program_text(
    tab: Tab, found: list[Row]
) -> None:
    assert sorted(tab.js(SHOWN)) == sorted(row.claim.id for row in found)
    assert tab.js(RAW) == []


def test_program_text_on_the_page_of_a_claim_is_seen(browser: Any, tmp_path: Path) -> None:
    both = [all_claims()[name] for name in ("fraboni.ex2", "afl.thm2")]
    for planted in ("It is NaN.", "It is undefined.", "It is \\badmacro{x}."):
        made = rows([replace(both[0], says=planted), both[1]], [])
        (tmp_path / "page.html").write_text(as_html(made), encoding="utf-8")
        page = browser.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        assert page.evaluate(RAW) == ["fraboni.ex2"], planted
        page.close()


@pytest.mark.parametrize(
    ("words", "claim"),
    [("staleness fedlaavg", "fedlaavg.thm3"), ("thm5.1", "mifa.thm5.1"), ("sigma_G", "afl.thm2")],
)
def test_search_finds_words_ids_and_letters(tab: Tab, words: str, claim: str) -> None:
    tab.page.fill("#search", words)
    shown = tab.js(SHOWN)
    assert claim in shown
    assert len(shown) < len(all_claims())
    tab.page.fill("#search", "no such word anywhere")
    assert tab.js(SHOWN) == []
    assert tab.js("document.querySelector('#count').textContent") == "no claims"


def test_filters_choose_by_paper_verdict_severity_and_kind(tab: Tab, found: list[Row]) -> None:
    for values in (
        {"paper": "mifa"},
        {"verdict": "REFUTED", "severity": "SLIP"},
        {"paper": "afl", "kind": "OURS", "verdict": "SUPPORTED"},
    ):
        for name, value in values.items():
            tab.page.select_option(f"#by-{name}", value)
        wanted = {
            row.claim.id
            for row in found
            if all(
                {
                    "paper": row.claim.source.paper.key,
                    "verdict": row.verdict,
                    "severity": row.told.severity,
                    "kind": row.claim.source.kind.name,
                }[name]
                == value
                for name, value in values.items()
            )
        }
        assert set(tab.js(SHOWN)) == wanted
        assert wanted
        tab.page.click("#clear")


def test_a_refuted_claim_leads_with_what_is_true_and_draws_its_counterexample(tab: Tab) -> None:
    opened(tab, "afl.thm2")
    text = tab.js(ARTICLE)
    assert text.index("What is true") < text.index("What the paper claims")
    assert tab.js("document.querySelectorAll('#picture svg.plot').length") == 2
    for part in ("What to cite", "fltheory replay afl.thm2", "Hypotheses", "How we know", "Words"):
        assert part in text


def test_a_proof_by_the_kernel_shows_scope_hypotheses_and_axioms(
    tab: Tab, found: list[Row]
) -> None:
    proved = [row for row in found if row.told.kernel is not None]
    if not proved:
        pytest.skip("the record of the proof assistant is empty")
    opened(tab, proved[0].claim.id)
    text = tab.js(ARTICLE)
    theorem = proved[0].told.kernel
    assert theorem is not None
    assert "covers everything that the claim says" in text
    assert theorem["theorem"] in text
    for part in ("Axioms", "Checked", f"fltheory prove {proved[0].claim.id}"):
        assert part in text


def test_keys_search_walk_open_and_go_back(tab: Tab) -> None:
    tab.page.click("h1")
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("fraboni.ex2")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("ArrowUp")
    first = tab.js("document.activeElement.dataset.id")
    assert first == tab.js(SHOWN)[0]
    tab.page.keyboard.press("Enter")
    tab.wait(f"document.title.startsWith('{first}:')")
    tab.page.keyboard.press("Escape")
    assert len(tab.js(SHOWN)) == len(all_claims())
    tab.page.keyboard.press("Escape")
    tab.wait("document.body.dataset.view === 'front'")


def test_the_map_leads_to_claims(tab: Tab) -> None:
    tab.wait("document.querySelectorAll('#map svg.map').length > 3")
    tab.page.click('[data-map="mifa"]')
    name = tab.js("document.querySelector('#map .node').getAttribute('href').slice(1)")
    assert name.startswith("mifa.")
    tab.page.click("#map .node")
    tab.wait(f"document.title.startsWith('{name}:')")


def test_commands_are_copied(tab: Tab) -> None:
    opened(tab, "fraboni.ex2")
    button = tab.page.locator(".command .copy").first
    assert button.get_attribute("data-copy") == "fltheory replay fraboni.ex2"
    button.click()
    tab.wait("document.querySelector('.command .copy').textContent === 'copied'")


@pytest.mark.parametrize("width", [375, 1366, 1920])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(tab: Tab, width: int, scheme: str) -> None:
    tab.page.emulate_media(color_scheme=scheme)
    tab.page.set_viewport_size({"width": width, "height": 844})
    long_file = max(
        (claim for claim in all_claims() if counterexample_file(claim).exists()), key=len
    )
    for claim in ("", "afl.thm3", "mifa.thm6.1", "fraboni.thm1", "fraboni.ex2", long_file):
        tab.js("(claim) => { location.hash = claim; }", claim)
        tab.wait(
            f"document.title.startsWith('{claim}:')" if claim else "document.querySelector('#map')"
        )
        assert tab.js("document.documentElement.scrollWidth") <= width, claim
    colours = tab.js(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    light = [sum(map(int, colour.strip("rgb()").split(","))) for colour in colours]
    assert (light[0] < light[1]) is (scheme == "light")
    tab.page.set_viewport_size({"width": 1366, "height": 900})


def test_the_page_is_small_and_a_search_only_hides_and_shows_rows(tab: Tab, html: str) -> None:
    assert len(html.encode()) < 3_000_000
    rows_ = len(all_claims())
    made, changed, elements = tab.js(WORK)
    assert made == 0
    assert changed < rows_ + 50 < elements


def test_a_search_that_makes_its_list_anew_would_be_seen(tab: Tab) -> None:
    tab.js(
        """() => document.querySelector("#search").addEventListener("input", () => {
          const list = document.querySelector("#list");
          list.replaceChildren(...[...list.children].map((one) => one.cloneNode(true))); })"""
    )
    assert tab.js(WORK)[0] > 0
    tab.load("")
    tab.wait(READY)


def test_the_scripts_are_short_and_evaluate_nothing() -> None:
    for file in sorted((Path(report_page.__file__).parent / "assets").glob("*.js")):
        text = file.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 300
        assert [line for line in text.splitlines() if len(line) > 140] == []
        assert not re.search(r"\beval\(|new Function|document\.write|\bfetch\(|TODO", text)


def test_texts_of_others_are_shown_and_never_run(browser: Any, tmp_path: Path) -> None:
    claim = all_claims()["fraboni.ex2"]
    planted = "<img src=x onerror=alert(1)> & <script>alert(2)</script>."
    made = rows([replace(claim, says=planted, note=planted)], [])
    (tmp_path / "page.html").write_text(as_html(made), encoding="utf-8")
    page = browser.new_page()
    page.goto(f"{(tmp_path / 'page.html').as_uri()}#fraboni.ex2")
    page.wait_for_selector("body[data-ready=yes]")
    assert page.evaluate("document.querySelectorAll('#article img, #article script').length") == 0
    assert "<script>alert(2)" in page.evaluate(ARTICLE)
    page.close()
