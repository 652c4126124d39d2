# SPDX-License-Identifier: Apache-2.0
"""Goals 1, 2, 3 and 14: other libraries on corpus M, and the same scores."""

from __future__ import annotations

from benchmarks.contest import LARGEST_DIFFERENCE, contest
from benchmarks.peers import PEERS, TASKS, CaesuraAdapter
from benchmarks.results import Part, Ratio
from benchmarks.settings import Settings

__all__ = ["measure"]

_LIMITS = (
    (1, "B", "segeval", 1_500),
    (1, "S", "segeval", 1_500),
    (1, "B, n_t = 8", "segeval", 1_200),
    (1, "S, n_t = 8", "segeval", 1_200),
    (2, "WindowDiff", "segeval", 900),
    (2, "WindowDiff", "NLTK", 180),
    (2, "Pk", "segeval", 230),
    (2, "Pk", "NLTK", 150),
    (3, "purity and coverage", "pyannote.metrics", 25_000),
)


def measure(settings: Settings) -> Part:
    """Compare every task with every library that has it."""
    part = Part(
        "libraries",
        "Other libraries, corpus M",
        notes=[
            "CPU time per document. Slow libraries run a prefix of the documents, as stated. What a library wants as "
            "input (masses, strings and the window, annotations, intervals) is prepared beforehand."
        ],
    )
    pairs = settings.corpus("M", part)
    ratios: dict[tuple[str, str], Ratio] = {}
    for task in TASKS.values():
        for peer, ratio in contest(task, pairs, CaesuraAdapter(), PEERS, settings, part).items():
            ratios[task.name, peer] = ratio
    for number, task_name, peer, limit in _LIMITS:
        label = f"{task_name}: {peer}"
        why = "" if (task_name, peer) in ratios else part.mismatches.get(label) or part.skipped.get(label, "not run")
        part.goal(number, f"M, {task_name}, times faster than {peer}", ">=", limit, ratios.get((task_name, peer)), why)
    _judge_exactness(part)
    return part


def _judge_exactness(part: Part) -> None:
    """Goal 14: a disagreement anywhere is the worst difference there is."""
    if part.mismatches:
        label, wrong = next(iter(part.mismatches.items()))
        worst = Ratio(float("inf"), float("inf"), float("inf"))
        part.goal(
            14, f"largest difference of a score ({label}: {wrong})", "<=", LARGEST_DIFFERENCE, worst, kind="difference"
        )
        return
    differences = [each["largest_difference"] for each in part.agreement]
    if not differences:
        part.goal(
            14,
            "largest difference of a score",
            "<=",
            LARGEST_DIFFERENCE,
            None,
            "no library to compare with",
            "difference",
        )
        return
    compared = sum(each["documents"] for each in part.agreement)
    part.goal(
        14,
        f"largest difference of a score from a library ({len(differences)} comparisons, {compared} documents)",
        "<=",
        LARGEST_DIFFERENCE,
        Ratio(max(differences), min(differences), max(differences)),
        kind="difference",
    )
