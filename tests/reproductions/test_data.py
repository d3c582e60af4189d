"""Data sets: right content is read, anything else is refused by name; folders are searched in
order; downloads are whole or not kept."""

import gzip
import io
import json
import tarfile
from hashlib import md5, sha256
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest

from fltheory.core.errors import InvalidInput
from paper_reproductions.data import cifar, datasets, download, files
from paper_reproductions.data.text import ALPHABET, speeches, windows

CONTENT = bytes(range(256)) * 40


def known(
    homes: tuple[str, ...] = ("http://127.0.0.1:9/unreachable",), name: str = "sample.gz"
) -> files.KnownFile:
    return files.KnownFile("set", name, len(CONTENT), sha256(CONTENT).hexdigest(), homes)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(files.VARIABLE, raising=False)


def put(folder: Path, content: bytes, name: str = "sample.gz") -> Path:
    (folder / "set").mkdir(parents=True, exist_ok=True)
    path = folder / "set" / name
    path.write_bytes(content)
    return path


def test_the_embedded_sets_have_their_checksums_and_shapes() -> None:
    digits = datasets.load("digits")
    assert (digits.features.min(), digits.features.max()) == (0, 1)
    assert np.bincount(digits.labels).min() > 100
    play = datasets.load("coriolanus")
    assert play.features.shape[1] == 80
    assert len(np.unique(play.groups)) >= 20
    assert sum(path.stat().st_size for path in files.EMBEDDED.iterdir()) < 100_000


def test_a_planted_change_of_an_embedded_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    changed = bytearray(gzip.decompress((files.EMBEDDED / "digits.gz").read_bytes()))
    changed[7] ^= 1
    (tmp_path / "digits.gz").write_bytes(gzip.compress(bytes(changed)))
    monkeypatch.setattr(files, "EMBEDDED", tmp_path)
    with pytest.raises(
        InvalidInput,
        match=r"digits\.gz must have the content of digits\.gz \(sha256 68aea.*got sha256",
    ):
        datasets.load("digits")


def test_folders_are_searched_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, variable, cache = (
        tmp_path / "given",
        tmp_path / "variable",
        tmp_path / "cache" / "fltheory",
    )
    monkeypatch.setenv(files.VARIABLE, str(variable))
    for folder in (cache, variable, given):
        path = put(folder, gzip.compress(CONTENT))
        assert files.find(known().path, given if given.is_dir() else None) == path
    assert files.read(known(), given) == CONTENT
    with pytest.raises(
        InvalidInput, match="data folder must be a folder that exists, got 'nowhere'"
    ):
        files.search_folders(Path("nowhere"))


