"""The bundled corpora against statistics by segeval 2.0.11, statsmodels 0.15.0 and an independent script.

Groups of the corpus: G5 are chapters 1, 3, 4 and 11, G2 chapters 2, 5, 8 and 10.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.datasets.bundled import bundled
from caesura.evaluation.agree import Agreement, agreement
from caesura.evaluation.agree.pairwise import PairwiseAgreement, pairwise
from caesura.metrics import metric
from caesura.metrics.agreement import pair_blocks, pooled_window
from tests.golden.cells import DATA, Cell, compare

GROUPS = {
    "G2": ("ch2", "ch5", "ch8", "ch10"),
    "G5": ("ch1", "ch3", "ch4", "ch11"),
    "G2+G5": ("ch1", "ch2", "ch3", "ch4", "ch5", "ch8", "ch10", "ch11"),
}


@functools.cache
def printed() -> dict[str, Any]:
    return json.loads((DATA / "moonstone_stargazer_statistics.json").read_text())


def corpus_of(group: str) -> Corpus:
    return bundled("stargazer") if group == "stargazer" else bundled("moonstone").subset(GROUPS[group])


@functools.cache
def report(group: str) -> Agreement:
    return agreement(corpus_of(group), resamples=200)


def chapter_cells() -> Iterator[Cell]:
    for group, chapters in printed()["per_chapter"].items():
        for name, theirs in chapters.items():
            a = agreement(corpus_of(group).subset([name]), resamples=10)
            people, k = a.panel.of_document(0), int(pooled_window(a.panel)[0])
            segments = [s.n_segments for s in people.values()]
            # The golden file has the annotators of a group by name, the corpus by number.
            by_name = [people[key].n_segments for key in sorted(people)]
            ours: dict[str, float] = {
                "n_units": float(a.panel.n_units[0]),
                "annotators": float(len(people)),
                "avg_segment_length": len(people) * float(a.panel.n_units[0]) / sum(segments),
                "k": float(k),
                "kappa": a.coefficients["FleissKappa"].score,
                "kappa_with_closing_boundary": a.coefficients["FleissKappa(include_end=True)"].score,
                "pk": a.pairwise("Pk").mean,
                "wd": a.pairwise("WindowDiff").mean,
                "pk_own_k": a.pairwise("Pk", "reference").mean,
                "wd_own_k": a.pairwise("WindowDiff", "reference").mean,
            }
            for rounding in ("half_up", "floor"):
                other = int(pooled_window(a.panel, rounding, 1)[0])
                ours[f"k_{rounding}"] = float(other)
                ours[f"wd_k_{rounding}"] = a.pairwise(f"WindowDiff(k={other})").mean
            if "wd_with_closing_boundary" in theirs:
                m = int(pooled_window(a.panel, "half_up", 0)[0])
                ours["wd_with_closing_boundary"] = a.pairwise(f"WindowDiff(k={m}, string='units_closed')").mean
            assert by_name == theirs["n_segments"]
            assert set(ours) | {"n_segments", "support"} == set(theirs)
            for key, value in ours.items():
                yield Cell(f"{name} {key}", value, theirs[key])
            for tolerance, values in theirs["support"].items():
                assert len(values) == len(a.support)
                for item, value in zip(a.support, values, strict=True):
                    yield Cell(f"{name} support {tolerance} {item.gap}", getattr(item, tolerance), value)


def test_every_chapter() -> None:
    supports = 3 * (56 + 76 + len(report("stargazer").support))
    compare(chapter_cells(), {}, count=8 * 15 + 14 + supports)


def summary_cells() -> Iterator[Cell]:
    for group in GROUPS:
        theirs, a = dict(printed()["summary"][group]), report(group)
        facts, kappa = a.statistics(), a.coefficients["FleissKappa"]
        ours = {
            "chapters": facts["documents"],
            "annotations": facts["codings"],
            "mean_chapter_length": facts["units_mean"],
            "mean_segments_per_annotation": facts["segments_mean"],
            "sd_segments": facts["segments_sd"],
            "mean_segment_length": facts["segment_length_mean"],
            "sd_segment_length": facts["segment_length_sd"],
            "kappa_mean_over_chapters": kappa.score,
            "kappa_sd_over_chapters": kappa.sd,
        }
        means = {"kappa": [], "pk": [], "wd": []}
        for part in ("G2", "G5") if group == "G2+G5" else (group,):
            means["kappa"].append(report(part).coefficients["FleissKappa"].score)
            means["pk"].append(report(part).pairwise("Pk").mean)
            means["wd"].append(report(part).pairwise("WindowDiff").mean)
        for key, value in theirs.pop("mean_of_group_means").items():
            yield Cell(f"{group} mean of group means {key}", float(np.mean(means[key])), value)
        for key, name in (("pk", "Pk"), ("wd", "WindowDiff")):
            over = a.pairwise(name)
            ours[f"{key}_mean_over_chapters"], ours[f"{key}_sd_over_chapters"] = over.mean, over.sd
            pairs = pair_scores(a, name)
            ours[f"{key}_mean_over_pairs"] = float(pairs.mean())
            ours[f"{key}_sd_over_pairs"] = float(pairs.std(ddof=1))
        for tolerance in ("exact", "half", "full"):
            values = np.array([getattr(item, tolerance) for item in a.support])
            stats = {
                "n": len(values),
                "mean": values.mean(),
                **{q: facts[f"support_{tolerance}_{q}"] for q in ("q25", "median", "q75")},
                "share_ge_50pct": (values >= 0.5).mean(),
                "share_eq_100pct": (values == 1).mean(),
            }
            quoted = theirs.pop(f"support_{tolerance}")
            assert set(stats) == set(quoted)
            for key, value in stats.items():
                yield Cell(f"{group} {tolerance} {key}", float(value), quoted[key])
        assert set(ours) == set(theirs)
        for key, value in ours.items():
            yield Cell(f"{group} {key}", value, theirs[key])


def one_measure(panel: Panel, name: str) -> PairwiseAgreement:
    return pairwise(panel, [(name, "pooled")])[name, "pooled"]


def pair_scores(a: Agreement, name: str) -> np.ndarray:
    """Return the score of every unordered pair, with the pooled window of its chapter."""
    windows = pooled_window(a.panel)
    people = [s for row in range(len(a.panel)) for s in a.panel.of_document(row).values()]
    return np.array(
        [
            metric(f"{name}(k={windows[row]})")(people[first], people[second])
            for block in pair_blocks(a.panel)
            for row, first, second in zip(block.document, block.first, block.second, strict=True)
        ]
    )


def test_the_groups() -> None:
    compare(summary_cells(), {}, count=3 * (9 + 3 + 8 + 3 * 7))


def test_the_end_counted() -> None:
    theirs, a = printed()["summary"]["with_closing_boundary_as_item"], report("G2+G5")
    kappa = a.coefficients["FleissKappa(include_end=True)"]
    windows = pooled_window(a.panel, "half_up", 0)
    closed = np.array(
        [
            one_measure(a.panel.take([row]), f"WindowDiff(k={windows[row]}, string='units_closed')").mean
            for row in range(8)
        ]
    )
    cells = [
        Cell("kappa mean", kappa.score, theirs["kappa_mean"]),
        Cell("kappa sd", kappa.sd, theirs["kappa_sd"]),
        Cell("WindowDiff mean", float(closed.mean()), theirs["wd_mean"]),
        Cell("WindowDiff sd", float(closed.std(ddof=1)), theirs["wd_sd"]),
    ]
    compare(cells, {}, count=4)


def test_pk_against_annotator_4() -> None:
    """Paper 002, table 5."""
    theirs, people = (printed()["paper_002_table_5_pk_vs_annotator_4"], bundled("stargazer")["stargazer"].annotations)
    ours = {name: round(metric("Pk")(people["4"], coding), 2) for name, coding in people.items()}
    assert ours == theirs["paper"] == theirs["segeval"]


def test_what_the_paper_and_the_definitions_print() -> None:
    a = report("G2+G5")
    facts = a.statistics()
    assert facts["units_mean"] == pytest.approx(48.4, abs=0.05)
    assert (round(facts["segment_length_mean"], 2), round(facts["segment_length_sd"], 2)) == (6.53, 6.70)
    assert (round(facts["segments_mean"], 2), round(facts["segments_sd"], 2)) == (7.30, 5.49)
    kappa, closed = a.coefficients["FleissKappa"], a.coefficients["FleissKappa(include_end=True)"]
    assert (round(kappa.score, 3), round(kappa.sd, 3), round(closed.score, 3)) == (0.276, 0.159, 0.385)
    assert (round(a.pairwise("Pk").mean, 3), round(a.pairwise("WindowDiff").mean, 3)) == (0.308, 0.341)
    star = report("stargazer")
    assert round(star.coefficients["FleissKappa"].score, 3) == 0.330
    assert (round(star.pairwise("Pk").mean, 3), round(star.pairwise("WindowDiff").mean, 3)) == (0.326, 0.411)
    chapter = bundled("moonstone")["ch1"].annotations
    paper = printed()["paper_text"]["chapter_1"]
    assert round(metric("FleissKappa(include_end=True)")(chapter), 2) == paper["kappa"] == 0.28
    assert round(metric("FleissKappa")(chapter), 3) == 0.043
    assert star.coefficients["FleissKappa"].sd is None  # one document has no spread
