# SPDX-License-Identifier: Apache-2.0
"""Extra boundaries, those that the reference does not have: sub-topics that the text supports, or noise.

They are moved on inside the segments of the reference: where the text changes, a boundary gains more than elsewhere in its segment.
What as many random boundaries get is measured, and so is what the reference's own boundaries get: where the text does not tell these
from random ones, it says nothing of extra ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat, Ints
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, MetricError, and_more
from caesura.evaluation.aggregate import mean_defined
from caesura.kernels.matching import match_boundaries
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion.placement import Placement
from caesura.placements.random import RandomPlacements
from caesura.results import Number, number
from caesura.results.evaluate.facts import OTHERS, ExtraFacts, Reads
from caesura.segmentation import CONTINUOUS_UNITS, Segmentation
from caesura.statistics import Permutation, Statistic

if TYPE_CHECKING:
    from caesura.encoders import Encoder, Precomputed
    from caesura.evaluation.evaluate.report import Evaluation
    from caesura.metrics.cohesion.placement import Reading

__all__ = ["DRAWS", "extra_boundaries", "extra_of", "readable"]

DRAWS = 10
"""Random segmentations of every document, for what the text supports by chance."""
TOLERANCE = 1
"""How far a boundary of the reference may be and still match: that of W-F1."""
_MOST = 1e6  # pairs of units of one document that are read without being asked: a third of a second
_ALPHA = 0.05


def extra_of(reference: Ints, hypothesis: Ints) -> Ints:
    """Return the boundaries of a hypothesis that match none of the reference, one to one within one unit.

    >>> extra_of(np.array([4, 9]), np.array([3, 5, 9, 12])).tolist()
    [5, 12]
    """
    matched = [place for _, place in match_boundaries(reference.tolist(), hypothesis.tolist(), TOLERANCE)]
    return np.asarray(np.delete(hypothesis, matched))


def readable(evaluation: Evaluation) -> bool:
    """Return whether every document has the texts of its units, and few enough to be read without being asked."""
    n_units = next(iter(evaluation.pairs.values())).n_units.astype(np.float64)
    if evaluation.unit in CONTINUOUS_UNITS or float(n_units @ n_units) > _MOST:
        return False
    corpus = evaluation.reference.corpus
    return not corpus.bare and all(key in corpus and corpus[key].units is not None for key in evaluation.documents)


def extra_boundaries(
    evaluation: Evaluation,
    of: Reads,
    encoder: str | Encoder | Precomputed,
    systems: Sequence[str],
    draws: int,
    seed: int,
) -> dict[str, ExtraFacts]:
    """Return what the text says of the extra boundaries of some systems; see `Evaluation.extra_boundaries`."""
    if of not in get_args(Reads):
        raise MetricError(f"of is {of!r}; it must be one of {', '.join(get_args(Reads))}")
    if draws < 1:
        raise MetricError(f"draws is {draws}; chance needs at least one")
    if evaluation.unit in CONTINUOUS_UNITS:
        raise ComparabilityError(
            "extra boundaries are judged by the texts of units, and time and characters have none; score on units"
        )
    corpus = evaluation.reference.corpus.subset(evaluation.documents).in_drawing_order()
    batch, name = _batch(corpus, of, encoder)
    flats = {system: evaluation.pairs[system].in_order(evaluation.drawn_in).hypothesis for system in systems}
    reference = evaluation.pairs[next(iter(evaluation.pairs))].in_order(evaluation.drawn_in).reference
    if any(document.annotations for document in corpus):
        flats[OTHERS] = Flat.from_segmentations([_people(corpus, key) for key in corpus.ids])
    asked = {system: _Asked(flat, draws, seed) for system, flat in flats.items()}
    own = np.zeros((len(corpus), 3))
    for row, reading in enumerate(Placement(of=of).readings(batch)):
        gold = _row(reference, row)
        own[row] = _own(reading, gold)
        others = extra_of(gold, _row(flats[OTHERS], row)) if OTHERS in flats else np.empty(0, dtype=np.int64)
        for each in asked.values():
            each.ask(reading, row, gold, others)
    return {system: each.facts(of, name, corpus.ids, own, people=OTHERS in flats) for system, each in asked.items()}


class _Asked:
    """The extra boundaries of one system and of random segmentations as dense: what the text says of them, by document."""

    def __init__(self, flat: Flat, draws: int, seed: int) -> None:
        self.flats = [flat, *RandomPlacements(flat.n_units, np.diff(flat.ptr), seed=seed).draws(draws)]
        # Of the system and of each draw, by document: z, extra boundaries, supported ones, and those near one of another annotator.
        self.counts = np.zeros((1 + draws, len(flat), 4))
        self.places: dict[int, list[tuple[int, bool]]] = {}

    def ask(self, reading: Reading, row: int, gold: Ints, others: Ints) -> None:
        """Ask the text of one document."""
        for counts, flat in zip(self.counts, self.flats, strict=True):
            extra = extra_of(gold, _row(flat, row))
            z, supported, _ = reading.inside(gold, extra)
            counts[row] = z, len(extra), supported.sum(), _near(extra, others)
            if flat is self.flats[0] and len(extra):
                self.places[row] = list(zip(extra.tolist(), supported.tolist(), strict=True))

    def facts(self, of: Reads, encoder: str | None, ids: Sequence[str], own: Floats, *, people: bool) -> ExtraFacts:
        """Return shares of all extra boundaries, mean z by document, and tests against random ones in the same document."""
        z, n, supported, marked = np.moveaxis(self.counts, 2, 0)
        has = n > 0
        by_chance = ratio(np.where(has, z, 0.0)[1:].sum(axis=0), has[1:].sum(axis=0).astype(np.float64))
        shares = ratio(own[:, 0], own[:, 2]), ratio(own[:, 1], own[:, 2])

        return ExtraFacts(
            of=of,
            encoder=encoder,
            documents=int(has[0].sum()),
            boundaries=int(n[0].sum()),
            z=number(mean_defined(np.where(has[0], z[0], np.nan))),
            z_chance=number(mean_defined(by_chance)),
            p=number(_tested(np.where(has[0], z[0], np.nan), by_chance)),
            supported=_share(supported[:1], n[:1]),
            chance=_share(supported[1:], n[1:]),
            own=_share(own[:, 0], own[:, 2]),
            p_own=number(_tested(*shares)),
            marked=_share(marked[:1], n[:1]) if people else None,
            marked_chance=_share(marked[1:], n[1:]) if people else None,
            places={ids[row]: places for row, places in self.places.items()},
        )


def _own(reading: Reading, gold: Ints) -> tuple[float, float, int]:
    """Return how many boundaries of a reference are supported, each as an extra one of the others, and how many would be by chance."""
    found = [reading.inside(np.delete(gold, k), gold[k : k + 1]) for k in range(len(gold))]
    return sum(float(each.supported[0]) for each in found), sum(float(each.chance[0]) for each in found), len(gold)


def _share(some: Floats, of: Floats) -> Number:
    return number(float(ratio(some.sum(), of.sum())))


def _tested(first: Floats, second: Floats) -> float:
    """Return p of the paired difference; NaN with too few documents for any p below 0.05."""
    kept = ~(np.isnan(first) | np.isnan(second))
    n = int(kept.sum())
    if 2.0 ** (1 - n) >= _ALPHA:
        return float("nan")
    return Permutation(n).exchanged([(Statistic.mean(first[kept]), Statistic.mean(second[kept]))])[0].p_value()


def _batch(corpus: Corpus, of: Reads, encoder: str | Encoder | Precomputed) -> tuple[Embedded, str | None]:
    lacking = [document.id for document in corpus if document.units is None]
    if lacking and of != "vectors":
        raise ComparabilityError(
            f"{lacking[0]!r}{and_more(len(lacking))} has no texts, which are asked about extra boundaries; give the units"
        )
    if of == "words":
        texts = {document.id: document.units or () for document in corpus}
        return Embedded.of_texts({key: Segmentation(len(units)) for key, units in texts.items()}, texts), None
    from caesura.evaluation.cohesion.run import embed_documents

    batch, facts = embed_documents(corpus, encoder)
    return batch, facts.name


def _people(corpus: Corpus, key: str) -> Segmentation:
    """Return all boundaries that any annotator of a document marked."""
    document = corpus[key]
    return Segmentation(document.n_units, sorted({gap for c in document.annotations.values() for gap in c.boundaries}))


def _row(flat: Flat, row: int) -> Ints:
    return flat.pos[flat.ptr[row] : flat.ptr[row + 1]]


def _near(gaps: Ints, others: Ints) -> int:
    """Return how many gaps are within one unit of one of the others.

    >>> _near(np.array([2, 5, 9]), np.array([4, 6]))
    1
    """
    return int((np.abs(gaps[:, None] - others).min(axis=1, initial=TOLERANCE + 1) <= TOLERANCE).sum())
