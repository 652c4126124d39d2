# SPDX-License-Identifier: Apache-2.0
"""What an epoch is worth: logits on validation documents and on the control, as numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.flat import Flat
from caesura.corpus import Corpus
from caesura.evaluation.evaluate.run import evaluate
from caesura.results import number
from caesura.results.train.facts import EpochFacts, FileScores
from caesura.scorers.trained.head import Floats
from caesura.selectors.scores import FlatScores

__all__ = ["Judge", "boundaries_at", "labels_of", "mean_loss"]

_METRICS = ("F1", "W-F1", "BOR")


def labels_of(corpus: Corpus) -> Floats:
    """Return 1 for every gap that is a boundary, 0 for every other, document after document.

    >>> from caesura.segmentation import Segmentation
    >>> labels_of(Corpus.from_segmentations({"a": Segmentation(3, (1,)), "b": Segmentation(2, ())})).tolist()
    [1.0, 0.0, 0.0]
    """
    flat = corpus.flat
    starts = np.concatenate(([0], np.cumsum(flat.n_units - 1)))
    labels = np.zeros(int(starts[-1]))
    labels[np.repeat(starts[:-1], np.diff(flat.ptr)) + flat.pos - 1] = 1
    return labels


def mean_loss(logits: Floats, labels: Floats) -> float:
    """Return the mean negative log-likelihood."""
    return float(np.logaddexp(0.0, np.where(labels == 1, -logits, logits)).mean())


def boundaries_at(corpus: Corpus, scores: Floats, threshold: float, min_gap: int) -> Flat:
    """Return the boundaries of documents at a threshold of their scores, one after the other."""
    return FlatScores(corpus.flat.n_units, scores, min_gap).at_threshold(threshold)


@dataclasses.dataclass(frozen=True)
class Judge:
    """Validation documents, the control, and the spacing of boundaries."""

    validation: Corpus
    control: Corpus
    files: Mapping[str, str]
    min_gap: int

    def judge(self, epoch: int, loss: float | None, logits: Sequence[Floats], control: Sequence[Floats]) -> EpochFacts:
        """Return the numbers of an epoch from the logits of both, with boundaries where the probability reaches one half."""
        flat = np.concatenate(logits)
        scores = self._scores(flat, self.validation.ids)
        names = dict.fromkeys(self.files[key] for key in self.validation.ids if key in self.files)
        by_file = None
        if len(names) > 1:
            by_file = {}
            for name in names:
                own = self._scores(flat, [key for key in self.validation.ids if self.files[key] == name])
                by_file[name] = FileScores(f1=number(own["F1"]), bor=number(own["BOR"]))
        return EpochFacts(
            epoch=epoch,
            loss=loss,
            validation_loss=mean_loss(flat, labels_of(self.validation)),
            f1=number(scores["F1"]),
            w_f1=number(scores["W-F1"]),
            bor=number(scores["BOR"]),
            mean_score=float(np.abs(flat).mean()),
            control=self._control(control),
            by_file=by_file,
        )

    def _scores(self, logits: Floats, ids: Sequence[str]) -> Mapping[str, float]:
        made = Corpus.from_flat(
            self.validation.ids, boundaries_at(self.validation, logits, 0.0, self.min_gap), unit=self.validation.unit
        )
        gold = self.validation.subset(ids) if len(ids) < len(self.validation) else self.validation
        return evaluate(gold, {"scorer": made.subset(ids)}, _METRICS).scores["scorer"]

    def _control(self, logits: Sequence[Floats]) -> float | None:
        """Return the share of the control's gaps that become boundaries."""
        if not len(self.control):
            return None
        flat = np.concatenate(logits)
        return len(boundaries_at(self.control, flat, 0.0, self.min_gap).pos) / len(flat)
