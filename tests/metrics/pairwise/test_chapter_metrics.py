"""Metrics of chapters against the definitions, written out with sets, loops and whole tables."""

from __future__ import annotations

import itertools
import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus, Document
from caesura.encoders import encoder
from caesura.errors import CaesuraError, ComparabilityError, MetricError
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric
from caesura.metrics.pairwise._titles import rouge_l, words_of
from caesura.metrics.profiles import PROFILES, under_profile
from caesura.segmentation import Segmentation as S

WORDS = ["news", "music", "the", "end", "new"]


def drawn(seed: int, number: int = 250, most: int = 16) -> list[tuple[S, S]]:
    rng, found = random.Random(seed), []
    for _ in range(number):
        n = rng.randint(1, most)
        both = [sorted(rng.sample(range(1, n), rng.randint(0, min(n - 1, 6)))) for _ in range(2)]
        found.append((S(n, both[0]), S(n, both[1])))
    return found


def spans(segmentation: S) -> list[set[int]]:
    edges = [0, *segmentation.boundaries, segmentation.n_units]
    return [set(range(a, b)) for a, b in itertools.pairwise(edges)]


def tiou(one: set[int], other: set[int]) -> Fraction:
    return Fraction(len(one & other), len(one | other))


def table(reference: S, hypothesis: S) -> list[list[Fraction]]:
    return [[tiou(one, other) for other in spans(hypothesis)] for one in spans(reference)]


def largest(edges: set[tuple[int, int]]) -> int:
    """Return the size of a largest matching, by trying."""
    if not edges:
        return 0
    one, other = min(edges)
    rest = {(a, b) for a, b in edges if a != one and b != other}
    return max(1 + largest(rest), largest(edges - {(one, other)}))


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.3, 0.5, 0.75, 1.0])
def test_segments_found_are_those_of_the_definition(threshold: float) -> None:
    limit = Fraction(str(threshold))
    for reference, hypothesis in drawn(1):
        cells = table(reference, hypothesis)
        hits = {(i, j) for i, row in enumerate(cells) for j, value in enumerate(row) if value > limit or value == 1}
        n_ref, n_hyp = len(cells), len(cells[0])
        both = largest(hits)
        assert metric("SegmentRecall", tiou=threshold)(reference, hypothesis) == pytest.approx(both / n_ref)
        assert metric("SegmentPrecision", tiou=threshold)(reference, hypothesis) == pytest.approx(both / n_hyp)
        precision, recall = len({j for _, j in hits}) / n_hyp, len({i for i, _ in hits}) / n_ref
        f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
        assert metric("SegmentF1", tiou=threshold, matching="any")(reference, hypothesis) == pytest.approx(f1)


def test_f1_of_means_is_not_the_mean_of_f1() -> None:
    pairs = drawn(2, 40)
    corpus = [{str(at): pair[side] for at, pair in enumerate(pairs)} for side in (0, 1)]
    scored = evaluate(corpus[0], {"h": corpus[1]}, ["SegmentF1", "SegmentF1(f1='of_means')", "SegmentF1(f1='of_sums')",
        "SegmentPrecision", "SegmentRecall", "BoundaryF1(f1='of_means')", "BoundaryPrecision", "BoundaryRecall"]).scores["h"]  # fmt: skip
    found = list(scored.values())
    assert found[1] == pytest.approx(2 * found[3] * found[4] / (found[3] + found[4]))
    assert found[5] == pytest.approx(2 * found[6] * found[7] / (found[6] + found[7]))
    counts = np.array([list(metric("SegmentF1").counts(*pair).values()) for pair in pairs]).sum(axis=0)
    assert found[2] == pytest.approx(2 * counts[2] / (counts[0] + counts[1]))
    assert len({round(value, 9) for value in found[:3]}) == 3


@pytest.mark.parametrize("rule", ["iou", "majority"])
def test_panoptic_quality(rule: str) -> None:
    for reference, hypothesis in drawn(3):
        pairs = [(a, b) for a in spans(reference) for b in spans(hypothesis)]
        hit = [(a, b) for a, b in pairs if (
            tiou(a, b) > Fraction(1, 2) if rule == "iou" else len(a & b) > max(len(a - b), len(b - a)))]  # fmt: skip
        segments = reference.n_segments + hypothesis.n_segments
        total = sum(tiou(a, b) for a, b in hit)
        found = {
            part: metric("PQ", rule=rule, part=part)(reference, hypothesis)
            for part in ("quality", "recognition", "segmentation")
        }
        assert found["quality"] == pytest.approx(float(2 * total / segments))
        assert found["recognition"] == pytest.approx(2 * len(hit) / segments)
        assert found["segmentation"] == pytest.approx(float(total / len(hit)) if hit else 0.0)


