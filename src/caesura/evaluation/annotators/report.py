# SPDX-License-Identifier: Apache-2.0
"""Everything about the annotators of a corpus, in one object."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura._version import __version__
from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.annotators.annotators import AnnotatorRow, annotator_rows
from caesura.evaluation.annotators.coefficients import DEFAULT_COEFFICIENTS, Coefficient, coefficient
from caesura.evaluation.annotators.contested import Contested, contested_gaps
from caesura.evaluation.annotators.disagreement import Disagreement, disagreements, tally
from caesura.evaluation.annotators.pairwise import PairwiseAgreement, Window, pairwise
from caesura.evaluation.annotators.planning import Plan, plan
from caesura.evaluation.annotators.support import Support, boundary_support
from caesura.evaluation.inputs import CorpusLike, read_source
from caesura.metrics import metric as find_metric
from caesura.results import as_number
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.statistics import Bootstrap, Interval
from caesura.table import Column, Table, Value

__all__ = ["Agreement", "agreement"]

WINDOWS: tuple[Window, ...] = ("pooled", "reference")
DEFAULT_PAIRWISE = ("Pk", "WindowDiff", "B", "S")


def agreement(
    corpus: CorpusLike,
    coefficients: Iterable[str] | None = None,
    *,
    by: str | None = None,
    profile: str = "caesura",
    resamples: int = 1000,
    seed: int = 0,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
) -> Agreement:
    """Ask whether the annotators of a corpus agree, where, and in what they differ.

    Parameters
    ----------
    corpus : path or Corpus
        Documents with annotations; they may have different annotators.
    coefficients : iterable of str, optional
        Coefficients of annotators; a standard set if not given.
    by : str, optional
        The pairwise metric by which each annotator's agreement with the others is measured; ``B`` if not given, on time
        and characters, where B needs a distance, ``WindowDiff``.
    profile : str
        Whose conventions hold, for the coefficients.
    resamples, seed : int
        Of the bootstrap over documents.
    format : str, optional
        The format of the file; detected if not given.
    strict : bool
        Refuse unknown keys in files.

    Examples
    --------
    >>> from caesura.datasets.bundled import bundled
    >>> a = agreement(bundled("moonstone"), resamples=200)
    >>> round(a.coefficients["FleissKappa"].score, 3), round(a.pairwise("WindowDiff").mean, 3)
    (0.276, 0.341)
    """
    source = read_source(corpus, "annotations", format=format, strict=strict).corpus
    panel = Panel.from_corpus(source)
    if int(panel.n_annotators.max()) < 2:
        raise ComparabilityError(
            f"every document of {source.name or 'the corpus'} has one annotator only; agreement needs two or more"
        )
    if coefficients is None:
        coefficients = _usable(DEFAULT_COEFFICIENTS, panel.unit)
    chosen = by or _usable(("B", "WindowDiff"), panel.unit)[0]
    return Agreement(
        source, panel, tuple(coefficients), chosen, Bootstrap(len(panel), resamples, seed), profile
    )


def _usable(names: Iterable[str], unit: str) -> tuple[str, ...]:
    """Leave out, on a continuous unit, what needs a distance to be given."""
    return tuple(name for name in names if not find_metric(name).needs_distance(unit))


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Agreement of the annotators of a corpus.

    Attributes
    ----------
    corpus : Corpus
        The documents.
    panel : Panel
        Their annotators.
    names : tuple of str
        The coefficients asked for.
    by : str
        The pairwise metric of the annotators' table.
    bootstrap : Bootstrap
        How documents are resampled.
    profile : str
        Whose conventions hold, for the coefficients.
    """

    corpus: Corpus
    panel: Panel
    names: tuple[str, ...]
    by: str
    bootstrap: Bootstrap
    profile: str = "caesura"

    @functools.cached_property
    def coefficients(self) -> dict[str, Coefficient]:
        """Each coefficient with its interval."""
        return {name: coefficient(name, self.panel, self.bootstrap, self.profile) for name in self.names}

    @functools.cached_property
    def annotators(self) -> dict[str, AnnotatorRow]:
        """Each annotator: density, bias, agreement with the others."""
        return {row.name: row for row in annotator_rows(self.panel, self.by, self.bootstrap)}

    @functools.cached_property
    def support(self) -> list[Support]:
        """Every gap that somebody marked, with its support."""
        return boundary_support(self.panel)

    @functools.cached_property
    def disagreements(self) -> list[Disagreement]:
        """Every two annotators of every document, labelled."""
        return disagreements(self.panel)

    @functools.cached_property
    def contested(self) -> list[Contested]:
        """The gaps to settle, the most profitable first."""
        return contested_gaps(self.corpus, self.panel, self.support)

    def pairwise(self, metric: str, window: Window = "pooled") -> PairwiseAgreement:
        """Score every annotator against every other by a pairwise metric."""
        return pairwise(self.panel, metric, window)

    def plan(self, width: float, coefficient: str = "FleissKappa") -> Plan:
        """Say how many documents or annotators bring the interval of a coefficient under a width."""
        return plan(self.panel, coefficient, width, seed=self.bootstrap.seed, level=self.bootstrap.level)

    # ------------------------------------------------------------------ numbers about the corpus

    def statistics(self) -> dict[str, float]:
        """Return lengths, segments and support of the corpus: means, sample standard deviations, quartiles."""
        units = self.panel.n_units[self.panel.document]
        codings = [s for row in range(len(self.panel)) for s in self.panel.of_document(row).values()]
        masses = np.array([mass for s in codings for mass in s.masses], dtype=np.float64)
        segments = np.array([s.n_segments for s in codings], dtype=np.float64)
        found = {
            "documents": float(len(self.panel)),
            "annotators": float(len(self.panel.names)),
            "codings": float(len(units)),
            "units_mean": float(self.panel.n_units.mean()),
            "units_sd": _sd(self.panel.n_units),
            "segment_length_mean": float(masses.mean()),
            "segment_length_sd": _sd(masses),
            "segments_mean": float(segments.mean()),
            "segments_sd": _sd(segments),
        }
        for tolerance in ("exact", "half", "full"):
            values = [getattr(item, tolerance) for item in self.support]
            for name, at in (("q25", 25), ("median", 50), ("q75", 75)):
                found[f"support_{tolerance}_{name}"] = (
                    float(np.percentile(values, at)) if values else math.nan
                )
        return found

    def segment_counts(self) -> dict[str, list[int]]:
        """Return the number of segments that each annotator of each document found: its spread is granularity."""
        return {
            key: [s.n_segments for s in self.panel.of_document(row).values()]
            for row, key in enumerate(self.panel.ids)
        }

    # ------------------------------------------------------------------ tables

    def coefficient_table(self) -> Table:
        """Return one row per coefficient."""
        rows: list[list[Value]] = [
            [
                c.name,
                c.score,
                c.interval.low,
                c.interval.high,
                c.sd,
                c.observed,
                c.expected,
                c.documents,
                c.undefined,
            ]
            for c in self.coefficients.values()
        ]
        titles = (
            "coefficient",
            "score",
            "low",
            "high",
            "sd",
            "observed",
            "expected",
            "documents",
            "undefined",
        )
        b = self.bootstrap
        note = f"score: mean over documents; low, high: {b.level:.0%} interval, documents resampled {b.resamples} times, seed {b.seed}"
        reasons = [f"{c.name}: not defined ({c.reason})" for c in self.coefficients.values() if c.reason]
        biased = ", ".join(f"{c.name} {c.bias:.4f}" for c in self.coefficients.values() if c.bias is not None)
        if biased:
            reasons.append(f"bias (pooled chance less chance by annotator): {biased}")
        for c in self.coefficients.values():
            if c.undefined and not c.reason:
                reasons.append(
                    f"{c.name}: {c.undefined} documents undefined (one annotator, or all of one mind everywhere)"
                )
        if self.panel.unit in CONTINUOUS_UNITS:
            reasons.append(
                f"on the unit {self.panel.unit!r} exact gaps hardly ever agree, and B and S need a distance: "
                "-m \"AgreementB(n_t='5s')\" on time"
            )
        return Table([Column(title) for title in titles], rows, notes=[note, *reasons], title="Agreement")

    def pairwise_table(self, metrics: Iterable[str] | None = None) -> Table:
        """Return the mean of pairwise metrics between annotators, for both readings of the window."""
        rows: list[list[Value]] = []
        for name in metrics or _usable(DEFAULT_PAIRWISE, self.panel.unit):
            pooled, own = self.pairwise(name), self.pairwise(name, "reference")
            rows.append([name, pooled.mean, pooled.sd, own.mean, own.sd])
        titles = ("metric", "mean", "sd", "mean, own window", "sd, own window")
        note = "mean over documents of the mean over pairs; window from all annotators of a document, or from each reference"
        return Table(
            [Column(t) for t in titles], rows, notes=[note], title="Every annotator against every other"
        )

    def annotator_table(self) -> Table:
        """Return one row per annotator."""
        rows: list[list[Value]] = [
            [
                a.name,
                a.documents,
                a.boundaries,
                a.per_100_units,
                a.bias,
                a.agreement,
                a.interval.low,
                a.interval.high,
                "outlier" if a.outlier else "",
            ]
            for a in self.annotators.values()
        ]
        titles = (
            "annotator",
            "documents",
            "boundaries",
            "per 100 units",
            "bias",
            f"{self.by} with others",
            "low",
            "high",
            "",
        )
        note = "bias: boundaries against the others' mean on the same documents (0.5 is half as many again)"
        return Table([Column(title) for title in titles], rows, notes=[note], title="Annotators")

    def prominence_table(self) -> Table:
        """Return how many marked gaps have which support."""
        classes = {
            name: [s for s in self.support if s.prominence == name]
            for name in ("unanimous", "majority", "minority")
        }
        total = max(len(self.support), 1)
        rows: list[list[Value]] = [
            [
                name,
                len(items),
                len(items) / total,
                _mean([s.exact for s in items]),
                _mean([s.half for s in items]),
                _mean([s.full for s in items]),
            ]
            for name, items in classes.items()
        ]
        titles = ("prominence", "gaps", "share", "support exact", "half a window", "a window")
        kinds = ", ".join(f"{kind} {number}" for kind, number in tally(self.disagreements).items())
        notes = [
            "prominence by the share of annotators within half a window",
            f"pairs of annotators by what they differ in: {kinds}",
        ]
        return Table(
            [Column(title) for title in titles], rows, notes=notes, title="Boundaries that anybody marked"
        )

    def contested_table(self, most: int = 10) -> Table:
        """Return the gaps to settle first."""
        rows: list[list[Value]] = [
            [
                c.document,
                c.gap,
                f"{len(c.votes_for)} of {len(c.votes_for) + len(c.votes_against)}",
                c.half,
                c.gain,
                c.before or "",
                c.after or "",
            ]
            for c in self.contested[:most]
        ]
        columns = [Column(t) for t in ("document", "gap", "votes", "half a window")]
        columns += [Column("gain", digits=4), Column("before", width=36), Column("after", width=36)]
        rest = len(self.contested) - len(rows)
        note = "gain: by how much the mean kappa would rise if all voted like the majority here"
        return Table(
            columns,
            rows,
            notes=[note, f"{rest} more"] if rest else [note],
            title="Contested gaps, first what settling would change most",
        )

    def tables(self) -> list[Table]:
        """Return every table."""
        return [
            self.coefficient_table(), self.pairwise_table(), self.annotator_table(), self.prominence_table(), self.contested_table(),
        ]  # fmt: skip

    # ------------------------------------------------------------------ plain data

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, undefined as null."""
        pairs: dict[str, dict[str, Any]] = {}
        for name in _usable(DEFAULT_PAIRWISE, self.panel.unit):
            for window in WINDOWS:
                result = self.pairwise(name, window)
                pairs.setdefault(name, {})[window] = {
                    "mean": as_number(result.mean),
                    "sd": as_number(result.sd),
                    "matrix": [[as_number(v) for v in row] for row in result.matrix],
                    "documents": result.documents.tolist(),
                }
        return {
            "schema": "caesura.agreement/1",
            "caesura": __version__,
            "documents": list(self.panel.ids),
            "names": list(self.panel.names),
            "unit": self.panel.unit,
            "profile": self.profile,
            "seed": self.bootstrap.seed,
            "statistics": {key: as_number(value) for key, value in self.statistics().items()},
            "segment_counts": self.segment_counts(),
            "coefficients": {name: _coefficient(c) for name, c in self.coefficients.items()},
            "annotators": {name: _annotator(row) for name, row in self.annotators.items()},
            "support": [dataclasses.asdict(item) for item in self.support],
            "pairwise": pairs,
            "disagreements": {
                "tally": tally(self.disagreements),
                "pairs": [dataclasses.asdict(d) for d in self.disagreements],
            },
            "contested": [contested_dict(c) for c in self.contested],
        }


def _sd(values: npt.NDArray[Any]) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else math.nan


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _ci(interval: Interval) -> list[Any]:
    return [as_number(interval.low), as_number(interval.high)]


def _coefficient(c: Coefficient) -> dict[str, Any]:
    return {
        "score": as_number(c.score),
        "ci": _ci(c.interval),
        "sd": as_number(c.sd),
        "observed": as_number(c.observed),
        "expected": as_number(c.expected),
        "documents": c.documents,
        "undefined": c.undefined,
        "reason": c.reason,
        "bias": None if c.bias is None else as_number(c.bias),
        "per_document": [as_number(v) for v in c.per_document],
    }


def _annotator(row: AnnotatorRow) -> dict[str, Any]:
    return {
        "documents": row.documents,
        "boundaries": row.boundaries,
        "per_100_units": row.per_100_units,
        "bias": as_number(row.bias),
        "agreement": as_number(row.agreement),
        "ci": _ci(row.interval),
        "outlier": row.outlier,
    }


def contested_dict(item: Contested) -> dict[str, Any]:
    """Return a contested gap as plain data."""
    return {**dataclasses.asdict(item), "gain": as_number(item.gain)}
