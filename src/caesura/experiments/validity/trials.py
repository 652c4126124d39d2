# SPDX-License-Identifier: Apache-2.0
"""Damage at rising levels, done to a whole corpus several times, and what a metric makes of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.corpus import Corpus
from caesura.errors import DeclarationError
from caesura.evaluation.aggregate import mean_defined
from caesura.experiments.degradations import Degradation, document_rng
from caesura.experiments.degradations.random_placement import RandomPlacement
from caesura.experiments.degradations.removal import Removal
from caesura.experiments.degradations.splitting import Splitting
from caesura.experiments.degradations.transposition import Transposition
from caesura.metrics.base import Floats, Metric, ratio
from caesura.segmentation import Segmentation

__all__ = ["GRADED", "Damage", "Kind", "Noticed", "Trial", "do_damage", "noticed", "trials"]

Kind = Literal["removal", "splitting", "transposition", "random"]
GRADED: tuple[Kind, ...] = ("removal", "splitting", "transposition")
"""The kinds of damage that have levels."""

Flags = npt.NDArray[np.bool_]
_TIE = 1e-12


@dataclasses.dataclass(frozen=True)
class Trial:
    """One kind of damage at one level; a share for removal and splitting, units for transposition, 1 for random."""

    kind: Kind
    level: float
    degradation: Degradation

    @property
    def label(self) -> str:
        """Kind and level in words.

        >>> Trial("removal", 0.3, Removal(share=0.3)).label
        'removal 30 %'
        """
        if self.kind == "random":
            return "random placement"
        return (
            f"{self.kind} {self.level:g}"
            if self.kind == "transposition"
            else f"{self.kind} {self.level:.0%}".replace("%", " %")
        )


@dataclasses.dataclass(frozen=True)
class Damage:
    """A trial done once: the damaged segmentations, and in which documents anything changed."""

    trial: Trial
    flat: Flat
    changed: Flags


@dataclasses.dataclass(frozen=True)
class Noticed:
    """What a metric makes of one trial, over documents and draws.

    Attributes
    ----------
    trial : Trial
        The damage.
    share : float
        Share of documents (mean over draws, ties half) in which the undamaged segmentation scores better; NaN if none
        could be compared.
    drop : float
        Mean loss of score, positive where the damage is noticed; over documents with finite losses.
    effect : float
        That mean over the standard deviation of the documents' losses.
    documents : int
        Documents that were damaged and have both scores in at least one draw.
    per_document : float64[D]
        Each document's mean loss over draws, infinite where one is; NaN where it has none.
    """

    trial: Trial
    share: float
    drop: float
    effect: float
    documents: int
    per_document: Floats


def trials(
    levels: Sequence[float], distances: Sequence[int], moved: Literal["one", "all"] = "all"
) -> list[Trial]:
    """Return the trials: removal and splitting at each share, transposition by each distance, random placement."""
    if moved not in ("one", "all"):
        raise DeclarationError(f"moved is {moved!r}; it must be 'one' or 'all'")
    for level in levels:
        if not 0 < level <= 1:
            raise DeclarationError(f"level {level} is not a share; it must be above 0 and at most 1")
    for distance in distances:
        if distance < 1:
            raise DeclarationError(f"distance {distance} is no move; it must be at least 1")
    if not levels:
        raise DeclarationError("no level given; say at least one share, such as 0.3")
    found: list[Trial] = [Trial("removal", level, Removal(share=level)) for level in sorted(set(levels))]
    found += [Trial("splitting", level, Splitting(share=level)) for level in sorted(set(levels))]
    found += [
        Trial("transposition", d, Transposition(distance=d, which=moved, direction="random"))
        for d in sorted(set(distances))
    ]
    return [*found, Trial("random", 1.0, RandomPlacement())]


def do_damage(corpus: Corpus, trial: Trial, draws: int, seed: int) -> Iterator[Damage]:
    """Yield the damaged corpus, once per draw; what is drawn for a document depends on no other document."""
    originals = [corpus.segmentation(row) for row in range(len(corpus))]
    for draw in range(draws):
        made: list[Segmentation] = []
        for key, original in zip(corpus.ids, originals, strict=True):
            rng = document_rng(seed, key, str(trial.degradation), draw)
            made.append(trial.degradation.apply(original, rng).segmentation)
        changed = np.array(
            [a.boundaries != b.boundaries for a, b in zip(made, originals, strict=True)], dtype=bool
        )
        yield Damage(trial, Flat.from_segmentations(made), changed)


def noticed(
    trial: Trial, metric: Metric, before: Floats, after: Sequence[Floats], changed: Sequence[Flags]
) -> Noticed:
    """Sum up what a metric makes of the draws of one trial.

    Parameters
    ----------
    trial : Trial
        The damage.
    metric : Metric
        Says which way is better.
    before : float64[D]
        Scores of the undamaged segmentations.
    after, changed : sequences of arrays
        One per draw: scores of the damaged ones, and where anything changed.
    """
    wins, seen, total = np.zeros((3, len(before)))
    for scores, mask in zip(after, changed, strict=True):
        both = mask & ~np.isnan(before) & ~np.isnan(scores)
        with np.errstate(invalid="ignore"):
            tie = (before == scores) | (np.abs(before - scores) <= _TIE * np.maximum(1.0, np.abs(before)))
            loss = np.where(tie, 0.0, metric.facts().gain(before, scores))
            total = total + np.where(both, loss, 0.0)
        wins += np.where(both, np.where(tie, 0.5, loss > 0), 0.0)
        seen += both
    per_document = ratio(total, seen)
    kept = per_document[np.isfinite(per_document)]
    spread = float(kept.std(ddof=1)) if len(kept) > 1 else 0.0
    drop = mean_defined(kept)
    return Noticed(
        trial=trial,
        share=mean_defined(ratio(wins, seen)),
        drop=drop,
        effect=drop / spread if spread > 0 else float("nan"),
        documents=int((seen > 0).sum()),
        per_document=per_document,
    )
