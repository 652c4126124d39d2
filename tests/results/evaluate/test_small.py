"""The small table that a command prints first: one piece of 80 columns, chance, the clock and density beside the scores."""

from __future__ import annotations

import pytest

from caesura.evaluation.evaluate import evaluate
from caesura.reports.text import render
from caesura.results import brief_of, tables_of
from caesura.results._tables import WINNER, fitted
from caesura.segmentation import Segmentation
from caesura.table import Column, Table

GOLD = {f"d{n}": Segmentation(20, (5, 10, 15)) for n in range(12)}
FAIR = {f"d{n}": Segmentation(20, (5, 10, 11 + n % 4)) for n in range(12)}
POOR = {f"d{n}": Segmentation(20, (2, 3)) for n in range(12)}
FEW = ["Pk", "B"]


def judged(systems, **options):
    found = evaluate(GOLD, systems, **options)
    found.verdicts()
    return found


def small(found):
    (table,), left_out = brief_of(found.results())
    return table, left_out


def row(table, name):
    (values,) = (values for values in table.rows if values[0] == name)
    return dict(zip((column.title for column in table.columns), values, strict=True))


def test_five_metrics_with_chance_and_the_clock_beside_w_f1_and_the_number_of_the_others():
    found = judged({"fair": FAIR, "poor": POOR})
    table, left_out = small(found)
    titles = ["system", "Pk", "WindowDiff", "B", "W-F1", "chance", "clock", "BOR"]
    assert [column.title for column in table.columns] == titles
    verdict = found.results().verdicts["fair"]
    shown = row(table, "fair")
    assert (shown["W-F1"], shown["chance"], shown["clock"]) == (
        verdict.findings["W-F1"].score, verdict.findings["W-F1"].chance, verdict.clock.score,
    )  # fmt: skip
    assert shown["BOR"] == found.scores["fair"]["BOR"]
    assert left_out.startswith('4 metrics and the tables "What the scores mean", "Verdict", ')
    assert "chance, clock: W-F1 of the same number of boundaries, placed at random or evenly" in table.notes


def test_only_the_recipes_of_what_is_shown():
    table, _ = small(judged({"fair": FAIR}))
    recipes = [note.partition("|")[0] for note in table.notes if "|" in note]
    assert recipes == ["Pk", "WindowDiff", "BoundarySimilarity", "BoundaryF1", "BOR"]


@pytest.mark.parametrize("name", ["s", "a_system_with_a_name_of_its_own", "x" * 200])
@pytest.mark.parametrize("metrics", [None, FEW, ["WindowDiff(string='units', k=3, weighted=True)", "Pk(k=3)"]])
def test_one_piece_of_80_columns(name, metrics):
    table, _ = small(judged({name: FAIR, "poor": POOR}, metrics=metrics))
    lines = render(table, 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("---") for line in lines) == 1
    assert "".join(line.split()[0] for line in str(table).splitlines()[2:] if not line.startswith("poor")).startswith(
        name
    )


def test_metrics_as_they_were_given_and_w_f1_even_if_it_was_not():
    table, _ = small(judged({"fair": FAIR}, metrics=FEW))
    titles = ["system", "Pk", "B", "W-F1", "chance", "clock", "BOR"]
    assert [column.title for column in table.columns] == titles
    table, _ = small(judged({"fair": FAIR}, metrics=["W-F1", "Pk"]))
    titles = ["system", "W-F1", "chance", "clock", "Pk", "BOR"]
    assert [column.title for column in table.columns] == titles


def test_pooled_scores_do_not_stand_beside_chance_of_the_mean():
    uneven = {**FAIR, "d0": Segmentation(20, ())}
    found = judged({"fair": uneven}, metrics=["W-F1"], by="micro")
    table, _ = small(found)
    assert [column.title for column in table.columns][1:4] == ["W-F1", "W-F1 (macro)", "chance"]
    shown = row(table, "fair")
    assert shown["W-F1"] != shown["W-F1 (macro)"] == found.results().verdicts["fair"].findings["W-F1"].score


def test_without_verdicts_the_first_metrics():
    table, left_out = small(evaluate(GOLD, {"fair": FAIR}))
    assert [column.title for column in table.columns] == ["system", "Pk", "WindowDiff", "B", "W-F1", "BOR"]
    assert left_out == "4 metrics"


def test_marks_move_with_their_columns():
    found = judged({"fair": FAIR, "poor": POOR})
    found.compare()
    table, _ = small(found)
    marked = {(table.rows[r][0], table.columns[c].title) for r, c in table.best()}
    whole = tables_of(found.results())[0]
    assert marked == {
        (whole.rows[r][0], whole.columns[c].title)
        for r, c in whole.best()
        if whole.columns[c].title in {column.title for column in table.columns}
    }
    assert ("fair", "W-F1") in marked


def test_no_word_on_marks_where_none_is_shown():
    found = evaluate(GOLD, {"fair": FAIR, "poor": POOR}, metrics=["BOR", "W-F1"])
    found.compare()
    assert any(note.startswith("marked:") for note in small(found)[0].notes)
    results = found.results()
    for comparison in results.comparisons:
        comparison.better = None
    assert not any(note.startswith("marked:") for note in brief_of(results).tables[0].notes)


def test_python_says_what_else_there_is():
    found = evaluate(GOLD, {"fair": FAIR})
    assert str(found).endswith("\n\ntables() adds 4 metrics.")
    assert found._repr_html_().endswith("<p>tables() adds 4 metrics.</p>")
    assert "More" not in str(evaluate(GOLD, {"fair": FAIR}, FEW))


def test_the_note_on_stars_stays_while_one_star_is_seen_and_goes_with_the_last():
    """Two starred columns: both are seen, one is hidden, both are."""
    columns = [Column("system"), Column("Pk", "lower"), Column("W-F1", "higher")]
    rows = [["a", 0.1, 0.9], ["b", 0.3, 0.2]]
    table = Table(columns, rows, marked=frozenset({(0, 1), (0, 2)}), notes=[WINNER, "another"])
    for most, notes in ((3, [WINNER, "another"]), (2, [WINNER, "another"]), (1, ["another"])):
        found = fitted(table, most=most)
        assert sum(not column.detail for column in found.columns) == most
        assert found.notes == notes
