"""A small encoder that counts what it is asked, and a cache of its own for every test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.encoders.base import Vectors


class Toy:
    """Eight numbers from a text's hash; remembers every text it has encoded."""

    name = "toy"
    dim = 8
    normalized = False
    fingerprint = "toy-1"

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.batches: list[int] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        self.batches.append(len(texts))
        return toy_vectors(texts)


def toy_vectors(texts: Sequence[str]) -> Vectors:
    """Return what `Toy` must give."""
    rows = [np.frombuffer(hashlib.sha256(text.encode()).digest(), "<i4") for text in texts]
    return np.array(rows, dtype=np.float32).reshape(len(texts), 8) / np.float32(2**31)


@pytest.fixture
def toy() -> Toy:
    return Toy()


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Keep every test away from the cache of whoever runs it."""
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CAESURA_CACHE_LIMIT", raising=False)
    return tmp_path / "cache"


def corpus_of(**texts: Sequence[str]) -> Corpus:
    """Return a corpus of documents by id."""
    return Corpus([Document(id=key, n_units=len(units), units=tuple(units)) for key, units in texts.items()])
