# SPDX-License-Identifier: Apache-2.0
"""Documents that belong together by id, or by the order of the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation import evaluate
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.explain.run import explain
from caesura.evaluation.reference.levels import evaluate_levels
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
    assert e.results().inputs[1].file == "closed.txt"
    odd = tmp_path / "odd::bits"
    odd.write_text("6 3 4\n")  # a file of that very name is not split
    assert evaluate("000001001000", {"m": odd}, "Pk", format="masses").scores["m"]["Pk"] == 0.0
