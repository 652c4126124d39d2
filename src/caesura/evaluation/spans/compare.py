# SPDX-License-Identifier: Apache-2.0
"""Chunkers compared pair by pair on the share of spans that they leave whole."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from caesura.evaluation.comparison.paired import corrected
from caesura.evaluation.intervals import ends_of
from caesura.results import Comparison, as_float, number
from caesura.statistics import Bootstrap, Permutation, Statistic

__all__ = ["compare_spans"]

_COMPARED, _BY_CHANCE = "Inside", "InsideByChance"
_ALPHA = 0.05


def compare_spans(
    statistics: Mapping[str, Mapping[str, Statistic]], bootstrap: Bootstrap, permutation: Permutation
) -> list[Comparison]:
    """Compare all pairs of chunkers on `Inside`; ``statistics`` map measure to system to its mean over spans.

    The unit of resampling and of permutation is the document with all its spans. The density part of a difference is
    the difference of the chance levels, which follows from the numbers of boundaries alone; a better system is named only if
    the corrected p is below 0.05.
    """
    shares, chance = statistics[_COMPARED], statistics[_BY_CHANCE]
    pairs = list(itertools.combinations(shares, 2))
    replicates = dict(zip(shares, bootstrap.replicates(list(shares.values())), strict=True))
    exchanged = permutation.exchanged([(shares[first], shares[second]) for first, second in pairs])
    comparisons = []
    for (first, second), each in zip(pairs, exchanged, strict=True):
        difference = each.observed[0] - each.observed[1]
        density = chance[first].value - chance[second].value
        comparisons.append(
            Comparison(
                metric=_COMPARED,
                first=first,
                second=second,
                scores=(number(each.observed[0]), number(each.observed[1])),
                difference=number(difference),
                interval=ends_of(
                    bootstrap.interval(
                        replicates[first] - replicates[second],
                        bootstrap.n,
                        shares[first].left_out(shares[second]),
                    )
                ),
                p=number(each.p_value()),
                p_corrected=None,
                better=None,
                documents=bootstrap.n,
                aggregation="micro",
                exact=each.exact,
                density=number(density),
                placement=number(difference - density),
                parts_by="chance" if density == density else None,
            )
        )
    for item in corrected(comparisons):
        if as_float(item.p_corrected) < _ALPHA:
            item.better = item.first if as_float(item.difference) > 0 else item.second
    return comparisons
