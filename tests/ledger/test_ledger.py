"""The ledger: a small diff, a verdict that changes is told, a bad line is refused."""

import json
import locale
import platform
import re
from types import SimpleNamespace

import numpy
import pytest
import sympy

import fltheory
from fltheory import InvalidInput
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.record import house_folder
from fltheory.ledger import lines as ledger
from fltheory.ledger import runner


def line(
    claim="toy.a",
    verdict=Verdict.PROVED,
    *,
    scenario="all",
    left="1",
    seconds=1.0,
    versions="versions",
) -> ledger.LedgerLine:
    return ledger.LedgerLine(
        Evidence(claim, Method.SYMBOLIC, verdict, scenario, left, "2", "1/2", "a note"),
        seconds,
        versions,
    )


def test_a_line_is_what_the_command_prints_and_the_file_holds():
    assert line().key == ("toy.a", "SYMBOLIC", "all")
    assert line().to_json() == {
        "id": "toy.a",
        "verdict": "PROVED",
        "method": "SYMBOLIC",
        "left": "1",
        "right": "2",
        "looseness": "1/2",
        "trivial": "",
        "note": "a note",
        "scenario": "all",
        "scope": {"everything": "", "ranges": {}, "kinds": {}},
        "seconds": 1.0,
        "versions": "versions",
    }
    assert ledger.LedgerLine.from_json(line().to_json()) == line()


@pytest.mark.parametrize("name", line().to_json())
def test_a_line_without_one_of_its_fields_is_refused_by_name(name):
    kept = {key: value for key, value in line().to_json().items() if key != name}
    with pytest.raises(
        InvalidInput,
        match=(
            f"^line of the ledger must have all fields of a ledger line, got trouble with '{name}'$"
        ),
    ):
        ledger.LedgerLine.from_json(kept)


def test_a_check_is_timed_and_speaks_of_its_own_claim(monkeypatch):
    clock = iter([2.0, 5.12345])
    monkeypatch.setattr(ledger.time, "process_time", lambda: next(clock))
    asked = []
    found = line().evidence

    def decided(claim):
        asked.append(claim)
        return found

    decisive = SimpleNamespace(claim="toy.a", decide=decided, everything="")
    assert ledger.decide(decisive, "the claim itself") == ledger.LedgerLine(
        found, 3.12, ledger.versions_now()
    )
    assert asked == ["the claim itself"]
    monkeypatch.undo()
    with pytest.raises(
        InvalidInput, match=r"^check of toy\.b must speak of its own claim, got toy\.a$"
    ):
        ledger.decide(SimpleNamespace(claim="toy.b", decide=decided), None)


def test_versions_are_those_of_this_process():
    expected = (
        f"fltheory {fltheory.__version__}, Python {platform.python_version()}, sympy"
        f" {sympy.__version__}, numpy {numpy.__version__}"
    )
    assert ledger.versions_now() == expected


def test_the_verdict_on_a_claim_is_that_of_all_its_lines():
    lines = [
        line("toy.b", Verdict.SUPPORTED),
        line("toy.a"),
        line("toy.b", Verdict.REFUTED, scenario="more"),
    ]
    assert list(ledger.verdicts(lines).items()) == [
        ("toy.a", Verdict.SUPPORTED),
        ("toy.b", Verdict.REFUTED),
    ]