def test_mean_tiou_takes_the_largest_first() -> None:
    for reference, hypothesis in drawn(4):
        cells = table(reference, hypothesis)
        order = sorted((-value, i + j, i, j) for i, row in enumerate(cells) for j, value in enumerate(row) if value)
        used: tuple[set[int], set[int]] = set(), set()
        taken = []
        for value, _, i, j in order:
            if i not in used[0] and j not in used[1]:
                used[0].add(i)
                used[1].add(j)
                taken.append(-value)
        everything = len(cells) + len(cells[0]) - len(taken)
        assert metric("MeanTIoU")(reference, hypothesis) == pytest.approx(float(sum(taken) / everything))
        assert metric("MeanTIoU", unmatched="skip")(reference, hypothesis) == pytest.approx(
            float(sum(taken) / len(taken))
        )


def best(weights: list[list[float]]) -> float:
    """Return the best matching that keeps the order, by the whole table."""
    rows, columns = len(weights), len(weights[0])
    found = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows):
        for j in range(columns):
            found[i + 1][j + 1] = max(found[i][j + 1], found[i + 1][j], found[i][j] + weights[i][j])
    return found[-1][-1]


def titles(rng: random.Random, number: int) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randint(0, 3))) for _ in range(number)]


def test_soda_is_the_best_matching_in_order() -> None:
    rng = random.Random(5)
    for reference, hypothesis in drawn(5):
        cells = [[float(value) for value in row] for row in table(reference, hypothesis)]
        top = best(cells)
        assert metric("SODA", part="recall")(reference, hypothesis) == pytest.approx(top / len(cells))
        assert metric("SODA")(reference, hypothesis) == pytest.approx(2 * top / (len(cells) + len(cells[0])))
        named = titles(rng, len(cells)), titles(rng, len(cells[0]))
        pairs = Pairs.of(reference, hypothesis).with_titles([named[0]], [named[1]])
        words = [[words_of(title, "unicode") for title in side] for side in named]
        both = [
            [value * rouge_l(words[0][i], words[1][j])[2] for j, value in enumerate(row)] for i, row in enumerate(cells)
        ]
        counts = metric("SODA(similarity='rouge')").count(pairs)  # type: ignore[attr-defined]
        assert counts[0, 2] == pytest.approx(best(both))


def test_soda_has_no_limit_of_length() -> None:
    long = S.from_masses([3] * 5_000)
    assert metric("SODA")(long, long) == 1.0


@pytest.mark.parametrize("unit", ["unit", "ms"])
def test_greedy_matchings(unit: str) -> None:
    rng = random.Random(6)
    for reference, hypothesis in drawn(6, most=40):
        n, reach = reference.n_units, rng.randint(1, 5)
        ref, hyp = reference.boundaries, hypothesis.boundaries
        near = sorted((abs(a - b), i, j) for i, a in enumerate(ref) for j, b in enumerate(hyp) if abs(a - b) <= reach)
        taken: list[tuple[int, int]] = []
        for _, i, j in near:
            if all(i != a and j != b for a, b in taken):
                taken.append((i, j))
        free, in_order = list(hyp), 0
        for at in ref:
            if free and abs((nearest := min(free, key=lambda other, at=at: abs(other - at))) - at) <= reach:
                free.remove(nearest)
                in_order += 1
        sides = [S(each.n_units, each.boundaries, unit=unit) for each in (reference, hypothesis)]
        tolerance = reach if unit == "unit" else f"{reach}ms"
        for how, number in (("nearest_first", len(taken)), ("in_order", in_order)):
            assert metric("BoundaryRecall", tolerance=tolerance, matching=how).counts(*sides)["found_ref"] == number
        # A share of the document: n units, so that 100 reach / n per cent are the reach.
        share = f"{math.floor(1e6 * (100 * reach + 50) / n) / 1e6}%" if reach + 1 < n else "100%"
        if reach + 1 < n:
            for how in ("nearest_first", "in_order", "one_to_one", "coverage"):
                whole = metric("BoundaryF1", tolerance=tolerance, matching=how)(*sides)
                assert metric("BoundaryF1", tolerance=share, matching=how)(*sides) == pytest.approx(whole), (how, share)


