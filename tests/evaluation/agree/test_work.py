"""`agree` during a project: near misses, dates, an earlier export, second codings, time and doubt, and names that are hidden."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import caesura as cz
from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.errors import CaesuraError, ComparabilityError, FormatError
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree.near import near_misses
from caesura.evaluation.agree.work import moment
from caesura.results import tables_of
from caesura.segmentation import Segmentation
from tests.strategies import panels

S = Segmentation
People = Mapping[str, tuple[int, ...]]


def document(name: str, n: int, people: People, **extra: Any) -> Document:
    return Document(id=name, n_units=n, annotations={who: S(n, gaps) for who, gaps in people.items()}, extra=extra)


def titles(report: Any) -> list[str]:
    return [table.title for table in tables_of(report.results())]


def table(report: Any, title: str) -> Any:
    return next(each for each in tables_of(report.results()) if each.title == title)


# ---------------------------------------------------------------------------------------------- near misses


@settings(max_examples=60)
@given(panels())
def test_near_misses_are_those_of_the_definition(people: Mapping[str, Segmentation]) -> None:
    """Every boundary beside every other annotator of its document, one by one; the second document is coded by fewer."""
    n = next(iter(people.values())).n_units
    fewer = {name: each for place, (name, each) in enumerate(people.items()) if place != 1}
    panel = Panel.from_corpus(
        Corpus([Document(id=name, n_units=n, annotations=own) for name, own in (("d", people), ("e", fewer))])
    )
    for within in (0, 1, 3):
        found = near_misses(panel, within)
        hits, chances, pairs = 0, 0.0, 0
        shares: dict[tuple[str, str], list[bool]] = {}
        for row in range(len(panel)):
            codings = panel.of_document(row)
            for (first, one), (second, other) in itertools.permutations(codings.items(), 2):
                gaps = range(1, int(panel.n_units[row]))
                near = {gap for gap in gaps if any(abs(gap - each) <= within for each in other.boundaries)}
                for gap in one.boundaries:
                    pairs += 1
                    hits += gap in near
                    chances += len(near) / len(gaps)
                    shares.setdefault((first, second), []).append(gap in near)
        if not pairs:
            assert found.near is None
            continue
        assert found.near == pytest.approx(hits / pairs)
        assert found.near_by_chance == pytest.approx(chances / pairs)
        for (i, first), (j, second) in itertools.product(enumerate(panel.names), repeat=2):
            own = shares.get((first, second))
            assert found.matrix[i][j] == (None if own is None else pytest.approx(np.mean(own)))


def test_two_people_are_named_and_exact_places_that_say_little_are_told() -> None:
    moved = {"A": (10, 20, 30, 40), "B": (11, 21, 31, 41, 60)}
    sentence = agreement(Corpus([document(f"d{n}", 80, moved) for n in range(12)])).answer()[1]
    assert "100 % of the boundaries of A have one of B within 2 units, 80 % of those of B one of A" in sentence
    assert "at the same gap 0 %" in sentence
    assert 'so exact places say little (-m "AgreementB(n_t=3)" counts near misses)' in sentence
    same = {"A": (10, 20), "B": (10, 20)}
    assert "say little" not in agreement(Corpus([document(f"d{n}", 80, same) for n in range(12)])).answer()[1]


def test_how_long_segments_are_is_told() -> None:
    people = {"A": (35,), "B": tuple(range(5, 70, 5)), "C": (10, 20, 30, 40, 50, 60)}
    report = agreement(Corpus([document(f"d{n}", 70, people) for n in range(12)]))
    assert "(one segment per 10.0 units; B 5.0, A 35)" in " ".join(report.answer())
    assert {name: row.units_per_segment for name, row in report.annotators.items()} == {"A": 35.0, "B": 5.0, "C": 10.0}


# ---------------------------------------------------------------------------------------------- who did what


def test_the_corpus_and_who_lacks_what() -> None:
    report = agreement(
        Corpus([document("d1", 20, {"x": (5,), "y": (5, 9)}), document("d2", 10, {"x": (3,)}), document("d3", 9, {})])
    )
    lacks = table(report, "Who lacks which document")
    assert lacks.rows == [["d2", 2, None], ["lacks", 0, 1]]
    assert "1 of 3 documents are coded by everybody" in lacks.notes[0]
    assert lacks.notes[1] == "1 documents are coded by nobody"
    rows = {row[0]: row[1:4] for row in table(report, "Corpus").rows}
    assert rows["units of a document"][:2] == [2, 15.0]
    assert rows["segments of a coding"][:2] == [3, pytest.approx(7 / 3)]
    assert rows["units of a segment"][:2] == [7, pytest.approx(50 / 7)]
    whole = agreement(Corpus([document("d1", 20, {"x": (5,), "y": (5, 9)})]))
    assert "Who lacks which document" not in titles(whole)


# ---------------------------------------------------------------------------------------------- dates


def dated(agreeing: list[bool], dates: list[str] | None = None) -> Corpus:
    """Return documents on which two people agree or not, finished one day after the other."""
    made = []
    for place, agree in enumerate(agreeing):
        date = f"2026-03-{place + 1:02d}T10:00:00Z" if dates is None else dates[place]
        gaps = {"x": (5, 12), "y": (5, 12) if agree else (8, 16)}
        made.append(document(f"d{place}", 20, gaps, annotated_at={"x": "2026-01-01", "y": date}))
    return Corpus(made)


def test_agreement_that_rises_over_time_is_told() -> None:
    report = agreement(dated([False] * 8 + [True] * 8))
    assert any(
        sentence.startswith("Agreement rises over time: FleissKappa -0.") and "1.000 on the" in sentence
        for sentence in report.answer()
    )
    trend = report.trend
    assert trend is not None
    assert trend.documents == 16
    assert trend.undated == 0
    assert trend.p is not None
    assert trend.p < 0.01
    assert [each.documents for each in trend.periods] == [4, 3, 3, 3, 3]
    assert trend.periods[0].since == "2026-03-01"
    assert trend.periods[-1].until == "2026-03-16"
    assert "Agreement over time" in titles(report)


def test_no_trend_is_claimed_without_one() -> None:
    report = agreement(dated([True, False] * 8))
    assert report.trend is not None
    assert not any("over time" in sentence for sentence in report.answer())
    none = agreement(Corpus([dataclasses.replace(each, extra={}) for each in dated([True, False] * 8)]))
    assert none.trend is None
    # A test with a true null: each date is as good as any other.
    rng = np.random.default_rng(0)
    small = [agreement(dated(list(rng.random(10) < 0.5)), resamples=2).trend for _ in range(40)]
    assert sum(each is not None and each.p is not None and each.p < 0.05 for each in small) <= 6


def test_dates_that_cannot_be_read_are_counted() -> None:
    dates = [f"2026-03-{n:02d}" for n in range(1, 10)] + ["soon", "2026-99-01"]
    corpus = dated([True, False] * 5 + [True], dates)
    bare = Corpus(
        [dataclasses.replace(each, extra={"annotated_at": {"y": each.extra["annotated_at"]["y"]}}) for each in corpus]
    )
    trend = agreement(bare).trend
    assert trend is not None
    assert trend.documents == 9
    assert trend.undated == 2
    assert moment(12) is None
    assert moment("0001-01-01T00:00:00+23:59") is None


# ---------------------------------------------------------------------------------------------- an earlier export


def test_two_exports() -> None:
    old = Corpus([document(f"d{n}", 20, {"x": (5, 12), "y": (8, 16)}) for n in range(12)])
    new = Corpus(
        [document(f"d{n}", 20, {"x": (5, 12), "y": (5, 12, 16), "z": (5,)}) for n in range(11)]
        + [document("d11", 21, {"x": (5,), "y": (5,)}), document("e", 9, {"x": (3,), "y": (3,)})]
    )
    report = agreement(new, before=old)
    since = report.since
    assert since is not None
    assert (since.documents, since.new, since.gone, since.other_length) == (11, 1, 0, ["d11"])
    assert since.annotators["x"].same == 11
    changed = since.annotators["y"]
    assert (changed.changed, changed.added, changed.removed) == (11, 22, 11)
    assert since.annotators["z"].new == 11
    kappa = cz.metric("FleissKappa")
    assert since.before == pytest.approx(kappa(old["d0"].annotations))
    assert since.now == pytest.approx(kappa(new["d0"].annotations))
    told = next(sentence for sentence in report.answer() if sentence.startswith("Since the earlier export"))
    assert told.startswith("Since the earlier export 11 codings came and 11 changed: FleissKappa was -0.")
    assert "may be chance" not in told
    assert "11 documents of both" in told
    same = agreement(old, before=old)
    assert same.since is not None
    assert same.since.interval == (0.0, 0.0)
    assert "Nothing that is in both has changed since the earlier export." in same.answer()
    with pytest.raises(ComparabilityError, match="give an export of the same documents"):
        _ = agreement(old, before=Corpus([document("other", 9, {"x": (3,)})])).since


# ---------------------------------------------------------------------------------------------- second codings


def test_second_codings_are_compared_with_the_first_and_take_no_part_in_agreement() -> None:
    people = {"anna": (5, 12), "ben": (5, 16)}
    corpus = Corpus([document(f"d{n}", 20, {**people, "anna2": (6, 12)} if n < 3 else people) for n in range(8)])
    report = agreement(corpus, repeat={"anna2": "anna"})
    assert report.panel.names == ("anna", "ben")
    plain = agreement(Corpus([document(f"d{n}", 20, people) for n in range(8)]))
    assert report.coefficients["FleissKappa"] == plain.coefficients["FleissKappa"]
    own = report.repeats["anna"]
    metric = cz.metric("B")
    assert (own.documents, own.boundaries, own.again) == (3, 6, 6)
    assert own.itself == pytest.approx(metric(S(20, (5, 12)), S(20, (6, 12))))
    assert own.others == pytest.approx(metric(S(20, (5, 12)), S(20, (5, 16))))
    assert own.near == 1.0
    assert any(sentence.startswith("anna agrees with themselves by B 0.") for sentence in report.answer())
    with pytest.raises(
        ComparabilityError, match="document 'd0': 'anna2' is said to repeat 'carla', who has not coded it"
    ):
        agreement(corpus, repeat={"anna2": "carla"})
    with pytest.raises(ComparabilityError, match="there is no annotator 'nobody'"):
        agreement(corpus, repeat={"nobody": "anna"})


def test_a_coding_that_is_no_list_of_boundaries_is_refused() -> None:
    corpus = Corpus([document("d", 20, {"x": (5,), "y": (5,)}, annotated_again={"x": [25]})])
    with pytest.raises(FormatError, match="'annotated_again' must have boundaries from 1 to 19 for each annotator"):
        agreement(corpus).results()


# ---------------------------------------------------------------------------------------------- time, doubt, titles


def test_time_doubt_and_titles_go_with_support() -> None:
    """Places that all mark are quick, sure and titled alike; a place of one person alone is slow, doubtful and titled otherwise."""
    made = []
    for n in range(12):
        people = {"w": (10, 40), "x": (10, 40), "y": (10, 40), "z": (10, 55)}
        told = {
            "annotator_seconds": {"w": 60 + n, "x": 60 + n, "y": 60 + n, "z": 300},
            "annotator_unsure": {"z": [55], "w": [20]},
            "annotator_titles": {
                "w": {"0": "the start", "10": "a storm at sea", "40": "home again"},
                "x": {"10": "a storm at sea", "40": "back home"},
                "y": {"10": "a storm at sea", "40": "a homecoming"},
                "z": {"10": "a storm at sea", "55": "nothing"},
            },
        }
        made.append(document(f"d{n}", 60, people, **told))
    report = agreement(Corpus(made))
    found = report.results().agreement
    assert found is not None
    relations = found.relations
    assert relations["time"].number == 48
    assert relations["doubt"].number == 24
    assert relations["titles"].number == 12 * 9
    assert relations["time"].spearman == pytest.approx(-1.0)
    assert relations["doubt"].spearman is not None
    assert relations["doubt"].spearman < -0.8
    assert relations["doubt"].documents == 12
    assert found.annotators["z"].seconds == pytest.approx(3600.0)
    assert [row[0] for row in table(report, "Time, doubt and titles").rows] == ["time", "doubt", "titles"]
    assert table(report, "Corpus").rows[-1][0] == "minutes of an annotator"
    assert not agreement(bundled("moonstone")).results().agreement.relations  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "told",
    [
        {"annotator_seconds": {"x": "long", "y": -1}},
        {"annotator_unsure": {"x": 3}},
        {"annotator_titles": {"x": "a", "y": {"one": "b", "1": 2}}},
        {"annotated_at": "2026"},
        {"annotator_seconds": [1]},
    ],
)
def test_what_cannot_be_read_of_the_work_does_not_stop_agreement(told: dict[str, Any]) -> None:
    corpus = Corpus([document(f"d{n}", 20, {"x": (5,), "y": (5, 9)}, **told) for n in range(8)])
    assert agreement(corpus).results().agreement is not None


def test_a_project_and_label_studio_tell_time(tmp_path: Path) -> None:
    regions = [{"type": "labels", "value": {"start": 0, "end": 3, "labels": ["t"]}}]
    annotations = [
        {
            "id": n,
            "completed_by": who,
            "result": regions,
            "created_at": f"2026-01-0{n}T10:00:00Z",
            "lead_time": 12.5 * n,
        }
        for n, who in ((1, "a@x"), (2, "b@x"))
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([{"id": 1, "data": {"text": "one\n\ntwo\n\nthree"}, "annotations": annotations}]))
    found = cz.load(f"{path}::label_studio(unit='paragraph',marks='segments')")
    assert next(iter(found)).extra["annotator_seconds"] == {"a@x": 12.5, "b@x": 25.0}


# ---------------------------------------------------------------------------------------------- names


def test_anonymous_leaves_no_name(tmp_path: Path) -> None:
    secret = ("anna.smith@example.org", "ben.jones@example.org", "carla.late@example.org")
    told = {
        "annotated_at": {secret[0]: "2026-01-01"},
        "annotator_seconds": {secret[0]: 5},
        "annotator_titles": {secret[1]: {"0": "t"}},
        "annotator_comments": {secret[1]: {"5": "hm"}},
        "annotator_unsure": {secret[1]: [5]},
        "annotated_again": {secret[0]: [5]},
    }
    new = Corpus(
        [document(f"d{n}", 20, {secret[0]: (5,), secret[1]: (5, 9), secret[2]: (9,)}, **told) for n in range(8)]
    )
    old = Corpus([document(f"d{n}", 20, {secret[0]: (5,), "dora@example.org": (5, 9)}) for n in range(8)])
    for corpus, name in ((new, "new"), (old, "old")):
        cz.save(corpus, tmp_path / f"{name}.jsonl")
    report = agreement(
        tmp_path / "new.jsonl",
        anonymous=True,
        exclude=[secret[2]],
        before=tmp_path / "old.jsonl",
        names={secret[0]: "Anna"},
    )
    assert report.panel.names == ("a1", "a2")
    assert report.excluded == ("a3",)
    assert report.since is not None
    assert set(report.since.annotators) == {"a1", "a2", "a4"}
    report.save(tmp_path / "r.json")
    from caesura.evaluation.agree.adjudicate import place_lines
    from caesura.evaluation.agree.gold import gold_corpus

    cz.save(gold_corpus(report.corpus)[0], tmp_path / "gold.jsonl")
    written = (
        (tmp_path / "r.json").read_text() + (tmp_path / "gold.jsonl").read_text() + place_lines(report.corpus).decode()
    )
    for name in (*secret, "Anna", "dora"):
        assert name not in written
    with pytest.raises(CaesuraError, match="there is no annotator 'nobody'"):
        agreement(new, anonymous=True, exclude=["nobody"])


# ---------------------------------------------------------------------------------------------- planning


def test_a_width_out_of_reach_is_told() -> None:
    report = agreement(bundled("moonstone"), resamples=100)
    report.plan(0.0001)
    assert any(
        sentence.startswith(
            "An interval of FleissKappa narrower than 0.0001 is out of reach: 100,000 documents like these do not"
        )
        for sentence in report.answer()
    )
    report.plan(0.2)
    needed = report.plan(0.2).documents_needed
    assert any(
        sentence.startswith(f"An interval of FleissKappa narrower than 0.2 needs {needed} documents like these")
        for sentence in report.answer()
    )