def test_lines_survive_the_file(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.record(path, [line("toy.b"), line("toy.a")], ["toy.a", "toy.b"])
    assert [found.evidence.claim for found in ledger.read(path)] == ["toy.a", "toy.b"]
    assert ledger.read(path)[0] == line("toy.a")
    assert ledger.read(tmp_path / "absent") == []


def test_a_ledger_in_a_folder_that_is_not_there_yet_is_written(tmp_path):
    path = tmp_path / "a" / "b" / "ledger.jsonl"
    ledger.record(path, [line()], ["toy.a"])
    assert ledger.read(path) == [line()]


def test_recording_again_changes_only_what_was_found_out(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.record(
        path, [line("toy.a", seconds=1.0), line("toy.b", seconds=1.0)], ["toy.a", "toy.b"]
    )
    before = path.read_text()
    ledger.record(path, [line("toy.a", seconds=9.0)], ["toy.a", "toy.b"])
    assert path.read_text() == before
    ledger.record(path, [line("toy.a", versions="newer ones")], ["toy.a", "toy.b"])
    assert path.read_text() == before
    ledger.record(path, [line("toy.a", left="3", seconds=9.0)], ["toy.a"])
    after = [json.loads(text) for text in path.read_text().splitlines()]
    assert [(entry["id"], entry["left"], entry["seconds"]) for entry in after] == [
        ("toy.a", "3", 9.0)
    ]


def test_a_claim_that_is_decided_again_loses_its_old_lines(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.record(
        path,
        [line("toy.a"), line("toy.a", scenario="τ = 2"), line("toy.b", scenario="τ = 2")],
        ["toy.a", "toy.b"],
    )
    ledger.record(path, iter([line("toy.a")]), iter(["toy.a", "toy.b"]))
    assert [found.key[::2] for found in ledger.read(path)] == [("toy.a", "all"), ("toy.b", "τ = 2")]
    assert "τ = 2" in path.read_text(encoding="utf-8")


def test_a_line_ends_where_it_ends_whatever_its_note_holds_and_wherever_it_is_read(tmp_path):
    path = tmp_path / "ledger.jsonl"
    odd = line(scenario="τ\u2028\x85\x0b\x1c\r")
    before = locale.setlocale(locale.LC_CTYPE)
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        ledger.record(path, [odd, line("toy.b")], ["toy.a", "toy.b"])
        assert ledger.read(path) == [odd, line("toy.b")]
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    path.write_text(path.read_text(encoding="utf-8").removesuffix("\n"), encoding="utf-8")
    assert ledger.read(path) == [odd, line("toy.b")]
    path.write_text("", encoding="utf-8")
    assert ledger.read(path) == []


def test_a_changed_verdict_is_told():
    recorded = [line("toy.a"), line("toy.b"), line("toy.b", scenario="more")]

    def told(*fresh, complete):
        return ledger.differences(iter(recorded), iter(fresh), complete=complete)

    assert told(line("toy.a"), complete=True) == told(line("toy.b"), complete=False) == []
    assert told(line("toy.b"), complete=True) == [
        "toy.b: recorded PROVED (more) is not found any more"
    ]
    now = [line("toy.c"), line("toy.a", Verdict.REFUTED)]
    assert (
        told(*now, complete=True)
        == told(*now, complete=False)
        == [
            "toy.c: PROVED by symbolic algebra is not in the ledger",
            "toy.a: recorded PROVED, now REFUTED by symbolic algebra",
        ]
    )


@pytest.mark.parametrize("name", ["left", "right", "looseness", "trivial", "note", "scope"])
def test_a_forged_field_is_told_by_name(name):
    old = line().to_json()
    forged = {"everything": "all", "ranges": {}, "kinds": {}} if name == "scope" else "999"
    recorded = ledger.LedgerLine.from_json(old | {name: forged})
    (told,) = ledger.differences([recorded], [line()], complete=True)
    assert told.startswith(f"toy.a: {name} by symbolic algebra is ")


def test_what_differs_is_shown_up_to_eighty_characters():
    old = line().to_json()
    recorded, now = (ledger.LedgerLine.from_json(old | {"note": sign * 90}) for sign in ("a", "b"))
    assert ledger.differences([recorded], [now], complete=True) == [
        f"toy.a: note by symbolic algebra is {'b' * 80!r}, recorded {'a' * 80!r}"
    ]


def test_seconds_and_versions_may_differ():
    assert ledger.differences([line(seconds=9.0, versions="older")], [line()], complete=True) == []


INCOMPLETE = "line of the ledger must have all fields of a ledger line, got trouble with"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{" + "x" * 200, "line 2 of ledger.jsonl must be JSON, got .{1,80}"),
        (
            "[" + "1, " * 30 + "1]",
            r"line 2 of ledger.jsonl must be a JSON object, got \[" + "1, " * 19 + "1,",
        ),
        ("[]", r"line 2 of ledger.jsonl must be a JSON object, got \[\]"),
        ("{}", f"{INCOMPLETE} 'id'"),
        (json.dumps(line().to_json() | {"verdict": "MAYBE"}), f"{INCOMPLETE} 'MAYBE'"),
        (json.dumps(line().to_json() | {"method": "GUESS"}), f"{INCOMPLETE} 'GUESS'"),
        (
            json.dumps(line().to_json() | {"note": 3, "versions": 3}),
            f"{INCOMPLETE} note, which is no text",
        ),
    ],
)
def test_bad_lines_are_refused(text, message, tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_text(json.dumps(line().to_json()) + "\n" + text + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match=f"^{message}$"):
        ledger.read(path)


def test_recorded_ledger_is_sorted_and_knows_its_claims():
    from fltheory.papers import all_claims

    texts = runner.ledger_file().read_text(encoding="utf-8").splitlines()
    assert texts == sorted(texts)
    recorded = ledger.verdicts(runner.recorded())
    assert set(recorded) == set(all_claims())
    refuted = {claim for claim, verdict in recorded.items() if verdict is Verdict.REFUTED}
    assert {path.stem for path in (house_folder() / "counterexamples").glob("*.json")} == refuted


def test_no_verdict_rests_on_a_claim_that_is_not_proved():
    recorded = ledger.verdicts(runner.recorded())
    assert runner.weak_links(recorded) == []
    weakened = recorded | {"afl.cor3.floor": Verdict.SUPPORTED}
    assert [sentence.split(":")[0] for sentence in runner.weak_links(weakened)] == [
        "afl.cor3",
        "afl.cor3.rate.M",
        "afl.rem7",
    ]


def test_no_order_is_refuted_by_finitely_many_instances():
    refuted = [
        found.evidence for found in runner.recorded() if found.evidence.verdict is Verdict.REFUTED
    ]
    assert not [evidence.claim for evidence in refuted if evidence.method is Method.SWEEP]


def test_an_instance_that_is_named_is_described():
    def left_open(scenarios):
        return [text for text in scenarios if re.search(r"instance \d+: *($|;)", text)]

    assert left_open(one.evidence.scenario for one in runner.recorded()) == []
    assert left_open(["runs; instance 3: ", "runs; instance 3: one client"]) == [
        "runs; instance 3: "
    ]


def test_a_line_with_an_unknown_field_is_refused() -> None:
    line = next(iter(runner.recorded())).to_json()
    assert ledger.LedgerLine.from_json(dict(line)).to_json() == line
    with pytest.raises(InvalidInput, match="'also', which is no field"):
        ledger.LedgerLine.from_json({**line, "also": 1})
