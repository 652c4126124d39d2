# SPDX-License-Identifier: Apache-2.0
"""Contested gaps, sorted by how much settling them would raise agreement, for adjudication."""

from __future__ import annotations

import math

import numpy as np

from caesura.batches.panel import Ints, Panel
from caesura.corpus import Corpus
from caesura.metrics.agreement import AGREEMENT, SLOT_COLUMNS
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.agree.facts import Contested, Support

__all__ = ["contested_gaps"]

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
    gains = (kappa.score(_settled(counts[rows], votes, panel.n_annotators[rows])) - scores[rows]) / max(
        defined, 1
    )
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
