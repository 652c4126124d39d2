# SPDX-License-Identifier: Apache-2.0
"""Table 3: baselines on the user's turns."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results.reproduce.facts import Erratum
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_003._baselines import baseline
from caesura_reproductions.paper_003._gold import DATASETS, gold
from caesura_reproductions.paper_003._released import column, read_rows
from caesura_reproductions.paper_003._scored import row_values, scores
from caesura_reproductions.printed import Printed

__all__ = ["baselines"]

_METHODS = ("No-boundary", "Every-N", "Random")
_SUPERSEG = 1322  # dialogues
_SHOWN = "Random | DialSeg711"


@item(
    "T3",
    "Baselines on the user's turns",
    otherwise="the topic ids of SuperSeg are not available, and boundaries derived from another copy differ",
)
def baselines(printed: Printed, data: Data) -> Iterator[Found]:
    """Score the baselines on both datasets, and derive the values for SuperSeg from the released counts."""
    for dataset in DATASETS:
        reference = gold(data, dataset, "T3", "user_turns")
        for method in _METHODS:
            row = f"{method} | {dataset}"
            values = list(row_values(printed, row, reference, baseline(method, reference)))
            yield from values
            if row == _SHOWN:
                yield from _definitions(values)
    counts = column(read_rows(data, "results/per_dialogue_bor_superseg_random.csv"), "n_gold_boundaries")
    without = _SUPERSEG - len(counts)
    note = f"share of dialogues without gold boundary, {without} of {_SUPERSEG}"
    yield Value("No-boundary | SuperSeg", "W-F1", without / _SUPERSEG, note=note)
    for row, name, value in (
        ("No-boundary", "BOR", 0.0), ("No-boundary", "Coverage", 1.0), ("Random", "BOR", 1.0),
    ):  # fmt: skip
        yield Value(f"{row} | SuperSeg", name, value, note="by construction of the baseline")
    yield _units(printed, data)


def _definitions(values: list[Value]) -> Iterator[Erratum]:
    """Yield the differences between the code and the definitions in the appendices."""
    found = {value.column: f"{value.ours:.3f} by the code, {value.definition:.3f} by the appendix" for value in values}
    yield finding(
        "Appendix A and the released code",
        "W-F1 credits every gold boundary within the tolerance of a prediction.",
        "The code stops at the first one it meets, in the order of a Python set of integers. Random boundaries on DialSeg711 "
        f"have {found['W-F1']}.",
    )
    yield finding(
        "Appendix B and the released code",
        "Purity and coverage weight segments by their turns.",
        f"The code weights all segments alike. Random boundaries on DialSeg711 have a purity of {found['Purity']}, and a "
        f"coverage of {found['Coverage']}.",
    )


def _units(printed: Printed, data: Data) -> Erratum:
    """Return the finding on Table 3 with the units that Appendix D describes."""
    turns, whole = (gold(data, "DialSeg711", "T3", view) for view in ("user_turns", "utterances"))
    counts = [sum(g.n_boundaries for g in each.values()) for each in (turns, whole)]
    other = scores(whole, baseline("Random", whole), "paper")["W-F1"]
    return finding(
        "Appendix D and the released code",
        "Boundaries are defined between all turns, and all of them count.",
        f"The code keeps the user's turns and loses the boundary that leaves the first segment: {counts[0]} of the "
        f"{counts[1]} boundaries of DialSeg711. On the units of Appendix D, and by Appendix A, the random baseline has a "
        f"W-F1 of {other:.3f} instead of the printed {printed[_SHOWN, 'W-F1'].printed}.",
    )
