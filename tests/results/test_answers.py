"""The frame of answers: sentences come from the results, stand first, and are no second truth."""

from __future__ import annotations

from typing import get_args

import pytest

from caesura.cli._output import show_results
from caesura.errors import FormatError
from caesura.results import Results, answer_of, as_text
from caesura.results._sentences import joined, number_of
from caesura.results.calibrate import answer as calibrate_answer
from caesura.results.calibrate import tables as calibrate_tables
from caesura.results.schema import Question
from caesura.table import Column, Table, as_lines


def with_answer(monkeypatch, answer):
    """Give a question another answer and two tables, one of them detail."""
    shown = Table([Column("x")], [[1]], title="Main")
    hidden = Table([Column("x")], [[2]], title="Detail", detail=True)
    monkeypatch.setattr(calibrate_answer, "answer", answer)
    monkeypatch.setattr(calibrate_tables, "tables", lambda results: [shown, hidden])
    return Results(question="calibrate")


def test_sentences_first_then_the_tables_that_are_no_detail(monkeypatch, capsys):
    results = with_answer(monkeypatch, lambda results: ("One_thing is so. " * 5 + "Or not.", "Two."))
    show_results(results, "table")
    brief = capsys.readouterr().out
    assert brief.startswith("One_thing is so. One_thing")
    assert max(map(len, brief.splitlines())) <= 80
    assert "\nTwo.\n\nMain\n" in brief
    assert brief.endswith('\n\n--full adds the table "Detail".\n')
    show_results(results, "table", full=True)
    full = capsys.readouterr().out
    assert full.startswith(brief.partition("\n\n--full")[0])
    assert "\nDetail\n" in full
    assert "--full" not in full


@pytest.mark.parametrize(("target", "has"), [("markdown", True), ("csv", False), ("latex", False), ("json", False)])
def test_other_formats(monkeypatch, capsys, target, has):
    results = with_answer(monkeypatch, lambda results: ("a_b is *best*.", "Two."))
    show_results(results, target)
    printed = capsys.readouterr().out
    assert ("a\\_b is \\*best\\*. Two.\n" in printed) is has
    assert ("Two" in printed) is has
    if target == "json":
        assert printed == as_text(results) + "\n"


def test_results_that_do_not_fit_together_are_refused(monkeypatch):
    results = with_answer(monkeypatch, lambda results: (results.systems["a"],))
    with pytest.raises(FormatError, match="damaged results file"):
        answer_of(results)


def test_names_cannot_steer_a_terminal(monkeypatch):
    results = with_answer(monkeypatch, lambda results: ("a\x1b[31mb is best.",))
    assert answer_of(results) == ("a\\x1b[31mb is best.",)


OF_SYSTEMS = {"evaluate", "compare"}  # no part of their own


@pytest.mark.parametrize("question", sorted(set(get_args(Question)) - OF_SYSTEMS))
def test_results_without_the_part_of_their_question_are_refused(question):
    with pytest.raises(FormatError, match=f"question '{question}' are missing"):
        answer_of(Results(question=question))


def test_words():
    assert joined([]) == ""
    assert number_of(3, "hypothesis", "hypotheses") == "3 hypotheses"
    assert as_lines([]) == ""
