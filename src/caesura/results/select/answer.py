# SPDX-License-Identifier: Apache-2.0
"""The answer of a stream report: boundaries, delay, and the gain of static selection."""

from __future__ import annotations

from caesura.results._sentences import number_of
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["answer"]

_OFF = 0.2  # relative deviation from the target rate above which it is reported


def answer(results: Results) -> tuple[str, ...]:
    """Return the boundaries and their delay, the rate if it misses its target, and the score with static selection's."""
    stream = required(results.stream)
    s = stream.summary
    sentences = [
        f"{number_of(s.boundaries, 'boundary', 'boundaries')} in {number_of(s.gaps, 'gap')} of "
        f"{number_of(s.documents, 'document')}, decided {format_number(s.delay_mean, 1)} units late on average."
    ]
    if s.rate is not None and stream.target:
        missed = abs(s.rate - stream.target) > _OFF * stream.target
        sentences.append(
            f"The rate is {s.rate:.3f}, not the {stream.target:g} that was requested: each document starts afresh, and "
            "short ones end before the threshold has settled."
            if missed
            else f"The rate is {s.rate:.3f}; {stream.target:g} was asked for."
        )
    if stream.metric is not None:
        sentences.append(
            f"{stream.metric} is {format_number(s.score)}; selecting as many from each whole document scores "
            f"{format_number(s.static_score)}."
        )
    return tuple(sentences)
