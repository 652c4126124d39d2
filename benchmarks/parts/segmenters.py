# SPDX-License-Identifier: Apache-2.0
"""Segmenters beside other libraries, and beside the naive form of their own formulas."""

from __future__ import annotations

import functools
import importlib.util
import itertools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers import naive_segmenters as naive
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura import Document, segmenter
from caesura.encoders import source
from caesura.kernels import one_thread
from caesura.scorers import Encoding, Features
from caesura.scorers.features import terms_of
from caesura.scorers.features.similarity import cosine_matrix, inverse_frequencies, neighbour_weights

__all__ = ["measure"]

GOAL = 27
UNITS, SEGMENTS, WORDS = 70, 10, 18
DIMENSIONS = (256, 64)
"""Of the included encoder."""
SIZES = ((70, 10), (300, 30), (1_000, 100))
STOP_WORDS = ("the", "of", "and")
# How many times faster than the naive form, from what prototypes of both took.
NAIVE = {"BayesSeg": 14.0, "C99": 16.0, "MinCutSeg": 4.5, "APS": 2.5}

Boundaries = tuple[int, ...]


def measure(settings: Settings) -> Part:
    """Check that both sides find the same boundaries where they should, then time them."""
    part = Part(
        "segmenters",
        "Segmenters",
        notes=[
            f"One document of {UNITS} units in {SEGMENTS} segments, from texts to boundaries and scores. The library or the naive form is "
            "given the number of segments as ours is, and must find the same boundaries before it is timed.",
            "Naive: the formula of each segmenter from the units of every segment, and a plain dynamic programme; terms and "
            "similarities are given to it, ours reads the text.",
            "TextTiling on units cuts at other places than NLTK, and VectorTiling at others than Chonkie: only times stand beside "
            "each other. TokenTiling has NLTK's boundaries. VectorTiling and Chonkie encode with the same included encoder.",
            f"Scatter and ruptures are given vectors of {DIMENSIONS[0]} numbers unless it says otherwise. Ours also ranks all gaps "
            "by their order of entry along growing numbers of segments; ruptures finds the one number that is asked for.",
        ],
    )
    document = _document(settings.seed)
    with one_thread():
        _tiling(settings, part, document)
        _chunker(settings, part, document)
        _scatter(settings, part)
        _naive(settings, part, document)
    return part


