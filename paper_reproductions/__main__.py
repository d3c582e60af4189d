"""`python -m paper_reproductions` draws the figures and writes the pages of all recorded results anew: their numbers, the files' words."""

import json
from pathlib import Path

from paper_reproductions.reproducing import publish, write_index
from paper_reproductions.results import refreshed

RESULTS = Path(__file__).parent / "results"

if __name__ == "__main__":
    for file in sorted(RESULTS.glob("*/result.json")):
        publish(refreshed(json.loads(file.read_text(encoding="utf-8"))), file.parent)
    write_index(RESULTS)
