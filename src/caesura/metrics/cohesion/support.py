# SPDX-License-Identifier: Apache-2.0
"""Support."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._base import COHESION, CohesionMetric, cohesion_card
from caesura.metrics.cohesion._gaps import scale_of_sum, values_beside
from caesura.metrics.cohesion._layout import shared_reading, shared_rows
from caesura.metrics.cohesion._surface import LISTS, is_english
from caesura.metrics.cohesion._terms import TERMS, Terms
from caesura.metrics.cohesion._weights import FILE, INCLUDED, Source, Weights, read_weights, weights_bytes
from caesura.segmentation import Segmentation

__all__ = ["FILE", "LISTS", "TERMS", "Source", "Support", "Terms", "Weights", "weights_bytes"]


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class Support(CohesionMetric):
    r"""How strongly the text at the boundaries speaks for a change of topic, by weights learned from readers' boundaries.

    Definition
    ----------
    Feature j of gap i compares the windows on its two sides: cosines of vectors and of letters, what two stretches explain more
    than one, words that are new, lengths, questions, speakers, and small English word lists. :math:`x_{ij}` is the feature
    standardised over the m gaps of the document, and :math:`g_i = \sum_j w_j x_{ij}` is the support of a gap. For k
    boundaries b

    .. math::  S = \frac{\sum_{i \in b} g_i}{\sqrt{k (m - k) / (m - 1)}} + w_v P_v + w_w P_w

    where the first part is the sum of the supports in standard deviations among all choices of k gaps, exactly and without draws,
    times the spread of g; P_v and P_w are `Placement` of vectors and of words. 0 is chance, whatever the number of boundaries.

    The weights w were learned by logistic regression: boundaries of readers must score above the same boundaries perturbed, and
    of two systems the one with the higher W-F1 above the other. So a difference of S is the logarithm of odds that the first is the
    better one, as far as the training corpora tell. Corpora, licences and the scores on corpora left out of training stand in
    docs/placement.md. ``weights`` takes a folder of ``caesura train --metric`` instead (``model:FOLDER`` for short).

    Readers tend to cut around long units, and so do the weights: chunks of a fixed size, which end more often at long units, score
    above 0 without having read anything. `Placement` gives them about 0.

    No metric of this kind can tell readers' boundaries from those of a system that cuts where the same features are high: the gaps
    with the highest g always score better than any reader.

    Edge cases
    ----------
    No boundary, a boundary at every gap, or fewer than three units: nothing is placed, so S is 0; one segment is left out under
    ``on_single='nan'``. Equal vectors, or units without words, leave the other features. Documents without texts are judged by their
    vectors. ``language='auto'`` reads the word lists only where the text is English, and then uses other weights; the
    signature says which. The value of a segment is the mean of g at its boundaries.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> texts = ["The cat sat.", "The cat slept.", "A cat ate.", "Rates rose.", "Rates rose again.", "Banks cut rates."]
    >>> vectors = np.array([[1.0, 0], [1, 0.1], [1, 0.2], [0, 1], [0.1, 1], [0.2, 1]])
    >>> good, bad = (Support()(Segmentation(6, cut), vectors, texts) for cut in ((3,), (5,)))
    >>> good > bad
    True

    See Also
    --------
    Placement : nothing is learned; the second opinion.
    """

    weights: str = param(INCLUDED, "whose weights: included, or a folder of caesura train --metric")
    language: str = param(
        "auto",
        "whether English word lists are read: where the text is English, always, never",
        choices=("auto", "english", "other"),
    )
    on_single: str = param("zero", "a document of one segment scores 0, or is left out", choices=("zero", "nan"))

    neutral = True
    values_gaps = True
    columns = ("support", "documents", "z", "english")
    card = cohesion_card(
        title="how strongly the text at the boundaries speaks for a change of topic, learned",
        direction="higher",
        bounds=(-math.inf, math.inf),
        perfect=math.inf,
        mirror=False,
        citation="defined here; see docs/placement.md",
        equation="none: defined here",
        formula="sum of g at boundaries / sqrt(k (m - k) / (m - 1)) + w_v Placement + w_w Placement(of='words')",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self.learned()

    @property
    def trained_with(self) -> str:
        """The fingerprint of the encoder that the weights were trained for."""
        return self.learned().fingerprint

    def learned(self) -> Weights:
        """Return the weights, with the corpora on which they were trained."""
        return read_weights(self.weights)

    def resolved(self, counts: Floats, columns: Sequence[str]) -> dict[str, str]:
        """Return the hash of the weights, and how many documents were read as English."""
        found = {"weights": self.learned().sha256[:8]}
        if self.language == "auto" and len(counts):
            english = int(counts[:, self.columns.index("english")].sum())
            some = f"{english} of {len(counts)} documents english"
            found["language"] = {0: "other", len(counts): "english"}.get(english, some)
        return found

    def count(self, batch: Embedded) -> Floats:
        """Return the support, 1, z of the first part, and whether the text was read as English, of each document."""
        return batch.remember(self, lambda: self._count(batch))

    def score(self, counts: Floats) -> Floats:
        """Return the mean support of each row of counts."""
        return ratio(counts[..., 0], counts[..., 1])

    def gap_values(self, batch: Embedded) -> Iterator[Floats]:
        """Yield g of every gap of each document, in standard deviations: high where the text speaks for a boundary."""
        for read in self._read(batch):
            yield read.values / read.spread if read.spread else read.values

    def segment_values(self, batch: Embedded) -> Floats:
        """Return the mean support of the boundaries of each segment, in standard deviations; 0 of one segment."""
        return values_beside(batch, self.gap_values(batch), undefined=self.on_single == "nan")

    def __call__(
        self,
        segmentation: Segmentation,
        vectors: npt.ArrayLike,
        texts: Sequence[str] | None = None,
        speakers: Sequence[str] | None = None,
    ) -> float:
        """Return the score of one document, from vectors and, if known, texts and speakers."""
        batch = self._batch(segmentation, vectors)
        if texts is not None:
            batch = batch.with_texts({"1": texts}, {} if speakers is None else {"1": speakers})
        return float(self.score(self.count(batch)[0]))

    def _count(self, batch: Embedded) -> Floats:
        flat = batch.segmentations
        out = np.zeros((len(batch), len(self.columns)))
        out[:, 1] = 1.0
        for row, read in enumerate(self._read(batch)):
            out[row, 3] = read.english
            own = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
            scale = scale_of_sum(int(flat.n_units[row]) - 1, len(own))
            if scale:
                placed = float(read.values[own - 1].sum()) / scale
                out[row, 0] = placed + float(np.dot(read.placement, read.terms.placements(own)))
                out[row, 2] = placed / read.spread if read.spread else 0.0
        if self.on_single == "nan":
            out[np.diff(flat.ptr) == 0] = 0.0
        return out

    def _read(self, batch: Embedded) -> Iterator[_Read]:
        """Yield what is read of each document; it is made once for many segmentations of one document."""
        shared = bool(shared_rows(batch))
        tables = {english: self.learned().table(english=english) for english in (False, True)}
        for row, known in shared_reading(batch):
            if not known:
                texts = None if batch.texts is None else batch.texts.get(batch.ids[row])
                speakers = None if batch.speakers is None else batch.speakers.get(batch.ids[row])
                english = self.language == "english" or (self.language == "auto" and is_english(texts or ()))
                terms = Terms(batch.vectors_of(row), texts, speakers, shared=shared)
                weights = tables[english]
                gaps = terms.gaps.shape[1]
                values = terms.gaps @ weights[:gaps]
                read = _Read(terms, english, values, float(values.std()) if len(values) else 0.0, weights[gaps:])
            yield read


@dataclasses.dataclass(frozen=True)
class _Read:
    """What is known of a document: its terms, whether it is English, g of each gap, its spread, the weights of Placement."""

    terms: Terms
    english: bool
    values: Floats
    spread: float
    placement: Floats
