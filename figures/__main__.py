"""`python -m figures` draws every figure from its recorded numbers; `--data` recomputes the numbers
first. Names choose some of them."""

import argparse
import importlib
from pathlib import Path

from figures import store


def compute(name: str) -> None:
    """Recompute and record the numbers of one figure."""
    numbers = importlib.import_module(f"figures.compute.{name}").numbers()
    store.data_file(name).write_text(store.as_text(numbers), encoding="utf-8")


def draw(name: str, folder: Path = store.HERE) -> None:
    """Render one figure from its recorded numbers."""
    store.save(importlib.import_module(f"figures.draw.{name}").draw(store.read(name)), name, folder)


def gallery() -> str:
    """All figures on one page, each with the caption that its data file holds."""
    parts = [
        "# Gallery\n\n`make figures` draws every figure from the numbers in `data`; `make"
        " figures-data` computes those numbers.\n"
    ]
    for name in store.names():
        data = store.read(name)
        links = f"([data](data/{name}.json), [svg]({name}.svg), [pdf]({name}.pdf))"
        parts.append(
            f"\n## {data['title']}\n\n![{data['title']}]({name}.png)\n\n{data['caption']} {links}\n"
        )
    return "".join(parts)


def main() -> None:
    """Draw, or compute and draw."""
    parser = argparse.ArgumentParser(prog="python -m figures", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(store.names())} (all of them by default)",
    )
    parser.add_argument(
        "--data", action="store_true", help="recompute the numbers instead of drawing"
    )
    arguments = parser.parse_args()
    chosen = arguments.names or store.names()
    if unknown := set(chosen) - set(store.names()):
        parser.error(f"no figure is called {', '.join(sorted(unknown))}")
    for name in chosen:
        (compute if arguments.data else draw)(name)
        print(name)
    if not arguments.data:
        (store.HERE / "README.md").write_text(gallery(), encoding="utf-8")


if __name__ == "__main__":
    main()
