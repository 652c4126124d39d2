# SPDX-License-Identifier: Apache-2.0
"""Figure 2: the worked example, one boundary found among four predicted."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.evaluation.evaluate import evaluate
from caesura.segmentation import Segmentation
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["worked_example"]

_UNITS, _GOLD, _PREDICTED = 24, (12,), (6, 12, 15, 20)


@item("Fig2", "The worked example: one boundary found, three more predicted")
def worked_example(printed: Printed, data: Data) -> Iterator[Found]:
    """Score one boundary of the gold against four, of which it is one; the figure shows no turn numbers."""
    gold, system = {"d": Segmentation(_UNITS, _GOLD)}, {"a": {"d": Segmentation(_UNITS, _PREDICTED)}}
    e = evaluate(gold, system, ["F1", "BOR", "Purity"])
    ((row, column),) = printed
    yield Value(row, column, e.scores["a"]["F1"], note="2 × 1 / (1 + 4)")
    (verdict,) = e.verdicts().values()
    finer = e.scores["a"]["Purity"] == 1.0 and verdict.regime == "aggressive"
    yield Value(
        row,
        "verdict",
        verdict.verdict,
        note=f"BOR {e.scores['a']['BOR']:.0f} and purity {e.scores['a']['Purity']:.2f}: finer than the gold, and no topic is "
        "mixed; one document with a single boundary is too little for a mode",
        holds=finer,
    )
