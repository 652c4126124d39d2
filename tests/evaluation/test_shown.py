"""Answers are lists and dictionaries to a program, and tables to a person."""

from __future__ import annotations

import pickle

import pytest

import caesura as cz
from caesura.evaluation.evaluate.report import Evaluation
from caesura.segmentation import Segmentation


@pytest.fixture
def evaluation() -> Evaluation:
    reference = {str(n): Segmentation(9, (4,)) for n in range(12)}
    near = {key: Segmentation(9, (5,)) for key in reference}
    return cz.evaluate(reference, {"exact": reference, "near": near}, ["F1", "Pk"])


def test_a_comparison_prints_as_its_table_and_stays_a_list(evaluation: Evaluation) -> None:
    comparisons = evaluation.compare()
    assert isinstance(comparisons, list)
    assert [item.metric for item in comparisons] == ["F1", "Pk"]
    lines = str(comparisons).splitlines()
    assert lines[0] == "Comparison"
    assert lines[1].startswith("metric  first - second")
    assert lines[3].split()[:5] == ["F1", "exact", "-", "near", "1.000"]
    assert max(map(len, lines)) <= 80
    assert "<td>exact - near</td>" in comparisons._repr_html_()
    assert comparisons.records()[0]["difference"] == 1.0


def test_skill_intervals_and_verdicts_print_as_tables(evaluation: Evaluation) -> None:
    titles = [
        str(answer).splitlines()[0] for answer in (evaluation.skill(), evaluation.intervals(), evaluation.verdicts())
    ]
    assert titles == ["Skill", "Intervals", "What the scores mean"]


def test_an_answer_prints_what_it_holds_and_not_what_was_requested_later(evaluation: Evaluation) -> None:
    first = evaluation.compare(resamples=100)
    before = str(first)
    evaluation.compare("near", resamples=200)
    assert "100 resamples" in before
    assert str(first) == before


def test_a_function_that_compares_does_not_change_the_evaluation(evaluation: Evaluation) -> None:
    assert "exact - near" in str(cz.compare(evaluation))
    assert evaluation.results().comparisons is None


def test_answers_survive_pickle_and_copies_are_plain(evaluation: Evaluation) -> None:
    comparisons = evaluation.compare()
    again = pickle.loads(pickle.dumps(comparisons))
    assert again == comparisons == list(comparisons)
    assert str(again) == str(comparisons)
    assert repr(type(comparisons)(comparisons)).startswith("[Comparison(")
