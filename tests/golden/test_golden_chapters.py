"""Profiles for chapters, event boundaries and page streams against what their programs printed, where both sides tile the recording.

Chapter-Llama prints per cent: its numbers are divided by 100. It rounds to two decimals, so that half of the last one is allowed where only
the rounded number is known.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from caesura.corpus import Corpus, Document
from caesura.evaluation.evaluate import evaluate
from caesura.segmentation import Segmentation
from tests.golden.cells import WHOLE, Cell, cases, compare, many, sides

Sides = tuple[list[Document], list[Document]]
PRINTED = {
    "SODA_d": "soda_d_f1", "ROUGE_L": "Rouge-L", "PQ": "Weighted PQ F1", "PQ*": "Weighted PQ* F1",
    "RQ": "Unweighted PQ F1", "RQ*": "Unweighted PQ* F1",
}  # fmt: skip
ROUNDED = 0.5e-4 + 1e-9
ROUNDED_ONLY = ("Avg. TIoU", "CIDEr", "ROUGE_L", "MAE")


def recording(key: str, starts: Sequence[float], seconds: float, titles: Sequence[str] = ()) -> Document | None:
    """Return the chapters of a recording, or None if they do not tile it."""
    at, end = [round(1000 * start) for start in starts], round(1000 * seconds)
    if not at or at[0] != 0 or at[-1] >= end or any(b <= a for a, b in itertools.pairwise(at)):
        return None
    extra = {"segment_titles": list(titles)} if titles else {}
    return Document(id=key, n_units=end, unit="ms", segmentation=Segmentation(end, at[1:], unit="ms"), extra=extra)


def together(pairs: Sequence[tuple[Document | None, Document | None]]) -> Sides | None:
    """Return the recordings of both sides, or None if one does not tile."""
    if not all(one and other for one, other in pairs):
        return None
    return [one for one, _ in pairs if one], [other for _, other in pairs if other]


def vidchapters(given: Mapping[str, Any]) -> Sides | None:
    if len(given["references"]) != 1 or given["references"][0].keys() != given["predictions"].keys():
        return None
    pairs = []
    for key, reference in given["references"][0].items():
        predicted, end = given["predictions"][key], reference["duration"]
        lists = reference["timestamps"], [each["timestamp"] for each in predicted]
        if any(
            not each or each[-1][1] != end or any(a[1] != b[0] for a, b in itertools.pairwise(each)) for each in lists
        ):
            return None
        titles = reference["sentences"], [each["sentence"] for each in predicted]
        pairs.append([recording(key, [s for s, _ in each], end, t) for each, t in zip(lists, titles, strict=True)])
    return together(pairs)


def chapter_llama(given: Mapping[str, Any]) -> Sides | None:
    references, predictions = given["references"], given["predictions"]
    if not references.keys() <= predictions.keys():
        return None
    return together([
        [recording(key, each["starts"], each["duration"], each["titles"]) for each in (references[key], predictions[key])]
        for key in references
    ])  # fmt: skip


def chunkseg(given: Mapping[str, Any]) -> Sides | None:
    return chapter_llama({"references": {"v": given["reference"]}, "predictions": {"v": given["prediction"]}})


def batch(given: Mapping[str, Any]) -> Sides | None:
    return together([
        [recording(str(place), each[side], each["duration"], [title for title, _ in each[titles]])
         for side, titles in (("reference", "reference_titles"), ("hypothesis", "hyp_titles"))]
        for place, each in enumerate(given["samples"])
    ])  # fmt: skip


def scores(
    both: Sides, profile: str, metrics: Mapping[str, str] | None = None, against: str = "boundaries"
) -> dict[str, float]:
    found = evaluate(
        Corpus(both[0]), {"h": Corpus(both[1])}, metrics and list(metrics.values()), profile=profile, against=against
    ).scores["h"]
    return found if metrics is None else dict(zip(metrics, found.values(), strict=True))


def cells(name: str, build: Any, profile: str, *, leave: Sequence[str] = ()) -> Iterator[Cell]:
    for case in cases(name):
        both, printed = build(case["input"]), case["expected"]
        if both is None or "error" in printed:
            continue
        for key, score in scores(both, profile).items():
            theirs = printed.get(key, printed.get(PRINTED.get(key, key)))
            if theirs is not None and key not in leave:
                yield Cell(f"{case['id']} {key}", score, theirs)


def test_vidchapters_localization() -> None:
    compare(cells("vidchapters_localization", vidchapters, "vidchapters"), {}, count=many(43 * 33, 18 * 33))


def test_vidchapters_with_missing_and_extra_videos() -> None:
    found: list[Cell] = []
    for case in cases("vidchapters_localization"):
        references, predictions = case["input"]["references"], case["input"]["predictions"]
        if len(references) > 1 or references[0].keys() == predictions.keys():
            continue
        gold = [
            recording(key, [s for s, _ in each["timestamps"]], each["duration"]) for key, each in references[0].items()
        ]
        made = [
            recording(key, [each["timestamp"][0] for each in chapters], chapters[-1]["timestamp"][1])
            for key, chapters in predictions.items()
        ]
        assert all(gold)
        assert all(made)
        both = Corpus([each for each in gold if each]), {"h": Corpus([each for each in made if each])}
        evaluation = evaluate(*both, profile="vidchapters", missing="skip")
        lacking, extra = (len(a - b) for a, b in itertools.permutations([set(references[0]), set(predictions)]))
        assert (f"h: {lacking} of {len(gold)} documents missing, skipped" in evaluation.notes()) == (lacking > 0)
        assert any("that the reference lacks left out" in note for note in evaluation.notes()) == (extra > 0)
        found += [
            Cell(f"{case['id']} {key}", score, case["expected"][key])
            for key, score in evaluation.scores["h"].items()
            if key != "SODA_d"
        ]
    compare(found, {}, count=many(2 * 33, 0))


def test_vidchapters_titles() -> None:
    compare(cells("vidchapters_titles", vidchapters, "vidchapters"), {}, count=many(18 * 36, 8 * 36))


def test_chapter_llama_distances() -> None:
    # Its "F1" here is a mean over distances; that of the profile is of overlaps.
    found = [each._replace(theirs=each.theirs / 100) for each in cells(
        "chapterllama_distance", chapter_llama, "chapterllama", leave=["F1"])]  # fmt: skip
    compare(found, {}, count=many(45 * 18, 20 * 18))


def test_chapter_llama_overlaps() -> None:
    found = {each.key: each for each in cells("chapterllama_overlap", chapter_llama, "chapterllama")}
    unrounded = {"F1": "unrounded f1", "P": "unrounded precision", "R": "unrounded recall"}
    printed = {case["id"]: case["expected"] for case in cases("chapterllama_overlap")}
    for key, each in found.items():
        case, name = key.split(" ", 1)
        theirs = printed[case][unrounded.get(name, name)] / (1 if name == "MAE" else 100)
        allowed = 2e-6 if name not in ROUNDED_ONLY else 5.001e-3 if name == "MAE" else ROUNDED
        assert each.ours == pytest.approx(theirs, abs=allowed), key
    assert len(found) == many(44 * 17, 18 * 17)
    for case in cases("chapterllama_overlap"):
        both = chapter_llama(case["input"])
        if both is not None and "error" not in case["expected"]:
            ours = scores(both, "chapterllama")
            assert [100 * ours[part] for part in ("under", "equal", "over")] == case["expected"]["under, equal, over"]


def test_chapter_llama_titles() -> None:
    found = list(cells("chapterllama_titles", chapter_llama, "chapterllama"))
    for each in found:
        assert each.ours == pytest.approx(each.theirs / 100, abs=ROUNDED), each.key
    assert len(found) == many(34, 10)


def others(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the metrics of chunkseg at other sizes of bins, collars and tolerances."""
    bins, collar, near = (f"{given[key]:g}s" for key in ("chunk_size", "collar", "tolerance"))
    rated = {"precision": "BoundaryPrecision(empty='always_zero')", "recall": "BoundaryRecall(empty='always_zero')"}
    rated |= {"pk": "Pk(short='no_error')", "window_diff": "WindowDiff(short='no_error')", "boundary_similarity": "B"}
    found = {key: f"Binned(metric={text!r}, bins='{bins}')" for key, text in rated.items()}
    for rate in ("Precision", "Recall", "F1"):
        found[f"collar_{rate.lower()}"] = f"Boundary{rate}(tolerance='{collar}', matching='nearest_first')"
    for match, prefix in (("time", ""), ("start", "start-only ")):
        timed = f"match='{match}', tolerance='{near}', unmatched='skip', words='stems'"
        found |= {
            f"{prefix}tm_rl_{part}": f"TitleScore(part='{part}', {timed})" for part in ("precision", "recall", "f1")
        }
        found[f"{prefix}tm_matched"] = f"TitleScore(part='matched', {timed})"
    return found


