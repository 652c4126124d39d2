"""Scores by genre or length: the same as if the files had been split, tested with Holm's correction over slices."""

from __future__ import annotations

import dataclasses
import json

import pytest

import caesura as cz
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.results import csv_table, paper_tables, read_results
from caesura.statistics import holm
from tests.browser.conftest import made_corpus, made_system
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)

pytestmark = pytest.mark.filterwarnings("ignore:.*unknown keys:caesura.CaesuraWarning")
GOLD = made_corpus(20, units=(15, 30))
SYSTEMS = {"first": made_system(GOLD, 1, 0.9), "second": made_system(GOLD, 2, 0.3), "third": made_system(GOLD, 3, 0.2)}
METRICS = ["Pk", "W-F1", "BOR"]


@pytest.fixture(scope="module")
def sliced():
    evaluation = cz.evaluate(GOLD, SYSTEMS, METRICS)
    evaluation.slices("genre", resamples=100, permutations=999)
    return evaluation.results().slices


@pytest.mark.parametrize("genre", ["news", "talk"])
def test_a_slice_is_what_the_split_files_give(sliced, genre):
    ids = [document.id for document in GOLD if document.extra["genre"] == genre]
    alone = cz.evaluate(GOLD.subset(ids), {name: c.subset(ids) for name, c in SYSTEMS.items()}, METRICS)
    drawn = cz.intervals(alone, 100)
    assert sliced.documents[genre] == len(ids)
    for system, row in sliced.scores[genre].items():
        for metric, found in row.items():
            assert found.score == alone.scores[system][metric]
            assert found.interval == (drawn[system][metric].low, drawn[system][metric].high)
    tested = {(c.metric, c.first): c.p for c in cz.compare(alone, sliced.best, resamples=100, permutations=999)}
    for c in sliced.comparisons[genre]:
        assert c.second == sliced.best == "first"
        assert c.p == tested[c.metric, c.first]


def test_p_is_corrected_over_slices_and_systems(sliced):
    family = [c for items in sliced.comparisons.values() for c in items if c.metric == "W-F1"]
    assert len(family) == 4
    assert [c.p_corrected for c in family] == pytest.approx(holm([c.p for c in family]))
    assert all((c.better is not None) == (c.p_corrected < 0.05) for c in family)


def test_length_comes_in_thirds_in_order():
    evaluation = cz.evaluate(GOLD, {"a": SYSTEMS["first"]}, ["W-F1"])
    evaluation.slices("length", resamples=20)
    found = evaluation.results().slices
    assert [name.split()[0] for name in found.documents] == [
        "up",
        found.documents and list(found.documents)[1].split()[0],
        "more",
    ]
    assert sum(found.documents.values()) == len(GOLD)
    assert found.comparisons == {name: [] for name in found.documents}


@pytest.mark.parametrize(
    ("field", "message"),
    [("gendre", "sliced by length, number of speakers, genre"), ("number of speakers", "has 1 value in 20")],
)
def test_what_cannot_be_sliced_is_one_line(field, message):
    with pytest.raises(ComparabilityError, match=message):
        cz.evaluate(GOLD, SYSTEMS, ["Pk"]).slices(field)


def test_a_slice_of_one_document_has_no_interval_and_no_winner():
    odd = Corpus([dataclasses.replace(d, extra={"genre": "odd" if n == 0 else "rest"}) for n, d in enumerate(GOLD)])
    evaluation = cz.evaluate(odd, SYSTEMS, ["W-F1"])
    table = evaluation.slices("genre", resamples=20, permutations=99)
    assert [row[3] for row in table.rows if row[0] == "odd"] == [None] * 3
    assert not [place for place in table.best() if table.rows[place[0]][0] == "odd"]


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "gold", "first", "second"),
        ("compare", "gold", "first", "second", "--permutations", 99),
        ("spans", "gold", "answers", "first", "second"),
        ("bench", "gold", "--method", "TextTiling", "--method", "even", "--gold"),
    ],
)
def test_commands_print_and_store_slices(run, tmp_path, words):
    cz.save(GOLD, tmp_path / "gold.jsonl")
    for name in ("first", "second"):
        cz.save(SYSTEMS[name], tmp_path / f"{name}.jsonl")
    spans = "".join(f'{{"id": "{d.id}", "spans": ["{" ".join(d.units[3:5])}"]}}\n' for d in GOLD)
    (tmp_path / "answers.jsonl").write_text(spans)
    given = [tmp_path / f"{word}.jsonl" if (tmp_path / f"{word}.jsonl").exists() else word for word in words]
    outputs = ["-o", tmp_path / "r.json", "--report", tmp_path / "p.html", "--latex", tmp_path / "t.tex"]
    done = run(*given, "--slice", "genre", "--resamples", 20, *outputs)
    assert done.code == 0, done.err
    assert "\nBy genre\n" in done.out
    assert "By genre" in done.out.split("\n\n")[0]  # in the answer
    results = read_results(tmp_path / "r.json")
    assert set(results.slices.documents) == {"news", "talk"}
    assert len(csv_table(results).rows) == 2 * len(results.systems)
    assert (tmp_path / "t.tex").read_text().count(r"\begin{tabular}") == 2 == len(paper_tables(results))


def test_questions_are_sliced_by_the_document_that_answers_them(run, tmp_path):
    cz.save(GOLD, tmp_path / "gold.jsonl")
    for name in ("first", "second"):
        cz.save(SYSTEMS[name], tmp_path / f"{name}.jsonl")
    asked = [
        {"id": d.id, "questions": [{"question": f"What is said at {n}?", "spans": [[n, n + 2]]} for n in (2, 6)]}
        for d in GOLD
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in asked))
    files = [tmp_path / f"{name}.jsonl" for name in ("gold", "answers", "first", "second")]
    done = run("spans", *files, "--slice", "genre", "--resamples", 20, "-o", tmp_path / "r.json")
    assert done.code == 0, done.err
    slices = read_results(tmp_path / "r.json").slices
    genres = [d.extra["genre"] for d in GOLD]
    assert slices.documents == {name: 2 * genres.count(name) for name in ("news", "talk")}
    assert slices.of == "questions"
    heads = next(line for line in done.out.splitlines() if line.startswith("genre"))
    assert heads.split()[-3:] == ["difference", "p", "questions"]


def test_an_unknown_field_is_told_with_those_there_are(run, tmp_path):
    cz.save(GOLD, tmp_path / "gold.jsonl")
    done = run("evaluate", tmp_path / "gold.jsonl", tmp_path / "gold.jsonl", "--slice", "topic")
    assert done.code == 2
    assert "no slices by 'topic': the documents can be sliced by length, number of speakers, genre" in done.err
