# SPDX-License-Identifier: Apache-2.0
"""The outcome of the self-degradation test: which metrics work, with which encoder, and why not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Corpora, Outcome
from caesura.results import Input, Results
from caesura.results.validate.facts import Trust
from caesura.results.validate.facts import Validity as Section

__all__ = ["Validity"]


@dataclasses.dataclass(frozen=True)
class Validity(Outcome):
    """Reference-free metrics tested on a corpus; ``section`` has every number, by encoder and metric."""

    corpus: Corpus
    inputs: Sequence[Input]
    section: Section
    seed: int
    profile: str = "caesura"

    def corpora(self) -> Corpora:
        """Return the documents, whose boundaries are a system's if they are not gold."""
        return Corpora(self.corpus, {} if self.section.gold else {"segmentation": self.corpus})

    def trust(self, metric: str, encoder: str | None = None) -> Trust:
        """Return whether a metric works; with the first encoder unless one is named."""
        name = encoder or next(iter(self.section.encoders))
        try:
            return self.section.encoders[name].metrics[metric]
        except KeyError:
            why = f"{metric!r} was not tested with {name!r}; see the first table of tables()"
            raise ComparabilityError(why) from None

    def results(self) -> Results:
        """Return everything that was measured, as typed data."""
        return Results(
            question="validate",
            caesura=__version__,
            against="nothing",
            profile=self.profile,
            unit=self.corpus.unit,
            seed=self.seed,
            environment=environment(),
            inputs=list(self.inputs),
            validity=self.section,
        )
