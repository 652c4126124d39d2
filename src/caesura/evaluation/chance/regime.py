# SPDX-License-Identifier: Apache-2.0
"""How dense a reference is annotated, and where a system's density goes wrong (section 9 of the granularity paper).

Two references of the same mean density may differ in how evenly it is spread, and a system may be wrong by the same
total in a few odd documents or in all of them. Both change how a density is to be chosen.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.batches.pairs import Pairs
from caesura.evaluation.chance.skill import system_pairs
from caesura.evaluation.reference.report import Evaluation
from caesura.results import Number, Results, as_number
from caesura.table import Column, Table, Value

__all__ = [
    "AnnotationRegime",
    "DensityError",
    "add_regime",
    "annotation_regime",
    "density_error",
    "regime_tables",
]

WORST_SHARE = 0.1
"""The worst documents of a density error are this share of all, rounded up."""


@dataclasses.dataclass(frozen=True)
class AnnotationRegime:
    """The density of a reference.

    Attributes
    ----------
    documents : int
        How many there are.
    without : int
        How many of them have no boundary.
    per_100_units : float
        Boundaries per 100 units, all documents pooled.
    mean, sd : float
        Mean and sample standard deviation over documents of the boundaries per 100 units of each.
    quartiles : (float, float, float)
        Of the same.
    mean_segment : float
        Units per segment, all documents pooled.
    """

    documents: int
    without: int
    per_100_units: float
    mean: float
    sd: float
    quartiles: tuple[float, float, float]
    mean_segment: float

    @property
    def variation(self) -> float:
        """The spread relative to the mean: near 0 the annotation is uniform, from about 1 on highly variable."""
        return self.sd / self.mean if self.mean else math.nan

    def as_dict(self) -> dict[str, Number | list[Number]]:
        """Return it as the results file writes it."""
        found: dict[str, Number | list[Number]] = {
            field.name: as_number(getattr(self, field.name))
            for field in dataclasses.fields(self)
            if field.name != "quartiles"
        }
        found["quartiles"] = [as_number(value) for value in self.quartiles]
        found["variation"] = as_number(self.variation)
        return found


@dataclasses.dataclass(frozen=True)
class DensityError:
    """How far a system's numbers of boundaries are off, and how concentrated that is.

    Attributes
    ----------
    total : int
        Sum over documents of the difference of the two numbers of boundaries, without its sign.
    net : int
        The same sum with its sign: boundaries too many, or, below 0, too few.
    documents_off : int
        Documents with another number of boundaries than the reference.
    worst_documents : int
        How many documents a tenth is, rounded up.
    worst_share : float
        Share of the total in that worst tenth; NaN if the total is 0. Spread evenly it would be about a tenth.
    worst : tuple of int
        The places of these documents, the worst first, ties in the order of the corpus.
    """

    total: int
    net: int
    documents_off: int
    worst_documents: int
    worst_share: float
    worst: tuple[int, ...]

    def as_dict(self, documents: Sequence[str] | None = None) -> dict[str, Number | list[str] | list[int]]:
        """Return it as the results file writes it; with ids, the worst documents by id."""
        return {
            "total": self.total,
            "net": self.net,
            "documents_off": self.documents_off,
            "worst_documents": self.worst_documents,
            "worst_share": as_number(self.worst_share),
            "worst": list(self.worst) if documents is None else [documents[row] for row in self.worst],
        }


def annotation_regime(reference: Flat) -> AnnotationRegime:
    """Return how dense a reference is annotated, and how evenly.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> flat = Flat.from_segmentations([Segmentation(10, (2, 5)), Segmentation(30, (9,))])
    >>> regime = annotation_regime(flat)
    >>> regime.per_100_units, round(regime.mean, 3), regime.mean_segment
    (7.5, 11.667, 8.0)
    """
    counts, units = np.diff(reference.ptr), reference.n_units
    each = 100 * counts / units
    some = len(each) > 0
    quartiles = np.percentile(each, [25, 50, 75]).tolist() if some else [math.nan] * 3
    return AnnotationRegime(
        documents=len(each),
        without=int((counts == 0).sum()),
        per_100_units=100 * float(counts.sum()) / float(units.sum()) if some else math.nan,
        mean=float(each.mean()) if some else math.nan,
        sd=float(each.std(ddof=1)) if len(each) > 1 else math.nan,
        quartiles=(quartiles[0], quartiles[1], quartiles[2]),
        mean_segment=float(units.sum()) / float(counts.sum() + len(each)) if some else math.nan,
    )


def density_error(pairs: Pairs) -> DensityError:
    """Return how far the hypothesis' numbers of boundaries are off, and how concentrated that is."""
    signed: Ints = np.diff(pairs.hyp_ptr) - np.diff(pairs.ref_ptr)
    off = np.abs(signed)
    total, tenth = int(off.sum()), math.ceil(WORST_SHARE * len(off))
    worst = np.argsort(-off, kind="stable")[:tenth]
    return DensityError(
        total=total,
        net=int(signed.sum()),
        documents_off=int((off > 0).sum()),
        worst_documents=tenth,
        worst_share=float(off[worst].sum()) / total if total else math.nan,
        worst=tuple(int(row) for row in worst if off[row]),
    )


def add_regime(evaluation: Evaluation, results: Results) -> None:
    """Put the annotation regime of the reference, and the density error of every system, into the results."""
    systems = {system: system_pairs(evaluation, system) for system in evaluation.systems}
    first = next(iter(systems.values()))
    results.regime = {
        "annotation": annotation_regime(Flat(first.n_units, first.ref_ptr, first.ref_pos)).as_dict(),
        "density_error": {
            system: density_error(pairs).as_dict(evaluation.documents) for system, pairs in systems.items()
        },
    }


def regime_tables(evaluation: Evaluation) -> list[Table]:
    """Return the annotation regime of the reference, and the density error of every system."""
    systems = {system: system_pairs(evaluation, system) for system in evaluation.systems}
    first = next(iter(systems.values()))
    regime = annotation_regime(Flat(first.n_units, first.ref_ptr, first.ref_pos))
    found: list[list[Value]] = [
        [
            regime.documents,
            regime.without,
            regime.per_100_units,
            regime.mean,
            regime.sd,
            *regime.quartiles,
            regime.mean_segment,
        ]
    ]
    heads = ["documents", "without", "per 100 units", "mean", "sd", "q25", "median", "q75", "mean segment"]
    notes = ["mean, sd and quartiles: boundaries per 100 units of each document"]
    rows: list[list[Value]] = []
    for system, pairs in systems.items():
        error = density_error(pairs)
        named = ", ".join(str(evaluation.documents[row]) for row in error.worst[:3])
        rows.append([system, error.total, error.net, error.documents_off, error.worst_share, named])
    tenth = math.ceil(WORST_SHARE * len(first))
    columns = ["system", "error", "net", "documents off", "worst tenth", "the worst"]
    return [
        Table([Column(title) for title in heads], found, notes=notes, title="Annotation regime"),
        Table(
            [Column(title) for title in columns],
            rows,
            notes=[
                "error: sum over documents of ||P| - |G||; worst tenth: share of it in the "
                f"{tenth} worst of {len(first)} documents"
            ],
            title="Density error",
        ),
    ]
