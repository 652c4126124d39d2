# SPDX-License-Identifier: Apache-2.0
"""Scores of parts of the documents: by a field that they carry, such as genre, or by length in thirds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.compare.paired import compared, settled, tests_of
from caesura.evaluation.compare.standing import best_of
from caesura.evaluation.intervals import PERMUTATIONS, check_resampling, ends_of, intervals
from caesura.evaluation.measured import Bools, Measured, Rows
from caesura.results import Comparison, number
from caesura.results.compare.facts import Slices, SliceScore
from caesura.statistics import Bootstrap

if TYPE_CHECKING:
    from caesura.evaluation.measurement import Measurement

__all__ = ["facet", "facets", "sliced"]

_FEWEST, _MOST = 2, 50
_SPEAKERS = "number of speakers"


def facets(corpus: Corpus, ids: Sequence[str], *, read: bool = True) -> list[str]:
    """Return the fields by which documents can be sliced; those they carry only if they may be ``read``."""
    found = ["length"]
    if read and not corpus.bare:
        documents = [corpus[key] for key in ids]
        found += [_SPEAKERS] if any(document.speakers for document in documents) else []
        for name in sorted({name for document in documents for name in document.extra}):
            values = [document.extra.get(name) for document in documents]
            if all(value is None or isinstance(value, (str, int, bool)) for value in values):
                found.append(name)
    return found


def facet(corpus: Corpus, ids: Sequence[str], field: str) -> list[str]:
    """Return the slice of each document by a field; length is in thirds, and numbered so that they sort in order.

    >>> from caesura.segmentation import Segmentation
    >>> corpus = Corpus.from_segmentations({str(n): Segmentation(n + 1, ()) for n in range(6)})
    >>> facet(corpus, corpus.ids, "length")[::3]
    ['1: up to 2 units', '2: 3 to 4 units']
    """
    if field == "length":
        lengths = corpus.flat.n_units[[corpus.row(key) for key in ids]]
        low, high = (int(edge) for edge in np.quantile(lengths, [1 / 3, 2 / 3]))
        names = (f"1: up to {low} units", f"2: {low + 1} to {high} units", f"3: more than {high} units")
        return [names[int(n > low) + int(n > high)] for n in lengths]
    documents = [corpus[key] for key in ids]
    if field == _SPEAKERS:
        return [str(len(set(document.speakers or ()))) for document in documents]
    values = [document.extra.get(field) for document in documents]
    return ["none" if value is None else str(value) for value in values]


class _Part(Measured):
    """Some documents of a measurement, measured like the whole."""

    def __init__(self, whole: Measurement, rows: Sequence[int]) -> None:
        self._whole, self._rows = whole, np.asarray(rows)
        self.systems, self.metrics, self.unit, self.by = whole.systems, whole.metrics, whole.unit, whole.by
        self.documents = [whole.documents[row] for row in rows]

    def rows(self, system: str, metric: str) -> Rows:
        """Return counts, score and inclusion of these documents."""
        return Rows(*(each[self._rows] for each in self._whole.rows(system, metric)))

    def aggregate(self, system: str, metric: str, rows: Rows, used: Bools) -> Aggregate:
        """Aggregate the documents as the whole does."""
        return self._whole.aggregate(system, metric, rows, used)


def sliced(
    measured: Measurement, field: str, headline: str, *, resamples: int = 1000, permutations: int = PERMUTATIONS,
    seed: int = 0, level: float = 0.95,
) -> Slices:  # fmt: skip
    """Return the scores of every slice of the documents by a field, with intervals and tests against the best system."""
    check_resampling(resamples=resamples, permutations=permutations, level=level, seed=seed)
    parts = {name: _Part(measured, rows) for name, rows in _rows_of(measured, field).items()}
    systems = [name for name, source in measured.systems.items() if not source.baseline]
    facts = measured.metrics[headline].facts()
    best = best_of(facts, {name: measured.aggregates[name][headline].score for name in systems}) or systems[0]
    rivals = [name for name in systems if name != best]
    scores: dict[str, dict[str, dict[str, SliceScore]]] = {}
    comparisons: dict[str, list[Comparison]] = {}
    for name, part in parts.items():
        found = intervals(part, resamples, seed, level)
        scores[name] = {
            system: {
                metric: SliceScore(
                    score=number(a.score), interval=ends_of(found[system][metric]), documents=a.documents
                )
                for metric, a in row.items()
            }
            for system, row in part.aggregates.items()
        }
        pairs = [(rival, best) for rival in rivals]
        tests = tests_of(part, pairs, Bootstrap(len(part.documents), resamples, seed, level), permutations)
        total = len(part.documents)
        comparisons[name] = [
            compared(part, tests, metric, *pair, total) for metric in measured.metrics for pair in pairs
        ]
    for metric in measured.metrics:
        settled([item for items in comparisons.values() for item in items if item.metric == metric])
    sizes = {name: len(part.documents) for name, part in parts.items()}
    of: Literal["documents", "questions"] = "documents" if measured.lie_in() is measured.documents else "questions"
    return Slices(
        field=field, headline=headline, best=best, documents=sizes, scores=scores, comparisons=comparisons, of=of
    )


def _rows_of(measured: Measurement, field: str) -> dict[str, list[int]]:
    """Return the rows of each slice, in the order of their names; raise if the documents cannot be sliced so."""
    corpus, ids = measured.corpora().documents, measured.lie_in()
    if corpus is None or any(key not in corpus for key in ids):
        raise ComparabilityError(f"the documents are not at hand, so there is nothing to slice by {field!r}")
    known = facets(corpus, ids)
    if field not in known:
        raise ComparabilityError(f"no slices by {field!r}: the documents can be sliced by {', '.join(known)}")
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(facet(corpus, ids, field)):
        rows.setdefault(name, []).append(row)
    if not _FEWEST <= len(rows) <= _MOST:
        raise ComparabilityError(
            f"{field!r} has {len(rows)} value{'' if len(rows) == 1 else 's'} in {len(set(ids))} documents; slices need {_FEWEST} to {_MOST}"
        )
    return {name.partition(": ")[2] if field == "length" else name: rows[name] for name in sorted(rows)}
