"""Addresses of the page: shared, spoiled, and followed."""

import pytest

from tests.teaching.page_tabs import Tab


@pytest.mark.parametrize(
    "fragment",
    [
        "#drift?t1=2&step=3/7&e1=-1/3&show=fedavg,sampling",
        "#async?mode=turns&q1=3/4&step=1/2",
        "#stragglers?p1=1/3&seed=7&sample=2",
        "#anarchic?rare=0&gap=3/4",
        "#counterexample?claim=fraboni.ex2&factor=1/2",
    ],
)
def test_a_shared_address_gives_the_same_state(fragment: str, tab: Tab) -> None:
    tab.load(fragment[1:])
    assert sorted(tab.fragment.replace("?", "&").split("&")) == sorted(
        fragment.replace("?", "&").split("&")
    )
    shown = tab.js("() => document.getElementById('cards').textContent")
    address = tab.fragment
    tab.load(address[1:])
    assert (tab.fragment, tab.js("() => document.getElementById('cards').textContent")) == (
        address,
        shown,
    )


@pytest.mark.slow
def test_a_spoiled_address_falls_back_to_what_is_allowed(tab: Tab) -> None:
    tab.open("drift?t1=0&t2=2&step=1/0&e1=<b>&rounds=1e9&start=2.5e3&show=sgd&nothing=1&local=1/2")
    assert tab.fragment == "#drift?t2=2"
    told = tab.page.inner_text("#notice")
    assert all(
        part in told
        for part in ("t1=0", "step=1/0", "e1=<b>", "show=sgd", "nothing=1", "local=1/2")
    )
    assert "t2" not in told
    tab.open("drift?t1=2&t2=2&step=1")
    assert (tab.fragment, tab.page.is_visible("#notice")) == ("#drift?t1=2&t2=2&step=1", False)
    tab.open(
        "async?mode=__proto__&clients=NaN&tau1=Infinity&step=-1&start=1e999&horizon=9007199254740993&show=timed,timed,<img"
        " src=x>"
    )
    assert tab.fragment == "#async"
    tab.open(
        "counterexample?claim=constructor&factor=%3Cscript%3Ealert(1)%3C/script%3E&shift="
        + "9" * 5000
    )
    assert tab.fragment == "#counterexample"
    tab.open("stragglers?p1=0&p2=%ZZ&seed=1/2&t1=5&rare=3&show=,,memory,&rounds=10000000000")
    assert tab.js("() => [...document.querySelectorAll('#cards h3')].length") == 1
    assert tab.js("() => document.querySelectorAll('#scene script, #scene img').length") == 0
    tab.open("nowhere")
    assert tab.js("() => document.querySelector('[aria-current]').textContent").endswith("Drift")


def test_why_closes_when_the_address_leads_to_another_scene(tab: Tab) -> None:
    tab.open("async")
    tab.page.click("#why")
    assert tab.js("() => document.getElementById('explanation').open")
    tab.page.evaluate("() => { location.hash = 'stragglers'; }")
    tab.page.wait_for_function("() => !document.getElementById('explanation').open", timeout=10_000)
    assert "stragglers" in str(tab.page.text_content("h1, h2"))
