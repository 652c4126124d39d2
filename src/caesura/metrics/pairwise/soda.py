# SPDX-License-Identifier: Apache-2.0
"""SODA: the best matching of segments that keeps their order."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, Request, columns, harmonic_mean, ratio
from caesura.metrics.counting import OwnCounts
from caesura.metrics.pairwise._overlaps import Overlaps, n_segments, overlaps
from caesura.metrics.pairwise._titles import titled, vectors_of_titles

__all__ = ["SODA"]


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class SODA(PairwiseMetric):
    r"""How well the story of the segments agrees: the best matching that keeps their order, as F1.

    Definition
    ----------
    With S the similarity of a segment of the reference and one of the hypothesis, and M a one-to-one matching that keeps the order,
    D is the largest sum of S over any M.

    .. math::  P = D / |H|, \quad R = D / |R|, \quad F = 2PR / (P + R)

    S is the intersection over union (``similarity="tiou"``, SODA_d), or that times the ROUGE-L of the two titles (``"rouge"``), or
    times the cosine of their vectors by an ``encoder`` (``"encoder"``), 0 if it is negative. The published SODA_c takes METEOR for it,
    which is not offered: it is a Java program with its own word lists.

    Edge cases
    ----------
    Always defined. ``smoothing`` is added to each union, in seconds on time; the published program adds 1e-8.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 4, 6])
    >>> round(SODA()(reference, hypothesis), 4)  # D = 1 + 6/10, P = 1.6/3, R = 1.6/2
    0.64

    See Also
    --------
    MeanTIoU : pairs the largest overlaps first.
    TitleScore : the titles alone.
    """

    similarity: str = param(
        "tiou",
        "of two segments: their overlap, or that times the ROUGE-L or the cosine of their titles",
        choices=("tiou", "rouge", "encoder"),
    )
    encoder: str = param("default", "with similarity='encoder': which one, such as onnx:minilm")
    part: str = param("f1", "precision, recall or their harmonic mean", choices=("f1", "precision", "recall"))
    smoothing: float = param(0.0, "added to each union, in seconds on time", minimum=0, maximum=1e-3)

    card = MetricCard(
        title="segments matched in order, by overlap and title",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation="Fujita et al. 2020, SODA: story oriented dense video captioning evaluation framework, ECCV",
        formula="2PR / (P + R), P = D / segments of the hypothesis, R = D / segments of the reference",
    )
    columns = ("n_ref", "n_hyp", "best")

    def facts(self) -> MetricCard:
        """Return the card; precision and recall tell the sides apart."""
        return self.card if self.part == "f1" else dataclasses.replace(self.card, symmetric=False)

    def needs_titles(self) -> bool:
        """Say whether titles are read."""
        return self.similarity != "tiou"

    def title_encoder(self) -> str:
        """Return the encoder whose vectors of titles are read."""
        return self.encoder if self.similarity == "encoder" else ""

    def request(self, unit: str) -> Request:
        """Ask for the counts that all parts share."""
        return OwnCounts(dataclasses.replace(self, part="f1"))

    def count(self, pairs: Pairs) -> Floats:
        """Count the segments of both sides, and find the best matching."""
        found = overlaps(pairs)
        weights = found.shared / (found.union + self.smoothing * (1000 if pairs.unit == "ms" else 1))
        if self.needs_titles():
            titles, both = titled(pairs, self.name(), "unicode"), (found.reference, found.hypothesis)
            if self.similarity == "encoder":
                weights = weights * titles.cosines(*both, vectors_of_titles(pairs, self.name(), self.encoder))
            else:
                weights = weights * titles.rouge(*both)[:, 2]
        return np.column_stack([
            n_segments(pairs.reference), n_segments(pairs.hypothesis), _best(found, weights, len(pairs)),
        ])  # fmt: skip

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R), or the part asked for."""
        ref, hyp, best = columns(counts)
        precision, recall = ratio(best, hyp), ratio(best, ref)
        return {"precision": precision, "recall": recall}.get(self.part, harmonic_mean(precision, recall))


def _best(found: Overlaps, weights: Floats, documents: int) -> Floats:
    """Return the largest sum of weights of overlaps that share no segment, of each document.

    The overlaps before one that share a segment with it are those of one segment, without a gap: as intervals on a line, each is
    taken with what is best before them, or not.
    """
    order = np.arange(len(weights))
    new = [np.diff(side, prepend=-1) != 0 for side in (found.reference, found.hypothesis)]
    first = np.minimum(*(np.maximum.accumulate(np.where(fresh, order, 0)) for fresh in new))
    bounds = np.searchsorted(found.document, np.arange(documents + 1)).tolist()
    totals = []
    for start, stop in itertools.pairwise(bounds):
        best = [0.0]
        for weight, before in zip(weights[start:stop].tolist(), (first[start:stop] - start).tolist(), strict=True):
            best.append(max(best[-1], weight + best[before]))
        totals.append(best[-1])
    return np.array(totals)
