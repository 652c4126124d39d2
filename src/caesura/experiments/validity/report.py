# SPDX-License-Identifier: Apache-2.0
"""The outcome of the self-degradation test: which metrics work, with which encoder, and why not."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.measurement import environment
from caesura.results import Input, Results, tables_of, write_results
from caesura.results.validity import Trust
from caesura.results.validity import Validity as Section
from caesura.table import Table

__all__ = ["Validity"]


@dataclasses.dataclass(frozen=True)
class Validity:
    """Reference-free metrics tested on a corpus.

    Attributes
    ----------
    corpus : Corpus
        The documents, with the boundaries that were damaged.
    inputs : sequence of Input
        Where documents and boundaries came from.
    section : caesura.results.validity.Validity
        Every number, encoder by encoder and metric by metric.
    seed : int
        The random seed.
    """

    corpus: Corpus
    inputs: Sequence[Input]
    section: Section
    seed: int

    def trust(self, metric: str, encoder: str | None = None) -> Trust:
        """Return whether a metric works; with the first encoder unless one is named."""
        name = encoder or next(iter(self.section.encoders))
        if name not in self.section.encoders or metric not in self.section.encoders[name].metrics:
            raise ComparabilityError(
                f"{metric!r} was not tested with {name!r}; see the first table of tables()"
            )
        return self.section.encoders[name].metrics[metric]

    def results(self) -> Results:
        """Return everything that was measured, as typed data."""
        return Results(
            question="validate",
            caesura=__version__,
            against="nothing",
            unit=self.corpus.unit,
            seed=self.seed,
            environment=environment(),
            inputs=list(self.inputs),
            validity=self.section,
        )

    def tables(self) -> list[Table]:
        """Return every table of the results."""
        return tables_of(self.results())

    def save(self, path: str | Path, *, overwrite: bool = True) -> Results:
        """Write the results file, and return the results."""
        results = self.results()
        write_results(path, results, overwrite=overwrite)
        return results
