"""Lists of chapters in seconds: what is found, missed and added, how far off, and whether titles agree."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from caesura import Corpus, Document, evaluate, read_results
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.evaluation.chance.verdict import judge
from caesura.evaluation.evaluate.chapters import chapter_rows
from caesura.results import answer_of
from caesura.results.evaluate.facts import Chapters
from caesura.segmentation import Segmentation

Marks = list[tuple[float, str]]
EDITOR: Marks = [(0, "Welcome"), (46, "The plan"), (250, "First guest"), (732, "Lisbon"), (762, "The accident"), (1215, "Questions"), (2160, "Goodbye")]  # fmt: skip
MACHINE: Marks = [(0, "Intro"), (252.1, "The first guest"), (729, "Early life"), (1222, "Questions"), (1353, "Music"), (2160, "Outro")]  # fmt: skip


def show(marks: Marks, key: str = "show", end: float = 2400) -> Document:
    """Return a list of chapters as a document."""
    chapters = Segmentation(round(1000 * end), [round(1000 * start) for start, _ in marks[1:]], unit="ms")
    titles = [title for _, title in marks]
    return Document(
        id=key, n_units=chapters.n_units, segmentation=chapters, unit="ms", extra={"segment_titles": titles}
    )


def measured(*shows: tuple[Marks, Marks], metrics: str = "BoundaryF1(tolerance='10s')") -> tuple[Chapters, str]:
    gold = Corpus([show(one, f"s{at}") for at, (one, _) in enumerate(shows)])
    made = Corpus([show(other, f"s{at}") for at, (_, other) in enumerate(shows)])
    results = evaluate(gold, {"auto": made}, [metrics]).results()
    assert results.chapters is not None
    return results.chapters, answer_of(results)[0]


def test_the_sentence_of_an_editor() -> None:
    _, sentence = measured((EDITOR, MACHINE))
    assert sentence == (
        "auto: 4 of 6 chapter starts after 0:00 are found within 10 s; 2 are missed (0:46 and 12:42); 1 is extra (22:33); "
        "found ones are 1.1 s late in the median, 7 s off at most; titles: 2 of 4 agree."
    )


def test_counts_of_one_show() -> None:
    chapters, _ = measured((EDITOR, MACHINE))
    (one,) = chapters.systems["auto"].shows
    assert (one.reference, one.hypothesis, one.found, one.missed, one.extra, one.late, one.early) == (
        6,
        5,
        4,
        2,
        1,
        2,
        1,
    )
    assert one.missed_at == [46, 762]
    assert one.extra_at == [1353]
    assert (one.titles, one.agreeing) == (4, 2)
    assert one.median == pytest.approx(1.05)  # of -3, 0, 2.1 and 7
    assert one.largest == 7


def test_shows_add_up_and_name_no_times() -> None:
    chapters, sentence = measured((EDITOR, MACHINE), (EDITOR, EDITOR), (EDITOR, EDITOR[:1]))
    total = chapters.systems["auto"].total
    assert (total.reference, total.found, total.missed, total.extra) == (18, 10, 8, 1)
    assert sentence.startswith(
        "auto: 10 of 18 chapter starts after 0:00 in 3 shows are found within 10 s; 8 are missed; 1 is extra;"
    )
    assert "12:42" not in sentence


@pytest.mark.parametrize(
    ("reference", "hypothesis", "part"),
    [
        (EDITOR[:1], MACHINE[:1], "the reference has no chapter start after 0:00."),
        (EDITOR[:1], MACHINE[:2], "the reference has no chapter start after 0:00; 1 is extra (4:12.1)."),
        (EDITOR[:3], MACHINE[:1], "0 of 2 chapter starts after 0:00 are found within 10 s; 2 are missed (0:46 and 4:10)."),
        ([(0, "a"), (60, "今日は")], [(0, "a"), (55, "今日は")], "it is 5 s early; titles: 1 of 1 agree."),
        ([(0, "a"), (60, "b")], [(0, "a"), (60, "")], "found ones are on time."),
    ],
)  # fmt: skip
def test_short_lists(reference: Marks, hypothesis: Marks, part: str) -> None:
    assert measured((reference, hypothesis))[1].endswith(part)


def test_the_tolerance_that_was_asked_for_is_used() -> None:
    chapters, sentence = measured((EDITOR, MACHINE), metrics="BoundaryF1(tolerance='2s')")
    assert chapters.within == "2s"
    assert "1 of 6 chapter starts after 0:00 is found within 2 s" in sentence


def test_the_tolerances_of_a_program_are_not_those_of_the_sentence() -> None:
    results = evaluate(Corpus([show(EDITOR)]), {"auto": Corpus([show(MACHINE)])}, profile="vidchapters").results()
    assert results.chapters is not None
    assert results.chapters.within == "10s"
    assert answer_of(results)[0] == measured((EDITOR, MACHINE))[1]


def test_a_list_without_chapters_is_nothing_to_judge() -> None:
    evaluation = evaluate(Corpus([show(EDITOR)]), {"auto": Corpus([show(EDITOR[:1])])})
    evaluation.verdicts()
    assert evaluation.answer()[1:] == (
        "auto: nothing to judge, since there are no chapters after 0:00.",
        "Next: look at the output of the system, which has no chapters.",
    )


def test_the_verdict_on_one_show_counts_no_shares_of_shows() -> None:
    evaluation = evaluate(Corpus([show(EDITOR)]), {"auto": Corpus([show(EDITOR[:3])])})
    evaluation.verdicts()
    assert "% of the shows" not in " ".join(evaluation.answer())


def test_several_verdicts_speak_of_chapters() -> None:
    evaluation = evaluate(Corpus([show(EDITOR)]), {"auto": Corpus([show(MACHINE)]), "two": Corpus([show(EDITOR)])})
    evaluation.verdicts()
    (sentence,) = [each for each in evaluation.answer() if each.startswith("Verdict")]
    assert sentence.startswith("Verdict (1 show, so tentative): ")
    assert "chapters" in sentence
    assert "boundaries" not in sentence


def test_without_titles_they_are_boundaries() -> None:
    gold, made = Segmentation(60000, (10000,), unit="ms"), Segmentation(60000, (12000,), unit="ms")
    evaluation = evaluate({"a": gold}, {"s": {"a": made}}, ["BoundaryF1(tolerance='10s')"])
    assert evaluation.answer()[0] == "s: 1 of 1 boundary is found within 10 s; it is 2 s late."
    assert evaluate({"a": Segmentation(9, (4,))}, {"s": {"a": Segmentation(9)}}, ["B"]).chapters is None


def test_pairs_are_as_many_as_possible_and_then_as_near_as_possible() -> None:
    """Against all one-to-one pairings of short lists, by brute force."""
    rng = random.Random(5)
    for _ in range(200):
        ours, theirs = (sorted(rng.sample(range(1, 30), rng.randint(0, 4))) for _ in range(2))
        rows = chapter_rows(ours, theirs, [], [], 4)
        pairs = [(row.reference, row.hypothesis) for row in rows[1:] if row.reference and row.hypothesis]
        small, large = sorted((ours, theirs), key=len)
        best = min(
            (-sum(abs(a - b) <= 4 for a, b in zip(small, order, strict=True)), sum(abs(a - b) for a, b in zip(small, order, strict=True) if abs(a - b) <= 4))
            for order in itertools.permutations(large, len(small))
        )  # fmt: skip
        assert (-len(pairs), sum(abs(a - b) for a, b in pairs)) == best
        assert sorted(row.reference for row in rows[1:] if row.reference) == ours
        assert sorted(row.hypothesis for row in rows[1:] if row.hypothesis) == theirs


def test_the_results_file_keeps_them(tmp_path: Path) -> None:
    gold, made = Corpus([show(EDITOR)]), Corpus([show(MACHINE)])
    evaluation = evaluate(gold, {"auto": made}, ["BoundaryF1(tolerance='10s')"])
    saved = evaluation.save(tmp_path / "r.json")
    assert read_results(tmp_path / "r.json").chapters == saved.chapters
    (table,) = [each for each in evaluation.tables() if each.title == "Chapters"]
    assert [column.title for column in table.columns][-2:] == ["titles", "agree"]
    assert table.rows[0][:6] == ["show", "auto", 6, 4, 2, 1]


@pytest.mark.parametrize("titled", [True, False])
def test_verdicts_on_chapters_know_no_scorer(titled: bool) -> None:
    """Every pattern of a verdict: none of them speaks of scorers, sweeps or boundaries to select."""
    rng, noun = random.Random(1), "chapters" if titled else "segments"
    seen = set()
    for every in (0, 1, 2, 5, 12):
        for shift in (0, 4, 40):
            gold, made = [], []
            for _ in range(12):
                starts = sorted(rng.sample(range(60, 3500), 8))
                gold.append(Segmentation(3_600_000, [1000 * s for s in starts], unit="ms"))
                kept = {max(1, s + rng.randint(-shift, shift)) for s in starts if rng.random() < every / 5}
                kept |= set(rng.sample(range(60, 3500), 20)) if every == 12 else set()
                made.append(Segmentation(3_600_000, sorted(1000 * s for s in kept), unit="ms"))
            pairs = Pairs.beside(Flat.from_segmentations(gold), Flat.from_segmentations(made), "ms")
            if titled:
                pairs = pairs.with_titles(
                    [["t"] * (s.n_boundaries + 1) for s in gold], [["t"] * (s.n_boundaries + 1) for s in made]
                )
            verdict, _ = judge(pairs)
            seen.add(verdict.verdict)
            for word in ("scorer", "sweep", "boundaries until", "the units", "BOR"):
                assert word not in f"{verdict.words} {verdict.next}"
            assert noun in f"{verdict.words} {verdict.next}" or verdict.verdict == "mixed"
            assert verdict.advice == {}
    assert len(seen) >= 4
