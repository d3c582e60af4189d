"""Sentiment140: a file of its form is read, by user and hour; whatever is malformed is refused by
name and line; the experiments' day."""

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from fltheory.core.errors import InvalidInput
from paper_reproductions import daily, experiment
from paper_reproductions.command import make_app
from paper_reproductions.data import datasets, files, tweets
from paper_reproductions.learning import task
from paper_reproductions.settings import Settings

LINE = '"4","17","Mon Apr 06 22:19:45 PDT 2009","NO_QUERY","ann","caf\xe9, ""so good"" @bob"'


@pytest.fixture(autouse=True)
def _nothing_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(files.VARIABLE, raising=False)


def put(folder: Path, lines: list[bytes]) -> Path:
    path = folder / tweets.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    return path


def test_a_file_of_the_same_form_is_read_by_user_and_hour(tmp_path: Path) -> None:
    few = [LINE.encode("latin-1").replace(b"ann", b"rare") + b"\r\n"] * tweets.ENOUGH
    lines = tweets.made_up(5, 50)
    put(tmp_path, few + lines)
    found = datasets.load("sentiment140", tmp_path)
    assert found.says.startswith(
        "Sentiment140, not compared with a checksum, 5 users with more than 40 tweets, 225 + 25"
        " tweets"
    )
    assert (found.num_classes, found.features.shape, found.test_features.shape) == (
        2,
        (225, 25),
        (25, 25),
    )
    assert set(found.groups.tolist()) == set(range(5))
    parsed = [tweets.parse(line, "x") for line in lines]
    assert sum(tweet.positive for tweet in parsed) == found.labels.sum() + found.test_labels.sum()
    assert Counter(tweet.hour for tweet in parsed) >= Counter(found.hours.tolist())
    assert found.features.max() < tweets.NUM_WORDS
    again = datasets.load("sentiment140", tmp_path)
    assert np.array_equal(found.features, again.features)


def test_escapes_and_accents() -> None:
    assert tweets.parse(LINE.encode("latin-1"), "x").text == 'caf\xe9, "so good" @bob'
    long = tweets.numbered([" ".join(["a"] * 30 + ["b"])], {"a": 2, "b": 3})
    assert long[0, -1] == 3
    assert long.shape == (1, tweets.LENGTH)
    assert not tweets.numbered(["12 !!"], {}).any(), "no words at all"


MALFORMED = {
    "five columns": (LINE.replace('"NO_QUERY",', ""), "have six quoted columns"),
    "no quotes": (LINE.replace('"', ""), "have six quoted columns"),
    "nothing": ("", "have six quoted columns"),
    "a zero byte": (LINE.replace("bob", "b\0b"), "have six quoted columns"),
    "target": (LINE.replace('"4"', '"2"'), "target, .* must be 0 .negative. or 4"),
    "number": (LINE.replace('"17"', '"1e7"'), "number, .* must have at most 20 digits"),
    "date": (LINE.replace("22:19", "24:19"), "date, .* must look like"),
    "no date": (LINE.replace("Mon Apr 06 22:19:45 PDT 2009", "today"), "date, .* must look like"),
    "user": (LINE.replace("ann", "a n n"), "user, .* must be a name"),
    "no user": (LINE.replace("ann", ""), "user, .* must be a name"),
    "endless": (LINE.replace("bob", "b" * 9000), "have at most 4096 bytes"),
    "binary": ("\x1f\x8b\x08 nonsense", "have six quoted columns"),
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_line_is_refused_with_its_number(kind: str, tmp_path: Path) -> None:
    text, told = MALFORMED[kind]
    path = put(tmp_path, [*tweets.made_up(2, 41), text.encode("latin-1") + b"\n"])
    with pytest.raises(InvalidInput, match=told) as refused:
        datasets.load("sentiment140", tmp_path)
    assert f"{path}, line 83" in str(refused.value)


def test_bounds_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, tweets.made_up(2, 41))
    monkeypatch.setattr(tweets, "MOST_TWEETS", 81)
    with pytest.raises(InvalidInput, match="have at most 81 lines"):
        datasets.load("sentiment140", tmp_path)
    monkeypatch.setattr(tweets, "MOST_BYTES", 100)
    with pytest.raises(InvalidInput, match="have at most 100 bytes"):
        datasets.load("sentiment140", tmp_path)
    path.write_bytes(b"".join(tweets.made_up(2, 40)[:1]))
    with pytest.raises(InvalidInput, match="have a user with more than 40 tweets"):
        datasets.load("sentiment140", tmp_path)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_tweet_or_refused(raw: bytes) -> None:
    for line in (
        raw,
        LINE.encode("latin-1")[:40] + raw,
        LINE.encode("latin-1").replace(b"bob", raw),
    ):
        with suppress(InvalidInput):
            assert 0 <= tweets.parse(line, "line 1").hour < 24


