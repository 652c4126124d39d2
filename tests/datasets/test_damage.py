# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every dataset: read, or refused in one line that names the dataset; never anything else."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from caesura.datasets import DATASETS, dataset
from caesura.errors import CaesuraError
from tests.datasets.samples import SAMPLES

PIECES = (
    b"",
    b"\0",
    b"\xff\xfe",
    b"\r",
    b"[",
    b"{}",
    b"null",
    b"-1",
    b"1e999",
    b'"',
    b"<!DOCTYPE a>",
    b"9" * 25,
    b"\t",
    b"\n\n\n\n",
)
DAMAGES = 80


def written(name: str, folder: Path) -> str:
    """Write the sample of a dataset, and return the text that reads it."""
    text, files = SAMPLES[name]
    for place, content in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(content)
    return text


def test_every_dataset_has_a_sample() -> None:
    assert set(SAMPLES) >= {cls.name() for cls in DATASETS if cls.__module__.startswith("caesura.")}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_read(name: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        corpus = dataset(written(name, tmp_path), tmp_path)
    assert len(corpus)
    assert corpus.read_as.startswith(f"{name}(")


def refusal(text: str, folder: Path) -> str | None:
    """Return the message with which a folder is refused, or None if it is read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            dataset(text, folder)
        except CaesuraError as error:
            return str(error)
    return None


@pytest.mark.parametrize("name", SAMPLES)
def test_damage_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    text = written(name, tmp_path)
    draw = random.Random(name)
    files = SAMPLES[name][1]
    refused = 0
    for _ in range(DAMAGES):
        place = draw.choice(list(files))
        content = files[place]
        start = draw.randrange(len(content) + 1)
        end = min(len(content), start + draw.choice((0, 0, 1, 2, 8, len(content))))
        (tmp_path / place).write_bytes(content[:start] + draw.choice(PIECES) + content[end:])
        message = refusal(text, tmp_path)
        if message is not None:
            refused += 1
            assert "\n" not in message
            assert str(tmp_path) in message, message
        (tmp_path / place).write_bytes(content)
    assert 0 < refused < DAMAGES
