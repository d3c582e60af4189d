"""Help as people read it: groups, panels, whole words at 80 columns, only options that are used;
completion of names."""

import re
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.cli.groups import COMMANDS, algorithm_names, availability_names, claim_ids

APP: Any = typer.main.get_command(make_app())
WORDS = {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}


def leaves(command: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
    """Every command and subcommand by its words."""
    found = {" ".join(path): command}
    for name, inner in getattr(command, "commands", {}).items():
        found |= leaves(inner, (*path, name))
    return found


ALL = leaves(APP)


def helped(line: str) -> str:
    result = CliRunner().invoke(make_app(), [*line.split(), "--help"], env=WORDS)
    assert result.exit_code == 0
    return str(result.stdout)


@pytest.mark.slow
def test_every_command_has_a_group_and_groups_have_an_order() -> None:
    assert set(APP.commands) == {name for names in COMMANDS.values() for name in names}
    places = [helped("").index(f"─ {group} ") for group in COMMANDS]
    assert places == sorted(places)
    assert "─ Commands " not in helped("")


@pytest.mark.parametrize("line", ALL)
def test_help_fits_80_columns_and_keeps_words_whole(line: str) -> None:
    shown = helped(line)
    assert max(map(len, shown.splitlines())) <= 80
    flat = " ".join(re.sub(r"[│╭╮╰╯─]", " ", shown).split())
    for parameter in ALL[line].params:
        if parameter.hidden or not parameter.help:
            continue
        said = parameter.help.replace("\\[", "[")
        for word in said.split():
            assert word in flat, (parameter.name, word)


@pytest.mark.parametrize("line", [name for name in ALL if not hasattr(ALL[name], "commands")])
def test_every_command_says_what_it_does_in_plain_sentences(line: str) -> None:
    command = ALL[line]
    assert command.help
    assert command.help.split("\n\n")[0].rstrip().endswith((".", ")."))
    for parameter in command.params:
        if not parameter.hidden:
            assert parameter.help, (line, parameter.name)
            assert parameter.help.endswith((".", "...")), (line, parameter.help)
            assert "unless told" not in parameter.help


@pytest.mark.slow
def test_options_stand_in_panels_and_only_those_that_are_used_are_shown() -> None:
    shown = helped("worst-case")
    for panel in ("Method", "Availability", "Clock", "Function class", "Output"):
        assert f"─ {panel} " in shown
    for option in ("--optima", "--curvatures", "--tilts", "--phases", "--problem"):
        assert option not in shown
    for option in ("--phases", "--gradient-bound", "--max-delay", "--exponential"):
        assert option not in helped("limit")
        assert option in helped("simulate")
    assert len(shown.splitlines()) <= 130


def test_a_hidden_option_is_refused_with_its_reason() -> None:
    line = "worst-case --algorithm mifa --rounds 2 --step-size 1/4 --optima 0,1"
    done = CliRunner().invoke(make_app(), line.split())
    assert done.exit_code == 2
    assert "--optima must be left out: the worst case is over all functions" in done.stderr


def test_choices_are_named_in_the_help() -> None:
    flat = " ".join(re.sub(r"[│─]", " ", helped("simulate")).split())
    assert "Number type (rational, float, symbolic, tensor or compiled)." in flat


def test_names_are_completed() -> None:
    assert "fraboni.ex2.iff" in claim_ids("fraboni.ex2")
    assert algorithm_names("mi") == ["mifa", "mifa-difference"]
    assert availability_names("alt") == ["alternating"]
    options = {parameter.name: parameter for parameter in ALL["simulate"].params}
    completion = options["algorithm"].shell_complete(None, "fedl")
    assert [item.value for item in completion] == ["fedlaavg"]
    assert "--install-completion" in helped("")
