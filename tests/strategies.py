"""One way to draw segmentations, pairs of them, corpora, and metrics with random parameters."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.kernels import Kernel, kernel
from caesura.metrics import METRICS, PairwiseMetric
from caesura.metrics._one_pair import counter
from caesura.metrics.cohesion import CohesionMetric
from caesura.segmentation import Segmentation

Pair = tuple[Segmentation, Segmentation]
UNTITLED = [cls.name() for cls in METRICS if not cls().needs_titles()]
"""The metrics that a segmentation is enough for; titles are no part of it."""


def all_segmentations(n_units: int) -> Iterator[Segmentation]:
    """Yield each of the 2 ** (n_units - 1) segmentations of a document."""
    for chosen in itertools.product((False, True), repeat=n_units - 1):
        yield Segmentation(n_units, [gap for gap, taken in enumerate(chosen, start=1) if taken])


def all_pairs(n_units: int) -> Iterator[Pair]:
    """Yield every reference with every hypothesis."""
    everything = list(all_segmentations(n_units))
    return itertools.product(everything, everything)


@st.composite
def segmentations(
    draw: st.DrawFn, *, n_units: int | None = None, min_units: int = 1, max_units: int = 30, unit: str = "unit"
) -> Segmentation:
    """Draw a segmentation: of any density, from no boundary to all."""
    n = draw(st.integers(min_units, max_units)) if n_units is None else n_units
    # One number whose bits are the gaps: far quicker to draw than a list of booleans. 0 has no boundary.
    gaps = draw(st.integers(0, 2 ** (n - 1) - 1))
    if draw(st.sampled_from((False, False, False, True))):
        gaps = 2 ** (n - 1) - 1 - gaps
    return Segmentation(n, [gap for gap in range(1, n) if gaps >> (gap - 1) & 1], unit=unit)


@st.composite
def pairs(draw: st.DrawFn, *, min_units: int = 1, max_units: int = 30, unit: str = "unit") -> Pair:
    """Draw a reference with an unrelated hypothesis, or with one that is the reference with its boundaries moved."""
    reference = draw(segmentations(min_units=min_units, max_units=max_units, unit=unit))
    n = reference.n_units
    if n == 1 or draw(st.booleans()):
        return reference, draw(segmentations(n_units=n, unit=unit))
    steps = draw(st.integers(0, 7**reference.n_boundaries - 1))  # one digit to base 7 per boundary
    moved = {min(max(gap + steps // 7**place % 7 - 3, 1), n - 1) for place, gap in enumerate(reference.boundaries)}
    return reference, Segmentation(n, sorted(moved), unit=unit)


def corpora(*, max_documents: int = 6, max_units: int = 30) -> st.SearchStrategy[list[Pair]]:
    """Draw several pairs, documents of different lengths."""
    return st.lists(pairs(max_units=max_units), min_size=1, max_size=max_documents)


def batch(documents: Sequence[Pair], unit: str = "unit") -> Pairs:
    """Lay pairs side by side as flat arrays."""
    ref = Flat.from_segmentations([reference for reference, _ in documents])
    hyp = Flat.from_segmentations([hypothesis for _, hypothesis in documents])
    return Pairs(ref.n_units, ref.ptr, ref.pos, hyp.ptr, hyp.pos, unit)


def counted(metric: PairwiseMetric, documents: Sequence[Pair], *, threads: int = 1) -> np.ndarray:
    """Return a metric's counts of a batch, one row per document."""
    request = metric.request("unit")
    table = request.count(batch(documents), threads=threads)
    return table[:, metric.places(request)]


def count_one(counting: Kernel, reference: Segmentation, hypothesis: Segmentation, *values: int, **named: int) -> Any:
    """Return the counts of one pair by a kernel's entry for one pair, in the order of its columns."""
    parameters = values or counting.arranged(named)
    return np.asarray(counter(counting, parameters, range(len(counting.columns)))(reference, hypothesis))


