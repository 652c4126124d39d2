"""What an evaluation says where almost nothing can be said: one recording, on time."""

from __future__ import annotations

import pytest

import caesura as cz

GOLD = {"show": cz.Segmentation.from_seconds([120, 600], 900)}
OURS = {"show": cz.Segmentation.from_seconds([150, 540, 600], 900)}


def test_one_recording_claims_nothing():
    e = cz.evaluate(GOLD, {"a": OURS, "b": OURS})
    e.verdicts()
    found = "1 of 2 boundaries is found within 10 s; 1 is missed (2:00); 2 are extra (2:30 and 9:00); found ones are on time."
    assert e.answer() == (
        f"a: {found}",
        f"b: {found}",
        "a and b score best on F1 (10s) (a 0.400, b 0.400) and on every other metric.",
        "Evenly spaced boundaries at the same density score F1 (10s) 0.000, random ones 0.053.",
        "a and b are not judged: documents or boundaries are too few.",
        "Scores alone do not show that one is better; caesura compare tests it.",
    )


def test_one_recording_is_not_resampled():
    e = cz.evaluate(GOLD, {"a": OURS, "b": GOLD})
    e.verdicts()
    e.compare()
    first, *others = e.answer()
    assert first == (
        "b scores best on Pk, WindowDiff, F1 (10s), Purity, Coverage, CovN and CovD, but not significantly better than a "
        "(F1 (10s) 1.000; a 0.400, p = 1.000)."
    )
    assert not any("has the best" in sentence or "the evenly spaced ones" in sentence for sentence in others)


def test_one_system_has_no_difference_to_show():
    gold = {name: cz.Segmentation.from_masses([4, 6]) for name in ("a", "b", "c")}
    e = cz.evaluate(gold, gold, metrics=["Pk"])
    e.intervals(resamples=20)
    assert e.answer()[-1] == "3 documents are few: intervals are rough and may be too narrow."


def test_two_documents_do_not_show_that_a_system_is_above_the_clock():
    gold = {"a": cz.Segmentation.from_masses([6, 3, 4]), "b": cz.Segmentation.from_masses([2, 5])}
    e = cz.evaluate(gold, {"x": gold, "y": gold}, metrics=["Pk"])
    e.verdicts()
    (clock,) = [sentence for sentence in e.answer() if sentence.startswith("Evenly spaced")]
    assert clock.endswith("x and y score higher than the evenly spaced ones, untested.")


def test_scores_by_document_name_what_is_not_there():
    e = cz.evaluate(GOLD, {"a": OURS}, metrics=["Pk"])
    with pytest.raises(cz.CaesuraError, match="'Pk' is not a system that was scored; choose from a"):
        e.per_document("Pk", "a")
    with pytest.raises(cz.CaesuraError, match="'pk' is not a metric that was scored; did you mean Pk"):
        e.per_document("a", "pk")
