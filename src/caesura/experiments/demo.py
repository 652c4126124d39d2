# SPDX-License-Identifier: Apache-2.0
"""The demonstration: what baselines that do not read the text score against real readers."""

from __future__ import annotations

import dataclasses

from caesura.corpus import Corpus
from caesura.datasets.bundled import bundled
from caesura.evaluation import evaluate
from caesura.evaluation.annotators import agreement
from caesura.evaluation.cohesion import cohesion
from caesura.results import Results, as_float, tables_of
from caesura.segmentation import Segmentation
from caesura.segmenters import every, none, random_boundaries
from caesura.table import Table

__all__ = ["DEMO_METRICS", "Demonstration", "demonstrate"]

DEMO_METRICS = ("Pk", "WindowDiff", "B", "W-F1", "BOR", "CovN")


@dataclasses.dataclass(frozen=True)
class Demonstration:
    """Baselines against every reader of a bundled corpus, agreement of the readers, and scores without a reference."""

    name: str
    documents: int
    readings: int
    evaluation: Results
    agreement: Results
    cohesion: Results | None = None

    def answer(self) -> str:
        """Say what was shown: what a clock gets beside another reader, and how far the readers agree."""
        score = {name: as_float(row["W-F1"].score) for name, row in self.evaluation.systems.items()}
        _, clock, random, reader = score
        said = (
            f"{self.name}: against a reader, another reader gets W-F1 {score[reader]:.3f}, a boundary {clock} "
            f"{score[clock]:.3f}, random boundaries {score[random]:.3f}."
        )
        if score[clock] > score[reader]:
            said += " A clock that never read the text scores higher than a person: W-F1 alone proves nothing here."
        facts = self.agreement.agreement
        kappa = None if facts is None else facts.coefficients["FleissKappa"].score
        return (
            said
            if kappa is None
            else f"{said} Readers agree on exact gaps with kappa {kappa:.2f} (1 is perfect, 0 chance)."
        )

    def tables(self) -> list[Table]:
        """Return one table per question: scores, agreement, boundary support, and scores without a reference."""
        what = "chapters" if self.documents > 1 else "article"
        coefficients, _, _, prominence, *_ = tables_of(self.agreement)
        titled = {
            f"{self.documents} {what}, {self.readings} readings, each in turn the reference": tables_of(self.evaluation)[0],
            "do the readers agree?": coefficients,
            "boundaries marked by any reader": prominence,
        }  # fmt: skip
        if self.cohesion is not None:
            chance = next(table for table in tables_of(self.cohesion) if table.title == "Against chance")
            titled["without a reference, against as many random boundaries"] = chance
        return [
            dataclasses.replace(table, title=f"{self.name}: {title}", detail=place > 0)
            for place, (title, table) in enumerate(titled.items())
        ]


def demonstrate(name: str, *, seed: int = 0) -> Demonstration:
    """Score baselines, and another reader, against each reader of a bundled corpus.

    Parameters
    ----------
    name : str
        A bundled corpus.
    seed : int
        Seed of the random baseline.
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
        "random, as many as the reader": _at_random(readings, seed),
        "another reader": _neighbours(corpus),
    }
    return Demonstration(
        name,
        len(corpus),
        len(readings),
        evaluate(readings, systems, DEMO_METRICS).results(),
        agreement(corpus, seed=seed).results(),
        _without_reference(corpus, clock, seed),
    )


def _without_reference(corpus: Corpus, clock: int, seed: int) -> Results | None:
    """Score the boundaries of half the readers, and baselines, by the text alone; None without texts."""
    if any(document.units is None for document in corpus):
        return None
    shared = corpus.consensus(0.5)
    units = dict(zip(corpus.ids, corpus.flat.n_units.tolist(), strict=True))
    marked = {key: shared.segmentation(row) for row, key in enumerate(shared.ids)}
    systems = {
        f"every {clock} paragraphs": {key: every(n, clock, unit=corpus.unit) for key, n in units.items()},
        "random, as many": _at_random(marked, seed),
        "marked by half the readers": marked,
    }
    measured = cohesion(corpus, systems, ["ARPpair", "Silhouette"], nulls=["count"], draws=100, seed=seed)
    return measured.results()


def _at_random(segmentations: dict[str, Segmentation], seed: int) -> dict[str, Segmentation]:
    """Return as many boundaries as each segmentation has, at random."""
    return {
        key: random_boundaries(s.n_units, s.n_boundaries, seed=seed + place, unit=s.unit)
        for place, (key, s) in enumerate(segmentations.items())
    }


def _readings(corpus: Corpus) -> dict[str, Segmentation]:
    """Return every annotator's segmentation of every document under an id of its own."""
    return {
        f"{document.id}/{annotator}": segmentation
        for document in corpus
        for annotator, segmentation in document.annotations.items()
    }


def _neighbours(corpus: Corpus) -> dict[str, Segmentation]:
    """Return for each reading that of the next annotator of the same document, in a circle."""
    neighbours = {}
    for document in corpus:
        annotators = list(document.annotations)
        for annotator, other in zip(annotators, annotators[1:] + annotators[:1], strict=True):
            neighbours[f"{document.id}/{annotator}"] = document.annotations[other]
    return neighbours
