"""The data sets by name: samples to learn from, samples to test on, and where they come from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.randomness import Purpose, random_integers
from paper_reproductions.data import files, tweets
from paper_reproductions.data.cifar import batches
from paper_reproductions.data.download import Tell
from paper_reproductions.data.text import ALPHABET, LENGTH, speeches, windows

DIGIT_TEST = 297
"""Images of the embedded digits that are kept for testing: the last ones."""

TEST_SHARE = 10
"""Of each speaker's samples the last tenth is kept for testing."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """`features` are images (samples, channels, height, width) in [0, 1], or numbers of characters
    or words (samples, length).

    `groups` names a natural owner of each training sample (a speaker, a user) and `hours` its hour
    of the day, where there is one; `says` tells what was read.
    """

    name: str
    says: str
    num_classes: int
    features: Any
    labels: Any
    test_features: Any
    test_labels: Any
    groups: Any = None
    hours: Any = None

    def __post_init__(self) -> None:
        for inputs, labels in (
            (self.features, self.labels),
            (self.test_features, self.test_labels),
        ):
            if (
                len(inputs) != len(labels)
                or len(labels) == 0
                or labels.min() < 0
                or labels.max() >= self.num_classes
            ):
                rule = f"have a label in 0..{self.num_classes - 1} for each sample"
                raise InvalidInput(f"data set {self.name}", rule, f"{len(labels)} labels")


def digits(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """Embedded handwritten digits: 1500 + 297 images of 8 x 8 pixels.

    >>> digits().features.shape, digits().test_labels.shape
    ((1500, 1, 8, 8), (297,))
    """
    rows = np.frombuffer(files.read(files.DIGITS), np.uint8).reshape(-1, 65)
    images, labels = (
        rows[:, :64].reshape(-1, 1, 8, 8).astype(np.float32) / 16,
        rows[:, 64].astype(np.int64),
    )
    return Dataset(
        "digits",
        "UCI optical digits, 1,500 + 297 images of 8 x 8 pixels (embedded)",
        10,
        images[:-DIGIT_TEST],
        labels[:-DIGIT_TEST],
        images[-DIGIT_TEST:],
        labels[-DIGIT_TEST:],
    )


def mnist(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """MNIST, 60,000 + 10,000 images of 28 x 28 pixels."""
    images, labels, test_images, test_labels = (
        files.read(known, data_dir, tell=tell) for known in files.MNIST
    )

    def pixels(content: bytes) -> Any:
        return (
            np.frombuffer(content, np.uint8, offset=16).reshape(-1, 1, 28, 28).astype(np.float32)
            / 255
        )

    def classes(content: bytes) -> Any:
        return np.frombuffer(content, np.uint8, offset=8).astype(np.int64)

    return Dataset(
        "mnist",
        "MNIST, 60,000 + 10,000 images",
        10,
        pixels(images),
        classes(labels),
        pixels(test_images),
        classes(test_labels),
    )


def cifar10(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """CIFAR-10, up to 50,000 + 10,000 images of 32 x 32 pixels in three colours: as many training
    batches as there are."""
    found = batches(data_dir, tell=tell)
    train = np.concatenate([records for name, records in found.items() if name != "test_batch"])

    def pixels(records: Any) -> Any:
        return records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255

    test = found["test_batch"]
    return Dataset(
        "cifar10",
        f"CIFAR-10, {len(train):,} of 50,000 + 10,000 images",
        10,
        pixels(train),
        train[:, 0].astype(np.int64),
        pixels(test),
        test[:, 0].astype(np.int64),
    )


def shakespeare(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """Tiny Shakespeare by speaker: the next character after 80, for speakers with at least 20
    samples."""
    return _by_speaker(
        "shakespeare",
        files.read(files.SHAKESPEARE, data_dir, tell=tell).decode(),
        "tinyshakespeare",
    )


def coriolanus(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """Embedded speeches of one play, in the same form.

    >>> coriolanus().features.shape[1], coriolanus().num_classes
    (80, 80)
    """
    return _by_speaker(
        "coriolanus", files.read(files.SPEECHES).decode(), "the beginning of Coriolanus (embedded)"
    )


def _by_speaker(name: str, play: str, says: str) -> Dataset:
    kept: list[tuple[Any, Any, Any, Any]] = []
    for text in speeches(play).values():
        pieces, following = windows(text, stride=5)
        test = len(pieces) // TEST_SHARE
        if test >= 2:
            kept.append((pieces[:-test], following[:-test], pieces[-test:], following[-test:]))
    features, labels, test_features, test_labels = (
        np.concatenate(part) for part in zip(*kept, strict=True)
    )
    groups = np.repeat(np.arange(len(kept)), [len(part[1]) for part in kept])
    told = (
        f"{says}, {len(kept)} speakers, {len(labels):,} + {len(test_labels):,} pieces of {LENGTH}"
        " characters"
    )
    return Dataset(name, told, len(ALPHABET), features, labels, test_features, test_labels, groups)


def sentiment140(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """Tweets by user, for users with more than 40, a random tenth of them for testing; from a copy
    that the user has."""
    path = tweets.own_copy(data_dir)
    if path is None:
        rule = (
            "be in --data-dir or $FLTHEORY_DATA (Sentiment140 is not downloaded, since no checksum"
            " of it is known)"
        )
        raise InvalidInput(str(tweets.FILE), rule, "nothing")
    return _by_user(
        "sentiment140",
        lambda: tweets.lines_of(path),
        str(path),
        "Sentiment140, not compared with a checksum",
    )


def made_up_tweets(data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """Tweets that nobody wrote, in the same form, for trying things out.

    >>> made_up_tweets().features.shape, made_up_tweets().test_labels.shape
    ((951, 25), (105,))
    """
    return _by_user("made-up-tweets", tweets.made_up, "made-up tweets", "made-up tweets (embedded)")


def _by_user(name: str, lines: tweets.Lines, owner: str, says: str) -> Dataset:
    kept = tweets.busy_users(lines, owner)
    order = np.argsort(
        random_integers(0, Purpose.PARTITION, 4, 0, np.arange(len(kept))), kind="stable"
    )
    test, train = (
        np.sort(order[: len(kept) // TEST_SHARE]),
        np.sort(order[len(kept) // TEST_SHARE :]),
    )
    numbers = tweets.vocabulary(kept[i].text for i in train)
    users = {user: place for place, user in enumerate(sorted({tweet.user for tweet in kept}))}
    features, labels = (
        tweets.numbered([tweet.text for tweet in kept], numbers),
        np.array([int(tweet.positive) for tweet in kept]),
    )
    groups, hours = (
        np.array([users[tweet.user] for tweet in kept]),
        np.array([tweet.hour for tweet in kept]),
    )
    told = (
        f"{says}, {len(users):,} users with more than {tweets.ENOUGH} tweets, {len(train):,} +"
        f" {len(test):,} tweets"
    )
    return Dataset(
        name,
        told,
        2,
        features[train],
        labels[train],
        features[test],
        labels[test],
        groups[train],
        hours[train],
    )


READERS = {
    "digits": digits,
    "mnist": mnist,
    "cifar10": cifar10,
    "shakespeare": shakespeare,
    "coriolanus": coriolanus,
    "sentiment140": sentiment140,
    "made-up-tweets": made_up_tweets,
}


def load(name: str, data_dir: Path | None = None, *, tell: Tell | None = None) -> Dataset:
    """The data set of that name.

    >>> load("digits").says
    'UCI optical digits, 1,500 + 297 images of 8 x 8 pixels (embedded)'
    """
    if name not in READERS:
        raise InvalidInput("data set", f"be one of {', '.join(READERS)}", repr(name))
    return READERS[name](data_dir, tell=tell)
