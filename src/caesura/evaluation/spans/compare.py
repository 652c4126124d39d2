# SPDX-License-Identifier: Apache-2.0
"""Pairwise comparison of chunkers on the share of spans that they leave whole."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.evaluation.compare.paired import Drawn, Normal, corrected
from caesura.evaluation.intervals import ends_of
from caesura.evaluation.measured import Measured
from caesura.results import Comparison, as_float, number

__all__ = ["compare_spans"]

_COMPARED, _BY_CHANCE = "Inside", "InsideByChance"
_ALPHA = 0.05


def compare_spans(
    measured: Measured, pairs: Sequence[tuple[str, str]], tests: Drawn | Normal
) -> list[Comparison]:
    """Compare pairs of chunkers on `Inside`, the share of spans that they leave whole.

    The unit of resampling and of permutation is the document with all its spans. The density part of a difference is
    the difference of the chance levels, which follows from the numbers of boundaries alone; a better system is named only if
    the corrected p is below 0.05.
    """
    shares, chance = measured.statistics()[_COMPARED], measured.statistics()[_BY_CHANCE]
    comparisons = []
    for first, second in pairs:
        tested, scores = tests.test(_COMPARED, first, second), (shares[first].value, shares[second].value)
        difference = scores[0] - scores[1]
        density = chance[first].value - chance[second].value
        comparisons.append(
            Comparison(
                metric=_COMPARED,
                first=first,
                second=second,
                scores=(number(scores[0]), number(scores[1])),
                difference=number(difference),
                interval=ends_of(tested.interval),
                p=number(tested.p),
                p_corrected=None,
                better=None,
                documents=len(measured.documents),
                aggregation="micro",
                exact=tested.exact,
                density=number(density),
                placement=number(difference - density),
                parts_by="chance" if density == density else None,
            )
        )
    for item in corrected(comparisons):
        if as_float(item.p_corrected) < _ALPHA:
            item.better = item.first if as_float(item.difference) > 0 else item.second
    return comparisons
