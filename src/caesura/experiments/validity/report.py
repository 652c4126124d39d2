# SPDX-License-Identifier: Apache-2.0
"""The outcome of the self-degradation test: which metric can be believed, with which encoder, and why."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.experiments.validity.facts import CorpusFacts
from caesura.experiments.validity.limits import Limits, Verdict
from caesura.experiments.validity.trials import GRADED, Noticed
from caesura.results import as_number
from caesura.table import Column, Table, Value

__all__ = ["Correlation", "Trust", "Validity"]


@dataclasses.dataclass(frozen=True)
class Correlation:
    """The loss of a metric beside the loss of a reference metric: Pearson, Spearman, Kendall (b), over so many points."""

    pearson: float
    spearman: float
    kendall: float
    points: int


@dataclasses.dataclass(frozen=True)
class Trust:
    """What is known of one metric with one encoder.

    Attributes
    ----------
    encoder, metric : str
        Which.
    noticed : tuple of Noticed
        Each trial.
    monotonicity : mapping of kind to (float, float)
        Rank correlation of the level with the loss of the corpus, and the mean over documents of their own.
    correlations : mapping of str to Correlation
        With each reference metric; empty without gold.
    verdict : Verdict
        Whether to believe it.
    """

    encoder: str
    metric: str
    noticed: tuple[Noticed, ...]
    monotonicity: Mapping[str, tuple[float, float]]
    correlations: Mapping[str, Correlation]
    verdict: Verdict


@dataclasses.dataclass(frozen=True)
class Validity:
    """Metrics without a reference, tried on a corpus.

    Attributes
    ----------
    corpus : Corpus
        The documents, with the boundaries that were damaged.
    gold : bool
        Whether these are gold, or the output of a system.
    encoders : mapping of str to str
        Name to fingerprint.
    facts : mapping of str to CorpusFacts
        By encoder.
    items : tuple of Trust
        Encoder by encoder, metric by metric.
    limits : Limits
        What a metric must reach.
    draws, seed : int
        Of the damage.
    left_out : int
        Documents without a boundary to damage.
    """

    corpus: Corpus
    gold: bool
    encoders: Mapping[str, str]
    facts: Mapping[str, CorpusFacts]
    items: tuple[Trust, ...]
    limits: Limits
    draws: int
    seed: int
    left_out: int = 0

    def verdict(self, metric: str, encoder: str | None = None) -> Verdict:
        """Return the verdict on a metric; with the first encoder unless one is named."""
        wanted = encoder or next(iter(self.encoders))
        for item in self.items:
            if item.metric == metric and item.encoder == wanted:
                return item.verdict
        raise ComparabilityError(f"{metric!r} was not tried with {wanted!r}; see the table of verdicts")

    # ------------------------------------------------------------------ tables

    def tables(self) -> list[Table]:
        """Return the verdicts, what each metric notices, and the correlations with reference metrics."""
        found = [self.verdict_table()]
        found += [self.sensitivity_table(encoder) for encoder in self.encoders]
        return [*found, self.correlation_table()] if self.gold else found

    def verdict_table(self) -> Table:
        """Return one row per encoder and metric."""
        rows: list[list[Value]] = [
            [
                i.encoder,
                i.metric,
                i.verdict.word,
                _percent(i.verdict.removal),
                _percent(i.verdict.random),
                _percent(i.verdict.strongest),
                i.verdict.correlation,
                i.verdict.documents,
                "; ".join(i.verdict.reasons),
            ]
            for i in self.items
        ]
        limits = self.limits
        titles = (
            "encoder",
            "metric",
            "verdict",
            f"{limits.removal:.0%} removed",
            "random places",
            "most removed",
            "level",
            "documents",
        )
        columns = [*(Column(title.replace("%", " %")) for title in titles), Column("why not", width=60)]
        notes = [
            f"{'gold' if self.gold else 'the given segmentation'} of {len(self.corpus)} documents, each damage done "
            f"{self.draws} times, seed {self.seed}"
            + (f"; {self.left_out} documents without a boundary left out" if self.left_out else ""),
            f"usable: the undamaged scores better in at least {limits.better:.0%} of documents at {limits.removal:.0%} "
            f"removal and against random places, and the loss follows the level with rank correlation at least "
            f"{limits.correlation:g}; for large differences: {limits.large:.0%} at the strongest removal and against random "
            "places".replace("%", " %"),
            "scores of different encoders are not comparable; each row is judged by itself",
        ]
        notes += [f"{name}: {_facts_words(facts)}" for name, facts in self.facts.items()]
        if not self.gold:
            notes.append(
                "without gold this says whether a metric prefers this segmentation to damaged ones, not whether it is right"
            )
        return Table(columns, rows, notes=notes, title="Which metric can be believed here")

    def sensitivity_table(self, encoder: str) -> Table:
        """Return the share of documents ranked right, one row per trial and one column per metric."""
        items = [i for i in self.items if i.encoder == encoder]
        rows: list[list[Value]] = []
        for place, first in enumerate(items[0].noticed):
            across = [i.noticed[place] for i in items]
            judged = min(n.documents for n in across)
            rows.append([first.trial.label, judged, *(_percent(n.share) for n in across)])
        for kind in GRADED:
            rows.append([f"level of {kind}, ρ", "", *(_two(i.monotonicity[kind][0]) for i in items)])
        columns = [Column("damage"), Column("documents"), *(Column(i.metric) for i in items)]
        notes = [
            "share of documents in which the undamaged segmentation scores better, ties half; 50 % is a coin; documents: those "
            "that were changed and have both scores",
            "ρ: rank correlation of the level with the median loss, 1 if more damage always costs more",
        ]
        return Table(columns, rows, notes=notes, title=f"What is noticed with {encoder}")

    def correlation_table(self) -> Table:
        """Return the correlation of each metric's loss with that of each reference metric."""
        rows: list[list[Value]] = [
            [i.encoder, i.metric, reference, c.pearson, c.spearman, c.kendall, c.points]
            for i in self.items
            for reference, c in i.correlations.items()
        ]
        titles = ("encoder", "metric", "reference metric", "Pearson", "Spearman", "Kendall", "points")
        note = (
            "loss of the metric against loss of the reference metric, over every document, damage and draw; "
            "1 is perfect agreement"
        )
        return Table([Column(t) for t in titles], rows, notes=[note], title="Against reference metrics")

    # ------------------------------------------------------------------ plain data

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "schema": "caesura.validity/1",
            "caesura": __version__,
            "documents": len(self.corpus),
            "left_out": self.left_out,
            "gold": self.gold,
            "draws": self.draws,
            "seed": self.seed,
            "limits": dataclasses.asdict(self.limits),
            "encoders": {
                name: {
                    "fingerprint": fingerprint,
                    "facts": {k: as_number(v) for k, v in dataclasses.asdict(self.facts[name]).items()},
                    "metrics": {i.metric: _plain(i) for i in self.items if i.encoder == name},
                }
                for name, fingerprint in self.encoders.items()
            },
        }


