"""House style that a machine can see; each rule also meets a planted violation."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pytest

from fltheory.core.vocabulary import WORDS
from fltheory.papers import papers
from tests.house.dangers import (
    dangerous_calls,
)

ROOT = Path(__file__).parents[2]
PACKAGE = {
    path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "fltheory").rglob("*.py"))
}
TESTS = {
    path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "tests").rglob("*.py"))
}

OTHERS = {
    path.relative_to(ROOT): path.read_text()
    for folder in ("verification", "figures", "docs", "paper_reproductions")
    for path in sorted((ROOT / folder).rglob("*.py"))
}

LONGEST, MEDIAN = 300, 180
GREEK = re.compile(
    "(alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega)(_|$)",
    re.I,
)

Rule = Callable[[ast.Module], Iterator[str]]


def too_long(source: str) -> bool:
    return len(source.splitlines()) > LONGEST


def missing_docstrings(tree: ast.Module) -> Iterator[str]:
    """Public functions of a module; `register` of a command has a fixed meaning."""
    if tree.body and not ast.get_docstring(tree):
        yield "module"
    for node in tree.body:
        if (
            isinstance(node, ast.FunctionDef)
            and not ast.get_docstring(node)
            and not node.name.startswith("_")
            and node.name != "register"
        ):
            yield node.name


def paper_letters() -> set[str]:
    """Letters of the vocabulary; single small ones stay free for indices and coordinates."""
    printed = " ".join(text for paper in papers().values() for text in paper.letters.values())
    letters = {
        letter for letter in re.findall(r"\w+", printed) if letter.isupper() or "_" in letter
    }
    return letters - {word.name for word in WORDS}


def letters_in_signatures(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            for argument in every:
                if argument.arg in paper_letters() or GREEK.match(argument.arg):
                    yield f"{node.name}({argument.arg})"


def printing(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        ):
            yield f"prints in line {node.lineno}"


RULES: dict[Rule, tuple[str, ...]] = {
    dangerous_calls: (
        "x = eval('1')",
        "import pickle",
        "import pickle as p",
        "from yaml import load",
        "sympify(text)",
        "run(x, shell=True)",
        "os.system('ls')",
        "from sympy import sympify as s",
        "f = sympy.sympify",
        "run = eval",
        "map(eval, texts)",
        "getattr(sympy, 'sympify')",
        "from os import system as s",
        "importlib.import_module('pickle')",
        "from builtins import eval as e",
        "np.load(f, allow_pickle=True)",
        "torch.load(f)",
        "torch.load(f, weights_only=False)",
        "sympy.S(text)",
        "import builtins",
        "subprocess.getoutput(x)",
        "operator.attrgetter('sympify')",
        "from torch import load\nload(f)",
        "import torch as t\nt.load(f)",
        "torch.jit.load(f)",
        "np.load(f, None, True)",
        "from sympy import S as s\ns(text)",
        "import sympy as sp\nsp.S(text)",
        "import sympy\ngetattr(sympy, 'sym' + 'pify')",
        "from sympy import core\ngetattr(core, f'sym{x}')",
        "vars(sympy)['sympify']",
        "globals()[x]",
        "sys.modules['pickle']",
        "import runpy",
        "from importlib import import_module as m\nm('pickle')",
        "subprocess.run(['sh', '-c', x])",
        "import ctypes",
        "importlib.util.spec_from_file_location('x', p)",
        "from sympy.core.sympify import kernS",
        "os.execvp(x, y)",
        "breakpoint()",
    ),
    missing_docstrings: ('"""Module."""\ndef public(): return 1', "x = 1"),
    letters_in_signatures: (
        "def f(tau): ...",
        "def f(*, eta_l): ...",
        "def f(p_i): ...",
        "def f(N, /): ...",
        "def f(sigma_G): ...",
    ),
    printing: ("print(1)",),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule: Rule) -> None:
    assert {
        str(path): found
        for path, source in PACKAGE.items()
        if (found := list(rule(ast.parse(source))))
    } == {}


@pytest.mark.parametrize(
    ("rule", "planted"), [(rule, text) for rule, texts in RULES.items() for text in texts]
)
def test_a_planted_violation_is_caught(rule: Rule, planted: str) -> None:
    assert list(rule(ast.parse(planted)))


def test_programs_that_read_files_of_other_people_keep_the_rule_of_danger_too() -> None:
    read = {
        path: source
        for path, source in OTHERS.items()
        if path.parts[0] == "paper_reproductions" or len(path.parts) == 2
    }
    assert Path("verification/check_certificate.py") in read
    assert {
        str(path): found
        for path, source in read.items()
        if (found := list(dangerous_calls(ast.parse(source))))
    } == {}


@pytest.mark.parametrize(
    "harmless",
    [
        "re.compile('x')",
        "from re import compile",
        "torch.load(f, weights_only=True)",
        "db.execute('x')",
        "model.eval_loss",
        "S.One",
        "sympy.S(5)",
        "getattr(x, 'name')",
        "solve(system)",
        "getattr(x, f'_{name}')",
    ],
)
def test_what_is_harmless_is_let_pass(harmless: str) -> None:
    assert list(dangerous_calls(ast.parse(harmless))) == []


def test_no_file_is_too_long() -> None:
    assert [
        str(path) for path, source in (PACKAGE | TESTS | OTHERS).items() if too_long(source)
    ] == []
    assert too_long("x = 1\n" * (LONGEST + 1))


def test_half_of_the_files_are_short() -> None:
    assert median(len(source.splitlines()) for source in PACKAGE.values()) < MEDIAN
