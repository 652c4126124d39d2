# SPDX-License-Identifier: Apache-2.0
"""Contested gaps, sorted by how much settling them would raise agreement: the work list of an adjudicator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.metrics.agreement import AGREEMENT, SLOT_COLUMNS
from caesura.results import number
from caesura.results.agreement import Contested, Support

__all__ = ["contested_gaps"]

_QUOTE = 120


def contested_gaps(corpus: Corpus, panel: Panel, support: list[Support]) -> list[Contested]:
    """Return the gaps that are neither unanimous nor unmarked, largest gain first."""
    kappa = AGREEMENT.parse("FleissKappa")
    counts = kappa.count(panel)
    places = {key: row for row, key in enumerate(panel.ids)}
    scores = kappa.score(counts)
    defined = int((~np.isnan(scores)).sum())
    contested = []
    for item in support:
        if len(item.marked_by) == item.annotators:
            continue
        row = places[item.document]
        settled = _settled(counts[row], len(item.marked_by), item.annotators)
        gain = float(kappa.score(settled) - scores[row]) / max(defined, 1)
        document = corpus[item.document]
        contested.append(
            Contested(
                document=item.document,
                gap=item.gap,
                votes_for=item.marked_by,
                votes_against=tuple(name for name in document.annotations if name not in item.marked_by),
                half=item.half,
                gain=number(gain),
                before=_quote(document.units, item.gap - 1),
                after=_quote(document.units, item.gap),
            )
        )
    return sorted(contested, key=lambda c: (math.inf if c.gain is None else -c.gain, c.document, c.gap))


def _settled(counts: npt.NDArray[Any], votes: int, h: int) -> npt.NDArray[Any]:
    """Return the counts of a document in which everybody votes with the majority on one gap; a tie marks it."""
    changed = counts.copy()
    settled = h if 2 * votes >= h else 0
    agree, ones = SLOT_COLUMNS.index("agree"), SLOT_COLUMNS.index("ones")
    changed[agree] += h * (h - 1) - votes * (votes - 1) - (h - votes) * (h - votes - 1)
    changed[ones] += settled - votes
    return changed


def _quote(units: tuple[str, ...] | None, place: int) -> str | None:
    if units is None:
        return None
    text = " ".join(units[place].split())
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"
