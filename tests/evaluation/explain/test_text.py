"""The report in words."""

from __future__ import annotations

import caesura as cz


def test_on_time_the_report_fits_80_columns():
    """Windows are counted by the millisecond there, and such counts are not shown."""
    reference = cz.Segmentation.from_seconds([120, 4200], 5700)
    hypothesis = cz.Segmentation.from_seconds([150, 540, 4200], 5700)
    explanation = cz.explain(reference, hypothesis, ["Pk", "WindowDiff"])
    assert repr(explanation) == f"<Explanation of {len(explanation.rows)} rows>"
    report = str(explanation)
    assert "share of wrong windows (of length k)" in report
    assert max(map(len, report.splitlines())) <= 80
