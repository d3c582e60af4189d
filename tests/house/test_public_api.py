"""The public functions: real types, a sentence and an example each; results that are frozen, short
to read, safe in HTML and ready for JSON."""

import ast
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, is_dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import typer

import fltheory as fl
from fltheory.cli import make_app
from fltheory.core.results import Shown, Table, as_html, as_text

ROOT = Path(fl.__file__).parent
FUNCTIONS = sorted(name for name in fl.__all__ if inspect.isfunction(getattr(fl, name)))
OF_COMMAND = {
    "list": "list_members",
    "limit": "limit_cycle",
    "gap": "expected_gap",
    "weights": "weight_report",
    "selftest": "self_test",
    "trace stats": "summarize_trace",
    "trace make": "build_trace",
}
"""Functions whose names are not those of their commands."""


def test_the_table_of_names_agrees_with_the_imports_that_type_checkers_see() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text())
    (guarded,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {
        alias.name: str(node.module).removeprefix("fltheory.")
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    assert seen == fl._MODULE_OF


def test_names_are_found_listed_and_refused() -> None:
    assert set(fl.__all__) <= set(dir(fl))
    for name in fl.__all__:
        assert getattr(fl, name) is not None
    assert fl.problems.__name__ == "fltheory.problems"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        fl.nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from fltheory import nothing", {})


@pytest.mark.slow
def test_a_type_checker_sees_real_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    source = tmp_path / "user.py"
    source.write_text(
        "import fltheory\nfrom fltheory import verify\n"
        "reveal_type(verify())\nfltheory.worst_case(3)\nfltheory.nothing\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(source)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT.parent,
    )
    assert 'Revealed type is "fltheory.ledger.verify.Verification"' in done.stdout
    assert 'Missing positional argument "trace"' in done.stdout
    assert 'Module has no attribute "nothing"' in done.stdout


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_documented_by_types_a_sentence_and_an_example(name: str) -> None:
    function = getattr(fl, name)
    told = inspect.getdoc(function) or ""
    assert told.split("\n\n")[0].rstrip().endswith((".", ":")), told
    assert ">>>" in told, "an example"
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
        if parameter.default is not inspect.Parameter.empty and len(signature.parameters) > 3:
            positional = parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            assert not positional or name in ("rates", "demo"), (name, parameter.name)


def commands() -> list[str]:
    root: Any = typer.main.get_command(make_app())
    found = []
    for name, command in root.commands.items():
        inner = getattr(command, "commands", None)
        found += [f"{name} {part}" for part in inner] if name == "trace" and inner else [name]
    return sorted(set(found) - {"new"})


@pytest.mark.parametrize("command", commands())
def test_every_command_has_a_function(command: str) -> None:
    assert OF_COMMAND.get(command, command.replace("-", "_")) in FUNCTIONS


DRIFT = fl.build_trace("alternating:1,3", 12, num_clients=2)
QUADRATIC = fl.Quadratic(curvatures=(2, 2), optima=(0, 1))


def sweep_results(folder: Path) -> Shown:
    spec = folder / "gaps.toml"
    spec.write_text(
        'command = "gap"\n[fixed]\nalgorithm = "mifa"\noptima = "0,1"\nstep-size = "1/4"\n'
        "[grid]\nrounds = [2, 3]\n"
    )
    assert fl.sweep(spec, jobs=1).complete
    return fl.results(spec)


def certificate(folder: Path) -> Shown:
    from fltheory.claims.record import house_folder

    return fl.check_certificate(next(iter((house_folder() / "certificates").glob("*.json"))))


def advice(folder: Path) -> Shown:
    log = folder / "fleet.csv"
    log.write_text("round,a,b\n" + "".join(f"{t},1,{t % 2}\n" for t in range(40)))
    return fl.advise(log)


RESULTS: dict[str, Callable[[Path], Any]] = {
    "verify": lambda folder: fl.verify("fraboni.ex2.iff"),
    "attack": lambda folder: fl.attack("fraboni.ex2.iff", attempts=30),
    "explain": lambda folder: fl.explain("fraboni.ex2"),
    "cite": lambda folder: fl.cite("fraboni.ex2"),
    "prove": lambda folder: fl.prove("afl.thm2c", coq=False),
    "report": lambda folder: fl.report(folder / "ledger.md"),
    "limit_cycle": lambda folder: fl.limit_cycle(
        fl.FedAvg(), QUADRATIC, DRIFT, local_step_size="1/4"
    ),
    "simulate": lambda folder: fl.simulate(
        fl.FedAvg(), QUADRATIC, DRIFT, start=0, local_step_size="1/4"
    ),
    "expected_gap": lambda folder: fl.expected_gap(
        fl.FedAvg(), QUADRATIC, DRIFT, start=0, local_step_size="1/4"
    ),
    "rates": lambda folder: fl.rates("mifa", "K", grid=[1, 2, 4], rounds=50),
    "weight_report": lambda folder: fl.weight_report([1, 2], fl.Asynchronous()),
    "summarize_trace": lambda folder: fl.summarize_trace(DRIFT),
    "list_claims": lambda folder: fl.list_claims("fraboni.ex2"),
    "list_members": lambda folder: fl.list_members(),
    "demo": lambda folder: fl.demo("drift", rounds=8),
    "results": sweep_results,
    "check_certificate": certificate,
    "advise": advice,
    "self_test": lambda folder: fl.self_test(runs=64, compiled=False),
}


class Tags(HTMLParser):
    """Tags that are open, to see that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: object) -> None:
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_frozen_readable_and_ready_for_json(name: str, tmp_path: Path) -> None:
    found = RESULTS[name](tmp_path)
    assert isinstance(found, Shown)
    assert is_dataclass(found)
    with pytest.raises(FrozenInstanceError):
        setattr(found, fields(found)[0].name, None)
    data = found.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    shown = repr(found)
    assert not shown.startswith(f"{type(found).__name__}("), "not the fields one after the other"
    assert "object at 0x" not in shown
    page = Tags()
    page.feed(found._repr_html_())
    page.close()
    assert page.open == []


def test_exact_numbers_are_text_in_the_data_and_in_the_repr() -> None:
    found = fl.limit_cycle(fl.FedAvg(), QUADRATIC, DRIFT, local_step_size="1/4")
    assert found.to_dict()["at_period_end"] == "14/15"
    assert "at period end" in repr(found)
    assert "14/15" in repr(found)
    assert "14/15" in found._repr_html_()


class Planted:
    """A result with text that would be markup."""

    def tables(self) -> list[Table]:
        return [Table("<b>", ("a&b",), [("<script>",)] * 30)]

    def to_dict(self) -> dict[str, Any]:
        return {}


def test_html_is_escaped_and_long_tables_are_cut() -> None:
    shown = as_html(Planted())
    assert "<script>" not in shown
    assert "<caption>&lt;b&gt;</caption>" in shown
    assert shown.count("&lt;script&gt;") == 20
    assert "and 10 more" in as_text(Planted())
