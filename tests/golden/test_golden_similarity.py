"""Edit statistics, S, B and edit precision and recall against segeval 2.0.11; the alignment index against its authors' code."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.kernels import kernel
from caesura.metrics import metric
from caesura.metrics.profiles import under_profile
from tests.golden.cells import Cell, compare, pairs_of
from tests.strategies import count_one

N_T = ("2", "3", "5")
SIMILARITY_DISAGREEMENTS = {
    # segeval raises ValueError (max of an empty sequence) where neither side has a boundary; ours is 1.
    f"two-units-none {name} {n_t}": 1.0
    for n_t in N_T
    for name in ("S", "B")
}
NEVER_COMPUTED = 1  # segeval crashes on the whole case, so that its statistics are not there to compare


def similarity_cells() -> Iterator[Cell]:
    for case, reference, hypothesis, expected in pairs_of("segeval_similarity"):
        for n_t, printed in expected["by_n_t"].items():
            for name in ("S", "B"):
                ours = metric(f"{name}(n_t={n_t})")
                yield Cell(f"{case} {name} {n_t}", ours(reference, hypothesis), printed.get(name, printed))
            if "statistics" not in printed:
                continue
            statistics, matrix = printed["statistics"], printed["bed_confusion_as_printed"]
            gaps, matches, ref_only, hyp_only, transpositions, weighted, distance = count_one(
                kernel("edits"), reference, hypothesis, int(n_t)
            )
            for name, ours, theirs in (
                ("gaps", gaps, statistics["pbs"]),
                ("matches", matches, statistics["matches"]),
                ("ref_only", ref_only, statistics["additions_ref_only"]),
                ("hyp_only", hyp_only, statistics["additions_hyp_only"]),
                ("transpositions", transpositions, len(statistics["transpositions"])),
                ("distance", distance, sum(abs(a - b) for a, b in statistics["transpositions"])),
                ("not matched", 2 * transpositions + ref_only + hyp_only, statistics["full_misses"]),
                ("all", 2 * matches + 2 * transpositions + ref_only + hyp_only, statistics["boundaries_all"]),
                ("edits", ref_only + hyp_only + weighted, statistics["count_edits"]),
            ):
                yield Cell(f"{case} {name} {n_t}", ours, theirs)
            for name, key in (("EditPrecision", "precision"), ("EditRecall", "recall"), ("EditF1", "f1")):
                ours = under_profile(f"{name}(n_t={n_t})", "segeval")
                yield Cell(f"{case} {ours}", ours(reference, hypothesis), matrix[key])
            as_printed = under_profile(f"EditF1(n_t={n_t})", "segeval")
            counts = as_printed.counts(reference, hypothesis)
            yield Cell(f"{case} hits {n_t}", counts["matches"] + counts["weighted"], matrix["tp_weighted"])
            # What only the hypothesis has stands where segeval's misses are read from.
            yield Cell(f"{case} none-1 {n_t}", counts["hyp_only"], matrix["matrix_none_1"])
            yield Cell(f"{case} 1-none {n_t}", counts["ref_only"], matrix["matrix_1_none"])


def test_segeval_similarity() -> None:
    compare(similarity_cells(), SIMILARITY_DISAGREEMENTS, count=69 * 3 * 2 + (69 - NEVER_COMPUTED) * 3 * (9 + 3 + 3))


def test_precision_and_recall_are_the_right_way_round() -> None:
    """For n_t = 2 a near miss weighs the same either way, so that ours are segeval's exchanged."""
    compared = 0
    for _, reference, hypothesis, expected in pairs_of("segeval_similarity"):
        if "statistics" not in expected["by_n_t"]["2"]:
            continue
        matrix = expected["by_n_t"]["2"]["bed_confusion_as_printed"]
        assert abs(metric("EditPrecision")(reference, hypothesis) - matrix["recall"]) <= 1e-9
        assert abs(metric("EditRecall")(reference, hypothesis) - matrix["precision"]) <= 1e-9
        assert abs(metric("EditF1")(reference, hypothesis) - matrix["f1"]) <= 1e-9
        compared += 1
    assert compared == 68


def alignment_cells() -> Iterator[Cell]:
    ours = metric("AlignmentIndex")
    for case, reference, hypothesis, expected in pairs_of("alignment_index"):
        yield Cell(f"{case} A", ours(reference, hypothesis), expected["A"])
        yield Cell(f"{case} A swapped", ours(hypothesis, reference), expected["A_swapped"])


def test_alignment_index() -> None:
    compare(alignment_cells(), {}, count=2 * 69)
