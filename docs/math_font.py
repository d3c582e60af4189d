"""`python -m docs.math_font FILE`: the font that the teaching page carries for its formulas, cut
down from DejaVu Math TeX Gyre (Debian: fonts-dejavu-core) to the characters that formulas use."""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONT = Path(__file__).parents[1] / "fltheory" / "teaching" / "assets" / "formulas.woff"
FAMILY = "Formulas"
LICENCE = Path(__file__).with_name("math_font_licence.txt")
SIGNS = "−±·×÷≤≥≈≠∑∏∇∞⌈⌉⌊⌋⟨⟩∣‖√∂∈→′…–¯"


def characters() -> set[int]:
    """Code points of the font: ASCII, Greek, both as italics of mathematics, and signs.

    >>> {ord(sign) for sign in "x(∑τ𝜏𝑥ℎ"} <= characters()
    True
    """
    plain = [*range(0x20, 0x7F), *range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)]
    italic = [*range(0x1D434, 0x1D455), *range(0x1D456, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C)]
    return {*plain, *italic, *map(ord, SIGNS)}


def cut(source: Path, target: Path) -> None:
    """Write the part of a font that formulas need, under a name of its own as its licence asks."""
    font = TTFont(source, recalcTimestamp=False)
    missing = characters() - set(font.getBestCmap())
    if missing:
        raise ValueError(f"{source} must have {', '.join(map(chr, sorted(missing)))}")
    options = subset.Options()
    options.hinting, options.glyph_names, options.layout_features = False, False, []
    options.name_IDs, options.drop_tables = [0], [*options.drop_tables, "FFTM", "GPOS", "GSUB"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)
    for number, text in ((1, FAMILY), (4, FAMILY), (6, FAMILY), (13, LICENCE.read_text("utf-8"))):
        font["name"].setName(text, number, 3, 1, 0x409)
    font.flavor = "woff"
    font.save(target)


if __name__ == "__main__":
    cut(Path(sys.argv[1]), FONT)
