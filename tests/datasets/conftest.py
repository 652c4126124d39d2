# SPDX-License-Identifier: Apache-2.0
"""The folder of corpora that may not be redistributed, and the counts of a corpus."""

from __future__ import annotations

import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caesura.corpus import Corpus
from caesura.datasets import dataset
from tests.corpora import FOLDER

Counts = tuple[int, int, int]


@pytest.fixture(scope="session")
def data() -> Path:
    if FOLDER is None:
        pytest.skip("CAESURA_DATA names no folder")
    return FOLDER


@pytest.fixture(scope="session")
def converted(data: Path) -> Callable[[str], list[dict[str, Any]]]:
    """Return a reader of the corpora that were converted from the originals, as plain records."""

    def read(name: str) -> list[dict[str, Any]]:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    return read


def counts(corpus: Corpus) -> Counts:
    """Return how many documents, units and boundaries there are."""
    return len(corpus), int(corpus.flat.n_units.sum()), len(corpus.flat.pos)


def read(name: str, path: Path, **parameters: Any) -> tuple[Corpus, str]:
    """Return a dataset and the warning that reading it gave, or nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corpus = dataset(name, path, **parameters)
    return corpus, " ".join(str(warning.message) for warning in caught)
