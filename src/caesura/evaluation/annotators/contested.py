# SPDX-License-Identifier: Apache-2.0
"""Contested gaps, sorted by what settling them would change: the work list of an adjudicator."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.evaluation.annotators.support import Support
from caesura.metrics.agreement import AGREEMENT, SLOT_COLUMNS

__all__ = ["Contested", "contested_gaps"]

_QUOTE = 120


@dataclasses.dataclass(frozen=True)
class Contested:
    """A gap on which the annotators of a document are not of one mind.

    Attributes
    ----------
    document : str
        The document.
    gap : int
        After which unit it lies.
    votes_for, votes_against : tuple of str
        Who marked it, who did not.
    half : float
        Support within half a window: high means that the others put it nearby.
    gain : float
        By how much the mean kappa of the corpus would rise if this gap were settled with the majority.
    before, after : str or None
        The units on both sides, cut to a line, where the texts are there.
    """

    document: str
    gap: int
    votes_for: tuple[str, ...]
    votes_against: tuple[str, ...]
    half: float
    gain: float
    before: str | None
    after: str | None


def contested_gaps(corpus: Corpus, panel: Panel, support: list[Support]) -> list[Contested]:
    """Return the gaps that are neither unanimous nor unmarked, the most profitable to settle first."""
    kappa = AGREEMENT.parse("FleissKappa")
    counts = kappa.count(panel)
    places = {key: row for row, key in enumerate(panel.ids)}
    scores = kappa.score(counts)
    defined = int((~np.isnan(scores)).sum())
    found = []
    for item in support:
        if len(item.marked_by) == item.annotators:
            continue
        row = places[item.document]
        settled = _settled(counts[row], len(item.marked_by), item.annotators)
        gain = float(kappa.score(settled) - scores[row]) / max(defined, 1)
        document = corpus[item.document]
        against = tuple(name for name in document.annotations if name not in item.marked_by)
        found.append(
            Contested(
                document=item.document,
                gap=item.gap,
                votes_for=item.marked_by,
                votes_against=against,
                half=item.half,
                gain=gain,
                before=_quote(document.units, item.gap - 1),
                after=_quote(document.units, item.gap),
            )
        )
    return sorted(found, key=lambda c: (-c.gain if not math.isnan(c.gain) else math.inf, c.document, c.gap))


def _settled(counts: npt.NDArray[Any], votes: int, h: int) -> npt.NDArray[Any]:
    """Return the counts of a document in which everybody votes on one gap like the majority; a tie marks it."""
    changed = counts.copy()
    kept = h if 2 * votes >= h else 0
    agree, ones = SLOT_COLUMNS.index("agree"), SLOT_COLUMNS.index("ones")
    changed[agree] += h * (h - 1) - votes * (votes - 1) - (h - votes) * (h - votes - 1)
    changed[ones] += kept - votes
    return changed


def _quote(units: tuple[str, ...] | None, place: int) -> str | None:
    if units is None:
        return None
    text = " ".join(units[place].split())
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"
