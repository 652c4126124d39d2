"""What a reader sees first: the title, the sentence, the picture, and what is odd; in the HTML itself."""

from __future__ import annotations

import dataclasses
import re

import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import page
from caesura.reports.page.alerts import alerts
from caesura.reports.page.documents import index
from caesura.reports.page.sections import section
from caesura.results.front import about, lead, picture, title_of
from tests.browser.conftest import made_corpus, made_system

GOLD = made_corpus(12, units=(20, 40), fields=False)
NONE = {"first": {"chance": 0.25, "clock": 0.5}}


def _evaluated(**systems):
    return cz.evaluate(GOLD, systems, metrics=["Pk", "W-F1", "BOR"])


@pytest.fixture(scope="module")
def compared():
    evaluation = _evaluated(first=made_system(GOLD, 1, 0.9), second=made_system(GOLD, 2, 0.2))
    evaluation.intervals(50)
    evaluation.compare(permutations=999, resamples=50)
    return evaluation


def _bare(text):
    """Return what a page says without its script and data, as a mail program would."""
    return re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)


def test_answer_table_and_their_meaning_are_in_the_html_itself(compared):
    results = compared.results()
    bare = _bare(page({"r": (results, compared.corpora())}, "Chats of May <b>"))
    assert bare.count("Chats of May &lt;b&gt;") == 2  # tab and heading
    score = results.systems["first"]["W-F1"]
    low, high = score.interval
    assert f'{score.score:.3f}* <small class="beside">[{low:.3f}, {high:.3f}]</small>' in bare
    assert "share of windows whose ends are wrongly joined or parted; lower is better, 0 is perfect" in bare
    assert '<p class="lead">Of 2 systems, first comes closest to the reference' in bare


def test_the_title_says_what_was_measured_on_what(tmp_path):
    cz.save(GOLD, tmp_path / "chats.jsonl")
    evaluation = cz.evaluate(tmp_path / "chats.jsonl", {"a": GOLD}, metrics=["Pk"])
    results = evaluation.results()
    assert title_of(results) == "Evaluation of a on chats"
    facts = dict(about(results, "caesura evaluate"))
    assert facts["Data"] == "chats.jsonl (12 documents)"
    assert facts["Command"] == "caesura evaluate"


def test_the_day_is_stored_and_can_be_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    results = _evaluated(first=GOLD).results()
    assert results.environment["date"] == "1970-01-02"
    assert dict(about(results, ""))["Date"] == "2 January 1970"


def test_the_sentence_claims_what_a_test_shows(compared):
    first, second = (round(compared.scores[name]["W-F1"], 2) for name in ("first", "second"))
    assert first > second
    tested = lead(compared.results(), NONE)
    assert f"first comes closest to the reference: it gets W-F1 {first:.2f} out of 1" in tested
    assert "evenly spaced boundaries would get 0.50" in tested
    assert tested.endswith("A test shows that its lead over the others is more than luck.")
    untested = _evaluated(first=made_system(GOLD, 1, 0.9), second=made_system(GOLD, 2, 0.2)).results()
    assert lead(untested, {}).endswith("Whether its lead is more than luck was not tested.")
    alike = _evaluated(a=GOLD, b=GOLD)
    alike.compare(permutations=99, resamples=20)
    assert lead(alike.results(), {}).startswith(
        "Of 2 systems, a and b come closest to the reference: they get W-F1 1.00"
    )
    assert "more than luck" not in lead(alike.results(), {})
    assert lead(_evaluated(one=GOLD).results(), {}) == "Against the reference, one gets W-F1 1.00 out of 1."


def test_a_metric_that_is_better_when_low_says_so():
    results = cz.evaluate(GOLD, {"a": GOLD, "b": made_system(GOLD, 2, 0.2)}, metrics=["Pk"]).results()
    assert "a comes closest to the reference: it gets Pk 0.00 (lower is better, 0 is perfect)" in lead(results, {})


def test_the_picture_has_scores_intervals_chance_and_clock_best_first(compared):
    results = compared.results()
    drawn = picture(results, NONE)
    assert [row.name for row in drawn.rows] == ["first", "second"]
    score = results.systems["first"]["W-F1"]
    assert drawn.rows[0] == ("first", score.score, *score.interval, 0.25, 0.5)
    assert drawn.ends == (0.0, 1.0)
    assert picture(results, {}).rows[0].chance is None  # not measured


def test_many_systems_are_cut_to_the_best():
    systems = {f"s{n}": made_system(GOLD, n, n / 20) for n in range(20)}
    drawn = picture(_evaluated(**systems).results(), {})
    values = [row.value for row in drawn.rows]
    assert len(values) == 12
    assert drawn.left_out == 8
    assert values == sorted(values, reverse=True)


def _document(name, n, boundaries):
    return Document(id=name, n_units=n, segmentation=cz.Segmentation.from_boundaries(n, boundaries))


def _alerts(gold, systems, **options):
    evaluation = cz.evaluate(gold, systems, metrics=["BOR"], **options)
    results, corpora = evaluation.results(per_document=True), Corpora(gold, systems)
    made = index(results, corpora, 0)
    return alerts(results, corpora, made["ids"], made["alike"], reference=True)


def test_odd_data_are_told_before_the_scores():
    gold = Corpus(
        [_document(f"d{n}", 10, (3, 6)) for n in range(8)]
        + [_document("long", 1000, (3, 500)), _document("one", 1, ())]
    )
    sparse = Corpus(
        [_document(f"d{n}", 10, (3,) if n else ()) for n in range(8)]
        + [_document("long", 1000, ()), _document("one", 1, ())]
    )
    told = _alerts(gold, {"same": gold, "again": gold, "sparse": sparse})
    assert told == [
        "same and again have the same boundaries in every document: one file under two names?",
        "In 1 of 10 documents the reference has no boundary: there, any boundary is an error.",
        "No boundary at all where the reference has some: sparse in 2 of 10 documents.",
        "Very uneven density: sparse 0.4 times as many boundaries as the reference.",
        "1 document has a single unit, so there is no place for a boundary.",
        "Document long has 93 % of all units (1,000).",
    ]  # fmt: skip


def test_missing_and_few_documents_are_told():
    gold = Corpus([_document(f"d{n}", 10, (3, 6)) for n in range(5)])
    part = Corpus([_document(f"d{n}", 10, (4, 6)) for n in range(3)])
    told = _alerts(gold, {"part": part, "whole": gold}, missing="skip")
    assert told[:2] == [
        "part lacks 2 documents; a document that one system lacks is scored for none.",
        "3 documents are few: scores may be quite different on others.",
    ]


def test_nothing_odd_nothing_told():
    gold = Corpus([_document(f"d{n}", 10, (3, 6)) for n in range(10)])
    assert (
        _alerts(
            gold,
            {
                "a": gold,
                "b": Corpus(
                    [dataclasses.replace(d, segmentation=cz.Segmentation.from_boundaries(10, (4, 6))) for d in gold]
                ),
            },
        )
        == []
    )


def test_the_picture_of_chapters_is_of_their_starts():
    shows = {
        "a": cz.Segmentation(600_000, [60_000, 300_000], unit="ms"),
        "b": cz.Segmentation(500_000, [40_000], unit="ms"),
    }
    evaluation = cz.evaluate(shows, {"auto": shows})
    evaluation.verdicts()
    made = section("auto", evaluation.results(), Corpora(None, {}), 0)["bare"][0]
    assert "F1 (10s) of each system" in made
    assert "Pk of each system" not in made
