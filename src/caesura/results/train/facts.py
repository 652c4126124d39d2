# SPDX-License-Identifier: Apache-2.0
"""Results of training a scorer: every epoch, and the scorer on its own and on other datasets."""

from __future__ import annotations

import msgspec

from caesura.results.base import Number, Section

__all__ = ["DatasetFacts", "EpochFacts", "FileScores", "StageFacts", "TrainingFacts"]


class FileScores(Section):
    """F1 and BOR on the validation documents of one of several training files."""

    f1: Number
    bor: Number


class EpochFacts(Section):
    """One epoch, on validation documents, with boundaries where the probability reaches one half.

    ``mean_score`` is the mean of |logit|: near 0 the scorer does not discriminate. ``control`` is the share of gaps that become
    boundaries in documents of one segment.
    """

    epoch: int
    loss: Number
    validation_loss: float
    f1: Number
    w_f1: Number
    bor: Number
    mean_score: float
    control: Number
    by_file: dict[str, FileScores] | None = None


class StageFacts(Section):
    """One stage: the documents it trains on, its epochs, and the ``best``, whose weights were kept.

    ``stopped`` means that it ended early, because the validation loss no longer fell. ``before`` is epoch 0: the weights of the
    previous stage on the validation documents of this one.
    """

    stage: int
    purpose: str
    documents: int
    gaps: int
    boundaries: int
    epochs: list[EpochFacts]
    best: int = 0
    stopped: bool = False
    before: EpochFacts | None = None


class DatasetFacts(Section):
    """The scorer and others on one dataset; ``role`` is ``home`` (documents of the training files that it has not seen) or ``abroad``.

    ``own`` maps a system to its scores at its own density, ``equal`` to those with as many boundaries in each document as the
    reference. ``skill`` is that of W-F1. ``p`` is that of the difference of W-F1 between the scorer and ``rival`` at equal
    density, adjusted by Holm's method over the datasets (paired permutation test of the documents).
    """

    name: str
    role: str
    documents: int
    own: dict[str, dict[str, Number]]
    equal: dict[str, dict[str, Number]]
    rival: str
    difference: Number = None
    p: Number = None


class TrainingFacts(Section):
    """The training of a scorer, and its scores."""

    head: str
    encoder: str
    fingerprint: str
    weights: str
    stages: list[StageFacts]
    control_documents: int
    temperature: float
    nll_before: Number
    nll_after: Number
    temperature_reason: str | None
    selector: str
    datasets: list[DatasetFacts] = msgspec.field(default_factory=list)
