"""Run the notebooks: `python -m docs.execute` stores their outputs in place (`make notebooks`)."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = tuple(sorted((Path(__file__).parent / "notebooks").glob("*.ipynb")))


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with the outputs of a fresh kernel, which listens on loopback."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """What its cells print, one text per cell; pictures differ between machines and are left
    out."""
    return [
        "".join(
            out.get("text", "") for out in cell.get("outputs", ()) if out.get("name") == "stdout"
        )
        for cell in notebook.cells
    ]


if __name__ == "__main__":
    for notebook in NOTEBOOKS:
        nbformat.write(executed(notebook), notebook)
        print(notebook.name)
