"""Printed theorems: words and LaTeX state the same inequality, with every letter defined."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fltheory import forever

MU = "1/10"

CASES: list[tuple[str, dict]] = [
    ("mifa", {"staleness": 3, "strong_convexity": MU, "step_size": "3/8"}),
    ("mifa", {"staleness": 3, "strong_convexity": MU, "step_size": "3/8", "noise": 1}),
    ("mifa", {"staleness": 2, "strong_convexity": MU, "step_size": "1/4", "cold_start": True}),
    ("afa-cs", {"staleness": 2, "strong_convexity": MU, "step_size": "1/40", "local_steps": 3}),
    ("mifa", {"probability": "1/2", "strong_convexity": MU, "step_size": "1/4"}),
    ("async", {"pattern": "100", "strong_convexity": MU, "step_size": "1/10"}),
    ("fedavg", {"pattern": "ABB", "strong_convexity": MU, "step_size": "1/10"}),
    ("afa-cd", {"delay": 1, "convex": False, "step_size": "1/3"}),
    ("mifa", {"staleness": 3, "convex": False, "step_size": "3/8"}),
    ("mifa", {"staleness": 3, "strong_convexity": MU, "step_size": "3/8", "all_steps": True}),
]

LETTERS = {
    "x*": r"x* is its minimiser",
    "sigma": "variance at most sigma^2",
    " D": "where D is",
    "zeta": "zeta bounds",
    "/m": "m is the number of deliveries",
    "f(x": "f is their mean",
    "u_": "u_i ",
    "x_t": "x_{t+1} = x_t",
}
"""What must be told about a letter that the inequality uses."""


@pytest.mark.slow
@pytest.mark.parametrize(("method", "given"), CASES)
def test_words_and_latex_have_the_same_numbers_and_define_their_letters(
    method: str, given: dict
) -> None:
    found = forever(method, **given)
    assert found.statement is not None
    assert found.latex is not None
    inequality = found.statement.partition("Then, ")[2]
    for letter, told in LETTERS.items():
        assert letter not in inequality or told in found.statement, letter
    formula = found.latex.partition("\\[")[2]
    for number in re.findall(r"\d+\.\d+", inequality):
        assert number in formula
    assert formula.count("sigma") == len(re.findall(r"sigma\^2/", inequality))
    assert ("\\mathbb E" in formula) == ("E |" in inequality)
    assert found.latex.count("{") == found.latex.count("}")
    assert found.latex.replace("\\$", "").count("$") % 2 == 0


def test_noise_is_in_the_latex_too() -> None:
    found = forever("mifa", staleness=1, strong_convexity=MU, step_size="1/2", noise=1)
    assert found.latex is not None
    assert "\\, \\frac{\\sigma^2}{N}. \\]" in found.latex
    assert "u_i = \\nabla f_i(x_s) + e_{i,s}" in found.latex


def test_the_mean_and_the_sum_of_local_gradients_are_told_apart() -> None:
    given: dict = {"staleness": 1, "strong_convexity": MU, "step_size": "1/40", "local_steps": 2}
    for method, kind in (("afa-cs", "mean"), ("mifa", "sum")):
        told = forever(method, **given).statement
        assert told is not None
        assert f"u_i is the {kind} of grad f_i(y_0), grad f_i(y_1)" in told


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_printed_theorems_compile(tmp_path: Path) -> None:
    theorems = [forever(method, **given).latex for method, given in CASES]
    preamble = (
        "\\documentclass{article}\n\\usepackage{amsmath,amssymb,amsthm}\n"
        "\\newtheorem{theorem}{Theorem}\n\\begin{document}\n"
    )
    for wrong in ("", "\\undefinedword"):
        text = preamble + "\n\n".join(map(str, theorems)) + wrong + "\n\\end{document}\n"
        (tmp_path / "theorems.tex").write_text(text, encoding="utf-8")
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "theorems.tex"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode == 0) == (not wrong), done.stdout[-2000:]
