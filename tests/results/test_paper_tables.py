"""Tables for papers and notebooks: intervals and marks behind scores, several corpora in one table, HTML, data frames."""

from __future__ import annotations

import re
import shutil
import subprocess

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError, MissingExtraError
from caesura.reports import render
from caesura.results import joined_table, tables_of
from caesura.results._tables import with_marks
from caesura.results.base import Ends
from caesura.table import Column, Table, as_html


def corpora(seed=0, documents=40):
    """Return gold, a system near to it and a random one."""
    rng = np.random.default_rng(seed)
    gold, near, far = {}, {}, {}
    for number in range(documents):
        bits = rng.random(30) < 0.2
        gold[f"d_{number}"] = bits
        near[f"d_{number}"] = bits ^ (rng.random(30) < 0.05)
        far[f"d_{number}"] = rng.permutation(bits)
    return gold, {"near_&_good": near, "far": far}


@pytest.fixture(scope="module")
def compared():
    evaluation = cz.evaluate(*corpora(), metrics=["Pk", "W-F1", "BOR"])
    evaluation.intervals(200)
    evaluation.compare(permutations=999)
    return evaluation


def test_latex_has_intervals_marks_and_the_recipes_as_a_note(compared):
    results = compared.results()
    text = render(tables_of(results, "latex")[0], "latex")
    low, high = results.systems["near_&_good"]["Pk"].interval
    score = results.systems["near_&_good"]["Pk"].score
    assert rf"{score:.3f}* [{low:.3f}, {high:.3f}]" in text
    assert r"near\_\&\_good" in text
    body, _, note = text.partition(r"\end{tabular}")
    assert "better than every other system" in note
    assert "agg:macro" in note.replace(r"\allowbreak{}", "")
    assert "agg" not in body


def test_a_mark_needs_a_test():
    evaluation = cz.evaluate(*corpora(), metrics=["Pk"])
    assert "*" not in render(tables_of(evaluation.results(), "latex")[0], "latex")


def test_equal_systems_get_no_mark():
    gold, systems = corpora()
    evaluation = cz.evaluate(gold, {"a": systems["far"], "b": systems["far"]}, metrics=["Pk"])
    evaluation.compare(permutations=99)
    assert not tables_of(evaluation.results(), "latex")[0].after


def test_several_corpora_are_one_table(compared):
    other = cz.evaluate(*corpora(1), metrics=["Pk", "W-F1", "BOR"])
    table = joined_table({"news": compared.results(), "talks": other.results()}, "latex")
    assert [row[:2] for row in table.rows] == [
        ["news", "near_&_good"], ["news", "far"], ["talks", "near_&_good"], ["talks", "far"]
    ]  # fmt: skip
    assert table.rows[2][2] == other.scores["near_&_good"]["Pk"]
    assert not table.best()
    assert "[" in table.texts()[0][2]
    assert "[" not in table.texts()[2][2]
    less = cz.evaluate(*corpora(1), metrics=["Pk"])
    with pytest.raises(ComparabilityError, match="only one has W-F1, BOR"):
        joined_table({"news": compared.results(), "talks": less.results()})


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(compared, tmp_path):
    tables = [render(table, "latex") for table in tables_of(compared.results(), "latex")]
    text = "\n\n".join(tables)
    (tmp_path / "t.tex").write_text(
        f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}{text}\\end{{document}}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]


def test_an_outcome_is_short_to_look_at(compared):
    assert repr(compared) == (
        "<Evaluation of 2 systems by 3 metrics on 40 documents; print it, or see its tables() and results()>"
    )
    assert len(repr(compared.results())) < 80
    assert len(repr(cz.agreement(cz.bundled("stargazer")))) < 120


def test_a_notebook_shows_text_as_text():
    table = Table([Column("<b>name"), Column("score", "higher")], [["<script>", 0.5], ["b", 0.25]], notes=["a & b"])
    html = table._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<b>0.500</b>" in html
    assert "a &amp; b" in html
    assert re.fullmatch(r"<p>a &lt; b</p>", as_html(["a < b"], []))


def test_an_outcome_in_a_notebook_has_its_table(compared):
    assert "<table>" in compared._repr_html_()
    assert "near_&amp;_good" in compared._repr_html_()


def test_records_are_the_numbers_of_the_results(compared):
    records = compared.records()
    results = compared.results()
    assert len(records) == 6
    first = results.systems["near_&_good"]["Pk"]
    assert records[0] == {
        "system": "near_&_good", "metric": "Pk", "score": first.score, "low": first.interval.low,
        "high": first.interval.high, "documents": 40, "signature": first.signature,
    }  # fmt: skip
    by_document = compared.records(per_document=True)
    assert len(by_document) == 240
    assert by_document[3]["score"] == compared.per_document("near_&_good", "Pk")[3]


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_data_frame_of_what_is_installed(compared, package, monkeypatch):
    import sys

    pytest.importorskip(package)
    other = {"pandas": "polars", "polars": "pandas"}[package]
    monkeypatch.setitem(sys.modules, other, None)
    frame = compared.to_frame(per_document=True)
    assert type(frame).__module__.startswith(package)
    assert frame.shape == (240, 4)


def test_without_either_one_line_says_what_to_install(compared, monkeypatch):
    import sys

    for package in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"caesura-eval\[frames\]"):
        compared.to_frame()


def test_an_interval_that_is_not_known_is_left_out():
    measured = cz.evaluate({"a": "0100", "b": "0110"}, {"x": {"a": "0010", "b": "0110"}}, ["Pk"])
    measured.intervals(resamples=20)
    results = measured.results()
    table = tables_of(results)[0]
    assert "[" in with_marks(table, results).after[0, 1]
    score = results.systems["x"]["Pk"]
    results.systems["x"]["Pk"] = msgspec.structs.replace(score, interval=Ends(None, None))
    assert with_marks(table, results).after == {}
