# SPDX-License-Identifier: Apache-2.0
"""What the metrics of several annotators are."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from caesura.batches.panel import Ints, Panel, PanelLike, PanelPairs
from caesura.declare import Registry
from caesura.errors import MetricError
from caesura.metrics.base import Floats, Metric, MetricCard
from caesura.segmentation import Segmentation

__all__ = [
    "AGREEMENT", "PANEL", "AgreementMetric", "PanelMetric", "Turn", "chance_corrected", "coefficient_card", "turns",
]  # fmt: skip

coefficient_card = functools.partial(
    MetricCard,
    direction="higher",
    bounds=(-1.0, 1.0),
    perfect=1.0,
    symmetric=True,
    formula="(observed - expected) / (1 - expected)",
)
"""The card of a coefficient that is corrected for chance."""


@dataclasses.dataclass(frozen=True)
class AgreementMetric(Metric):
    """A coefficient of the annotators of a document."""

    undefined = "one annotator only, or all chose the same everywhere, so that chance explains everything"

    def count(self, panel: Panel) -> Floats:
        """Return the counts of each document, one row each."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def count_pooled(self, panel: Panel) -> Floats:
        """Return what is added up over documents if they are pooled: the counts, and after them what one row cannot hold."""
        return self.count(panel)

    def observed(self, counts: Floats) -> Floats:
        """Return the agreement that is observed."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def expected(self, counts: Floats) -> Floats:
        """Return the agreement that chance would give."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def score(self, counts: Floats) -> Floats:
        """Return (observed - expected) / (1 - expected)."""
        return chance_corrected(self.observed(counts), self.expected(counts))

    def parts(self, segmentations: PanelLike) -> dict[str, float]:
        """Return score, observed and expected agreement of one document."""
        _check_panel(self, segmentations)
        counts = self.count(Panel.of(segmentations))[0]
        return {
            "score": float(self.score(counts)),
            "observed": float(self.observed(counts)),
            "expected": float(self.expected(counts)),
        }

    def __call__(self, segmentations: PanelLike) -> float:
        """Return the coefficient of the annotators of one document."""
        _check_panel(self, segmentations)
        return float(self.score(self.count(Panel.of(segmentations))[0]))


@dataclasses.dataclass(frozen=True)
class PanelMetric(Metric):
    """A metric of a hypothesis against all annotators of a document at once."""

    def count(self, pairs: PanelPairs) -> Floats:
        """Return the counts of each document, one row each."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def leave_one_out(self, panel: Panel) -> Floats:
        """Return the counts of each coding as the hypothesis of the rest of its document; zeros where there is no rest.

        A metric may do better than counting everything anew for the first, the second, ... annotator of the documents.
        """
        counts = np.zeros((len(panel.annotator), len(self.columns)))
        for part, codings in turns(panel):
            for turn in codings:
                left_out = np.zeros(len(part.annotator), dtype=bool)
                left_out[turn.place] = True
                hypothesis = part.codings.take(turn.place)
                counts[turn.coding] = self.count(PanelPairs(part.keep(~left_out), hypothesis))
        return counts

    def __call__(self, references: PanelLike, hypothesis: Segmentation) -> float:
        """Return the score of one document."""
        _check_panel(self, references)
        if not isinstance(hypothesis, Segmentation):
            raise MetricError(
                f"{self.name()}: hypothesis is a {type(hypothesis).__name__}; it must be a Segmentation, "
                "such as Segmentation.from_masses([6, 3, 4])"
            )
        return float(self.score(self.count(PanelPairs.of(references, hypothesis))[0]))


AGREEMENT: Registry[AgreementMetric] = Registry("metric", "caesura.agreement", MetricError)
"""Every coefficient of annotators."""

PANEL: Registry[PanelMetric] = Registry("metric", "caesura.panel", MetricError)
"""Every metric of a hypothesis against all annotators at once."""


class Turn(NamedTuple):
    """One coding of each document of a part of a panel: where they are in the part, and in the whole."""

    place: Ints
    coding: Ints


def turns(panel: Panel) -> Iterator[tuple[Panel, list[Turn]]]:
    """Yield each part of a panel with the first, the second, ... coding of its documents; together, every coding once.

    Documents with one annotator are left out. Parts differ where documents have different numbers of annotators.

    >>> reference = Segmentation(9, (3,))
    >>> [[turn.coding.tolist() for turn in each] for _, each in turns(Panel.of([reference] * 3))]
    [[[0], [1], [2]]]
    """
    done = 0
    for most in np.unique(panel.n_annotators[panel.n_annotators > 1]).tolist():
        rows = np.flatnonzero(panel.n_annotators >= most)
        part = panel.take(rows.tolist())
        starts = part.doc_ptr[:-1], panel.doc_ptr[rows]
        yield part, [Turn(starts[0] + turn, starts[1] + turn) for turn in range(done, most)]
        done = most


def chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """Return (observed - expected) / (1 - expected); NaN where chance explains everything."""
    room = 1.0 - np.asarray(expected)
    out = np.full(room.shape, np.nan)
    # Rounding may leave a trace of room where the expectation is exactly one.
    np.divide(observed - expected, room, out=out, where=room > 1e-12)
    return out


def _check_panel(metric: Metric, segmentations: PanelLike) -> None:
    if isinstance(segmentations, Segmentation):
        raise MetricError(f"{metric.name()}: give a list of segmentations, one per annotator, not a single one")
