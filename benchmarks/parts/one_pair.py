# SPDX-License-Identifier: Apache-2.0
"""Goal 12: one pair of 100 units through the Python API."""

from __future__ import annotations

from benchmarks.contest import LARGEST_DIFFERENCE
from benchmarks.corpora import generate, prefix
from benchmarks.peers.base import TASKS, installed
from benchmarks.peers.nltk_adapter import NltkAdapter
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave
from caesura.metrics import METRICS, metric
from caesura.segmentation import Segmentation

__all__ = ["measure"]

TEXT = "one pair of 100 units, Pk, times faster than NLTK"
CALLS = 2_000


def measure(settings: Settings) -> Part:
    """Time a call of a metric object on two segmentations."""
    part = Part(
        "one pair",
        "One pair of 100 units",
        notes=[
            f"{CALLS:,} calls per round; the segmentations, the strings and the metric objects are made beforehand."
        ],
    )
    pairs = prefix(generate(settings.shape("S"), settings.seed), 1)
    n_units = int(pairs.n_units[0])
    reference, hypothesis = (Segmentation(n_units, side) for side in (pairs.ref_pos, pairs.hyp_pos))
    metrics = {name: metric(name) for name in METRICS.names()}

    def call(name: str, times: int = CALLS) -> None:
        chosen = metrics[name]
        for _ in range(times):
            chosen(reference, hypothesis)

    works = {f"{name}: caesura": (lambda name=name: call(name)) for name in ("Pk", "WindowDiff", "BoundarySimilarity")}
    nltk = NltkAdapter()
    if not installed(nltk):
        part.skipped[TEXT] = "nltk is not installed"
        part.goal(12, TEXT, ">=", 3.0, None, part.skipped[TEXT])
        return part
    prepared = nltk.prepare(TASKS["Pk"], pairs) * CALLS
    theirs = nltk.run(TASKS["Pk"], prepared[:1])[0]
    ours = metrics["Pk"](reference, hypothesis)
    if not abs(ours - theirs) <= LARGEST_DIFFERENCE:
        part.mismatches[TEXT] = f"{ours!r} and {theirs!r}"
        part.goal(12, TEXT, ">=", 3.0, None, part.mismatches[TEXT])
        return part
    works["Pk: NLTK"] = lambda: nltk.run(TASKS["Pk"], prepared)
    part.rounds.update(interleave(works, settings.rounds, settings.shortest))
    part.goal(12, TEXT, ">=", 3.0, ratio_of(part.rounds["Pk: NLTK"], part.rounds["Pk: caesura"]))
    return part
