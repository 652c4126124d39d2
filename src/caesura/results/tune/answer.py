# SPDX-License-Identifier: Apache-2.0
"""The answer of tuning: the best setting, and its score on documents that were not used to choose it."""

from __future__ import annotations

from caesura.results._sentences import number_of
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["answer"]


def answer(results: Results) -> tuple[str, ...]:
    """Return the best setting with its scores on development and other documents, and the stability of the choice."""
    facts = required(results.tuning)
    best = next(one for one in facts.tried if one.method == facts.chosen)
    tried = number_of(len(facts.tried), "setting")
    sentences = [
        f"{facts.chosen} is the best of {tried} on {number_of(facts.documents, 'document')}: {facts.metric} "
        f"{format_number(best.score)}."
    ]
    if facts.held_out is not None:
        there = number_of(facts.held_out_documents or 0, "held-out document")
        sentences.append(f"On {there} it gets {format_number(facts.held_out)}.")
    if facts.cross_validated is not None:
        sentences.append(
            f"On documents that did not choose, the choice gets {format_number(facts.cross_validated)} ({facts.folds}-fold "
            "cross-validation): expect this, not the score on those that did."
        )
        if best.folds < facts.folds:
            sentences.append(f"The choice depends on the documents: it is best in {best.folds} of {facts.folds} folds.")
    return tuple(sentences)
