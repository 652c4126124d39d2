# SPDX-License-Identifier: Apache-2.0
"""People and systems on one axis, and MultiWindowDiff over window sizes: each number is what a plain call gives."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric
from caesura.metrics.agreement.multi_window_diff import MultiWindowDiff
from caesura.results import answer_of, tables_of
from caesura.results.evaluate.facts import Axis
from caesura.results.evaluate.figure import figure
from caesura.segmentation import Segmentation

N = 40
NAMES = ["W-F1", "MultiWindowDiff"]


def people(documents: int = 6, unit: str = "unit", scale: int = 1) -> Corpus:
    """Return documents that three people coded, and a fourth only in part."""
    rng, made = np.random.default_rng(4), []
    for place in range(documents):
        who = ["a", "b", "c"] + ["d"] * (place < 2)
        codings = {
            name: Segmentation(N * scale, sorted((rng.choice(N - 1, 3 + at, replace=False) + 1) * scale), unit=unit)
            for at, name in enumerate(who)
        }
        made.append(Document(id=f"d{place}", n_units=N * scale, annotations=codings, unit=unit))
    return Corpus(made)


def system(corpus: Corpus, every: int) -> dict[str, Segmentation]:
    return {d.id: Segmentation(d.n_units, range(every, d.n_units, every), unit=d.unit) for d in corpus}


def axis_of(corpus: Corpus, metrics: list[str] = NAMES, **systems: dict[str, Segmentation]) -> Axis:
    found = evaluate(corpus, dict(systems), metrics, against="all").results().axis
    assert found is not None
    return found


def test_every_point_is_what_scoring_it_against_the_annotators_gives() -> None:
    corpus = people()
    points = {point.name: point for point in axis_of(corpus, dense=system(corpus, 5)).points}
    assert [point.what for point in points.values()] == ["system"] + ["annotator"] * 4 + ["consensus"] * 5
    mean = sum(np.mean([c.n_boundaries for c in d.annotations.values()]) for d in corpus)
    assert points["dense"].bor == pytest.approx(7 * len(corpus) / mean)
    for share in (0.25, 0.5, 1.0):
        level = corpus.consensus(share, min_annotators=0)
        expected = evaluate(corpus, {"level": level}, NAMES, against="annotators")
        assert points[f"consensus={share:g}"].scores == pytest.approx(expected.scores["level"])
        assert points[f"consensus={share:g}"].bor == pytest.approx(expected.bors()["level"])


def test_an_annotator_is_scored_against_the_others() -> None:
    corpus, score = people(), metric("W-F1")
    points = {point.name: point for point in axis_of(corpus, dense=system(corpus, 5)).points}
    for name in "abcd":
        coded = [d.annotations for d in corpus if name in d.annotations]
        means = [np.mean([score(other, each[name]) for key, other in each.items() if key != name]) for each in coded]
        assert points[name].scores["W-F1"] == pytest.approx(np.mean(means)), name
        whole = sum(np.mean([c.n_boundaries for c in each.values()]) for each in coded)
        assert points[name].bor == pytest.approx(sum(each[name].n_boundaries for each in coded) / whole), name


def test_windows_are_those_of_the_metric_and_the_order_is_that_of_the_scores() -> None:
    corpus = people()
    systems = {"dense": system(corpus, 5), "sparse": system(corpus, 15)}
    windows = axis_of(corpus, **systems).windows
    assert [row.window for row in windows] == sorted(row.window for row in windows)  # type: ignore[type-var]
    assert len(windows) >= 4
    for row in windows:
        expected = evaluate(corpus, systems, [MultiWindowDiff(m=row.window)], against="annotators")
        name = next(iter(expected.metrics))
        assert row.systems == pytest.approx({s: each[name] for s, each in expected.scores.items()})
    results = evaluate(corpus, systems, NAMES, against="all").results()
    table = next(table for table in tables_of(results) if table.title == "MultiWindowDiff over window sizes")
    for cells, row in zip(table.rows, windows, strict=True):
        assert cells[-1] == " < ".join(sorted(row.systems, key=lambda name: row.systems[name] or 0.0))
    assert "By MultiWindowDiff they have" in " ".join(answer_of(results))


def test_shows_have_windows_in_seconds() -> None:
    corpus = people(unit="ms", scale=10_000)
    metrics = ["BoundaryF1(tolerance='10s')", "MultiWindowDiff"]
    windows = axis_of(corpus, metrics, dense=system(corpus, 50_000)).windows
    assert all(isinstance(row.window, str) and row.window.endswith("s") for row in windows)
    assert len(windows) >= 4


def test_one_annotator_leaves_people_without_scores_and_systems_with_them() -> None:
    corpus = people()
    alone = Corpus(Document(id=d.id, n_units=N, annotations={"a": d.annotations["a"]}) for d in corpus)
    points = {point.name: point for point in axis_of(alone, ["W-F1"], dense=system(corpus, 5)).points}
    assert points["a"].scores == {"W-F1": None}
    assert points["a"].bor == 1.0
    assert points["dense"].scores["W-F1"] is not None


def test_the_figure_has_people_systems_and_levels() -> None:
    corpus = people()
    drawn = str(figure(evaluate(corpus, {"dense": system(corpus, 5)}, [*NAMES, "BOR"], against="all").results()))
    for name in ("dense", "'a'", "consensus=0.5", "People and systems: W-F1", "People and systems: MultiWindowDiff"):
        assert name in drawn
    assert "People and systems" not in str(
        figure(evaluate(corpus, {"dense": system(corpus, 5)}, NAMES, against="annotators").results())
    )
