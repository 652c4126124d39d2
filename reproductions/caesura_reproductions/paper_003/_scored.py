# SPDX-License-Identifier: Apache-2.0
"""A row of a table: scores under the conventions of the released code and under the appendices of the paper."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.evaluation.evaluate import evaluate
from caesura.results.reproduce.facts import shown_as
from caesura_reproductions.base import Value
from caesura_reproductions.paper_003._gold import Gold
from caesura_reproductions.printed import Printed

__all__ = ["WHY", "row_values", "scores"]

WHY = {
    "W-F1": "Appendix A credits every gold boundary within the tolerance of a prediction, the code only the first it meets",
    "Purity": "Appendix B weights segments by their turns, the code weights all alike",
    "Coverage": "Appendix B weights segments by their turns, the code weights all alike",
}
"""Why a column differs under the definitions of the paper."""


def row_values(printed: Printed, row: str, reference: Gold, hypothesis: Gold, how: str = "") -> Iterator[Value]:
    """Yield the columns of a row under both readings; ``how`` describes the hypothesis."""
    as_run, definition = (scores(reference, hypothesis, profile) for profile in ("as_run", "paper"))
    for name, ours in as_run.items():
        entry = printed.get((row, name))
        if entry is not None:
            apart = shown_as(entry.printed, ours) != shown_as(entry.printed, definition[name])
            notes = [how, WHY.get(name, "") if apart else ""]
            note = "; ".join(text for text in notes if text)
            yield Value(row, name, ours, note=note, definition=definition[name])


def scores(reference: Gold, hypothesis: Gold, profile: str) -> dict[str, float]:
    """Return the scores of a row; the exact F1 of the paper's tables is pooled."""
    names = ["W-F1", "BOR", "Purity", "Coverage"]
    means = evaluate(reference, {"row": hypothesis}, names, profile=profile).scores["row"]
    pooled = evaluate(reference, {"row": hypothesis}, "F1", profile=profile, by="micro").scores["row"]
    return {**means, **pooled}