def _plain(item: Trust) -> dict[str, Any]:
    v = item.verdict
    return {
        "verdict": v.word,
        "reasons": list(v.reasons),
        "removal": as_number(v.removal),
        "random": as_number(v.random),
        "strongest_removal": as_number(v.strongest),
        "level_correlation": as_number(v.correlation),
        "documents": v.documents,
        "monotonicity": {
            kind: {"corpus": as_number(whole), "documents": as_number(own)}
            for kind, (whole, own) in item.monotonicity.items()
        },
        "trials": [
            {
                "kind": n.trial.kind,
                "level": n.trial.level,
                "degradation": str(n.trial.degradation),
                "ranked_right": as_number(n.share),
                "drop": as_number(n.drop),
                "effect": as_number(n.effect),
                "documents": n.documents,
            }
            for n in item.noticed
        ],
        "correlations": {
            name: {
                "pearson": as_number(c.pearson),
                "spearman": as_number(c.spearman),
                "kendall": as_number(c.kendall),
                "points": c.points,
            }
            for name, c in item.correlations.items()
        },
    }


def _percent(share: float) -> Value:
    return None if math.isnan(share) else f"{100 * share:.0f} %"


def _two(value: float) -> Value:
    return None if math.isnan(value) else f"{value:.2f}"


def _facts_words(facts: CorpusFacts) -> str:
    repeats = "" if math.isnan(facts.repeats) else f", {100 * facts.repeats:.0f} % of units repeat another"
    where = "between documents" if facts.documents > 1 else "within the document"
    return (
        f"{facts.segments} segments of {facts.units} units, {100 * facts.singletons:.0f} % of one unit{repeats}, "
        f"mean cosine {where} {facts.anisotropy:.2f}"
    )
