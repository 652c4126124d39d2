# SPDX-License-Identifier: Apache-2.0
"""What a reproduction returns: published numbers beside the reproduced ones, files compared, and what is missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from caesura._version import __version__
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Outcome
from caesura.results import Results, write_results
from caesura.results.reproduction import Absent, Cell, FileCheck, ReproductionFacts

__all__ = ["Reproduction"]


@dataclasses.dataclass(frozen=True)
class Reproduction(Outcome):
    """A paper's numbers, reproduced: published numbers, released files, and what is not reproduced."""

    paper: str
    title: str
    cells: Sequence[Cell]
    files: Sequence[FileCheck] = ()
    absent: Sequence[Absent] = ()

    @property
    def matched(self) -> bool:
        """Whether everything that was reproduced has every printed digit."""
        return all(c.matched is not False for c in self.cells) and all(f.matched for f in self.files)

    def summary(self) -> str:
        """Return the outcome in one sentence."""
        printed = [cell for cell in self.cells if cell.printed is not None]
        matched, by_paper = sum(bool(c.matched) for c in printed), sum(bool(c.paper_matched) for c in printed)
        values = sum(f.compared for f in self.files)
        equal = sum(f.compared for f in self.files if f.matched)
        return (
            f"paper {self.paper}: {matched} of {len(printed)} printed numbers have every digit under as_run, {by_paper} under "
            f"paper; {equal} of {values} values of released files are in columns that match"
        )

    def results(self, *, unmatched: bool = False) -> Results:
        """Return everything, or only what is not matched, as typed data; the summary is always of everything."""
        return Results(
            question="reproduce",
            caesura=__version__,
            environment=environment(),
            reproduction=ReproductionFacts(
                paper=self.paper,
                title=self.title,
                matched=self.matched,
                cells=[cell for cell in self.cells if not unmatched or cell.matched is False],
                files=[file for file in self.files if not unmatched or not file.matched],
                absent=list(self.absent),
            ),
            notes=[self.summary()],
        )

    def save(self, path: str | Path, *, results: Results | None = None, overwrite: bool = True) -> Results:
        """Write the results file, and return the results."""
        results = results or self.results()
        write_results(path, results, overwrite=overwrite)
        return results
