# SPDX-License-Identifier: Apache-2.0
"""Placement."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import Floats, MetricCard, ratio
from caesura.metrics.cohesion._base import COHESION, CohesionMetric, cohesion_card
from caesura.metrics.cohesion._gaps import UNTRAINED, features, rotated_gaps, scale_of_sum, values_beside
from caesura.metrics.cohesion._inside import Reading
from caesura.metrics.cohesion._layout import layout, shared_reading, shared_rows
from caesura.metrics.cohesion._likeness import VectorLikeness
from caesura.metrics.cohesion._rotations import NOWHERE, Likeness, placed, shifts, standardized, totals
from caesura.metrics.cohesion._words import WordLikeness
from caesura.segmentation import Segmentation

__all__ = ["Placement", "Reading"]


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class Placement(CohesionMetric):
    r"""How much better the boundaries are placed than the same boundaries elsewhere in the document.

    Definition
    ----------
    The vectors of the n units are centred, :math:`x_i = v_i - \bar v`. A segment of l units has the likeness

    .. math::  L = \frac{\lVert \sum x_i \rVert^2 - \sum \lVert x_i \rVert^2}{l - 1}, \qquad
        T = \sum L, \qquad z = \frac{T - \mathrm{mean}_s T_s}{\mathrm{sd}_s T_s}

    where a segment of one unit has L = 0, T is the sum over segments, and T_s is the same after all boundaries have been moved on by
    s gaps, round the end of the document: gap g becomes :math:`((g - 1 + s) \bmod (n - 1)) + 1` for s = 0 ... n - 2. L is l times
    the mean product of two different units: what the segment explains of the scatter, without the share that any unit explains of
    itself. Rotations keep the number of boundaries and the lengths between them, so that neither density nor even lengths gain
    anything: 0 is chance. \|z\| is at most :math:`\sqrt{n - 2}`, of both twice that.

    If there are more than ``rotations`` rotations, that many are used, spread by the golden ratio. Nothing is random.
    ``of='words'`` reads words instead of vectors: L is the logarithm of the evidence of the segment's words, a Dirichlet
    compound multinomial with 0.1 for each word, where every four letters in a row of a word count (shorter words whole), so that
    no list of stop words and no stemming is needed. ``of='both'`` is the sum of the two z.

    ``of='gaps'`` looks at the gaps one by one. The windows of 1, 2, 3, 5 and 8 units on the two sides of a gap are compared by
    the cosine of their centred vectors and of their stretches of four letters; each is standardised over the m gaps of the
    document, and g is minus their sum, with half of the former again as far as it stands out among the two nearest gaps on each side.
    T is the sum of g over the k boundaries, and z is exact, against all choices of k gaps:
    :math:`z = T / (\mathrm{sd}(g) \sqrt{k (m - k) / (m - 1)})`. Nothing is learned and nothing rotated. Of all untrained metrics it
    notices the worst of six perturbations most often (docs/placement.md).

    Besides z it counts ``share``, the share of rotations with a lower T (ties half), and ``explained``, T as a share of the
    summed squares of all units, with ``expected``, its mean over the rotations. Of words, these two are evidence per word; of
    gaps, the mean g of the boundaries in standard deviations, and 0.

    Edge cases
    ----------
    No boundary, a boundary at every gap, fewer than three units, equal vectors, or the same T everywhere: nothing is placed, so
    z is 0 and ``share`` 0.5, and a system gains nothing by leaving documents whole. One segment is left out under
    ``on_single='nan'``, and has the least possible value, :math:`-\sqrt{n - 2}`, under ``on_single='worst'``. Reading backwards
    changes nothing, except in documents with more gaps than ``rotations``.
    The value of a segment is its L less the mean over all stretches of as many units; of gaps, the mean g of its boundaries.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[1.0], [1], [-1], [-1]])
    >>> round(Placement()(Segmentation(4, (2,)), vectors), 4)  # T is 4 here; 0 and 0 elsewhere: (4 - 4/3) / sd
    1.4142
    >>> Placement(of="words")(Segmentation(4, (2,)), ["a cat", "the cat", "some rain", "more rain"]) > 1
    True

    See Also
    --------
    Silhouette : ranks systems of equal density as well, and has a value for each unit.
    """

    of: str = param(
        "vectors",
        "what is read: vectors, words, both, or both gap by gap",
        choices=("vectors", "words", "both", "gaps"),
    )
    rotations: int = param(1000, "the most rotations to compare with", minimum=2)
    pairs: str = param(
        "distinct", "pairs of different units, or all, each with itself too", choices=("distinct", "all")
    )
    on_single: str = param(
        "zero",
        "a document of one segment scores 0, is left out, or gets the worst score",
        choices=("zero", "nan", "worst"),
    )

    neutral = True
    columns = ("z", "documents", "share", "explained", "expected")
    card = cohesion_card(
        title="how much better the boundaries are placed than the same boundaries elsewhere",
        direction="higher",
        bounds=(-math.inf, math.inf),
        perfect=math.inf,
        citation="defined here; see docs/placement.md",
        equation="none: defined here",
        formula="(T - mean of T over rotations) / sd of T over rotations",
    )

    @property
    def reads_vectors(self) -> bool:
        """Whether vectors are read, and not only words."""
        return self.of != "words"

    @property
    def values_gaps(self) -> bool:
        """Whether every gap has a value, boundary or not."""
        return self.of == "gaps"

    def facts(self) -> MetricCard:
        """Return the card; few rotations are not the same ones when the document is read backwards."""
        card = super().facts()
        return card if self.rotations >= 1000 else dataclasses.replace(card, mirror=False)

    def count(self, batch: Embedded) -> Floats:
        """Return z, and what lies beside it, of each document."""
        return batch.remember(self, lambda: self._count(batch))

    def score(self, counts: Floats) -> Floats:
        """Return the mean z of each row of counts."""
        return ratio(counts[..., 0], counts[..., 1])

    def gap_values(self, batch: Embedded) -> Iterator[Floats]:
        """Yield g of every gap of each document, in standard deviations (``of='gaps'``)."""
        for row, shared in shared_reading(batch):
            if not shared:
                values = features(batch.vectors_of(row), batch.texts_of(row, str(self))) @ UNTRAINED
                spread = values.std() if len(values) else 0.0
            yield values / spread if spread else values

    def segment_values(self, batch: Embedded) -> Floats:
        """Return the likeness of each segment, less that of all stretches of as many units."""
        if self.of == "gaps":
            return values_beside(batch, self.gap_values(batch), undefined=self.on_single == "nan")
        flat, where = batch.segmentations, layout(batch)
        out = np.zeros(len(where.document))
        for row, several in self._likenesses(batch):
            some = slice(int(where.ptr[row]), int(where.ptr[row + 1]))
            if flat.n_units[row] < 3 or where.alone[row]:
                continue
            edges = np.append(where.lo[some] - batch.starts[row], flat.n_units[row])
            lengths, back = np.unique(where.lengths[some], return_inverse=True)
            for likeness in several:
                usual = np.array([likeness.usual(length) for length in lengths.tolist()])
                scale = likeness.whole if len(several) > 1 and likeness.whole else 1.0
                out[some] += (likeness.values(edges[None])[0] - usual[back]) / scale
        if self.on_single == "nan":
            out[where.alone[where.document]] = np.nan
        return out

    def __call__(
        self, segmentation: Segmentation, vectors: npt.ArrayLike | Sequence[str], texts: Sequence[str] | None = None
    ) -> float:
        """Return the score of one document, from vectors, from texts (``of='words'``), or from vectors and texts."""
        return float(self.score(self.count(self._batch(segmentation, vectors, texts))[0]))

    def readings(self, batch: Embedded) -> Iterator[Reading]:
        """Yield what is read of each document, to place boundaries inside the segments of a reference (docs/extra.md)."""
        if self.of == "gaps":
            raise MetricError(f"{self}: boundaries inside segments are placed by vectors, words or both")
        for row, n_units in enumerate(batch.n_units.tolist()):
            yield Reading(n_units, self._likeness_of(batch, row, shared=True), shifts(n_units, self.rotations))

    def _batch(
        self, segmentation: Segmentation, vectors: npt.ArrayLike | Sequence[str], texts: Sequence[str] | None = None
    ) -> Embedded:
        if self.of == "words" and texts is None:
            self._check_segmentation(segmentation)
            return Embedded.of_texts({"1": segmentation}, {"1": cast("Sequence[str]", vectors)})
        batch = super()._batch(segmentation, vectors)
        return batch if texts is None else batch.with_texts({"1": texts})

    def _count(self, batch: Embedded) -> Floats:
        out = np.empty((len(batch), len(self.columns)))
        flat = batch.segmentations
        sizes = np.diff(flat.ptr)
        out[:] = (NOWHERE[0], 1.0, NOWHERE[1], 0.0, 0.0)
        gaps = self.gap_values(batch) if self.of == "gaps" else ()
        for row, values in enumerate(gaps):
            own = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
            scale = scale_of_sum(len(values), len(own))
            if scale and values.any():
                share = placed(rotated_gaps(values, own, shifts(len(values) + 1, self.rotations)), 1.0).share
                out[row] = (values[own - 1].sum() / scale, 1.0, share, values[own - 1].mean(), 0.0)
        for row, several in () if self.of == "gaps" else self._likenesses(batch):
            n_units = int(flat.n_units[row])
            if 0 < sizes[row] < n_units - 1:
                own = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
                out[row] = self._placed(several, n_units, own)
        if self.on_single != "zero":
            alone = sizes == 0
            out[alone] = 0.0
            if self.on_single == "worst":
                out[alone, 0] = -np.sqrt(np.maximum(flat.n_units[alone] - 2, 0))
                out[alone, 1] = 1.0
        return out

    def _placed(
        self, several: Sequence[Likeness], n_units: int, boundaries: npt.NDArray[np.int64]
    ) -> tuple[float, ...]:
        by = shifts(n_units, self.rotations)
        all_totals = [totals(likeness, n_units, boundaries, by) for likeness in several]
        main, whole = placed(all_totals[0], several[0].whole), several[0].whole
        z, share = main.z, main.share
        if len(several) > 1:
            each = [standardized(t, one.whole) for t, one in zip(all_totals, several, strict=True)]
            added = np.sum(each, axis=0)
            z, share = float(added[0]), placed(added, 1.0).share
        return (z, 1.0, share, main.total / whole if whole else 0.0, main.expected / whole if whole else 0.0)

    def _likenesses(self, batch: Embedded) -> Iterator[tuple[int, list[Likeness]]]:
        """Yield what is read of each document; it is made once for many segmentations of one document."""
        shared = bool(shared_rows(batch))
        several: list[Likeness] = []
        for row, known in shared_reading(batch):
            if not known:
                several = self._likeness_of(batch, row, shared=shared)
            yield row, several

    def _likeness_of(self, batch: Embedded, row: int, *, shared: bool) -> list[Likeness]:
        several: list[Likeness] = []
        if self.of != "words":
            several.append(VectorLikeness(batch.vectors_of(row), distinct=self.pairs == "distinct", shared=shared))
        if self.of != "vectors":
            several.append(WordLikeness(batch.texts_of(row, str(self))))
        return several