WRONG = {
    "truncated gzip": (gzip.compress(CONTENT)[:-9], "be a whole gzip file"),
    "no gzip": (CONTENT, "be a whole gzip file"),
    "truncated content": (gzip.compress(CONTENT[:-1]), "it is truncated"),
    "longer content": (gzip.compress(CONTENT + b"x"), "got a longer file"),
    "other content": (gzip.compress(CONTENT[::-1]), "got sha256"),
    "a bomb": (gzip.compress(b"\0" * 10_000_000), "got a longer file"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_file_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    content, told = WRONG[kind]
    path = put(tmp_path, content)
    with pytest.raises(InvalidInput, match=told) as refused:
        files.read(known(), tmp_path)
    assert str(path) in str(refused.value)


def test_a_download_is_checked_told_and_kept(tmp_path: Path) -> None:
    source = put(tmp_path / "home", gzip.compress(CONTENT))
    told: list[tuple[str, int, int]] = []
    here = known(homes=((tmp_path / "missing").as_uri(), source.as_uri()))
    assert files.read(here, tell=lambda *state: told.append(state)) == CONTENT
    assert told[-1] == ("sample.gz", source.stat().st_size, source.stat().st_size)
    source.unlink()
    assert files.read(here) == CONTENT, "the second time it comes from the cache"


def test_a_wrong_download_is_not_kept(tmp_path: Path) -> None:
    source = put(tmp_path / "home", gzip.compress(CONTENT[::-1]))
    with pytest.raises(InvalidInput, match="got sha256"):
        files.read(known(homes=(source.as_uri(),)))
    assert not list((tmp_path / "cache").rglob("*.gz"))


def test_no_home_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise URLError("no network")

    monkeypatch.setattr(download, "urlopen", refuse)
    with pytest.raises(
        InvalidInput,
        match=r"sample\.gz must be in --data-dir, in \$FLTHEORY_DATA, or reachable.*no network",
    ):
        files.read(known())


def test_an_unknown_set_is_refused() -> None:
    with pytest.raises(InvalidInput, match="data set must be one of digits, mnist"):
        datasets.load("mnits")


def test_mnist_is_read_from_its_four_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    images, labels = np.arange(3 * 784, dtype=np.uint8), np.array([5, 0, 4], np.uint8)
    parts = [bytes(16) + images.tobytes(), bytes(8) + labels.tobytes()] * 2
    mine = tuple(
        files.KnownFile("mnist", f"{i}.gz", len(part), sha256(part).hexdigest(), ("x",))
        for i, part in enumerate(parts)
    )
    (tmp_path / "mnist").mkdir()
    for one, part in zip(mine, parts, strict=True):
        (tmp_path / "mnist" / one.name).write_bytes(gzip.compress(part))
    monkeypatch.setattr(files, "MNIST", mine)
    found = datasets.load("mnist", tmp_path)
    assert found.features.shape == (3, 1, 28, 28)
    assert found.labels.tolist() == [5, 0, 4]
    assert float(found.features[0, 0, 0, 1]) == pytest.approx(1 / 255)


REAL = files.find(files.MNIST[0].path)
"""Looked for before a test hides the folders of this machine."""


@pytest.mark.skipif(REAL is None, reason="no MNIST in FLTHEORY_DATA or the cache")
def test_real_mnist() -> None:
    assert REAL is not None
    counts = np.bincount(datasets.load("mnist", REAL.parent).labels)
    assert counts.tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]


@pytest.fixture
def tiny_cifar(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Batches of 10 images whose checksums take the place of the real ones."""
    draw = np.random.default_rng(0)
    labels = np.arange(10, dtype=np.uint8)[:, None]
    made = {
        name: (
            np.concatenate(
                [labels, draw.integers(0, 256, (10, 3072), dtype=np.uint8)], axis=1
            ).tobytes()
        )
        for name in cifar.LABELS
    }
    monkeypatch.setattr(cifar, "IMAGES", 10)
    monkeypatch.setattr(cifar, "SIZE", 10 * 3073)
    monkeypatch.setattr(
        cifar, "WHOLE", {name: sha256(made[name]).hexdigest() for name in cifar.WHOLE}
    )
    monkeypatch.setattr(cifar, "LABELS", dict.fromkeys(made, sha256(bytes(range(10))).hexdigest()))
    return made


def binary(folder: Path, batches: dict[str, bytes], *names: str) -> None:
    (folder / cifar.FOLDER).mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / cifar.FOLDER / f"{name}.bin").write_bytes(batches[name])


def test_cifar_binary_and_picture_agree(tmp_path: Path, tiny_cifar: dict[str, bytes]) -> None:
    from PIL import Image

    binary(tmp_path / "a", tiny_cifar, "data_batch_1", "data_batch_2", "test_batch")
    (tmp_path / "b" / "cifar10").mkdir(parents=True)
    for name in ("data_batch_1", "test_batch"):
        planes = (
            np.frombuffer(tiny_cifar[name], np.uint8).reshape(10, 3073)[:, 1:].reshape(10, 3, 1024)
        )
        Image.fromarray(planes.transpose(0, 2, 1).copy()).save(
            tmp_path / "b" / "cifar10" / f"{name}.png"
        )
    for name in ("train_labels.json", "test_labels.json"):
        (tmp_path / "b" / "cifar10" / name).write_text(json.dumps(list(range(10))))
    one, other = (datasets.load("cifar10", tmp_path / folder) for folder in "ab")
    assert (len(one.labels), len(other.labels)) == (20, 10)
    assert np.array_equal(one.features[:10], other.features)
    assert np.array_equal(one.test_features, other.test_features)


def test_cifar_refuses_what_is_not_it(tmp_path: Path, tiny_cifar: dict[str, bytes]) -> None:
    binary(
        tmp_path,
        tiny_cifar | {"data_batch_1": tiny_cifar["data_batch_1"][:-1]},
        "data_batch_1",
        "test_batch",
    )
    with pytest.raises(InvalidInput, match=r"data_batch_1\.bin must hold 30730 bytes.*truncated"):
        datasets.load("cifar10", tmp_path)
    binary(
        tmp_path,
        tiny_cifar | {"data_batch_2": b"\7" + tiny_cifar["data_batch_2"][1:]},
        "data_batch_1",
        "data_batch_2",
    )
    with pytest.raises(InvalidInput, match=r"data_batch_2\.bin must have the labels"):
        datasets.load("cifar10", tmp_path)


def test_cifar_from_its_archive(
    tmp_path: Path, tiny_cifar: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "cifar10" / "cifar-10-binary.tar.gz"
    archive.parent.mkdir()
    with tarfile.open(archive, "w:gz") as members:
        for name, content in tiny_cifar.items():
            entry = tarfile.TarInfo(f"cifar-10-batches-bin/{name}.bin")
            entry.size = len(content)
            members.addfile(entry, io.BytesIO(content))
    with pytest.raises(
        InvalidInput, match=r"cifar-10-binary\.tar\.gz must be the archive with MD5"
    ):
        datasets.load("cifar10", tmp_path)
    monkeypatch.setattr(
        cifar, "ARCHIVE_MD5", md5(archive.read_bytes(), usedforsecurity=False).hexdigest()
    )
    assert len(datasets.load("cifar10", tmp_path).labels) == 50


def test_speeches_and_windows() -> None:
    assert len(set(ALPHABET)) == len(ALPHABET) == 80
    assert speeches("no speaker here\n\nA:\nx\n") == {"A": "x\n"}
    pieces, following = windows("short", length=80)
    assert len(pieces) == len(following) == 0
    assert windows("a$b", length=2)[0].tolist() == [[ALPHABET.index("a"), ALPHABET.index(" ")]], (
        "what is not in the alphabet is a space"
    )
