"""All segmentations of a short document, and the corpora at hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.peers.naive_segmenters import spans
from caesura.corpus import Document
from tests.corpora import corpus_file

CHOI, DIALSEG, TIAGE = (
    "choi/choi_3_3-11.jsonl.gz", "dialseg711/dialseg711_shared500.jsonl.gz", "tiage/tiage_test.jsonl.gz",
)  # fmt: skip


def first_documents(name, number):
    """Return the first documents of a corpus."""
    import warnings

    from caesura.formats import load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(itertools.islice(load(corpus_file(name)), number))


def mean_pk(method, documents, encoding=None):
    """Return the mean Pk of a segmenter."""
    from caesura.metrics import metric

    pk = metric("Pk")
    return float(np.nanmean([pk(d.segmentation, method.segment(d, encoding=encoding)) for d in documents]))


def words(n: int, seed: int, size: int = 6) -> Document:
    """Return a document of random words."""
    rng = np.random.default_rng(seed)
    vocabulary = [a + b for a in "bdfgkl" for b in ("ax", "ox")][:size]
    units = tuple(" ".join(rng.choice(vocabulary, int(rng.integers(0, 5)))) for _ in range(n))
    return Document(id="d", n_units=n, units=units)


def least(n: int, cost: Callable[[int, int], float], k: int) -> float:
    """Return the least sum of costs with k segments, by trying all."""
    return min(sum(cost(a, b) for a, b in spans(n, cuts)) for cuts in segmentations(n, k))


def segmentations(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield all segmentations with k segments."""
    return itertools.combinations(range(1, n), k - 1)
