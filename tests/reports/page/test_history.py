"""Runs of one question side by side: scores over time, and what changed between them."""

from __future__ import annotations

import msgspec
import pytest

import caesura as cz
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import PageData
from caesura.reports.page.history import history
from tests.browser.conftest import made_corpus, made_system

GOLD = made_corpus(10)


def _run(share, day, gold=GOLD, metrics=("W-F1", "Pk"), **systems):
    evaluation = cz.evaluate(gold, {"model": made_system(gold, 1, share), **systems}, list(metrics))
    evaluation.intervals(50)
    results = evaluation.results()
    return msgspec.structs.replace(results, environment={**results.environment, "date": day})


def test_scores_stand_in_the_order_of_their_dates_with_their_change():
    runs = {"late.json": _run(0.9, "2026-03-02"), "early.json": _run(0.3, "2026-03-01")}
    text = history(runs)
    before, after = (runs[name].systems["model"]["W-F1"] for name in ("early.json", "late.json"))
    moved = after.score - before.score
    assert moved > 0
    said = f"model: W-F1 {before.score:.3f} in early.json and {after.score:.3f} in late.json ({moved:+.3f})."
    assert f"<p>{said}</p>" in text
    assert f"<td>+{moved:.3f}</td>" in text
    low, high = after.interval
    assert f"late.json (2026-03-02): {after.score:.3f}; interval {low:.3f} to {high:.3f}" in text


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({}, "the same inputs and settings"),
        ({"gold": made_corpus(11)}, "11 documents instead of 10"),
        ({"extra": GOLD}, "extra added"),
        ({"metrics": ("W-F1", "Pk(k=3)")}, "the same inputs and settings"),
    ],
)
def test_what_changed_is_said(other, words):
    runs = {"a.json": _run(0.5, "2026-03-01"), "b.json": _run(0.5, "2026-03-02", **other)}
    assert f"b.json against a.json: {words}" in history(runs) or f"{words}; " in history(runs) or f"{words}." in history(runs)  # fmt: skip


def test_another_system_or_version_is_said():
    first, second = _run(0.5, "2026-03-01"), _run(0.9, "2026-03-02")
    inputs = [msgspec.structs.replace(entry, sha256=f"{at}") for at, entry in enumerate(first.inputs)]
    others = [msgspec.structs.replace(entry, sha256=f"{2 * at}") for at, entry in enumerate(second.inputs)]
    runs = {
        "a": msgspec.structs.replace(first, inputs=inputs),
        "b": msgspec.structs.replace(second, inputs=others, caesura="9.9"),
    }
    assert f"b against a: system model changed, as many documents; version 9.9 instead of {first.caesura}." in history(
        runs
    )


def test_one_run_other_questions_or_other_systems_have_no_history():
    one = _run(0.5, "2026-03-01")
    assert history({"a": one}) == ""
    assert history({"a": one, "b": cz.agreement(cz.bundled("stargazer")).results()}) == ""
    renamed = msgspec.structs.replace(one, systems={"else": one.systems["model"]})
    assert history({"a": one, "b": renamed}) == ""


def test_names_are_text_on_a_page_that_begins_with_the_runs():
    odd = "<b>run</b>"
    data = PageData({odd: (_run(0.5, "2026-03-01"), Corpora()), "b": (_run(0.9, "2026-03-02"), Corpora())})
    text = data.bare()
    assert text.startswith('<div id="history"')
    assert odd not in text
    assert "&lt;b&gt;run&lt;/b&gt;" in text
