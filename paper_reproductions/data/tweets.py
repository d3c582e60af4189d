"""Sentiment140 (Go, Bhayani and Huang 2009): tweets with their user, their hour and their
sentiment, from a copy that the user has.

Stanford's file has a line for each tweet, six quoted columns in Latin-1: target (0 negative, 4
positive), number, date, query, user, text. No checksum of it is known here, so it is not
downloaded, and what is checked is its form: every line, strictly, and its size.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fltheory.core.errors import InvalidInput
from paper_reproductions.data.files import find

FILE = Path("sentiment140") / "training.1600000.processed.noemoticon.csv"
MOST_BYTES, MOST_TWEETS, MOST_LINE = 1 << 29, 2_000_000, 4096
"""The file has 1,600,000 tweets in about 240 million bytes; a text of 140 characters may be written
with many escapes."""

ENOUGH = 40
"""Users with more tweets than this are kept (FedLaAvg Sec. 6.1.1)."""

NUM_WORDS, LENGTH = 2000, 25
"""Words that are told apart, 0 (no word) and 1 (any other) among them, and words of a tweet, the
last ones, that are kept."""

LINE = re.compile(r'"([^"]*)","([^"]*)","([^"]*)","([^"]*)","([^"]*)","(.*)"')
DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
    r"(?:0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d [A-Z]{3,4} \d{4}"
)
USER = re.compile(r"[!-~\xa1-\xff]{1,64}")
WORD = re.compile(r"https?:|@|[a-z']+")
Lines = Callable[[], Iterable[bytes]]


class Tweet(NamedTuple):
    """One line of the file, as far as it is used."""

    positive: bool
    user: str
    hour: int
    text: str


def parse(raw: bytes, owner: str) -> Tweet:
    """A tweet from its line; what is wrong with it is named.

    >>> line = b'"4","17","Mon Apr 06 22:19:45 PDT 2009","NO_QUERY","ann","so ""good"" @bob"'
    >>> parse(line, "line 1")
    Tweet(positive=True, user='ann', hour=22, text='so "good" @bob')
    """
    if len(raw) > MOST_LINE:
        raise InvalidInput(owner, f"have at most {MOST_LINE} bytes", "more")
    line = raw.decode("latin-1").rstrip("\r\n")
    columns = LINE.fullmatch(line)
    if columns is None or "\0" in line:
        raise InvalidInput(owner, "have six quoted columns, separated by commas", repr(line[:80]))
    target, number, date, _, user, text = columns.groups()
    if target not in ("0", "4"):
        raise InvalidInput(f"target, {owner}", "be 0 (negative) or 4 (positive)", repr(target[:20]))
    if not (number.isascii() and number.isdigit() and len(number) <= 20):
        raise InvalidInput(
            f"number, {owner}", "have at most 20 digits and nothing else", repr(number[:40])
        )
    time = DATE.fullmatch(date)
    if time is None:
        raise InvalidInput(
            f"date, {owner}", "look like 'Mon Apr 06 22:19:45 PDT 2009'", repr(date[:60])
        )
    if USER.fullmatch(user) is None:
        raise InvalidInput(
            f"user, {owner}", "be a name of 1 to 64 characters without spaces", repr(user[:80])
        )
    return Tweet(target == "4", user, int(time[1]), text.replace('""', '"'))


def lines_of(path: Path) -> Iterator[bytes]:
    """The file's lines, none of them read further than a tweet can be long."""
    if (size := path.stat().st_size) > MOST_BYTES:
        raise InvalidInput(str(path), f"have at most {MOST_BYTES} bytes", size)
    with path.open("rb") as file:
        while line := file.readline(MOST_LINE + 1):
            yield line


def tweets(lines: Iterable[bytes], owner: str) -> Iterator[Tweet]:
    """Every tweet, with its line's number in any complaint."""
    for number, line in enumerate(lines, 1):
        if number > MOST_TWEETS:
            raise InvalidInput(owner, f"have at most {MOST_TWEETS} lines", "more")
        yield parse(line, f"{owner}, line {number}")


def busy_users(lines: Lines, owner: str, *, enough: int = ENOUGH) -> list[Tweet]:
    """The tweets of users with more than `enough` of them, in the file's order; read twice, so that
    the others are never kept."""
    counts = Counter(tweet.user for tweet in tweets(lines(), owner))
    kept = [tweet for tweet in tweets(lines(), owner) if counts[tweet.user] > enough]
    if not kept:
        raise InvalidInput(
            owner,
            f"have a user with more than {enough} tweets",
            f"{len(counts)} users, none of them",
        )
    return kept


def words(text: str) -> list[str]:
    """Words in small letters; a link and a name that is spoken to count as one word each.

    >>> words("@bob I'm GLAD http://x.y!")
    ['@', 'bob', "i'm", 'glad', 'http:', 'x', 'y']
    """
    return WORD.findall(text.lower())


def vocabulary(texts: Iterable[str]) -> dict[str, int]:
    """Numbers from 2 for the most frequent words, ties by the alphabet.

    >>> vocabulary(["b a b", "c"])
    {'b': 2, 'a': 3, 'c': 4}
    """
    counts = Counter(word for text in texts for word in words(text))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: place + 2 for place, word in enumerate(ranked[: NUM_WORDS - 2])}


def numbered(texts: Sequence[str], numbers: dict[str, int]) -> Any:
    """(tweets, LENGTH) numbers of words; short tweets begin with 0, so that the last place always
    has the last word.

    >>> numbered(["b x"], {"b": 2})[0, -3:].tolist()
    [0, 2, 1]
    """
    rows = np.zeros((len(texts), LENGTH), np.int64)
    for row, text in zip(rows, texts, strict=True):
        found = [numbers.get(word, 1) for word in words(text)][-LENGTH:]
        if found:
            row[-len(found) :] = found
    return rows


def own_copy(data_dir: Path | None = None) -> Path | None:
    """Where the user's copy is, if there is one."""
    return find(FILE, data_dir)


BRIGHT, DARK = ("love", "great", "happy", "thanks", "yay"), ("sad", "tired", "miss", "ugh", "rain")
PLAIN = ("i", "the", "to", "my", "day", "work", "home", "now")


def made_up(num_users: int = 24, each: int = 44) -> list[bytes]:
    """Lines of the same form that nobody wrote: cheerful and gloomy words among plain ones, each
    user silent for some hours of the day."""
    found = []
    for place in range(num_users * each):
        user, count = place % num_users, place // num_users
        positive, hour = (count * 7 + user) % 5 < 2 + user % 2, (user + (count * 5) % 15) % 24
        mood = BRIGHT if positive else DARK
        said = [PLAIN[(place * 3 + k * k) % len(PLAIN)] for k in range(4)] + [
            mood[(place + k) % len(mood)] for k in range(2)
        ]
        date = f"Mon Apr 06 {hour:02d}:{place % 60:02d}:00 PDT 2009"
        cells = (4 * positive, place, date, "NO_QUERY", f"user{user}", " ".join(said))
        found.append((",".join(f'"{cell}"' for cell in cells) + "\n").encode("latin-1"))
    return found
