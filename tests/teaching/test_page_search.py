"""The search among the claims: by words, by keyboard, and told."""

from fltheory.teaching.instances import instances
from tests.teaching.page_tabs import Tab

LISTED = """() => [...document.querySelectorAll('#set-claim option')].map((one) =>
    one.textContent)"""


def test_words_leave_the_claims_that_have_them_and_enter_picks_the_first(tab: Tab) -> None:
    tab.open("counterexample")
    assert len(tab.js(LISTED)) == len(instances())
    tab.page.focus("#find-claim")
    tab.page.keyboard.type("gradient step")
    left = [one.split(":")[0] for one in tab.js(LISTED)]
    wanted = {
        one["id"]
        for one in instances()
        if all(
            word in f"{one['id']} {one['says']} {one['place']}".lower()
            for word in ("gradient", "step")
        )
    }
    assert set(left) == wanted
    assert 0 < len(left) < len(instances())
    assert tab.page.inner_text(".finder output") == f"{len(left)} of {len(instances())}"
    tab.page.keyboard.press("Enter")
    assert f"claim={left[0]}" in tab.fragment


def test_letters_in_the_search_are_no_commands(tab: Tab) -> None:
    tab.open("counterexample")
    tab.page.focus("#find-claim")
    tab.page.keyboard.type("wa d1")
    assert tab.page.input_value("#find-claim") == "wa d1"
    assert tab.js("() => document.getElementById('explanation').open") is False
    assert tab.fragment == "#counterexample"
    assert tab.js("() => document.documentElement.dataset.theme") == "light"
    assert tab.js(LISTED) == []
    tab.page.keyboard.press("Enter")
    assert tab.fragment == "#counterexample"
    tab.page.fill("#find-claim", "")
    assert len(tab.js(LISTED)) == len(instances())


def test_greek_letters_are_found_by_name_and_written_with_their_indices(tab: Tab) -> None:
    tab.open("counterexample")
    for words in ("sigma_L^2", "σ_L²"):
        tab.page.fill("#find-claim", words)
        assert "afl.thm2" in [one.split(":")[0] for one in tab.js(LISTED)]
    tab.page.fill("#find-claim", "afl.thm2 sigma")
    assert [one.split(":")[0] for one in tab.js(LISTED)][:1] == ["afl.thm2"]
    tab.page.press("#find-claim", "Enter")
    assert "claim=afl.thm2" in tab.fragment
    says = "() => document.querySelector('#formula blockquote').innerHTML"
    assert "σ<sub>L</sub>²" in tab.js(says)
    assert not {"_", "^"} & set(tab.js(says))
    assert "sigma" not in tab.js(says)