def parameters_of(counting: Kernel) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw parameters of a kernel: each small number in its range, or its default."""
    drawn = [
        st.integers(least, min(most, 12))
        | (st.just(counting.defaults[name]) if name in counting.defaults else st.nothing())
        for name, (least, most) in counting.parameters.items()
    ]
    return st.tuples(*drawn)


def per_segment(metric: CohesionMetric, segmentation: Segmentation, vectors: Any) -> np.ndarray:
    """Return the value of each segment of one document; NaN where it has none."""
    return metric.segment_values(metric._batch(segmentation, vectors))


def forget(registry: Any, cls: Any) -> None:
    """Remove a class that a test registered, and its aliases."""
    registry._remembered.clear()
    registry._classes.pop(cls.name(), None)
    registry._aliases = {alias: entry for alias, entry in registry._aliases.items() if entry[0] is not cls}


def segment_matches(reference: Segmentation, hypothesis: Segmentation) -> tuple[list[list[int]], list[list[int]]]:
    """Return (partner, overlap, partner's length) of each segment of the reference, and of the hypothesis."""
    module: Any = kernel("alignment").module
    size = 3 * (reference.n_segments + hypothesis.n_segments)
    # Uncompiled kernels work on lists.
    scratch: Any = np.zeros(size, dtype=np.int64) if module.COMPILED else [0] * size
    sides = [side.positions if module.COMPILED else list(side.boundaries) for side in (reference, hypothesis)]
    module.match_segments(reference.n_units, *sides, scratch)
    rows = np.asarray(scratch).reshape(-1, 3).tolist()
    return rows[: reference.n_segments], rows[reference.n_segments :]


@st.composite
def _values(draw: st.DrawFn, field: dataclasses.Field[Any]) -> Any:
    facts, words = field.metadata["caesura"], [word.strip() for word in str(field.type).split("|")]
    if facts.choices:
        return draw(st.sampled_from(facts.choices))
    options: list[st.SearchStrategy[Any]] = []
    if "None" in words:
        options.append(st.none())
    if "bool" in words:
        options.append(st.booleans())
    if "int" in words:
        least = int(facts.minimum or 0)
        options.append(st.integers(least, least + 12))
    if "float" in words:
        # Fractions of few digits, and a few that a gamma may well be.
        low, high = int(100 * (facts.minimum or 0)), int(100 * (facts.maximum or 1))
        options.append(st.integers(low, high).map(lambda value: value / 100))
    return draw(st.one_of(options)) if options else field.default


@st.composite
def metrics(draw: st.DrawFn, cls: type[PairwiseMetric] | None = None) -> PairwiseMetric:
    """Draw a metric of the registry with values for its parameters that may stand together."""
    cls = draw(st.sampled_from([METRICS.lookup(name)[0] for name in UNTITLED])) if cls is None else cls
    values = {field.name: draw(_values(field)) for field in dataclasses.fields(cls) if "caesura" in field.metadata}
    if "length" in values:
        # A length class needs its cut; the granularity paper's code knows none.
        if str(values.get("matching")).startswith("as_run"):
            values["length"] = "all"
        values["cut"] = None if values["length"] == "all" else draw(st.integers(1, 8))
    if values.get("gamma") == 1 or values.get("tolerance") == 0:
        values["strict"] = False  # nothing exceeds 1, or is nearer than 0
    if values.get("start") or values.get("f1") == "of_means" or values.get("matching") in ("nearest_first", "in_order"):
        values |= {"length": "all", "cut": None} if "length" in values else {}
    if values.get("similarity") in ("rouge", "encoder"):
        values["similarity"] = "tiou"  # no titles here
    return cls(**values)


@st.composite
def panels(
    draw: st.DrawFn,
    *,
    min_units: int = 1,
    max_units: int = 24,
    min_annotators: int = 2,
    max_annotators: int = 5,
    unit: str = "unit",
) -> dict[str, Segmentation]:
    """Draw the annotators of one document: unrelated, or all near the first, so that they agree in part."""
    first = draw(segmentations(min_units=min_units, max_units=max_units, unit=unit))
    n, number = first.n_units, draw(st.integers(min_annotators, max_annotators))
    if draw(st.booleans()):
        others = [draw(segmentations(n_units=n, unit=unit)) for _ in range(number - 1)]
    else:
        # Every other annotator leaves some boundaries of the first out and sets some of his own.
        drawn = [draw(segmentations(n_units=n, unit=unit)) for _ in range(number - 1)]
        others = [Segmentation(n, sorted(set(first.boundaries) ^ set(s.boundaries[::3])), unit=unit) for s in drawn]
    return {f"a{place}": coding for place, coding in enumerate([first, *others], start=1)}
