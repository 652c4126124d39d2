"""One pair of chapter lists under the conventions of every chapter benchmark, and its chapters row by row."""

from __future__ import annotations

import pytest

import caesura
from caesura import Corpus, Document, Segmentation, evaluate, explain
from tests.golden.cells import cases


def show(marks: list[tuple[float, str]], end: float, key: str = "v") -> Corpus:
    """Return a list of chapters as a corpus."""
    chapters = Segmentation(round(1000 * end), [round(1000 * start) for start, _ in marks[1:]], unit="ms")
    titles = {"segment_titles": [title for _, title in marks]}
    return Corpus([Document(id=key, n_units=chapters.n_units, segmentation=chapters, unit="ms", extra=titles)])


@pytest.fixture(scope="module")
def note() -> tuple[Corpus, Corpus]:
    """Return the pair that has another score under every convention."""
    given = next(case["input"] for case in cases("chapterllama_titles") if case["id"] == "edge-note")
    sides = (given[side]["v"] for side in ("references", "predictions"))
    one, other = (show(list(zip(s["starts"], s["titles"], strict=True)), s["duration"]) for s in sides)
    return one, other


def test_one_pair_has_the_scores_that_the_programs_printed(note: tuple[Corpus, Corpus]) -> None:
    explanation = explain(*note)
    printed = {
        ("F1", "VidChapters"): 0.722, ("F1", "Chapter-Llama"): 0.580, ("SODA_d", "VidChapters"): 0.705,
        ("Avg. TIoU", "Chapter-Llama"): 0.705, ("F1@5s", "VidChapters"): 0.600, ("F1@5s", "Chapter-Llama"): 0.500,
        ("f1", "chunkseg"): 0.500, ("collar_f1", "chunkseg"): 0.250,
    }  # fmt: skip
    assert {key: round(explanation.row(*key).outcome.score, 3) for key in printed} == printed


def test_scores_are_those_of_the_profiles(note: tuple[Corpus, Corpus]) -> None:
    explanation = explain(*note)
    profiles = {"VidChapters": "vidchapters", "Chapter-Llama": "chapterllama", "chunkseg": "chunkseg", "GEBD": "gebd", "OpenPSS": "openpss"}  # fmt: skip
    for program, profile in profiles.items():
        ours = evaluate(note[0], {"h": note[1]}, profile=profile).scores["h"]
        rows = [row for row in explanation.rows if row.convention == program]
        assert rows
        assert {row.metric: row.outcome.score for row in rows} == {row.metric: ours[row.metric] for row in rows}


def test_chapters_stand_side_by_side() -> None:
    reference = show([(0, "Welcome"), (46, "The plan"), (250, "First guest\n of all"), (732, "Lisbon")], 900)
    hypothesis = show([(0, "Hello"), (252.1, "The first guest"), (600, "Music"), (729, "Lisbon")], 900)
    explanation = explain(reference, hypothesis)
    rows = explanation.to_dict()["chapters"]
    assert [(row["reference"], row["hypothesis"], row["outcome"], row["titles_agree"]) for row in rows] == [
        (0, 0, "start", False), (46, None, "missed", None), (250, 252.1, "found", True), (None, 600, "extra", None),
        (732, 729, "found", True),
    ]  # fmt: skip
    text = str(explanation)
    assert all(len(line) <= 80 for line in text.splitlines())
    listed = text[text.index("Chapters side by side") :]
    assert "4:10       First guest…  4:12.1      The first guest  +2.1 s  found    yes" in listed
    assert "10:00       Music                    extra" in listed
    assert "0:04:10" not in text


def test_without_titles_none_are_scored() -> None:
    gold, made = Segmentation(60000, (10000,), unit="ms"), Segmentation(60000, (12000,), unit="ms")
    explanation = explain(gold, made)
    assert "TitleScore" not in {row.metric for row in explanation.rows}
    text = str(explanation)
    assert "Titles" not in text
    assert "0:10" in text


def test_near_is_the_distance_of_our_own_row(note: tuple[Corpus, Corpus]) -> None:
    explanation = explain(*note, near="3s")
    assert explanation.row("BoundaryF1(tolerance='3s')").outcome.score == pytest.approx(1 / 4)
    assert "F1 (3s)" in str(explanation)


def test_a_metric_that_is_named_is_explained_as_ever(note: tuple[Corpus, Corpus]) -> None:
    assert {row.metric for row in explain(*note, "Pk").rows} == {"Pk"}


@pytest.mark.parametrize(("reference", "hypothesis"), [([(0, "a")], [(0, "")]), ([(0, "a")], [(0, "b"), (5, "c")]), ([(0, "今日は"), (5, "")], [(0, "今日は")])])  # fmt: skip
def test_short_lists_are_explained(reference: list[tuple[float, str]], hypothesis: list[tuple[float, str]]) -> None:
    text = str(caesura.explain(show(reference, 60), show(hypothesis, 60)))
    assert "Chapters side by side" in text
