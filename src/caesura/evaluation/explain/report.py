# SPDX-License-Identifier: Apache-2.0
"""What `caesura.evaluation.explain.run.explain` returns: rows, tables, drawings, plain data."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numpy as np

from caesura._version import __version__
from caesura.batches.pairs import Pairing, Pairs
from caesura.declare import nearest
from caesura.errors import MetricError
from caesura.evaluation.explain.conventions import CAESURA, Counter, Outcome
from caesura.evaluation.explain.mass_view import mass_view
from caesura.evaluation.explain.outcomes import GAMMA, SegmentOutcomes, batch_outcomes
from caesura.evaluation.explain.window_view import window_view
from caesura.evaluation.inputs import Source
from caesura.metrics.base import PairwiseMetric
from caesura.results import as_number
from caesura.segmentation import Segmentation
from caesura.table import Column, Table, Value

__all__ = ["SCHEMA", "Explanation", "Row"]

SCHEMA = "caesura.explain/1"
"""The version of what `Explanation.to_dict` returns."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One metric under one convention.

    Attributes
    ----------
    metric : str
        As it was asked for.
    outcome : Outcome
        What was counted, and the score.
    difference : float
        The score less Caesura's.
    reasons : tuple of str
        Why it is so; of Caesura's own row, by which rule.
    """

    metric: str
    outcome: Outcome
    difference: float
    reasons: tuple[str, ...]

    @property
    def convention(self) -> str:
        """The name of the convention."""
        return self.outcome.convention.name

    @property
    def remark(self) -> str:
        """What must be known of the convention besides the reasons, or nothing."""
        return self.outcome.convention.remarks.get(self.outcome.metric.name(), "")

    @property
    def why(self) -> str:
        """The reasons and the remark in one line."""
        return "; ".join([*self.reasons, self.remark] if self.remark else self.reasons)

    @property
    def differs(self) -> bool:
        """Whether the score is not Caesura's."""
        return self.difference != 0

    @property
    def k(self) -> str | int | None:
        """The window, or the range of windows over the documents; None where there is none."""
        if not self.outcome.has("k"):
            return None
        low, high = self.outcome.range_of("k")
        return low if low == high else f"{low}-{high}"

    @property
    def fraction(self) -> tuple[int, int] | None:
        """What was divided by what, where the score is errors over windows; None for a mean over documents."""
        metric: Any = self.outcome.metric
        if "windows" not in metric.columns or "errors" not in metric.columns:
            return None
        if len(self.outcome.table) > 1 and self.outcome.aggregate.aggregation == "macro":
            return None
        if getattr(metric, "weighted", False):
            return self.outcome.total("surplus") + self.outcome.total("deficit"), self.outcome.total(
                "windows"
            )
        return self.outcome.total("errors"), self.outcome.total("windows")


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A pair or corpus under every known convention.

    Attributes
    ----------
    reference, hypothesis : Source
        What was read.
    pairing : Pairing
        The documents that were compared.
    rows : tuple of Row
        Every metric under every convention that says something of it; Caesura's own row comes first.
    gamma : float
        The threshold of the segment outcomes.
    near : int, str or None
        How far off a near miss may be in the drawing.
    """

    reference: Source
    hypothesis: Source
    pairing: Pairing
    rows: tuple[Row, ...]
    gamma: float = GAMMA
    near: int | str | None = None

    @property
    def pairs(self) -> Pairs:
        """The documents, flat."""
        return self.pairing.pairs

    @property
    def documents(self) -> list[str]:
        """The ids of the documents."""
        return [self.reference.corpus.ids[row] for row in self.pairing.rows.tolist()]

    @functools.cached_property
    def pair(self) -> tuple[Segmentation, Segmentation] | None:
        """Reference and hypothesis, if there is one document only."""
        if len(self.pairs) != 1:
            return None
        p = self.pairs
        units = int(p.n_units[0])
        sides = (p.ref_pos[p.ref_ptr[0] : p.ref_ptr[1]], p.hyp_pos[p.hyp_ptr[0] : p.hyp_ptr[1]])
        reference, hypothesis = (Segmentation(units, side.tolist(), unit=p.unit) for side in sides)
        return reference, hypothesis

    @functools.cached_property
    def outcomes(self) -> tuple[SegmentOutcomes, SegmentOutcomes]:
        """What became of the segments of the reference, and of the hypothesis."""
        return batch_outcomes(self.pairs, self.gamma)

    def row(self, metric: str, convention: str = CAESURA.name) -> Row:
        """Return one row by metric, as it was asked for, and convention."""
        for found in self.rows:
            if (found.metric, found.convention) == (metric, convention):
                return found
        known = sorted({f"{row.metric} / {row.convention}" for row in self.rows})
        raise MetricError(
            f"no row {metric!r} under {convention!r}; {nearest(f'{metric} / {convention}', known)}"
        )

    # ------------------------------------------------------------------ tables

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name: ``conventions``, and ``segments`` of the reference and hypothesis."""
        return {"conventions": self.table(), "segments": self.segment_table()}

    def table(self) -> Table:
        """Return one row per metric and convention: score, difference, window, what was counted, and why."""
        titles = ("metric", "convention", "score", "difference", "k", "errors", "windows", "why")
        rows: list[list[Value]] = []
        for row in self.rows:
            errors, windows = row.fraction or (None, None)
            rows.append(
                [
                    row.metric,
                    row.convention,
                    row.outcome.score,
                    row.difference,
                    row.k,
                    errors,
                    windows,
                    row.why,
                ]
            )
        return Table([Column(title) for title in titles], rows)

    def segment_table(self) -> Table:
        """Return one row per segment of either side, with its partner and outcome."""
        titles = (
            "document",
            "side",
            "number",
            "start",
            "end",
            "length",
            "partner",
            "coverage",
            "partner_coverage",
            "harmonic",
            "outcome",
        )
        ids = self.documents
        rows: list[list[Value]] = []
        for side, found in zip(("reference", "hypothesis"), self.outcomes, strict=True):
            columns = (
                [ids[d] for d in found.document.tolist()],
                [side] * len(found),
                found.number.tolist(),
                found.start.tolist(),
                found.end.tolist(),
                found.length.tolist(),
                found.partner.tolist(),
                found.coverage.tolist(),
                found.partner_coverage.tolist(),
                found.harmonic.tolist(),
                found.words(),
            )
            rows += [list(values) for values in zip(*columns, strict=True)]
        return Table([Column(title) for title in titles], rows, notes=[f"gamma = {self.gamma:g}"])

    # ------------------------------------------------------------------ drawings

    def views(self, width: int = 80) -> dict[str, str]:
        """Return the mass view and the window view of a single document; empty for a corpus."""
        if self.pair is None:
            return {}
        found = {"mass": str(mass_view(*self.pair, width=width, near=self.near))}
        windows = self.window_metrics()
        if windows:
            found["windows"] = str(window_view(*self.pair, windows, width=width))
        return found

    def window_metrics(self) -> dict[str, PairwiseMetric]:
        """Return Pk and WindowDiff, as far as they were asked for, by the text they were asked for with."""
        return {
            row.metric: row.outcome.metric
            for row in self.rows
            if row.convention == CAESURA.name and row.outcome.metric.name() in ("Pk", "WindowDiff")
        }

    def worst(self, count: int = 3) -> list[tuple[str, float]]:
        """Return the documents on which the first metric is worst, worst first."""
        first = self.rows[0].outcome
        scores = first.metric.score(first.counts)
        ranked = sorted(
            (
                (key, score)
                for key, score in zip(self.documents, scores.tolist(), strict=True)
                if not math.isnan(score)
            ),
            key=lambda item: -first.metric.card.badness(item[1]),
        )
        return ranked[:count]

    def without_boundaries(self) -> dict[str, float]:
        """Return what a hypothesis with no boundary at all would score in Pk and WindowDiff, as a yardstick."""
        nothing = dataclasses.replace(
            self.pairs,
            hyp_ptr=np.zeros(len(self.pairs) + 1, dtype=np.int64),
            hyp_pos=np.empty(0, dtype=np.int64),
        )
        counter = Counter(nothing)
        return {name: counter.count(CAESURA, metric).score for name, metric in self.window_metrics().items()}

    # ------------------------------------------------------------------ plain data

    def to_dict(self, width: int = 80) -> dict[str, Any]:
        """Return everything as plain data for JSON; undefined is None, infinity "inf"."""
        found: dict[str, Any] = {
            "schema": SCHEMA,
            "caesura": __version__,
            "unit": self.pairs.unit,
            "documents": len(self.pairs),
            "gamma": self.gamma,
        }
        if self.pair is not None:
            found["document"] = self.documents[0]
            found["reference"], found["hypothesis"] = (
                {"n_units": side.n_units, "boundaries": list(side.boundaries)} for side in self.pair
            )
        found["conventions"] = [_row_dict(row) for row in self.rows]
        found["without_boundaries"] = {
            name: as_number(score) for name, score in self.without_boundaries().items()
        }
        found["outcomes"] = {
            side: outcomes.tally()
            for side, outcomes in zip(("reference", "hypothesis"), self.outcomes, strict=True)
        }
        if self.pair is not None:
            titles = [column.title for column in self.segment_table().columns]
            found["segments"] = [dict(zip(titles, row, strict=True)) for row in self.segment_table().rows]
            found["views"] = {name: view.split("\n") for name, view in self.views(width).items()}
        return found


def _row_dict(row: Row) -> dict[str, Any]:
    aggregate = row.outcome.aggregate
    errors, windows = row.fraction or (None, None)
    return {
        "metric": row.metric,
        "convention": row.convention,
        "about": row.outcome.convention.about,
        "as": str(row.outcome.metric),
        "swapped": row.outcome.convention.swap,
        "aggregation": aggregate.aggregation,
        "score": as_number(row.outcome.score),
        "difference": as_number(row.difference),
        "documents": aggregate.documents,
        "undefined": aggregate.undefined,
        "k": row.k,
        "errors": errors,
        "windows": windows,
        "why": list(row.reasons),
        "remark": row.remark or None,
    }
