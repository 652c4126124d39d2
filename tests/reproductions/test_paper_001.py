"""Paper 001: every number that follows from others, and the sums that show its misprints."""

from __future__ import annotations

import pytest

from caesura_reproductions.paper_001._rates import harmonic
from caesura_reproductions.run import reproduce


@pytest.fixture(scope="module")
def cells():
    return {(c.item, c.row, c.column): c for c in reproduce("bouchekif2016").cells}


def test_69_exact_5_misprints_and_the_rest_without_a_corpus(cells):
    counts = {status: [c for c in cells.values() if c.status == status] for status in ("exact", "different")}
    assert len(counts["exact"]) == 69 == sum(c.can_be_exact for c in cells.values())
    assert {place: (c.printed, c.shown(c.ours), c.note) for place, c in cells.items() if c.misprint} == {
        ("section4", "Hyp2", "CovN"): ("82.5%", "82.4%", "2 x 7 / (8 + 9) = 82.35 %"),
        ("section4", "Hyp3", "CovN"): ("82.5%", "82.4%", "2 x 7 / (8 + 9) = 82.35 %"),
        ("T1", "MCS5-15 | Speech cohesion", "Boundary F"): (
            "70.1", "70.3", "harmonic mean of 68.6 and 72.0: 70.26",
        ),
        ("T1", "MCS5-15 | Diachronic cohesion", "R_N"): (
            "60.0", "63.0",
            "Table 2 has 165 long and 22 short segments retrieved: 187 / 297 = 62.96 %; with the printed value CovN would be "
            "63.08, not 64.7",
        ),
        ("corpus", "MCS7-14", "boundaries"): ("895", "911", "997 segments - 86 shows = 911"),
    }  # fmt: skip
    assert len(counts["different"]) == 5
    others = [c for c in cells.values() if c.status == "unavailable"]
    assert len(others) == 33
    assert all("not public" in c.note and c.ours is None for c in others)


def test_rounding_is_allowed_for_only_where_it_explains_the_digits(cells):
    assert {c.row: c.column for c in cells.values() if c.by_rounding} == {
        "MCS5-15 | Baseline": "CovN",
        "MCS5-15 | Speech cohesion": "CovD",
    }
    # 70.1 cannot come from 68.6 and 72.0, however these were rounded.
    assert harmonic(68.55, 71.95) > 70.15


def test_counts_of_segments(cells):
    """By hand: a piece of 2 cut from a segment of 20 leaves 2 x 18 / 38 = 94.7 %, a cut in the middle 66.7 %."""
    assert (cells["section4", "Hyp1", "R_N"].ours, cells["section4", "Hyp1", "P_N"].ours) == ("8/8", "8/9")
    assert (cells["section4", "Hyp4", "R_N"].ours, cells["section4", "Hyp4", "Boundary P"].ours) == ("6/8", "6/8")
    assert cells["Fig1", "gamma 85%", "correct segments"].ours == "H1 only"
    assert cells["T1", "MCS7-14 | Diachronic cohesion", "P_N"].ours == pytest.approx(100 * 644 / 946)


def test_errata():
    shown = [e.shown for e in reproduce("001").errata]
    assert any("148 / 297 = 49.83 % and 149 / 297 = 50.17 %" in text for text in shown)
    assert any("644 segments of Table 1" in text for text in shown)
