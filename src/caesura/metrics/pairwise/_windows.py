# SPDX-License-Identifier: Apache-2.0
"""What the window metrics share: how the window is chosen and what a window slides over."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, PairwiseMetric, quantity
from caesura.units.quantity import resolve_quantity

ROUNDINGS = ("half_even", "half_up", "floor")
K_SOURCES = ("segments", "boundaries", "two_segments")
STRINGS = ("gaps", "units", "units_closed")


@dataclasses.dataclass(frozen=True)
class WindowMetric(PairwiseMetric):
    """A metric of a window of k slots: by default half the mean reference segment, half-even, at least 2."""

    undefined = "the document is not longer than the window"

    k: int | str | None = quantity(
        None, "window in units, or a length such as '30s'; default half the mean reference segment"
    )
    rounding: str = param("half_even", "how the default k is rounded", choices=ROUNDINGS)
    min_k: int = param(2, "least default k", minimum=0)
    k_from: str = param(
        "segments",
        "what the default k halves: the mean segment, slots per boundary (NLTK), or the mean of at least two segments (Episodic)",
        choices=K_SOURCES,
    )
    string: str = param(
        "gaps", "what the window slides over: n-1 gaps, n units, or n units with the closing boundary", choices=STRINGS
    )
    short: str = param(
        "nan",
        "a document with no window: undefined, k shrunk to n-1, or without an error (Episodic)",
        choices=("nan", "shrink", "no_error"),
    )

    def facts(self) -> MetricCard:
        """Return the card; a slot for the end of the document makes the two ends unlike, and no window sees no error."""
        card = self.card if self.string == "gaps" else dataclasses.replace(self.card, mirror=False)
        return dataclasses.replace(card, blind_to=ANY_DAMAGE) if self.short == "no_error" else card

    def window_parameters(self, unit: str) -> dict[str, int]:
        """Return the parameters that every window kernel takes."""
        k = 0 if self.k is None else resolve_quantity(self.k, unit, owner=self.name(), name="k")
        if self.k is not None and k < 1:
            raise MetricError(f"{self.name()}: k={self.k!r} makes no window; it must be at least one {unit}")
        return {
            "k": k,
            "k_from": K_SOURCES.index(self.k_from),
            "rounding": ROUNDINGS.index(self.rounding),
            "min_k": self.min_k,
            "string": STRINGS.index(self.string),
            "short": int(self.short == "shrink"),
        }

    @property
    def without_window(self) -> float:
        """The score of a document that has no window."""
        return self.card.perfect if self.short == "no_error" else np.nan

    def check_corpus(self, pairs: Pairs) -> None:
        """Refuse a given k that no document is longer than."""
        if self.k is None or self.short == "shrink" or not len(pairs):
            return
        k = resolve_quantity(self.k, pairs.unit, owner=self.name(), name="k")
        longest = int(pairs.n_units.max())
        if k >= longest:
            raise MetricError(
                f"{self.name()}: k={self.k!r}, but the longest document has {longest} units; "
                "take a smaller k, or short='shrink'"
            )

    def resolved(self, counts: Floats, columns: Sequence[str]) -> dict[str, str]:
        """Say which windows were used."""
        used = counts[:, list(columns).index("k")]
        if not len(used):
            return {}
        low, high = int(used.min()), int(used.max())
        return {"k": str(low) if low == high else f"{low}..{high}"}


def window_sizes(windows: Floats, pairs: Pairs) -> Ints:
    """Return k of each document, from how many windows of k gaps it has; where it has none, 0."""
    return np.where(windows > 0, pairs.n_units - windows, 0).astype(np.int64)