def test_strict_and_start() -> None:
    for reference, hypothesis in drawn(7):
        near = metric("BoundaryF1", tolerance=2, strict=True)
        assert near(reference, hypothesis) == metric("BoundaryF1", tolerance=1)(reference, hypothesis)
        ref, hyp = {0, *reference.boundaries}, {0, *hypothesis.boundaries}
        recall = sum(any(abs(a - b) <= 2 for b in hyp) for a in ref) / len(ref)
        assert metric("BoundaryRecall", tolerance=2, start=True)(reference, hypothesis) == pytest.approx(recall)
    with pytest.raises(MetricError, match="nothing is nearer than tolerance=0; leave strict out"):
        metric("F1(strict=True)")(S(5, (2,)), S(5, (3,)))
    with pytest.raises(MetricError, match="tolerance is '5 %%'; it must be"):
        metric("F1(tolerance='5 %%')")


@pytest.mark.parametrize("inner", ["F1", "Pk", "WindowDiff", "B"])
def test_bins(inner: str) -> None:
    rng = random.Random(8)
    for reference, hypothesis in drawn(8, most=60):
        size = rng.randint(1, 7)
        bins = reference.n_units // size
        score = metric("Binned", metric=inner, bins=size)(reference, hypothesis)
        if not bins:
            assert math.isnan(score)
            continue
        marked = [
            sorted({min(at // size, bins - 1) + 1 for at in side.boundaries if at <= bins * size})
            for side in (reference, hypothesis)
        ]
        expected = metric(inner)(S(bins + 1, marked[0]), S(bins + 1, marked[1]))
        assert score == pytest.approx(expected, nan_ok=True)
    with pytest.raises(MetricError, match="cannot be scored on bins"):
        metric("Binned(metric='TitleScore')")
    with pytest.raises(MetricError, match="bins=6 is meaningless on the unit 'ms'; give a length, such as bins='10s'"):
        metric("Binned(bins=6)")(S(9, unit="ms"), S(9, unit="ms"))


def title_score(text: str, pairs: Pairs) -> float:
    chosen = metric(text)
    return float(chosen.score(chosen.count(pairs))[0])  # type: ignore[attr-defined]


def test_titles_of_paired_segments() -> None:
    rng = random.Random(9)
    for reference, hypothesis in drawn(9):
        named = titles(rng, reference.n_segments), titles(rng, hypothesis.n_segments)
        pairs = Pairs.of(reference, hypothesis).with_titles([named[0]], [named[1]])
        words = [[words_of(title, "unicode") for title in side] for side in named]
        total = sum(
            rouge_l(words[0][i], words[1][j])[2]
            for i, one in enumerate(spans(reference))
            for j, other in enumerate(spans(hypothesis))
            if tiou(one, other) > Fraction(1, 2)
        )
        expected = 2 * total / (len(words[0]) + len(words[1]))
        assert title_score("TitleScore", pairs) == pytest.approx(expected)
        assert title_score("TitleScore", pairs.swapped()) == pytest.approx(expected)


def test_titles_of_any_script_are_words() -> None:
    one = S(10, (5,))
    for titled in (["今日は", "ニュース"], ["Начало", "Конец"], ["مقدمة", "نهاية"], ["🎵", "…"], ["Ｎｅｗｓ", "ÉTÉ"]):
        assert title_score("TitleScore", Pairs.of(one, one).with_titles([titled], [titled])) == 1.0
    folded = Pairs.of(one, one).with_titles([["NEWS", "été"]], [["ｎｅｗｓ", "E\u0301TE\u0301"]])
    assert title_score("TitleScore", folded) == 1.0
    part = Pairs.of(one, one).with_titles([["今日は", ""]], [["今日", ""]])
    assert title_score("TitleScore(part='precision')", part) == pytest.approx(0.8 / 2)


def test_one_chapter_is_defined() -> None:
    whole = Pairs.of(S(10), S(10)).with_titles([["All of it"]], [["All of it"]])
    assert title_score("TitleScore", whole) == 1.0
    assert title_score("TitleScore(similarity='cider')", whole) == 0.0  # as published
    for text in ("SegmentF1", "MeanTIoU", "SODA", "PQ"):
        assert metric(text)(S(10), S(10)) == 1.0


def documents(*lists: tuple[tuple[int, ...], list[str] | None], n_units: int = 60_000) -> Corpus:
    return Corpus([
        Document(id=str(at), n_units=n_units, unit="ms", segmentation=S(n_units, starts, unit="ms"),
                 extra={} if named is None else {"segment_titles": named})
        for at, (starts, named) in enumerate(lists)
    ])  # fmt: skip


def test_titles_that_are_missing_are_told_in_one_line() -> None:
    with_titles, without = documents(((9_000,), ["a", "b"])), documents(((9_000,), None))
    with pytest.raises(
        MetricError, match="TitleScore reads the titles of segments, and there are none; give 'segment_titles'"
    ):
        metric("TitleScore")(S(5), S(5))
    for reference, system, who in ((without, with_titles, "the reference"), (with_titles, without, "'h'")):
        with pytest.raises(ComparabilityError, match=f"^TitleScore: {who} has no titles of segments .*; add them, or"):
            evaluate(reference, {"h": system}, "TitleScore")
        found = evaluate(reference, {"h": system}, profile="vidchapters")
        assert "CIDEr" not in found.metrics
        assert "F1" in found.metrics
        assert any(note.startswith(f"CIDEr, ROUGE_L: not scored, {who} has no titles") for note in found.notes())
    few = documents(((9_000,), ["a"]))
    with pytest.raises(
        ComparabilityError, match="'h': '0' has 1 titles for 2 segments; give one for each, which may be empty"
    ):
        evaluate(with_titles, {"h": few}, "TitleScore")
    wrong = documents(((9_000,), [1, 2]))  # type: ignore[list-item]
    with pytest.raises(ComparabilityError, match="the titles of '0' are no list of texts"):
        evaluate(with_titles, {"h": wrong}, "TitleScore")


def test_a_show_without_titles_costs_itself_only() -> None:
    reference = documents(((9_000,), ["a", "b"]), ((9_000,), None))
    system = documents(((9_000,), ["a", "b"]), ((9_000,), ["a", "b"]))
    aggregate = evaluate(reference, {"h": system}, "TitleScore").aggregates["h"]["TitleScore"]
    assert (aggregate.score, aggregate.documents, aggregate.undefined) == (1.0, 1, 1)


def test_titles_keep_their_order_by_chance() -> None:
    rng = random.Random(10)
    named = [[f"{title} x{at}" for at, title in enumerate(titles(rng, 5))] for _ in range(20)]
    lists = [(tuple(sorted(rng.sample(range(1_000, 59_000), 4))), each) for each in named]
    found = evaluate(
        documents(*lists), {"h": documents(*lists)}, ["TitleScore", "SODA(similarity='rouge')"], baselines="even"
    )
    skill = found.skill()["h"]
    assert 0 < skill["TitleScore"].expected < 0.9
    assert skill["SODA(similarity='rouge')"].skill == pytest.approx(1.0)
    assert [found.scores[name]["TitleScore"] for name in found.systems if name != "h"] == [0.0]


def test_count_errors() -> None:
    fewer, more = S(9, (3,)), S(9, (2, 4, 6))
    assert metric("CountError")(more, fewer) == 2
    assert [metric("CountError", part=part)(more, fewer) for part in ("under", "equal", "over")] == [1, 0, 0]
    assert [metric("CountError", part=part)(fewer, fewer) for part in ("under", "equal", "over")] == [0, 1, 0]


@pytest.mark.parametrize("name", ["vidchapters", "chapterllama", "chunkseg", "gebd", "openpss"])
def test_profiles_know_their_names(name: str) -> None:
    profile = PROFILES[name]
    for printed, text in profile.names.items():
        assert under_profile(printed, name) == metric(text)
    for lacking in profile.lacks:
        with pytest.raises(CaesuraError, match=rf"^{lacking} is not offered \(.*\); leave it out$"):
            under_profile(lacking, name)
    one = {"d": S(9, (3,), unit="page")} if name == "openpss" else documents(((9_000,), ["a", "b"]))
    first = next(iter(profile.names))
    assert list(evaluate(one, {"h": one}, first.upper(), profile=name).metrics) == [first]


def vectors(titles: list[str]) -> np.ndarray:
    return encoder("default").encode(titles).astype(np.float64)


def test_titles_by_the_vectors_of_an_encoder() -> None:
    names = [["Goodbye", "Weather and rain", "Letters"], ["Farewell", "Rain, storms and the weather", "Football"]]
    named = [documents(((20_000, 40_000), side)) for side in names]
    texts = [
        "TitleScore(similarity='encoder')",
        "SODA(similarity='encoder')",
        "TitleScore(similarity='encoder', encoder='default')",
    ]
    found = evaluate(named[0], {"h": named[1]}, texts)
    cosines = np.maximum((vectors(names[0]) * vectors(names[1])).sum(axis=1), 0)
    scores = found.scores["h"]
    assert list(scores.values()) == pytest.approx([cosines.mean()] * len(scores), abs=1e-6)
    by_words = evaluate(named[0], {"h": named[1]}, "TitleScore").scores["h"]["TitleScore"]
    assert 0.2 < cosines[1] < 1
    assert by_words < cosines.mean()
    mark = encoder("default").fingerprint
    for name in scores:
        assert "|similarity:encoder|" in found.signature(name)
        assert f"|enc:{mark}|" in found.signature(name)
    assert "enc:" not in evaluate(named[0], {"h": named[1]}, "TitleScore").signature("TitleScore")
    assert all(str(metric(str(metric(text)))) == str(metric(text)) for text in texts)
    # Chance keeps the titles in order, and needs their vectors too.
    assert all(0 <= each.expected < 1 for each in found.skill(draws=50)["h"].values())


def test_vectors_of_titles_belong_to_each_document_and_system() -> None:
    rng = random.Random(11)
    lists = [tuple(sorted(rng.sample(range(1_000, 59_000), 3))) for _ in range(12)]
    sides = [[[f"{rng.choice(WORDS)} {rng.choice(WORDS)} {at}" for at in range(4)] for _ in lists] for _ in range(3)]
    sides[1][3][2] = ""
    gold, *systems = (documents(*zip(lists, side, strict=True)) for side in sides)
    found = evaluate(gold, {"a": systems[0], "b": systems[1]}, "TitleScore(similarity='encoder')")
    for name, side in zip("ab", sides[1:], strict=True):
        expected = [
            sum(
                max(float(a @ b), 0) * bool(title)
                for a, b, title in zip(vectors(one), vectors(other), other, strict=True)
            )
            / 4
            for one, other in zip(sides[0], side, strict=True)
        ]
        assert found.per_document(name, next(iter(found.metrics))).tolist() == pytest.approx(expected, abs=1e-6)
    parted = found.pairs["b"].take([3, 4]).swapped()
    again = pickle.loads(pickle.dumps(parted))
    chosen = found.metrics[next(iter(found.metrics))]
    assert chosen.score(chosen.count(again)).tolist() == chosen.score(chosen.count(parted)).tolist()


def test_vectors_of_titles_that_cannot_be_had_are_told_in_one_line() -> None:
    one = Pairs.of(S(10, (5,)), S(10, (5,))).with_titles([["a", "b"]], [["a", "b"]])
    with pytest.raises(MetricError, match="TitleScore reads vectors of titles, which caesura"):
        title_score("TitleScore(similarity='encoder')", one)
    with pytest.raises(MetricError, match="match='order' compares words; leave similarity='cider' out"):
        title_score("TitleScore(match='order', similarity='cider')", one)
    titled = documents(((9_000,), ["a", "b"]))
    with pytest.raises(CaesuraError, match="'defualt' is not an encoder; did you mean default"):
        evaluate(titled, {"h": titled}, "SODA(similarity='encoder', encoder='defualt')")


def test_draws_end_by_the_scale_of_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(12)
    lists = [
        (
            tuple(sorted(rng.sample(range(1_000, 59_000), 5))),
            [f"{rng.choice(WORDS)} {rng.choice(WORDS)}" for _ in range(6)],
        )
        for _ in range(400)
    ]
    gold, system = documents(*lists[:200]), documents(*lists[200:])
    monkeypatch.setattr("caesura.evaluation.chance.expected.MANY_BOUNDARIES", 100)
    cider = "TitleScore(similarity='cider', matching='any', unmatched='hypothesis', tiou=0.1)"
    found = evaluate(gold, {"h": system}, [cider, "TitleScore(matching='any', tiou=0.1)"]).skill(draws=2_000)["h"]
    ten, one = found.values()
    assert 2e-4 < ten.error <= 2e-3
    assert one.error <= 2e-4
    assert ten.draws < 2_000