def test_chunkseg() -> None:
    found: list[Cell] = []
    for case in cases("chunkseg"):
        given, printed = case["input"], case["expected"]
        both = chunkseg(given)
        if both is None:
            continue
        ours = scores(both, "caesura", others(given))
        if (given["chunk_size"], given["collar"], given["tolerance"]) == (6, 3, 5):
            by_profile = scores(both, "chunkseg")
            assert all(by_profile[key] == ours[key] or math.isnan(ours[key]) for key in by_profile if key in ours)
            ours |= {key: by_profile[key] for key in by_profile if key.startswith("gc_")}
        for key, score in ours.items():
            if key in printed:
                found.append(Cell(f"{case['id']} {key}", score, printed[key]))
            else:
                assert math.isnan(score), f"{case['id']} {key}"
    compare(found, {}, count=len(found))
    assert len(found) > many(1000, 400)


@pytest.mark.skipif(not WHOLE.exists(), reason="its cases have chapter lists of others, which are not shipped")
def test_chunkseg_of_many() -> None:
    # A recording shorter than a bin is left out of all its scores.
    compare(cells("chunkseg_batch", batch, "chunkseg"), {}, count=5 * 16)


def rated(key: str, lists: Sequence[Sequence[float]], seconds: float) -> Document:
    """Return a recording with the boundaries of several people, and none of its own."""
    end = round(1000 * seconds)
    people = {
        f"p{place}": Segmentation(end, [round(1000 * at) for at in each if 0 < at < seconds], unit="ms")
        for place, each in enumerate(lists)
    }
    return Document(id=key, n_units=end, unit="ms", annotations=people)


