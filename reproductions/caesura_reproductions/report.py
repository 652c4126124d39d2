# SPDX-License-Identifier: Apache-2.0
"""The result of a reproduction: every printed number with ours, and the errors found."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from caesura._version import __version__
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Outcome
from caesura.results import Results, write_results
from caesura.results.reproduce.facts import STATUSES, Cell, Erratum, ItemFacts, ReproductionFacts, Series
from caesura_reproductions.base import Item

__all__ = ["Reproduction"]


@dataclasses.dataclass(frozen=True)
class Reproduction(Outcome):
    """A paper's numbers, reproduced."""

    paper: str
    alias: str
    title: str
    items: Sequence[Item]
    cells: Sequence[Cell]
    errata: Sequence[Erratum] = ()
    series: Sequence[Series] = ()

    @property
    def matched(self) -> bool:
        """Whether every number that can be exact is, and every misprint is shown."""
        return not any(cell.failed for cell in self.cells)

    def results(self, *, unmatched: bool = False) -> Results:
        """Return everything, or only the cells that differ from print, as typed data."""
        return Results(
            question="reproduce",
            caesura=__version__,
            environment=environment(),
            reproduction=ReproductionFacts(
                paper=self.paper,
                alias=self.alias,
                title=self.title,
                matched=self.matched,
                items=[self._facts(item) for item in self.items],
                errata=list(self.errata),
                series=list(self.series),
            ),
            cells=[c for c in self.cells if not unmatched or c.failed or c.status == "different"],
        )

    def _facts(self, item: Item) -> ItemFacts:
        cells = [cell for cell in self.cells if cell.item == item.name]
        counts = Counter(cell.status for cell in cells if cell.printed is not None)
        return ItemFacts(
            name=item.name,
            title=item.title,
            needs=item.needs,
            can_be_exact=sum(cell.can_be_exact for cell in cells),
            counts={status: counts[status] for status in STATUSES if counts[status]},
        )

    def save(self, path: str | Path, *, results: Results | None = None, overwrite: bool = True) -> Results:
        """Write the results file, and return the results."""
        results = results or self.results()
        write_results(path, results, overwrite=overwrite)
        return results
