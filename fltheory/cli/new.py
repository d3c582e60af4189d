"""`fltheory new`: a working skeleton of a paper or of an algorithm, with its tests."""

import re
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson
from fltheory.core.errors import InvalidInput

TEMPLATES = Path(__file__).parent / "templates"
Into = Annotated[Path, typer.Option("--into", help="Folder to write into.", metavar="FOLDER")]


def register(app: typer.Typer) -> None:
    """Add new paper and new algorithm."""
    group = typer.Typer(
        no_args_is_help=True, help="Write a working skeleton of a paper or of an algorithm."
    )
    app.add_typer(group, name="new")

    @command(group, "paper")
    def paper(
        name: Annotated[str, typer.Argument(help="Key of the paper, such as stich.")],
        into: Into = Path(),
        as_json: AsJson = False,
    ) -> Answer:
        """Write a folder with two claims, their checks, a search space and tests, and its record.

        Example: fltheory new paper mine --into my_papers
        """
        from fltheory.ledger.verify import verify
        from fltheory.papers.folders import add_papers
        from fltheory.papers.library import KEY, papers

        if not KEY.fullmatch(name) or iskeyword(name):
            raise InvalidInput(
                "name of a paper", "be one word of small letters, digits and _", name
            )
        if name in papers():
            raise InvalidInput("name of a paper", "be one that no other paper has", name)
        _refuse_module(name, into)
        written = write("paper", into / name, {"key": name}, {"test_key.py": f"test_{name}.py"})
        add_papers(into / name)
        verify(name, record=True)
        return _answer(
            written,
            f"fltheory verify {name} --papers {into / name}",
            f"fltheory attack {name} --papers {into / name} --attempts 50",
            f"fltheory explain {name}.descent --papers {into / name}",
            f"pytest {into / name}",
        )

    @command(group, "algorithm")
    def algorithm(
        name: Annotated[str, typer.Argument(help="Name of the algorithm, such as fedavg-m.")],
        into: Into = Path(),
        as_json: AsJson = False,
    ) -> Answer:
        """Write a module with a method and its tests.

        Example: fltheory new algorithm fedavg-m --into my_methods
        """
        from fltheory import algorithms
        from fltheory.core.registry import members

        module = name.replace("-", "_")
        if not re.fullmatch("[a-z][a-z0-9_-]*", name) or iskeyword(module):
            rule = "hold small letters, digits, - and _ and begin with a letter"
            raise InvalidInput("name of an algorithm", rule, name)
        if name in members(algorithms):
            raise InvalidInput("name of an algorithm", "be one that no other algorithm has", name)
        _refuse_module(module, into)
        title = "".join(part.capitalize() for part in module.split("_"))
        names = {"module.py": f"{module}.py", "test_module.py": f"test_{module}.py"}
        written = write("algorithm", into, {"name": name, "module": module, "title": title}, names)
        place = into / f"{module}.py"
        return _answer(
            written,
            f"pytest {into}",
            f"fltheory --plugins {place} list",
            f"fltheory --plugins {place} limit --algorithm {name} --availability alternating:1,3"
            " --optima 0,1 --step-size 1/8",
        )


def write(template: str, into: Path, words: dict[str, str], names: dict[str, str]) -> list[Path]:
    """Fill the files of a template in; existing files are never overwritten."""
    folder = TEMPLATES / template
    planned = {}
    for source in sorted(folder.rglob("*.txt")):
        relative = source.relative_to(folder)
        name = relative.name.removesuffix(".txt")
        target = into / relative.parent / names.get(name, name)
        planned[target] = Template(source.read_text(encoding="utf-8")).substitute(words)
    for target in planned:
        if target.exists():
            raise InvalidInput(str(target), "not exist yet", "a file")
    for target, text in planned.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return list(planned)


def _refuse_module(name: str, into: Path) -> None:
    """A module of that name elsewhere would be imported instead."""
    found = find_spec(name)
    home = None if found is None or found.origin is None else Path(found.origin).resolve()
    if found is not None and (home is None or into.resolve() not in home.parents):
        raise InvalidInput("name", "be one that no installed module has", name)


def _answer(written: list[Path], *commands: str) -> Answer:
    files = [str(path) for path in written]
    text = "\n".join([*(f"wrote {file}" for file in files), "Try:", *(f"  {c}" for c in commands)])
    return Answer({"files": files, "commands": list(commands)}, text=text)