def test_vidchapters_with_several_references() -> None:
    found: list[Cell] = []
    for case in cases("vidchapters_localization"):
        references, predictions = case["input"]["references"], case["input"]["predictions"]
        if len(references) < 2:
            continue
        ends = {key: each["duration"] for key, each in references[0].items()}
        gold = [rated(key, [[s for s, _ in each[key]["timestamps"]] for each in references], ends[key]) for key in ends]
        made = [recording(key, [each["timestamp"][0] for each in predictions[key]], ends[key]) for key in ends]
        assert all(made)
        ours = scores((gold, [each for each in made if each]), "vidchapters")
        found += [
            Cell(f"{case['id']} {key}", score, case["expected"][key]) for key, score in ours.items() if key != "SODA_d"
        ]
    compare(found, {}, count=many(3 * 33, 0))


def test_gebd() -> None:
    found: list[Cell] = []
    for case in cases("gebd"):
        given = case["input"]
        kept = {key: each for key, each in given["references"].items() if each["f1_consis_avg"] >= 0.3}
        gold = [rated(key, each["substages_timestamps"], each["video_duration"]) for key, each in kept.items()]
        made = []
        for key, each in kept.items():
            detected = sorted({at for at in given["predictions"].get(key, ()) if 0 < at < each["video_duration"]})
            made.append(recording(key, [0, *detected], each["video_duration"]))
        assert all(made)
        both = gold, [each for each in made if each]
        how = f"tolerance='{100 * given['threshold']:g}%', matching='in_order', empty='always_zero', f1='of_sums'"
        names = {rate.lower(): f"Boundary{rate}({how})" for rate in ("Precision", "Recall", "F1")}
        ours = scores(both, "caesura", names, against="best")
        if given["threshold"] == 0.05:
            assert scores(both, "gebd") == ours
        found += [Cell(f"{case['id']} {key}", score, case["expected"][key]) for key, score in ours.items()]
    compare(found, {}, count=20 * 3)


def test_page_streams() -> None:
    found: list[Cell] = []
    for case in cases("page_streams"):
        reference, hypothesis = (side.with_unit("page") for side in sides(case))
        ours = evaluate({"s": reference}, {"h": {"s": hypothesis}}, profile="openpss").scores["h"]
        found += [
            Cell(f"{case['id']} {key}", score, case["expected"][PRINTED.get(key, key)]) for key, score in ours.items()
        ]
    compare(found, {}, count=30 * 9)
