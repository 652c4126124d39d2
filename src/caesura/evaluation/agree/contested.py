# SPDX-License-Identifier: Apache-2.0
"""Contested gaps, sorted by how much settling them would raise agreement, for adjudication."""

from __future__ import annotations

import math
from collections import Counter
from typing import get_args

import numpy as np

from caesura.batches.flat import starts_of
from caesura.batches.panel import Ints, Panel
from caesura.corpus import Corpus
from caesura.kernels.matching import match_boundaries
from caesura.metrics.agreement import AGREEMENT, SLOT_COLUMNS, count_pairs, pooled_window, two_of
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.agree.facts import Contested, Disagreement, Kind, Support
from caesura.segmentation import Segmentation

__all__ = ["contested_gaps", "disagreements", "kind_of_disagreement", "tally"]

_MOST_LABELLED = 100_000
"""The maximum number of labelled pairs, which grows with the square of the annotators; each is a row of the file."""
_QUOTE = 120


def contested_gaps(corpus: Corpus, panel: Panel, support: list[Support]) -> list[Contested]:
    """Return the gaps that are neither unanimous nor unmarked, largest gain first."""
    kappa = AGREEMENT.parse("FleissKappa")
    counts = kappa.count(panel)
    places = {key: row for row, key in enumerate(panel.ids)}
    scores = kappa.score(counts)
    defined = int((~np.isnan(scores)).sum())
    open_gaps = [item for item in support if len(item.marked_by) < item.annotators]
    rows = np.array([places[item.document] for item in open_gaps], dtype=np.int64)
    votes = np.array([len(item.marked_by) for item in open_gaps], dtype=np.int64)
    gains = (kappa.score(_settled(counts[rows], votes, panel.n_annotators[rows])) - scores[rows]) / max(defined, 1)
    contested = []
    for item, gain in zip(open_gaps, gains.tolist(), strict=True):
        document, marked = corpus[item.document], set(item.marked_by)
        contested.append(
            Contested(
                document=item.document,
                gap=item.gap,
                votes_for=item.marked_by,
                votes_against=tuple([name for name in document.annotations if name not in marked]),
                half=item.half,
                gain=number(gain),
                before=_quote(document.units, item.gap - 1),
                after=_quote(document.units, item.gap),
            )
        )
    return sorted(contested, key=lambda c: (math.inf if c.gain is None else -c.gain, c.document, c.gap))


def _settled(counts: Floats, votes: Ints, h: Ints) -> Floats:
    """Return the counts of documents in which everybody votes with the majority on one gap; a tie marks it."""
    changed = counts.copy()
    settled = np.where(2 * votes >= h, h, 0)
    agree, ones = SLOT_COLUMNS.index("agree"), SLOT_COLUMNS.index("ones")
    changed[:, agree] += h * (h - 1) - votes * (votes - 1) - (h - votes) * (h - votes - 1)
    changed[:, ones] += settled - votes
    return changed


def _quote(units: tuple[str, ...] | None, place: int) -> str | None:
    if units is None:
        return None
    text = " ".join(units[place].split())
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"


def kind_of_disagreement(
    first: Segmentation, second: Segmentation, window: int
) -> tuple[Kind, tuple[int, ...], tuple[int, ...]]:
    """Return how two segmentations differ, and the boundaries of each without a partner within half a window.

    >>> kind_of_disagreement(Segmentation(20, (5, 10)), Segmentation(20, (5, 10, 15)), 4)[0]
    'granularity'
    >>> kind_of_disagreement(Segmentation(20, (5,)), Segmentation(20, (8,)), 4)[0]
    'placement'
    """
    a, b = list(first.boundaries), list(second.boundaries)
    pairs = match_boundaries(a, b, window // 2)
    used_a, used_b = {i for i, _ in pairs}, {j for _, j in pairs}
    only_a = tuple(gap for i, gap in enumerate(a) if i not in used_a)
    only_b = tuple(gap for j, gap in enumerate(b) if j not in used_b)
    if not only_a and not only_b:
        return "none", only_a, only_b
    if not only_a or not only_b:
        return "granularity", only_a, only_b
    near = all(min(abs(x - y) for y in only_b) <= window for x in only_a) and all(
        min(abs(x - y) for x in only_a) <= window for y in only_b
    )
    return ("placement" if near else "mixed"), only_a, only_b


def disagreements(panel: Panel, seed: int = 0) -> list[Disagreement]:
    """Label every two annotators of every document; of more than 100,000 pairs, as many drawn at random."""
    windows, sizes = pooled_window(panel).tolist(), panel.n_annotators.tolist()
    starts, total = starts_of(panel.n_annotators * (panel.n_annotators - 1) // 2), count_pairs(panel)
    drawn = np.arange(total)
    if total > _MOST_LABELLED:
        drawn = np.sort(np.random.default_rng(seed).choice(total, _MOST_LABELLED, replace=False, shuffle=False))
    labelled = []
    for row, wanted in enumerate(np.split(drawn, np.searchsorted(drawn, starts[1:-1]))):
        if not len(wanted):
            continue
        first, second = two_of(sizes[row])
        codings = list(panel.of_document(row).items())
        for place in (wanted - starts[row]).tolist():
            (a, one), (b, other) = codings[first[place]], codings[second[place]]
            kind, only_a, only_b = kind_of_disagreement(one, other, windows[row])
            labelled.append(
                Disagreement(
                    document=panel.ids[row], first=a, second=b, kind=kind, only_first=only_a, only_second=only_b
                )
            )
    return labelled


def tally(labelled: list[Disagreement]) -> dict[Kind, int]:
    """Count the disagreements of each kind."""
    counts = Counter(item.kind for item in labelled)
    return {kind: counts[kind] for kind in get_args(Kind)}
