# SPDX-License-Identifier: Apache-2.0
"""The explanation of a pair or corpus: rows, tables, drawings, plain data."""

from __future__ import annotations

import dataclasses
import functools
import math

from caesura._version import __version__
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairing, Pairs
from caesura.declare import nearest
from caesura.errors import MetricError
from caesura.evaluation.evaluate.chapters import Chapter, chapter_rows
from caesura.evaluation.explain.conventions import CAESURA, Counter, Outcome
from caesura.evaluation.explain.outcomes import GAMMA, SegmentOutcomes, batch_outcomes
from caesura.evaluation.explain.views import mass_view, window_view
from caesura.evaluation.inputs import Source
from caesura.metrics.base import PairwiseMetric
from caesura.results import as_number
from caesura.segmentation import Segmentation
from caesura.table import Column, Table, Value, as_html
from caesura.units.quantity import as_clock, default_tolerance, resolve_quantity

__all__ = ["SCHEMA", "Explanation", "Row"]

SCHEMA = "caesura.explain/1"
"""The schema of `Explanation.to_dict`."""

_SIDES = ("reference", "hypothesis")
_SEGMENT_COLUMNS = ("number", "start", "end", "length", "partner", "coverage", "partner_coverage", "harmonic")


@dataclasses.dataclass(frozen=True)
class Row:
    """One metric, named as it was given, under one convention.

    ``difference`` is the score minus Caesura's, ``reasons`` are the rules behind it; in Caesura's own row, its own rule.
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
        """A note on the metric under this convention, or an empty string."""
        return self.outcome.convention.remarks.get(self.outcome.metric.name(), "")

    @property
    def why(self) -> str:
        """The reasons and the remark in one line."""
        return "; ".join([*self.reasons, self.remark] if self.remark else self.reasons)

    @property
    def differs(self) -> bool:
        """Whether the score differs from Caesura's."""
        return self.difference != 0

    @property
    def k(self) -> str | int | None:
        """The window, or the range of windows over the documents; None for a metric without windows."""
        if not self.outcome.has("k"):
            return None
        low, high = self.outcome.range_of("k")
        return low if low == high else f"{low}-{high}"

    @property
    def window(self) -> str:
        """The window as text: a time if the units are milliseconds."""
        if not (self.outcome.has("k") and self.outcome.pairs.unit == "ms"):
            return str(self.k)
        low, high = map(as_clock, self.outcome.range_of("k"))
        return low if low == high else f"{low}-{high}"

    @property
    def fraction(self) -> tuple[int, int] | None:
        """Errors and windows, if the score is their ratio; None for a mean over documents."""
        outcome = self.outcome
        is_ratio = outcome.single or outcome.aggregate.aggregation == "micro"
        if not (is_ratio and {"windows", "errors"} <= set(outcome.metric.columns)):
            return None
        weighted = getattr(outcome.metric, "weighted", False)
        errors = sum(map(outcome.total, ("surplus", "deficit") if weighted else ("errors",)))
        return errors, outcome.total("windows")

    def to_dict(self) -> dict[str, object]:
        """Return the row as plain data for JSON."""
        convention, aggregate = self.outcome.convention, self.outcome.aggregate
        errors, windows = self.fraction or (None, None)
        return {
            "metric": self.metric,
            "convention": convention.name,
            "about": convention.about,
            "as": str(self.outcome.metric),
            "swapped": convention.swap,
            "aggregation": aggregate.aggregation,
            "score": as_number(aggregate.score),
            "difference": as_number(self.difference),
            "documents": aggregate.documents,
            "undefined": aggregate.undefined,
            "k": self.k,
            "errors": errors,
            "windows": windows,
            "why": list(self.reasons),
            "remark": self.remark or None,
        }


