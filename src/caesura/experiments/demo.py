# SPDX-License-Identifier: Apache-2.0
"""The demonstration: what baselines that read nothing score against real readers."""

from __future__ import annotations

import dataclasses

from caesura.corpus import Corpus
from caesura.data import bundled
from caesura.evaluation import Evaluation, evaluate
from caesura.evaluation.annotators import Agreement, agreement
from caesura.segmentation import Segmentation
from caesura.segmenters import every, none, random_boundaries
from caesura.table import Table

__all__ = ["DEMO_METRICS", "Demonstration", "demonstrate"]

DEMO_METRICS = ("Pk", "WindowDiff", "B", "W-F1", "BOR", "CovN")


@dataclasses.dataclass(frozen=True)
class Demonstration:
    """Baselines against every reader of one corpus."""

    name: str
    documents: int
    readings: int
    clock: int
    evaluation: Evaluation
    agreement: Agreement

    def table(self) -> Table:
        """Return the table, titled."""
        table = self.evaluation.table()
        what = "chapters" if self.documents > 1 else "article"
        title = f"{self.name}: {self.documents} {what}, {self.readings} readings, each in turn the reference"
        return dataclasses.replace(table, title=title)

    def tables(self) -> list[Table]:
        """Return what the baselines score, whether the readers agree, and on which boundaries."""
        agree = self.agreement.coefficient_table()
        prominence = self.agreement.prominence_table()
        return [
            self.table(),
            dataclasses.replace(agree, title=f"{self.name}: do the readers agree?"),
            dataclasses.replace(prominence, title=f"{self.name}: the boundaries that any reader marked"),
        ]


def demonstrate(name: str, *, seed: int = 0) -> Demonstration:
    """Score baselines, and another reader, against each reader of a bundled corpus.

    Parameters
    ----------
    name : str
        A bundled corpus.
    seed : int
        Of the random baseline.
    """
    corpus = bundled(name)
    readings = _readings(corpus)
    units = sum(reading.n_units for reading in readings.values())
    clock = max(1, round(units / sum(reading.n_segments for reading in readings.values())))
    systems = {
        "no boundary": {key: none(r.n_units, unit=r.unit) for key, r in readings.items()},
        f"every {clock} paragraphs": {
            key: every(r.n_units, clock, unit=r.unit) for key, r in readings.items()
        },
        "random, as many as the reader": {
            key: random_boundaries(r.n_units, r.n_boundaries, seed=seed + place, unit=r.unit)
            for place, (key, r) in enumerate(readings.items())
        },
        "another reader": _neighbours(corpus),
    }
    evaluation = evaluate(readings, systems, DEMO_METRICS)
    return Demonstration(name, len(corpus), len(readings), clock, evaluation, agreement(corpus, seed=seed))


def _readings(corpus: Corpus) -> dict[str, Segmentation]:
    """Return every annotator's segmentation of every document under an id of its own."""
    return {
        f"{document.id}/{annotator}": segmentation
        for document in corpus
        for annotator, segmentation in document.annotations.items()
    }


def _neighbours(corpus: Corpus) -> dict[str, Segmentation]:
    """Return for each reading that of the next annotator of the same document, in a circle."""
    found = {}
    for document in corpus:
        annotators = list(document.annotations)
        for place, annotator in enumerate(annotators):
            other = annotators[(place + 1) % len(annotators)]
            found[f"{document.id}/{annotator}"] = document.annotations[other]
    return found