def _document(seed: int) -> Document:
    """Return a document whose segments draw their words from different parts of a vocabulary."""
    rng = np.random.default_rng(seed)
    letters = "bcdfglmnprst"
    vocabulary = [f"{a}o{b}a{c}i" for a in letters for b in letters for c in letters[:4]]
    topics = np.repeat(rng.integers(0, len(vocabulary) - 60, size=SEGMENTS), UNITS // SEGMENTS)
    units = tuple(
        " ".join([*rng.choice(vocabulary[topic : topic + 60], size=WORDS), STOP_WORDS[0], "end"]) + "."
        for topic in topics
    )
    return Document(id="d", n_units=UNITS, units=units)


def _cut(method: str, document: Document, encoding: Encoding) -> Boundaries:
    """Return the boundaries of one of our segmenters; nothing of an earlier call is reused."""
    return segmenter(method).cut(Features(document, encoding)).segmentation.boundaries


def _missing(part: Part, label: str, package: str) -> bool:
    if importlib.util.find_spec(package) is None:
        part.skipped[label] = f"{package} is not installed"
    return label in part.skipped


def _time(settings: Settings, part: Part, label: str, peer: str, works: dict[str, Callable[[], Any]]) -> Any:
    """Time ours and theirs, and return both."""
    named = {f"{label}: {name}": work for name, work in works.items()}
    times = interleave(named, settings.slow_rounds, settings.shortest)
    part.rounds.update(times)
    return times[f"{label}: caesura"], times[f"{label}: {peer}"]


def _same(part: Part, label: str, ours: Boundaries, theirs: Boundaries) -> bool:
    if tuple(ours) != tuple(theirs):
        part.mismatches[label] = f"boundaries {tuple(ours)[:5]} and {tuple(theirs)[:5]} ..."
    return label not in part.mismatches


def _tiling(settings: Settings, part: Part, document: Document) -> None:
    """Compare with NLTK."""
    if _missing(part, "TextTiling", "nltk"):
        return
    from nltk.tokenize.texttiling import TextTilingTokenizer

    text = "\n\n".join(document.units or ())
    tiling = TextTilingTokenizer(stopwords=list(STOP_WORDS))
    with tempfile.TemporaryDirectory() as folder:
        stops = Path(folder) / "stops.txt"
        stops.write_text("\n".join(STOP_WORDS), encoding="utf-8")
        methods = {"TextTiling": ("TextTiling", 100.0), "TokenTiling": (f"TokenTiling(stop_words={str(stops)!r})", 20.0)}  # fmt: skip
        for label, (method, limit) in methods.items():
            works: dict[str, Callable[[], Any]] = {
                "caesura": functools.partial(_cut, method, document, Encoding()),
                "NLTK": functools.partial(tiling.tokenize, text),
            }
            theirs = _ends(document, works["NLTK"]())
            if label == "TextTiling" or _same(part, label, works["caesura"](), theirs):
                mine, other = _time(settings, part, label, "NLTK", works)
                part.goal(GOAL, f"{label}, times faster than NLTK", ">=", limit, ratio_of(other, mine))


def _ends(document: Document, pieces: list[str]) -> Boundaries:
    """Return the boundaries of pieces that NLTK made of the units joined by blank lines."""
    starts = np.cumsum([0, *(len(unit) + 2 for unit in (document.units or ())[:-1])])
    places = np.searchsorted(starts, np.cumsum([len(piece) for piece in pieces[:-1]]))
    return tuple(sorted({int(place) for place in places} - {0, document.n_units}))


def _chunker(settings: Settings, part: Part, document: Document) -> None:
    """Compare with Chonkie, which gets the same encoder."""
    label = "VectorTiling"
    if _missing(part, label, "chonkie"):
        return
    encoding = Encoding(source("default"), cache=False)
    works: dict[str, Callable[[], Any]] = {
        "caesura": functools.partial(_cut, label, document, encoding),
        "Chonkie": functools.partial(_cut, "chonkie:SemanticChunker(threshold=0.5)", document, encoding),
    }
    mine, other = _time(settings, part, label, "Chonkie", works)
    part.goal(GOAL, f"{label}, times faster than Chonkie's SemanticChunker", ">=", 2.0, ratio_of(other, mine))


class _Given(Encoding):
    """Vectors that are at hand, instead of an encoder."""

    def __init__(self, vectors: Any) -> None:
        super().__init__()
        self.given = vectors

    def vectors(self, document: Document) -> Any:
        """Return the vectors of the only document."""
        return self.given


def _scatter(settings: Settings, part: Part) -> None:
    """Compare with ruptures."""
    if _missing(part, "Scatter", "ruptures"):
        return
    import ruptures

    rng = np.random.default_rng(settings.seed)
    for dimension, (units, segments) in itertools.product(DIMENSIONS, SIZES[: 2 if settings.quick else None]):
        points = np.repeat(rng.standard_normal((segments, dimension)), -(-units // segments), axis=0)[:units]
        vectors = (points + rng.standard_normal((units, dimension))).astype(np.float32)
        label = f"Scatter, {units:,} units, {segments} segments"
        label += f", {dimension} numbers" if dimension != DIMENSIONS[0] else ""
        document, method = Document(id="d", n_units=units), f"Scatter(n_segments={segments})"
        works: dict[str, Callable[[], Any]] = {
            "caesura": functools.partial(_cut, method, document, _Given(vectors)),
            "ruptures": functools.partial(_change_points, ruptures, vectors, segments),
        }
        if _same(part, label, *(work() for work in works.values())):
            mine, other = _time(settings, part, label, "ruptures", works)
            part.goal(GOAL, f"{label}, in ruptures", "<=", 1.0, ratio_of(mine, other))


def _change_points(ruptures: Any, vectors: Any, segments: int) -> Boundaries:
    search = ruptures.KernelCPD(kernel="cosine", min_size=1).fit(vectors)
    return tuple(int(place) for place in search.predict(n_bkps=segments - 1)[:-1])


def _naive(settings: Settings, part: Part, document: Document) -> None:
    """Compare with the formulas as they are written."""
    encoding = Encoding()
    features = Features(document, encoding)
    terms = features.terms()
    lists = [terms_of(unit) for unit in features.units]
    similarity = cosine_matrix(terms)
    weighted = terms.weighted(inverse_frequencies(terms, 15))
    weights = np.exp(cosine_matrix(weighted, neighbour_weights(1.1, 5)))
    plain = {
        "BayesSeg": lambda: naive.least_cost(UNITS, naive.dirichlet(lists, 0.2), SEGMENTS),
        "C99": lambda: naive.divisions(naive.ranks(similarity, 11), SEGMENTS),
        "MinCutSeg": lambda: naive.least_cost(UNITS, naive.normalised_cut(weights), SEGMENTS),
        "APS": lambda: naive.least_cost(UNITS, naive.exemplar(similarity, -0.3), SEGMENTS),
    }
    for method, theirs in plain.items():
        ours = functools.partial(_cut, f"{method}(n_segments={SEGMENTS})", document, encoding)
        if _same(part, method, ours(), tuple(theirs())):
            mine, other = _time(settings, part, method, "naive", {"caesura": ours, "naive": theirs})
            text = f"{method}, times faster than its formula as written"
            part.goal(GOAL, text, ">=", NAIVE[method], ratio_of(other, mine))
