# SPDX-License-Identifier: Apache-2.0
"""The score of SuperDialseg: F1, Pk and WindowDiff in one number."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._windows import WindowMetric
from caesura.metrics.pairwise.boundaries import EMPTY, BoundaryF1
from caesura.metrics.pairwise.pk import Pk
from caesura.metrics.pairwise.window_diff import WindowDiff
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.units.quantity import default_tolerance

__all__ = ["DialogueScore"]

_F1, _PK, _WINDOW_DIFF = [0, 1, 2, 2], [4, 5], [4, 6]  # where the counts of each part stand


@METRICS.register("Score")
@dataclasses.dataclass(frozen=True)
class DialogueScore(WindowMetric):
    r"""How good a segmentation of a dialogue is by exact F1, Pk and WindowDiff together, as SuperDialseg weighs them.

    Definition
    ----------
    Half of it is exact `BoundaryF1`, a quarter each what `Pk` and `WindowDiff` leave of 1.

    .. math::  Score = \frac{2 F_1 + (1 - P_k) + (1 - WD)}{4}

    The mean over documents is the score of the three means, which is what papers on dialogue print. Theirs come from the
    released evaluation of SuperDialseg: profile ``superdialseg`` counts all three parts as it does, with ``string="units"`` and
    ``empty="always_zero"``. Without the profile the parts are those of Caesura.

    Edge cases
    ----------
    Where Pk and WindowDiff have no window: NaN. No boundary on either side: 1 (``empty="always_zero"``: F1 is 0 there, so that
    no more than a half can be had).

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([6, 2, 5])
    >>> DialogueScore().counts(reference, hypothesis)["found"]
    1.0
    >>> round(DialogueScore()(reference, hypothesis), 4)  # F1 is 1/2, Pk and WindowDiff are 2/11
    0.6591

    See Also
    --------
    BoundaryF1, Pk, WindowDiff : its parts; read them rather than their sum, which says neither where nor how a system fails.
    """

    empty: str = param("zero", "F1 where a side has no boundary, as for BoundaryF1", choices=EMPTY)

    card = MetricCard(
        title="exact F1, Pk and WindowDiff in one number",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        citation="Jiang et al. 2023, SuperDialseg: a large-scale dataset for supervised dialogue segmentation, EMNLP",
        formula="F1/2 + (1 - Pk)/4 + (1 - WindowDiff)/4",
    )
    columns = ("n_ref", "n_hyp", "found", "k", "windows", "pk_errors", "errors")

    def facts(self) -> MetricCard:
        """Return the card; symmetric with a given window."""
        return dataclasses.replace(super().facts(), symmetric=self.k is not None)

    def needs_distance(self, unit: str) -> bool:
        """Say whether a unit is too fine for exact F1."""
        return unit in CONTINUOUS_UNITS

    def _parts(self) -> tuple[BoundaryF1, Pk, WindowDiff]:
        window = {field.name: getattr(self, field.name) for field in dataclasses.fields(WindowMetric)}
        return BoundaryF1(empty=self.empty), Pk(**window), WindowDiff(**window)

    def count(self, pairs: Pairs) -> Floats:
        """Count the boundaries that both sides have, and the windows that are wrong by Pk and by WindowDiff."""
        if self.needs_distance(pairs.unit):
            raise MetricError(
                f"{self.name()}: exact F1 is meaningless on the unit {pairs.unit!r}; score Pk, WindowDiff and "
                f"BoundaryF1(tolerance={default_tolerance(pairs.unit)!r})"
            )
        exact, pk, window_diff = self._parts()
        windows = pk.request(pairs.unit).count(pairs)
        return np.column_stack([exact.count(pairs)[:, :3], windows, window_diff.count(pairs)[:, 1]])

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the expected counts of the parts, if each has a closed form: the score is linear in all of them."""
        exact, pk, window_diff = self._parts()
        found = exact.expected_counts(counts[:, _F1], pairs, swap=swap)
        cut = pk.expected_counts(counts[:, _PK], pairs, swap=swap)
        wrong = window_diff.expected_counts(counts[:, [*_WINDOW_DIFF, 5, 5]], pairs, swap=swap)
        if found is None or cut is None or wrong is None:
            return None
        return np.column_stack([found[:, :3], counts[:, 3:5], cut[:, 1], wrong[:, 1]])

    def score(self, counts: Floats) -> Floats:
        """Return F1/2 + (1 - Pk)/4 + (1 - WindowDiff)/4."""
        exact, pk, _ = self._parts()
        f1, by_pk, by_number = (
            exact.score(counts[..., _F1]),
            pk.score(counts[..., _PK]),
            pk.score(counts[..., _WINDOW_DIFF]),
        )
        return np.asarray(f1 / 2 + (1 - by_pk) / 4 + (1 - by_number) / 4)
