"""Bad input ends with one sentence on stderr that names the owner, the rule and the value; exit
code 2, no traceback."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.cli.answers import telling_errors

NINES = "9" * 3999
QUADRATIC = "--optima 0,1 --step-size 1/4"
LIMIT = f"limit --algorithm fedavg {QUADRATIC}"
RUN = f"simulate --algorithm mifa {QUADRATIC} --rounds 3"
CLOCK = "limit --algorithm async --optima 0,1 --step-size 1/4 --update-times"

REFUSED = {
    # worst cases and readers
    "worst-case --algorithm mifa --rounds 2 --step-size 1/2 --dissimilarity -1": (
        "--dissimilarity must be at least 0, got -1"
    ),
    "check-certificate /dev/zero": "zero must have at most 16777216 bytes, got a larger file",
    "replay /dev/zero": "file zero must have at most 1000000 bytes, got a larger file",
    # numbers
    "limit --algorithm fedavg --optima 0,1 --step-size nan": (
        "--step-size must be a number such as 3, 1/4 or 0.25, got 'nan'"
    ),
    "limit --algorithm fedavg --optima 0,1 --step-size inf": "--step-size must be a number",
    "limit --algorithm fedavg --optima 0,1 --step-size 1/0": (
        "--step-size must have a non-zero denominator, got '1/0'"
    ),
    "limit --algorithm fedavg --optima 0,1 --step-size 1e999": (
        "--step-size must have an exponent within 400"
    ),
    f"limit --algorithm fedavg --optima 0,1 --step-size {NINES}99": (
        "--step-size must have at most 4000 characters, got '9999"
    ),
    f"limit --algorithm fedavg --availability alternating:1,3 --optima 0,1 --step-size {NINES}": (
        "exact numbers must stay below"
    ),
    "limit --algorithm fedavg --optima 0,1,2 --step-size 1"
    f" --importance 1/3{NINES[9:]},1/7{NINES[9:]},1/3": ("too many digits"),
    "limit --algorithm fedavg --optima 0,x --step-size 1": (
        "entry 2 of --optima must be a number such as 3, 1/4 or 0.25, got 'x'"
    ),
    "limit --algorithm fedavg --optima 0,,1 --step-size 1": "entry 2 of --optima must be a number",
    "limit --algorithm fedavg --optima 0:1,2:y --step-size 1": (
        "coordinate 2 of entry 2 of --optima must be a number"
    ),
    "limit --algorithm fedavg --optima __import__('os') --step-size 1": (
        "entry 1 of --optima must be a number"
    ),
    f"{LIMIT} --importance 1/2,1/3": "importance must sum to 1, got 5/6",
    f"{LIMIT} --importance 3/2,-1/2": "importance of client 1 must be at least 0, got -1/2",
    f"{LIMIT} --local-steps 1/2": (
        "entry 1 of --local-steps must be a whole number in [1, 10000], got 1/2"
    ),
    f"{LIMIT} --local-steps 0": "entry 1 of --local-steps must be a whole number",
    f"{LIMIT} --local-steps 1,2,3": (
        "--local-steps must have one entry, or one for each of 2 clients, got 3 entries"
    ),
    f"{LIMIT} --local-steps 9999": "exact numbers must stay below",
    "limit --algorithm fedavg --optima 0,1 --curvatures 1 --step-size 1": (
        "have one entry for each of 1 clients"
    ),
    f"limit --algorithm fedavg --step-size 1 --optima {','.join(['1'] * 65)}": (
        "clients x coordinates must be at most 64"
    ),
    f"limit --algorithm fedavg --step-size 1 --optima {','.join(['1'] * 60_000)}0,": (
        "entry 60001 of --optima must be a number"
    ),
    f"limit --algorithm fedavg --step-size 1 --optima {'1,' * 100_000}1": (
        "--optima must have at most 100000 entries, got 100001"
    ),
    # names
    "limit --algorithm fedavgg --optima 0,1 --step-size 1": "(near: fedavg, fedlaavg",
    "limit --algorithm fedavg --problem quadratc --optima 0,1 --step-size 1": (
        "(near: quadratic), got 'quadratc'"
    ),
    f"{LIMIT} --availability alternatin:1,3": "(near: alternating), got 'alternatin'",
    "weights --policy asinc --update-times 1,2": (
        "--policy must be one of sync, async, fedfix, fedbuff, got 'asinc'"
    ),
    "simulat": "No such command",
    f"{LIMIT} --jsn": "No such option",
    # what is missing, or too much
    "limit --algorithm fedavg --optima 0,1": (
        "--step-size must be given, or else --symbolic, got neither"
    ),
    f"{LIMIT} --symbolic": "--step-size must be given, or else --symbolic, got both",
    "limit --algorithm fedavg --step-size 1": "--optima is required for --problem quadratic",
    "limit --optima 0,1 --step-size 1": "Missing option '--algorithm'",
    f"limit --algorithm async {QUADRATIC}": "--weights is required for --algorithm async",
    f"limit --algorithm fedprox {QUADRATIC}": (
        "--proximal-strength is required for --algorithm fedprox"
    ),
    f"{LIMIT} --proximal-strength 1/3": (
        "--proximal-strength must be left out: fedavg on quadratic does not use it, got 1/3"
    ),
    f"{LIMIT} --weights 1,2": (
        "--weights must be left out: fedavg on quadratic does not use it, got 1, 2"
    ),
    f"{LIMIT} --identical": "--identical must be left out",
    f"limit --algorithm async {QUADRATIC} --identical --weights 1,2": (
        "--identical must be left out where --weights are given"
    ),
    f"{LIMIT} --tilts 1,-1": "--tilts must be left out",
    f"{LIMIT} --probabilities 1,1/2": "--probabilities must be left out",
    f"{LIMIT} --selection uniform": "--selection must come with --clients-per-round",
    f"{LIMIT} --window 2": "--window must come with --update-times, got 2",
    "weights --policy async": "--update-times is required",
    "weights --update-times 1,2": (
        "--policy must be one of sync, async, fedfix, fedbuff, got nothing"
    ),
    "weights --policy async --update-times 1,2 --window 2": (
        "--window must be left out unless the server waits like fedfix, got 2"
    ),
    "weights --policy fedfix --update-times 1,2": "--window is required for --policy fedfix",
    # clocks
    f"{CLOCK} 1,2,3": "--update-times must have one entry for each of 2 clients, got 3 entries",
    f"{CLOCK} 1,0": "update time of client 1 must be above 0, got 0",
    f"{CLOCK} 1,2 --availability always": (
        "--availability must be left out where --update-times decide who delivers, got always"
    ),
    f"{CLOCK} 1,999999999": "pattern of deliveries must repeat three times within 8192 rounds",
    f"{CLOCK} 1,2 --exponential": "pattern of deliveries must repeat itself",
    "weights --policy fedfix --update-times 1,2 --window 0": "window must be above 0, got 0",
    "weights --policy fedbuff --update-times 1,2 --buffer 3": (
        "buffer must be at most the 2 clients, got 3"
    ),
    "weights --policy fedbuff --update-times 1,2 --buffer 1 --exponential": (
        "--exponential must be left out for fedbuff"
    ),
    "weights --policy fedbuff --update-times 99999999,1,2 --buffer 2": (
        "repeats within 20000 rounds"
    ),
    f"weights --policy fedfix --update-times 1,2 --window 1/{NINES[9:]} --exponential": (
        "--window must be large enough"
    ),
    f"weights --policy fedfix --update-times 1,2 --window {NINES} --exponential": (
        "too large for floating point"
    ),
    # patterns without a period
    f"{LIMIT} --availability bernoulli:1/2": "must repeat itself for a limit cycle to exist",
    f"{LIMIT} --availability doubling": "must repeat itself",
    f"{LIMIT} --max-delay 3": "must repeat itself",
    f"{LIMIT} --clients-per-round 1 --selection uniform": "must repeat itself",
    f"{LIMIT} --availability alternating:1000000000,1": (
        "must repeat three times within 8192 rounds"
    ),
    "limit --algorithm fedavg --problem sine --phases 0,1 --step-size 1": (
        "problem must have affine gradients"
    ),
    "limit --algorithm fedavg --availability alternating:50,50 --optima 0,1 --symbolic": (
        "local steps in formulas must be at most 60"
    ),
    # runs
    f"{RUN} --rounds 0": "Invalid value for '--rounds'",
    f"{RUN} --rounds -7": "Invalid value for '--rounds'",
    f"{RUN} --rounds 1000000": "exact numbers must stay below",
    f"{RUN} --rounds 100000000 --arithmetic float": (
        "rounds x clients must be at most 100000000, got 100000000 x 2"
    ),
    f"{RUN} --step-size 1/(t+-1)": "shift in --step-size must be above -1",
    f"{RUN} --noise loud": "--noise must be written gaussian:VARIANCE or signs:SCALE, got 'loud'",
    f"{RUN} --noise gaussian:1": "gaussian noise is not rational",
    f"{RUN} --noise gaussian:-1 --arithmetic float": "noise variance must be at least 0, got -1",
    f"{RUN} --step-size 1e400 --arithmetic float": "too large for floating point",
    f"{RUN} --arithmetic complex": "Invalid value for '--arithmetic'",
    f"{RUN} --start 1,2": "--start must separate coordinates by colons, got '1,2'",
    f"{RUN} --start 1:2": "start must have the problem's 1 coordinates",
    f"{RUN} --plot x.doc": "--plot must name a file that ends in .png, .pdf, .svg, got 'x.doc'",
    f"{RUN} --plot /nonexistent/x.png": "/nonexistent/x.png: No such file or directory",
    "simulate --algorithm mifa --optima 0,1 --rounds 2 --arithmetic symbolic --plot x.png": (
        "formulas cannot be drawn"
    ),
    "simulate --algorithm mifa --optima 0,1 --rounds 2": (
        "--step-size is required for --arithmetic rational"
    ),
    "simulate --algorithm mifa --problem sine --phases 0,1 --rounds 2 --step-size 1": (
        "the cosine of a rational number is not rational"
    ),
    "gap --algorithm mifa --optima 0,1 --step-size 1/4 --rounds 3 --traces 100000000": (
        "Invalid value for '--traces'"
    ),
    "rates --algorithm mifa --versus T --engine samples --runs 100000000000 --grid 10,20,40": (
        "Invalid value for '--runs'"
    ),
    "verify fraboni.ex2 nope": "got 'nope'",
    "verify fraboni.ex2 --jobs 0": "jobs must be at least 1, got 0",
    # traces
    "trace make always --rounds 3": "--clients is required for the model always",
    "trace make always --rounds -3 --clients 2": "Invalid value for '--rounds'",
    "trace make always --rounds 100000 --clients 100000": (
        "rounds x clients must be at most 100000000, got 100000 x 100000"
    ),
    "trace make bernoulli:2 --rounds 3 --clients 2": (
        "availability probability of client 0 must lie in (0, 1], got 2"
    ),
    "trace make bernoulli:1/2 --rounds 3 --clients 2 --seed -1": "seed must",
    "trace make alternating:1,3 --rounds 3 --clients 1": (
        "number of durations must lie in [1, 1], because every group needs a client, got 2"
    ),
    "trace make recorded:/nonexistent --rounds 2": "must be a file that exists, got '/nonexistent'",
    "trace make always --rounds 3 --clients 2 -o /nonexistent/x.csv": (
        "/nonexistent/x.csv: No such file or directory"
    ),
    "trace make always --rounds 3 --clients 2 -o /": "/: Is a directory",
    "trace stats /nonexistent": "must be a file that exists, got '/nonexistent'",
    "trace stats /": "must be a file that exists, got '/'",
    "trace stats /dev/zero": "must be a file that exists, got '/dev/zero'",
}


def refused(line: str) -> Any:
    result = CliRunner().invoke(make_app(), line.split())
    assert result.exit_code == 2, (result.exit_code, result.exception)
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    return " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.slow
@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line[:70])
def test_bad_input_is_refused_by_name(line: str) -> None:
    assert REFUSED[line] in refused(line)


FILES = {
    b"": "header",
    b"a,b\n": "at least one round",
    b"a,b\n1,0\n1\n": "line 3 of bad.csv must have 2 cells, like the header, got 1 cells",
    b"a,a\n1,0\n": "must be all different, got 'a' twice",
    b"a,b\n1,nan\n": "client 'b' in line 2 of bad.csv must be 0 or 1, got 'nan'",
    b"round,a\n2,1\n1,1\n": "round in line 3 of bad.csv must come after round 2, got 1",
    b"\x7fELF\x02\x01\xff\xfe": "bad.csv must be text in UTF-8, got other bytes",
    b"\x00\x00\x00": "bad.csv",
}


@pytest.mark.parametrize("content", FILES, ids=lambda content: repr(content[:20]))
def test_bad_files_are_refused_by_line(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    assert FILES[content] in refused(f"trace stats {file}")


def test_a_bug_is_not_mistaken_for_bad_input() -> None:
    with pytest.raises(ValueError, match="a bug"), telling_errors():
        raise ValueError("a bug")