@dataclasses.dataclass(frozen=True, repr=False)
class Explanation:
    """A pair or corpus under every known convention, Caesura's own row of each metric first.

    ``gamma`` is the threshold of the segment outcomes, ``near`` the largest distance of a near miss in the drawing.
    """

    reference: Source
    hypothesis: Source
    pairing: Pairing
    rows: tuple[Row, ...]
    gamma: float = GAMMA
    near: int | str | None = None

    def __repr__(self) -> str:
        return f"<Explanation of {len(self.rows)} rows>"

    def __str__(self) -> str:
        from caesura.evaluation.explain.text import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        """Return the conventions of each metric for a notebook, and the segments of a single document."""
        return as_html((), [self.table(), *([self.segment_table()] if self.pair is not None else [])])

    @property
    def pairs(self) -> Pairs:
        """The compared documents as flat arrays."""
        return self.pairing.pairs

    @property
    def documents(self) -> list[str]:
        """The ids of the documents."""
        return [self.reference.corpus.ids[row] for row in self.pairing.rows.tolist()]

    @functools.cached_property
    def pair(self) -> tuple[Segmentation, Segmentation] | None:
        """Reference and hypothesis of a single document; None for a corpus."""
        if len(self.pairs) != 1:
            return None
        p, units = self.pairs, int(self.pairs.n_units[0])
        reference = Segmentation(units, p.ref_pos[p.ref_ptr[0] : p.ref_ptr[1]].tolist(), unit=p.unit)
        return reference, Segmentation(units, p.hyp_pos[p.hyp_ptr[0] : p.hyp_ptr[1]].tolist(), unit=p.unit)

    @functools.cached_property
    def outcomes(self) -> tuple[SegmentOutcomes, SegmentOutcomes]:
        """The outcomes of the segments of the reference, and of the hypothesis."""
        return batch_outcomes(self.pairs, self.gamma)

    @property
    def by_programs(self) -> bool:
        """Whether the rows are what the programs of chapter benchmarks print."""
        return self.pairs.unit == "ms" and any(row.convention == "VidChapters" for row in self.rows)

    def chapters(self) -> list[Chapter]:
        """Return the chapters of a single recording, paired."""
        if self.pair is None or self.pairs.unit != "ms":
            return []
        ours, theirs = (side.boundaries for side in self.pair)
        titles = [side[0] for side in self.pairs.titles or ([()], [()])]
        near = self.near or default_tolerance("ms")
        reach = resolve_quantity(near, "ms", owner="explain", name="near")
        return chapter_rows(ours, theirs, titles[0], titles[1], reach)

    def titles(self) -> list[str]:
        """Return the titles of the reference's segments, of a single document that has them."""
        document = self.reference.corpus[self.documents[0]]
        titles = document.extra.get("segment_titles")
        if self.pair is None or not isinstance(titles, (list, tuple)) or len(titles) != len(self.outcomes[0]):
            return []
        return [" ".join(str(title).split()) for title in titles]

    def row(self, metric: str, convention: str = CAESURA.name) -> Row:
        """Return one row by the name of the metric, as it was given, and of the convention."""
        for row in self.rows:
            if (row.metric, row.convention) == (metric, convention):
                return row
        names = sorted({f"{row.metric} / {row.convention}" for row in self.rows})
        hint = nearest(f"{metric} / {convention}", names)
        raise MetricError(f"no row {metric!r} under {convention!r}; {hint}")

    def table(self) -> Table:
        """Return one row per metric and convention: score, difference, window, counts, and reasons."""
        titles = ("metric", "convention", "score", "difference", "k", "errors", "windows", "why")
        rows: list[list[Value]] = []
        for row in self.rows:
            score, counts = row.outcome.score, row.fraction or (None, None)
            rows.append([row.metric, row.convention, score, row.difference, row.k, *counts, row.why])
        return Table([Column(title) for title in titles], rows)

    def segment_table(self) -> Table:
        """Return one row per segment of either side, with its partner and outcome."""
        ids = self.documents
        rows: list[list[Value]] = []
        for side, segments in zip(_SIDES, self.outcomes, strict=True):
            documents = [ids[d] for d in segments.document.tolist()]
            columns = [getattr(segments, name).tolist() for name in _SEGMENT_COLUMNS]
            cells = zip(documents, *columns, segments.words(), strict=True)
            rows += ([document, side, *values] for document, *values in cells)
        titles = ("document", "side", *_SEGMENT_COLUMNS, "outcome")
        return Table([Column(title) for title in titles], rows, notes=[f"gamma = {self.gamma:g}"])

    def views(self, width: int = 80) -> dict[str, list[str]]:
        """Return the lines of the mass view and the window view of a single document; nothing for a corpus."""
        if self.pair is None:
            return {}
        views = {"mass": mass_view(*self.pair, width=width, near=self.near)}
        windows = self.window_metrics()
        if windows:
            views["windows"] = window_view(*self.pair, windows, width=width)
        return views

    def window_metrics(self) -> dict[str, PairwiseMetric]:
        """Return Pk and WindowDiff among the metrics, by name as given."""
        return {
            row.metric: row.outcome.metric
            for row in self.rows
            if row.convention == CAESURA.name and row.outcome.metric.name() in ("Pk", "WindowDiff")
        }

    def worst(self, count: int = 3) -> list[tuple[str, float]]:
        """Return the documents with the worst scores of the first metric, worst first."""
        first = self.rows[0].outcome
        scores = zip(self.documents, first.metric.score(first.counts).tolist(), strict=True)
        defined = [(key, score) for key, score in scores if not math.isnan(score)]
        return sorted(defined, key=lambda item: -first.metric.card.badness(item[1]))[:count]

    def without_boundaries(self) -> dict[str, float]:
        """Return Pk and WindowDiff of a hypothesis without boundaries, for comparison."""
        counter = Counter(self.pairs.against(Flat.without_boundaries(self.pairs.n_units)))
        return {name: counter.count(CAESURA, metric).score for name, metric in self.window_metrics().items()}

    def to_dict(self, width: int = 80) -> dict[str, object]:
        """Return everything as plain data for JSON, undefined as None and infinity as "inf"."""
        data: dict[str, object] = {
            "schema": SCHEMA, "caesura": __version__, "unit": self.pairs.unit, "documents": len(self.pairs), "gamma": self.gamma,
        }  # fmt: skip
        if self.pair is not None:
            data["document"] = self.documents[0]
            for name, side in zip(_SIDES, self.pair, strict=True):
                data[name] = {"n_units": side.n_units, "boundaries": list(side.boundaries)}
        data["conventions"] = [row.to_dict() for row in self.rows]
        data["without_boundaries"] = {m: as_number(score) for m, score in self.without_boundaries().items()}
        data["outcomes"] = {s: segments.tally() for s, segments in zip(_SIDES, self.outcomes, strict=True)}
        if self.pair is not None:
            data["segments"] = self.segment_table().records()
            if self.pairs.unit == "ms":
                data["chapters"] = [
                    {
                        "reference": None if row.reference is None else row.reference / 1000,
                        "hypothesis": None if row.hypothesis is None else row.hypothesis / 1000,
                        "title": row.title,
                        "hypothesis_title": row.other_title,
                        "late": row.off,
                        "titles_agree": row.agreeing,
                        "outcome": row.outcome,
                    }
                    for row in self.chapters()
                ]
            data["views"] = self.views(width)
        return data
