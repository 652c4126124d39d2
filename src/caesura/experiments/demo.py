# SPDX-License-Identifier: Apache-2.0
"""The demonstration: two blind systems and one reader, against the readers of a real novel."""

from __future__ import annotations

from typing import NamedTuple

from caesura.datasets.bundled import bundled
from caesura.evaluation import Evaluation, evaluate
from caesura.evaluation.annotators import Agreement, agreement
from caesura.evaluation.outcome import Corpora
from caesura.experiments.examples import example_systems
from caesura.results import Results

__all__ = ["DEMO_METRICS", "Demonstration", "demonstrate"]

DEMO_METRICS = ("W-F1", "B", "Pk", "WindowDiff", "BOR")


class Demonstration(NamedTuple):
    """The example systems compared with each other, and the readers with each other."""

    systems: Evaluation
    readers: Agreement

    def results(self, *, per_document: bool = False) -> dict[str, Results]:
        """Return the results by question."""
        compared = self.systems.results(per_document=per_document)
        compared.question = "compare"
        return {"compare": compared, "agree": self.readers.results()}

    def sections(self) -> dict[str, tuple[Results, Corpora]]:
        """Return the sections of a page: results with the chapters."""
        compared, agreed = self.results(per_document=True).values()
        return {
            "Three systems": (compared, self.systems.corpora()),
            "The readers": (agreed, self.readers.corpora()),
        }


def demonstrate(*, seed: int = 0) -> Demonstration:
    """Compare the example systems on the bundled chapters, and their readers with each other.

    Parameters
    ----------
    seed : int
        Seed of resampling and chance.
    """
    corpus = bundled("moonstone")
    evaluation = evaluate(corpus, example_systems(corpus), DEMO_METRICS)
    evaluation.compare(seed=seed)
    evaluation.verdicts()
    return Demonstration(evaluation, agreement(corpus, seed=seed))