def test_without_a_copy_it_is_refused_by_name_and_left_out_of_all() -> None:
    answer = CliRunner().invoke(make_app(), ["run", "fedlaavg-figure6", "--small"])
    assert answer.exit_code == 2
    assert "training.1600000.processed.noemoticon.csv must be in --data-dir" in " ".join(
        answer.stderr.split()
    )


def test_all_names_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "names", lambda: ["fedlaavg-figure6", "fedlaavg-figure7"])
    answer = CliRunner().invoke(
        make_app(), ["run", "all", "--small", "-o", str(tmp_path), "--json"]
    )
    assert answer.exit_code == 0
    assert answer.stdout.count('"left_out": "no Sentiment140') == 2


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 23)), min_size=1, max_size=80),
    st.sampled_from(["0", "1/4", "1/2", "1"]),
)
def test_every_hour_gets_its_share_of_positive_tweets(
    given_tweets: list[tuple[int, int]], balance: str
) -> None:
    labels, hours = (np.array(column) for column in zip(*given_tweets, strict=True))
    places = daily.kept(labels, hours, balance, seed=3)
    assert len(set(places.tolist())) == len(places)
    for hour in range(24):
        here, stayed = labels[hours == hour], labels[places][hours[places] == hour]
        share = daily.positive_share(hour, balance)
        largest = min(
            [
                Fraction(int((here == sign).sum())) / part
                for sign, part in ((1, share), (0, 1 - share))
                if part
            ]
        )
        assert stayed.sum() == int(largest * share)
        assert len(stayed) - stayed.sum() == int(largest * (1 - share)), (
            "no tweet is dropped without need"
        )


def test_shares_and_quiet_hours_refuse_nonsense() -> None:
    with pytest.raises(InvalidInput, match="day balance must lie in"):
        daily.positive_share(3, 2)
    with pytest.raises(InvalidInput, match="rounds of a day must be at least 3"):
        daily.QuietHours((0,), 2)
    with pytest.raises(InvalidInput, match="day balance must have data with hours"):
        task(
            Settings(
                algorithm="fedavg", batch_size=2, local_steps=1, num_rounds=1, day_balance="0"
            ),
            None,
            0,
        )


def test_users_are_available_when_they_tweet_least() -> None:
    settings = Settings(
        data="made-up-tweets",
        partition="owner",
        num_clients=6,
        day_balance="0",
        model="word-lstm",
        algorithm="fedlaavg",
        batch_size=2,
        local_steps=1,
        num_rounds=24,
        availability="quiet-hours",
        half_period=12,
    )
    hours = task(settings, None, 0).hours
    starts = tuple(daily.quiet_start(counts) for counts in hours)
    available = daily.QuietHours(starts, 24).matrix(24)
    for counts, when in zip(hours, available.T, strict=True):
        assert when.sum() == daily.ASLEEP
        windows = [
            sum(counts[(first + k) % 24] for k in range(daily.ASLEEP)) for first in range(24)
        ]
        assert counts[when].sum() == min(windows)
