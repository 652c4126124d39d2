# SPDX-License-Identifier: Apache-2.0
"""Units in, one by one; boundaries out, as soon as they are committed."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from caesura.corpus import Document
from caesura.encoders.base import Vectors, unit_length
from caesura.errors import SegmentationError
from caesura.scorers import Encoding, Features
from caesura.scorers.frozen import Frozen
from caesura.selectors import AdaptiveSelector

__all__ = ["OnlineSegmenter"]


class OnlineSegmenter:
    """A scorer with frozen windows and an adaptive selector, on a stream of units.

    Memory does not grow: the last units that the scorer sees are kept, and what the selector remembers.

    Parameters
    ----------
    scorer : Frozen
        Scores each gap when its ``after`` units are there.
    selector : AdaptiveSelector
        Commits boundaries; with a finite ``horizon``.
    encoding : Encoding, optional
        The encoder; by default the included one.

    Examples
    --------
    >>> stream = OnlineSegmenter(
    ...     Frozen("VectorDepth(window=1)"), AdaptiveSelector(rate=0.3, threshold=0.2, step=0.0, horizon=2)
    ... )
    >>> texts = ("A cat purrs.", "Cats purr.", "A kitten purrs.", "Rain falls.", "It rains.")
    >>> [stream.push(text) for text in texts]  # the fourth unit opens a topic, which is noticed at once
    [[], [], [], [3], []]
    """

    def __init__(self, scorer: Frozen, selector: AdaptiveSelector, *, encoding: Encoding | None = None) -> None:
        self._scorer, self._selector = scorer, selector
        self._encoding = encoding or Encoding()
        self._units: deque[tuple[str, Vectors | None]] = deque(maxlen=scorer.before + scorer.after)
        self._seen = self._scored = 0

    def push(self, unit: str) -> list[int]:
        """Take the next unit, and return the gaps that are committed now; gap i lies after unit i, counted from 1."""
        self._take(unit)
        return self._score(self._seen - self._scorer.after)

    def finish(self) -> list[int]:
        """Score the last gaps with the units that there are, and return the gaps that are committed."""
        return self._score(self._seen - 1)

    def state(self) -> dict[str, object]:
        """Return the state as plain data, to be saved; `restore` goes on from it."""
        return {
            "scorer": str(self._scorer), "units": [text for text, _ in self._units], "seen": self._seen,
            "scored": self._scored, "selector": self._selector.state(),
        }  # fmt: skip

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state of the same scorer and selector."""
        try:
            same = state["scorer"] == str(self._scorer)
            units, seen, scored = list(state["units"]), int(state["seen"]), int(state["scored"])
            whole = 0 <= scored <= seen and len(units) == min(seen, self._units.maxlen or 0)
            chosen = state["selector"]
        except (KeyError, TypeError, ValueError):
            same = whole = False
        if not (same and whole and all(isinstance(text, str) for text in units)):
            raise SegmentationError("the state is damaged, or of another scorer; pass what state() returned")
        self._selector.restore(chosen)
        self._units.clear()
        for text in units:
            self._take(text)
        self._seen, self._scored = seen, scored

    def _take(self, unit: str) -> None:
        vectors = unit_length(self._encoding.encode([unit])) if self._scorer.needs_vectors else None
        self._units.append((unit, vectors))
        self._seen += 1

    def _score(self, last: int) -> list[int]:
        """Score the gaps up to the last one that can be scored."""
        found: list[int] = []
        while self._scored < last:
            self._scored += 1
            first = self._seen - len(self._units)  # units that are forgotten
            features = Features(
                Document(id="stream", n_units=len(self._units), units=tuple(text for text, _ in self._units)),
                self._encoding,
                vectors=np.concatenate([each for _, each in self._units if each is not None])
                if self._scorer.needs_vectors
                else None,
            )
            found += self._selector.push(self._scorer.at(features, self._scored - first))
        return found
