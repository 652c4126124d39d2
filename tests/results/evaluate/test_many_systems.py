"""A table of many systems: a command shows the leading ones, and says how many more there are."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.results import answer_of, brief_of, csv_table, tables_of


def segmented(*masses):
    return {f"d{place}": cz.Segmentation.from_masses(each) for place, each in enumerate(masses)}


GOLD = segmented([5, 5, 5, 5], [4, 6, 6, 4])


@pytest.fixture(scope="module")
def results():
    """Forty systems, the later the nearer to the gold; the first is a baseline."""
    off = [min(4, (39 - number) // 8) for number in range(40)]
    systems = {f"s{number:02}": segmented([5 - by, 5, 5, 5 + by], [4, 6, 6, 4]) for number, by in enumerate(off)}
    made = cz.evaluate(GOLD, systems, ["B", "Pk"]).results()
    for entry in made.inputs:
        entry.role = "baseline" if entry.name == "s00" else entry.role
    return made


def test_the_leading_systems_and_the_baseline_are_shown(results):
    table = brief_of(results).tables[0]
    names = [row[0] for row in table.rows]
    assert len(names) == 11
    assert names[-1] == "s00"
    scores = {name: row["B"].score for name, row in results.systems.items()}
    others = sorted((score for name, score in scores.items() if name != "s00"), reverse=True)
    assert [scores[name] for name in names[:-1]] == others[:10]
    assert len(set(others[:10])) > 1
    assert "29 more systems with --full; best B first" in table.notes


def test_full_and_programs_have_all(results):
    assert len(tables_of(results)[0].rows) == len(csv_table(results).rows) == 40
    assert not any("--full" in note for note in tables_of(results)[0].notes)


def test_the_first_sentence_has_the_best_scores(results):
    assert "s32 1.000, " in answer_of(results)[0]
    assert " and 33 others)" in answer_of(results)[0]


def test_twenty_systems_stand_as_they_were_given():
    systems = {f"s{number:02}": segmented([1 + number % 9, 14 - number % 9, 5]) for number in range(20)}
    results = cz.evaluate(segmented([5, 5, 5, 5]), systems, ["B"]).results()
    assert [row[0] for row in brief_of(results).tables[0].rows] == list(systems)


def test_intervals_say_how_they_were_drawn_with_full_only():
    evaluation = cz.evaluate(GOLD, {"a": GOLD}, ["B"])
    evaluation.intervals(resamples=50)
    results = evaluation.results()
    said = [
        [note for table in tables for note in table.notes] for tables in (brief_of(results).tables, tables_of(results))
    ]
    assert [any("resampled 50 times" in note for note in notes) for notes in said] == [False, True]
    assert all(any("fewer than ten documents" in note for note in notes) for notes in said)
