"""The objectives of global systems in their plainest form, and all segmentations of a short document."""

from __future__ import annotations

import itertools
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from caesura.corpus import Document

DATA = Path(os.environ.get("CAESURA_DATA", "")) if os.environ.get("CAESURA_DATA") else Path("nowhere")
CHOI = DATA / "choi" / "choi_3_3-11.jsonl.gz"
DIALSEG = DATA / "dialseg711" / "dialseg711_shared500.jsonl.gz"
TIAGE = DATA / "tiage" / "tiage_test.jsonl.gz"


def first_documents(path, number):
    """Return the first documents of a corpus."""
    import warnings

    from caesura.formats import load

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(itertools.islice(load(path), number))


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


def spans(n: int, cuts: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the segments of a segmentation."""
    edges = (0, *cuts, n)
    return list(itertools.pairwise(edges))


def least(n: int, cost: Callable[[int, int], float], k: int) -> float:
    """Return the least sum of costs with k segments, by trying all."""
    return min(sum(cost(a, b) for a, b in spans(n, cuts)) for cuts in segmentations(n, k))


def segmentations(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """Yield all segmentations with k segments."""
    return itertools.combinations(range(1, n), k - 1)


def scatter(vectors):
    """Return the scatter of a segment."""

    def cost(a, b):
        part = vectors[a:b]
        return float(((part - part.mean(axis=0)) ** 2).sum())

    return cost


def dirichlet(lists, theta):
    """Return the negative log likelihood of a segment."""
    size = len({term for terms in lists for term in terms})

    def cost(a, b):
        counts = Counter(term for terms in lists[a:b] for term in terms)
        if not size:
            return 0.0
        found = math.lgamma(size * theta) - math.lgamma(sum(counts.values()) + size * theta)
        return -(found + sum(math.lgamma(x + theta) - math.lgamma(theta) for x in counts.values()))

    return cost


def normalised_cut(weights):
    """Return the normalised cut of a segment."""

    def cost(a, b):
        whole = weights[a:b].sum()
        return float((whole - weights[a:b, a:b].sum()) / whole)

    return cost


def exemplar(similarity, preference):
    """Return the negative value of a segment around its best exemplar."""

    def cost(a, b):
        return -max(sum(similarity[i, c] for i in range(a, b) if i != c) + preference for c in range(a, b))

    return cost
