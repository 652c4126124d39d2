# SPDX-License-Identifier: Apache-2.0
"""Table 1: three systems on two corpora; what follows from the counts in the text and from other cells."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results.reproduce.facts import Erratum
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_001._rates import NO_CORPUS, harmonic, harmonic_value, nearest_count, share
from caesura_reproductions.paper_001.corpus import SEGMENTS
from caesura_reproductions.paper_001.t2 import LENGTHS
from caesura_reproductions.printed import Printed

__all__ = ["systems"]

_COUNTS = {"Baseline": (583, 1056), "Speech cohesion": (638, 1012), "Diachronic cohesion": (644, 946)}
"""Correct segments and segments of each system on MCS7-14 (section 5.3)."""
_LAST = "MCS5-15 | Diachronic cohesion"


@item("T1", "Boundaries, CovN and CovD of three systems on two corpora", otherwise=NO_CORPUS)
def systems(printed: Printed, data: Data) -> Iterator[Found]:
    """Divide the counts, take the harmonic means, and find the count behind the misprinted recall."""
    for system, (correct, returned) in _COUNTS.items():
        row = f"MCS7-14 | {system}"
        yield share(row, "R_N", correct, SEGMENTS["MCS7-14"])
        yield share(row, "P_N", correct, returned)
    parts = {
        name: nearest_count(printed.others["T2"]["MCS5-15", f"{name} R_N"], total)
        for name, total in LENGTHS["MCS5-15"].items()
    }
    total, correct = SEGMENTS["MCS5-15"], sum(parts.values())
    right = round(100 * correct / total, 1)
    f = printed.number(_LAST, "CovN")
    wrong = harmonic(printed.number(_LAST, "R_N"), printed.number(_LAST, "P_N"))
    yield Value(
        _LAST,
        "R_N",
        100 * correct / total,
        note=f"Table 2 has {parts['long']} long and {parts['short']} short segments retrieved: {correct} / {total} = "
        f"{100 * correct / total:.2f} %; with the printed value CovN would be {wrong:.2f}, not {f}",
    )
    for row in dict.fromkeys(row for row, _ in printed):
        yield harmonic_value(row, "Boundary F", printed[row, "Boundary R"], printed[row, "Boundary P"])
        yield harmonic_value(row, "CovD", printed[row, "R_D"], printed[row, "P_D"])
        recall = right if row == _LAST else printed[row, "R_N"]
        yield harmonic_value(row, "CovN", recall, printed[row, "P_N"])
    yield _unattainable(printed)
    yield finding(
        "Section 5.3",
        "P_D went up from 63.0 to 68.1.",
        f"These are the values of P_N; Table 1 has a P_D of {printed['MCS7-14 | Speech cohesion', 'P_D'].printed} and "
        f"{printed['MCS7-14 | Diachronic cohesion', 'P_D'].printed}.",
    )


def _unattainable(printed: Printed) -> Erratum:
    """Return the finding that no number of retrieved segments gives the printed recall of the baseline."""
    rate, total = printed["MCS5-15 | Baseline", "R_N"], SEGMENTS["MCS5-15"]
    below = int(rate.number * total / 100)
    shares = " and ".join(f"{k} / {total} = {100 * k / total:.2f} %" for k in (below, below + 1))
    return finding(
        "Table 1, MCS5-15, Baseline, R_N",
        f"{rate.printed} % of the {total} segments are retrieved.",
        f"No number of segments gives it: {shares}.",
    )
