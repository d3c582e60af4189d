"""Random choices behind the edits: values, chunks, and parts of a tree."""

import json
from collections.abc import Callable
from typing import Any

RAW = 48
"""First bytes below this mean: the rest is the file itself."""


MOST_EDITS = 12


VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    1.5,
    -0.0,
    10**18,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "0",
    "1",
    "-1",
    "1/2",
    "1/0",
    "2/4",
    "1e400",
    "1e-399",
    "-1/3",
    "9" * 50,
    "9" * 5000,
    "1/" + "7" * 3000,
    "x",
    "a.b",
    "\x00",
    "é",
    "nan",
    "inf",
    [],
    {},
    [[]],
    [0],
    ["1/2", "1/2"],
    {"symbol": "x"},
    ["^", "9", "4999"],
    ["^", ["^", "9", "999"], "999"],
    ["sum", "1", {"symbol": "k"}, "1", "99999999"],
    ["max", "1"],
    ["+", "1", {"symbol": "y"}],
    [[1, 0], [0, 1]],
    "2026-03-29T01:30:00+01:00",
    "bernoulli:1/2",
    "10110",
    "fedavg",
    "mifa",
)
"""What stands in files, what almost does, and what never should."""


CHUNKS = (
    b"IHDR",
    b"PLTE",
    b"tEXt",
    b"zTXt",
    b"iTXt",
    b"iCCP",
    b"IEND",
    b"tRNS",
    b"acTL",
    b"fcTL",
    b"fdAT",
)


class Choices:
    """Bytes, read as choices; when they are used up, every choice is 0."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    def below(self, count: int) -> int:
        """A number in 0 .. count - 1."""
        size = 1 if count <= 256 else 3
        piece = self.data[self.place : self.place + size]
        self.place += size
        return int.from_bytes(piece, "big") % count if piece and count > 0 else 0

    def of(self, values: Any) -> Any:
        return values[self.below(len(values))]

    @property
    def used_up(self) -> bool:
        return self.place >= len(self.data)


def made(data: bytes, seeds: list[bytes], edit: Callable[[bytes, Choices], bytes]) -> bytes:
    """The file that bytes stand for: themselves, or a seed with edits."""
    if not data or data[0] < RAW:
        return data[1:]
    return edit(seeds[(data[0] - RAW) % len(seeds)], Choices(data[1:]))


def part_of(tree: Any, chosen: Choices) -> tuple[Any, Any]:
    """A part of nested lists and objects, as what holds it and its key there; nothing holds a plain
    value."""
    holder, key, node = None, None, tree
    while isinstance(node, dict | list) and node and (holder is None or chosen.below(4)):
        holder, key = (
            node,
            chosen.of(list(node)) if isinstance(node, dict) else chosen.below(len(node)),
        )
        node = node[key]
    return holder, key


LARGE = 1 << 18
"""Size of a part in JSON from which it is not copied: the edits shall not use the memory."""


def edit_tree(tree: Any, chosen: Choices) -> Any:
    """One edit: another value, a copy of another part, a part left out, doubled or renamed, a
    number or a text nearly the same; a large tree stays as it is."""
    if len(json.dumps(tree)) > 4 * LARGE:
        return tree
    node, last = part_of(tree, chosen)
    if node is None:
        return chosen.of(VALUES)
    what = chosen.below(8)
    if what <= 1:
        node[last] = json.loads(json.dumps(chosen.of(VALUES)))
    elif what == 2:
        other, key = part_of(tree, chosen)
        if len(text := json.dumps(other[key])) < LARGE:
            node[last] = json.loads(text)
    elif what == 3:
        del node[last]
    elif what == 4 and isinstance(node, list) and len(node) < 2000:
        node.extend(json.loads(json.dumps(node[last:] * (1 + chosen.below(3)))))
    elif what == 4 and isinstance(node, dict):
        node[str(last) + chosen.of(("", "_", "x"))] = node.pop(last)
    elif what == 5 and isinstance(node[last], str):
        node[last] = edit_text(node[last], chosen)
    elif what == 5 and isinstance(node[last], int | float):
        node[last] = node[last] + chosen.below(5) - 2
    elif what == 6:
        deep: Any = node[last]
        for _ in range(chosen.of((1, 2, 50, 120))):
            deep = [deep]
        node[last] = deep
    else:
        plain = isinstance(node[last], dict | list) or chosen.below(2)
        times = chosen.of((2, 9, 300)) if not plain else 1
        if plain or len(json.dumps(node[last])) * times >= LARGE:
            node[last] = str(node[last])[:100]
        else:
            node[last] = [node[last]] * times
    return tree


def edit_text(text: str, chosen: Choices) -> str:
    """One edit of a text: a letter changed, left out or doubled, a piece of it repeated, or a value
    in its place."""
    if not text:
        return str(chosen.of(VALUES))
    place, what = chosen.below(len(text)), chosen.below(5)
    if what == 0:
        return (
            text[:place] + chosen.of("0129-/+*^().,=<>\"'[]{}#\n\t \x00éaexNT") + text[place + 1 :]
        )
    if what == 1:
        return text[:place] + text[place + 1 + chosen.below(4) :]
    if what == 2:
        end = place + 1 + chosen.below(20)
        return text[:end] + text[place:end] * chosen.of((1, 2, 30)) + text[end:]
    if what == 3:
        return text[:place] + str(chosen.of(VALUES))[:200] + text[place + 1 :]
    return text[:place] + chosen.of("0123456789") + text[place + 1 :]


def _repeated(thing: Any, chosen: Choices, edit: Callable[[Any, Choices], Any]) -> Any:
    for _ in range(MOST_EDITS):
        thing = edit(thing, chosen)
        if chosen.used_up:
            break
    return thing
