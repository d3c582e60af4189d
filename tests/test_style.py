"""House style that a machine can see; each rule also meets a planted violation."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import pytest

from fltheory.vocabulary import WORDS

ROOT = Path(__file__).parent.parent
PACKAGE = {path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "fltheory").rglob("*.py"))}
TESTS = {path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "tests").rglob("*.py"))}

OTHERS = {path.relative_to(ROOT): path.read_text() for folder in ("verification", "figures", "docs", "paper_reproductions")
          for path in sorted((ROOT / folder).rglob("*.py"))}

LONGEST, MEDIAN = 300, 180
DANGEROUS = {"eval", "exec", "sympify", "parse_expr", "lambdify", "compile", "__import__", "system", "popen"}
DANGEROUS_MODULES = {"pickle", "marshal", "shelve", "yaml"}
GREEK = re.compile("(alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega)(_|$)", re.I)

Rule = Callable[[ast.Module], Iterator[str]]


def too_long(source: str) -> bool:
    return len(source.splitlines()) > LONGEST


def dangerous_calls(tree: ast.Module) -> Iterator[str]:
    """Ways in which user input could become code; a method of a compiled pattern or a query does not count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            pattern = ast.unparse(node.func) == "re.compile"
            if name in DANGEROUS and not pattern:
                yield f"calls {name}"
            if any(word.arg == "shell" for word in node.keywords):
                yield "runs a shell"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (f"imports {name}" for name in names if name.split(".")[0] in DANGEROUS_MODULES)


def missing_docstrings(tree: ast.Module) -> Iterator[str]:
    """Public functions of a module; `register` of a command has a fixed meaning."""
    if tree.body and not ast.get_docstring(tree):
        yield "module"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not ast.get_docstring(node) and not node.name.startswith("_") and node.name != "register":
            yield node.name


def paper_letters() -> set[str]:
    """Letters of the vocabulary; single small ones stay free for indices and coordinates."""
    printed = " ".join(text for word in WORDS for text in (word.mifa, word.fraboni, word.fedlaavg, word.afl))
    letters = {letter for letter in re.findall(r"\w+", printed) if letter.isupper() or "_" in letter}
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
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"prints in line {node.lineno}"


RULES: dict[Rule, tuple[str, ...]] = {
    dangerous_calls: ("x = eval('1')", "import pickle", "from yaml import load", "sympify(text)", "run(x, shell=True)", "os.system('ls')"),
    missing_docstrings: ('"""Module."""\ndef public(): return 1', "x = 1"),
    letters_in_signatures: ("def f(tau): ...", "def f(*, eta_l): ...", "def f(p_i): ...", "def f(N, /): ...", "def f(sigma_G): ..."),
    printing: ("print(1)",),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_package_keeps_the_rule(rule: Rule) -> None:
    assert {str(path): found for path, source in PACKAGE.items() if (found := list(rule(ast.parse(source))))} == {}


@pytest.mark.parametrize(("rule", "planted"), [(rule, text) for rule, texts in RULES.items() for text in texts])
def test_a_planted_violation_is_caught(rule: Rule, planted: str) -> None:
    assert list(rule(ast.parse(planted)))


def test_no_file_is_too_long() -> None:
    assert [str(path) for path, source in (PACKAGE | TESTS | OTHERS).items() if too_long(source)] == []
    assert too_long("x = 1\n" * (LONGEST + 1))


def test_half_of_the_files_are_short() -> None:
    assert median(len(source.splitlines()) for source in PACKAGE.values()) < MEDIAN
