# SPDX-License-Identifier: Apache-2.0
"""Documents that belong together by id, or by the order of the files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluate.levels import evaluate_levels
from caesura.evaluation.explain.run import explain
from caesura.evaluation.explain.text import explanation_text
from caesura.evaluation.inputs import DEFAULT_METRICS
from caesura.evaluation.spans import spans
from caesura.segmentation import Segmentation

GOLD = [{"id": "b", "masses": [3, 4]}, {"id": "a", "masses": [2, 2, 3]}, {"id": "c", "masses": [5, 1]}]
BITS = ("001000", "010100", "00001")


def gold(folder: Path, *ids: str) -> Path:
    path = folder / "gold.jsonl"
    rows = [{**row, "id": key} for row, key in zip(GOLD, ids or "bac", strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def bits(folder: Path, lines: tuple[str, ...] = BITS) -> Path:
    path = folder / "noisy.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_files_without_ids_are_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ComparabilityError, match=r"'noisy' has no document ids.*--match order"):
        evaluate(gold(tmp_path), bits(tmp_path))
    with pytest.raises(ComparabilityError, match=r"the reference has no document ids.*--match order"):
        evaluate(bits(tmp_path), gold(tmp_path))


def test_made_up_ids_never_meet_given_ones_in_another_order(tmp_path: Path) -> None:
    # The lines of the system are numbered 1 to 3; the reference happens to use these numbers otherwise.
    with pytest.raises(ComparabilityError, match="no document ids"):
        evaluate(gold(tmp_path, "3", "1", "2"), bits(tmp_path))


def test_by_order_the_score_is_that_of_equal_ids_and_says_so(tmp_path: Path) -> None:
    e = evaluate(gold(tmp_path), {"noisy": bits(tmp_path), "itself": gold(tmp_path)}, ["Pk"], match="order")
    assert e.scores == {"noisy": {"Pk": 0.0}, "itself": {"Pk": 0.0}}
    results = e.results()
    assert "|match:order|" in results.systems["noisy"]["Pk"].signature
    assert "match" not in results.systems["itself"]["Pk"].signature
    assert [each.assumed for each in results.inputs] == [None, {"match": "order"}, None]
    assert "noisy, documents matched by order" in results.notes


def test_other_lengths_at_the_same_place_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ComparabilityError, match="'b': reference has 7 units, hypothesis 'noisy' has 6"):
        evaluate(gold(tmp_path), bits(tmp_path, BITS[::-1]), match="order")
    with pytest.raises(ComparabilityError, match="'noisy' has 2 documents and the reference 3"):
        evaluate(gold(tmp_path), bits(tmp_path, BITS[:2]), match="order")


def test_ids_that_contradict_the_order_are_refused(tmp_path: Path) -> None:
    reference = {"a": Segmentation(5, (2,)), "b": Segmentation(5, (3,))}
    with pytest.raises(ComparabilityError, match="document 'a' is number 2 in 'm' and number 1"):
        evaluate(reference, {"m": {"x": Segmentation(5), "a": Segmentation(5)}}, match="order")
    # The same ids in another order are matched by id: the order says less than they do.
    swapped = {"m": {"b": reference["b"], "a": reference["a"]}}
    assert evaluate(reference, swapped, "Pk", match="order").scores["m"]["Pk"] == 0.0


def test_an_unknown_match_is_refused() -> None:
    with pytest.raises(ComparabilityError, match="it must be 'id' or 'order'"):
        evaluate("0100", "0100", match="place")  # type: ignore[call-overload]


def test_the_other_questions_match_by_order_too(tmp_path: Path) -> None:
    texts = [("The cat sat.", "The cat slept.", "Rates rose."), ("Snow fell.", "It was cold.", "He ran.")]
    docs = Corpus([Document(id=key, n_units=3, units=text) for key, text in zip("xy", texts, strict=True)])
    cuts = tmp_path / "cuts.txt"
    cuts.write_text("01\n10\n")
    with pytest.raises(ComparabilityError, match="--match order"):
        cohesion(docs, {"m": cuts}, nulls=())
    assert cohesion(docs, {"m": cuts}, "ARPpair", nulls=(), match="order").documents == ["x", "y"]
    report = spans(docs, {"x": ["cat slept"], "y": ["cold"]}, {"m": cuts}, match="order", resamples=10)
    assert report.scores["m"]["Inside"] == 1.0
    assert "match:order" in report.results().systems["m"]["Inside"].signature
    assert len(explain(gold(tmp_path), bits(tmp_path), "Pk", match="order").documents) == 3
    tree = (Segmentation(5, (2,)), Segmentation(5, (2, 3)))
    deep = Corpus([Document(id=key, n_units=5, segmentation=tree[1], hierarchy=tree) for key in "pq"])
    plain = tmp_path / "m.masses"
    plain.write_text("2 3\n2 3\n")
    assert evaluate_levels(deep, plain, match="order").matches["m"].by_score == 1


def test_a_format_for_one_file(tmp_path: Path) -> None:
    closed = tmp_path / "closed.txt"
    closed.write_text("0010001\n0101001\n000011\n")
    e = evaluate(f"{gold(tmp_path)}::jsonl", [f"{closed}::bits(marks='last_closed')"], "Pk", match="order")
    assert e.scores == {"closed": {"Pk": 0.0}}
    read = e.results().inputs[1]
    assert (Path(read.file or "").name, read.format) == ("closed.txt", "bits(marks='last_closed')")
    odd = tmp_path / "odd::bits"
    odd.write_text("6 3 4\n")  # a file of that very name is not split
    assert evaluate("000001001000", {"m": odd}, "Pk", format="masses").scores["m"]["Pk"] == 0.0


def chapters(folder: Path, name: str, *starts: str) -> Path:
    path = folder / f"{name}.txt"
    path.write_text("".join(f"{start} Chapter {number}\n" for number, start in enumerate(starts, start=1)))
    return path


def test_two_lists_without_an_end_say_so_and_take_a_duration(tmp_path: Path) -> None:
    show, auto = (
        chapters(tmp_path, "show", "0:00", "2:00", "10:00"),
        chapters(tmp_path, "auto", "0:00", "2:05", "9:00"),
    )
    e = evaluate(show, auto, "CovD")
    assert any("the end of 1 document is unknown on both sides" in note for note in e.notes())
    whole = evaluate(show, auto, "CovD", duration="14:00")
    assert whole.pairs["auto"].n_units.tolist() == [14 * 60_000]
    assert "duration:0:14:00" in whole.results().systems["auto"]["CovD"].signature
    assert not any("unknown" in note for note in whole.notes())
    assert explain(show, auto, "Pk", duration="840s").pairs.n_units.tolist() == [14 * 60_000]


@pytest.mark.parametrize(
    ("duration", "message"),
    [
        ("9:00", "'reference' has a boundary at 0:10:00, but the recording lasts 0:09:00"),
        ("14", "write a time such as '1:02:30' or '90min'"),
        ("0:00", "longer than zero"),
        ("1:75:00", "write a time"),
    ],
)
def test_durations_that_cannot_be(tmp_path: Path, duration: str, message: str) -> None:
    show, auto = (
        chapters(tmp_path, "show", "0:00", "2:00", "10:00"),
        chapters(tmp_path, "auto", "0:00", "2:05", "9:00"),
    )
    with pytest.raises(CaesuraError, match=message):
        evaluate(show, auto, "CovD", duration=duration)


def test_a_duration_needs_one_recording_with_an_unknown_end(tmp_path: Path) -> None:
    with pytest.raises(ComparabilityError, match="every file knows its end"):
        evaluate("0100", "0100", "Pk", duration="1:00")
    for folder in ("gold", "auto"):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            chapters(tmp_path / folder, name, "0:00", "2:00", "3:00")
    with pytest.raises(ComparabilityError, match="has 2 recordings, which do not all last 1:00:00"):
        evaluate(tmp_path / "gold", tmp_path / "auto", "CovD", duration="1:00:00")


def test_the_defaults_on_time_have_an_f1_of_ten_seconds(tmp_path: Path) -> None:
    show, auto = (
        chapters(tmp_path, "show", "0:00", "2:00", "10:00"),
        chapters(tmp_path, "auto", "0:00", "2:05", "9:00"),
    )
    e = evaluate(show, auto, duration="14:00")
    assert e.scores["auto"]["BoundaryF1(tolerance='10s')"] == 0.5
    assert "W-F1" not in e.metrics
    assert "B" not in e.metrics
    assert list(evaluate("0100", "0100").metrics) == list(DEFAULT_METRICS)


def test_explain_shows_times_and_titles(tmp_path: Path) -> None:
    show, auto = (
        chapters(tmp_path, "show", "0:00", "2:00", "10:00"),
        chapters(tmp_path, "auto", "0:00", "2:05", "9:00"),
    )
    text = explanation_text(explain(show, auto, duration="14:00"), 80)
    assert "reference   14:00, 2 boundaries at 2:00, 10:00" in text
    assert "2:00       Chapter 2  2:05        Chapter 2  +5.0 s  found    yes" in text
    assert not re.search(r"\d{5}", text)  # no count of milliseconds
    assert max(map(len, text.split("\n"))) <= 80
    asked = explanation_text(explain(show, auto, "Pk", duration="14:00"), 80)
    assert "k = 0:02:20" in asked
    assert "2:00-10:00   Chapter 2" in asked
    assert not re.search(r"\d{5}", asked[: asked.index("Pk: share")])
    assert max(map(len, asked[asked.index("segment ") :].split("\n"))) <= 80


def test_documents_without_ids_are_not_matched_by_number_if_one_is_missing(tmp_path):
    """Which line is missing cannot be told."""
    (tmp_path / "gold.masses").write_text("6 3 4\n5 5\n4 6\n", encoding="utf-8")
    (tmp_path / "a.masses").write_text("6 3 4\n4 6\n", encoding="utf-8")
    with pytest.raises(ComparabilityError, match="no document ids, and the reference has 3 documents, 'a' 2; give ids"):
        evaluate(tmp_path / "gold.masses", [tmp_path / "a.masses"], missing="skip")
