# SPDX-License-Identifier: Apache-2.0
"""Every dataset with every fault of a folder: refused in one line that names the file and what was expected."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from caesura.corpus import Corpus
from caesura.datasets import DATASETS, dataset
from caesura.errors import CaesuraError
from tests.datasets.samples import SAMPLES

OPTIONAL = {"text/ch1.txt", "data.json", "train.tsv"}
"""Files of the samples without which the others suffice."""


def as_text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("mac_roman")


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "another version": lambda content: b'{"version": 2, "data": []}',
    "another encoding": lambda content: as_text(content).encode("cp500", "replace"),
    "nothing in it": lambda content: b"",
    "the first half only": lambda content: content[: len(content) // 2 - 3],
}


def read(name: str, place: Path) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dataset(SAMPLES[name][0], place)


def written(name: str, folder: Path) -> dict[Path, bytes]:
    files = {folder / place: content for place, content in SAMPLES[name][1].items()}
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return files


def refused(name: str, place: Path, *named: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        read(name, place)
    message = str(caught.value)
    assert "\n" not in message
    assert any(part in message for part in named), message
    assert DATASETS.lookup(name)[0].card.files in message, message


@pytest.mark.parametrize("name", SAMPLES)
def test_a_missing_file(name: str, tmp_path: Path) -> None:
    for file, content in written(name, tmp_path).items():
        if str(file.relative_to(tmp_path)) in OPTIONAL:
            continue
        file.unlink()
        # Another file may point to it; if none does, the folder is named with the pattern that no file has.
        refused(name, tmp_path, file.name, str(tmp_path))
        file.write_bytes(content)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_that_is_another_one(name: str, fault: str, tmp_path: Path) -> None:
    for file, content in written(name, tmp_path).items():
        file.write_bytes(FAULTS[fault](content))
        # Half of a text is a shorter text, so that only what has an end of its own is known to be cut.
        if fault != "the first half only" or file.suffix in (".json", ".jsonl", ".xml", ".pkl"):
            refused(name, tmp_path, str(file), file.name)
        file.write_bytes(content)


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "SBBC"])
def test_other_line_ends_change_nothing(name: str, end: bytes, tmp_path: Path) -> None:
    files = written(name, tmp_path)
    whole = read(name, tmp_path)
    for file, content in files.items():
        file.write_bytes(content.replace(b"\r", b"\n").replace(b"\n", end))
    again = read(name, tmp_path)
    assert list(again.ids) == list(whole.ids)
    for key in whole.ids:
        assert again[key].units == whole[key].units
        assert again[key].segmentation == whole[key].segmentation
        assert dict(again[key].annotations) == dict(whole[key].annotations)


@pytest.mark.parametrize("kind", ["zip", "gztar"])
@pytest.mark.parametrize("name", SAMPLES)
def test_archives_whole_and_truncated(name: str, kind: str, tmp_path: Path) -> None:
    written(name, tmp_path / "in")
    archive = Path(shutil.make_archive(str(tmp_path / "all"), kind, tmp_path / "in"))
    assert list(read(name, archive).ids) == list(read(name, tmp_path / "in").ids)
    archive.write_bytes(archive.read_bytes()[:-30])
    refused(name, archive, archive.name)
