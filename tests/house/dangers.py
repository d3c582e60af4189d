"""Ways in which input could become code, found in the source."""

import ast
from collections.abc import Iterator

DANGEROUS = {
    "eval",
    "exec",
    "sympify",
    "parse_expr",
    "parse_latex",
    "lambdify",
    "compile",
    "__import__",
    "__builtins__",
    "__globals__",
    "system",
    "popen",
    "getoutput",
    "getstatusoutput",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "execl",
    "spawnv",
    "spawnl",
    "posix_spawn",
    "startfile",
    "read_pickle",
    "unsafe_load",
    "kernS",
    "parse_mathematica",
    "run_path",
    "run_module",
    "spec_from_file_location",
    "FunctionType",
    "CodeType",
    "breakpoint",
    "__subclasses__",
    "globals",
}


ALSO_WORDS = {"system"}
"""Names that a variable may have; to come from a module they must be imported, or stand behind a
dot."""


DANGEROUS_MODULES = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "yaml",
    "dill",
    "cloudpickle",
    "joblib",
    "jsonpickle",
    "builtins",
    "code",
    "_pickle",
    "runpy",
    "ctypes",
    "imp",
    "pty",
}


HARMLESS = {"re.compile", "torch.compile"}
"""Compilers of patterns and of recorded tensor operations: neither takes source text."""


SHELLS = {"sh", "bash", "/bin/sh", "/bin/bash"}


def full_name(node: ast.expr, known: dict[str, str]) -> str:
    """A name with its module, whatever it is called here."""
    first, dot, rest = ast.unparse(node).partition(".")
    return known.get(first, first) + dot + rest


def other_names(tree: ast.Module) -> dict[str, str]:
    """What imported names stand for."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            known |= {
                alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names
            }
    return known


def dangerous_calls(tree: ast.Module) -> Iterator[str]:
    """Ways in which input could become code, called or only named, under their own name or another;
    those that take no source text do not count."""
    known = other_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in DANGEROUS - ALSO_WORDS:
                yield f"names {name}"
            case ast.Attribute(attr=name) if (
                name in DANGEROUS and ast.unparse(node) not in HARMLESS
            ):
                yield f"names {name}"
            case ast.Subscript(slice=ast.Constant(value=str(text))) if (
                text in DANGEROUS - ALSO_WORDS | DANGEROUS_MODULES - {"code"}
            ):
                yield f"looks up {text}"
            case ast.List(elts=parts) if SHELLS & {
                part.value for part in parts if isinstance(part, ast.Constant)
            }:
                yield "names a shell"
            case ast.Call():
                yield from dangerous_arguments(node, full_name(node.func, known))
                if (
                    ast.unparse(node.func) == "getattr"
                    and isinstance(node.args[1], ast.BinOp | ast.JoinedStr)
                    and (ast.unparse(node.args[0]).split(".")[0] in known)
                ):
                    yield "reaches into a module for a name that is put together"
            case ast.ImportFrom(module=module, names=aliases):
                yield from (
                    f"imports {alias.name}"
                    for alias in aliases
                    if alias.name in DANGEROUS | DANGEROUS_MODULES
                    and (module, alias.name) != ("re", "compile")
                )
                if (module or "").split(".")[0] in DANGEROUS_MODULES:
                    yield f"imports {module}"
            case ast.Import(names=aliases):
                yield from (
                    f"imports {alias.name}"
                    for alias in aliases
                    if alias.name.split(".")[0] in DANGEROUS_MODULES
                )


def dangerous_arguments(call: ast.Call, name: str) -> Iterator[str]:
    """Calls that are harmless with other arguments."""
    texts = {
        part.value
        for part in call.args
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    }
    if name.split(".")[-1] in ("getattr", "import_module", "attrgetter", "methodcaller"):
        yield from (
            f"reaches for {text}"
            for text in texts
            if {text, text.split(".")[0]} & (DANGEROUS | DANGEROUS_MODULES)
        )
    yield from (
        f"sets {word.arg}" for word in call.keywords if word.arg in ("shell", "allow_pickle")
    )
    if (
        name.split(".")[0] == "torch"
        and name.split(".")[-1] == "load"
        and not any(
            word.arg == "weights_only" and ast.unparse(word.value) == "True"
            for word in call.keywords
        )
    ):
        yield "loads tensors with whatever comes with them"
    if name in ("np.load", "numpy.load") and len(call.args) > 2:
        yield "loads arrays with whatever comes with them"
    if name in ("S", "sympy.S") and not all(
        isinstance(part, ast.Constant) and isinstance(part.value, int) for part in call.args
    ):
        yield "makes a formula of what may be text"
