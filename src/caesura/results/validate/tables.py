# SPDX-License-Identifier: Apache-2.0
"""Tables of the self-degradation test: verdicts, documents ranked correctly, correlations with reference metrics."""

from __future__ import annotations

import dataclasses

from caesura.results._sentences import number_of
from caesura.results.base import Number, as_float, required
from caesura.results.schema import Results
from caesura.results.validate.facts import (
    BLIND,
    DAMAGES,
    GRADED,
    CorpusFacts,
    EncoderTrust,
    Limits,
    TrialOutcome,
    Trust,
    Validity,
    damage_names,
)
from caesura.table import Column, Table, Value, columns_of

__all__ = ["csv_table", "tables"]


def tables(results: Results) -> list[Table]:
    """Return the verdicts, the damages noticed with each encoder, and the correlations if there is gold."""
    validity = required(results.validity)
    detail = [_noticed(name, encoder) for name, encoder in validity.encoders.items()]
    detail += [_systems(name, encoder) for name, encoder in validity.encoders.items() if encoder.systems]
    if validity.gold:
        detail += [_correlations(validity), _level_means(validity)]
    return [
        _summary(validity),
        *(dataclasses.replace(t, detail=True) for t in (_verdicts(validity, results.seed), *detail)),
    ]


def csv_table(results: Results) -> Table:
    """Return one row per encoder and metric: the verdict, and what it rests on."""
    return tables(results)[1]


def _summary(validity: Validity) -> Table:
    """Return one row per encoder and metric: how often it notices each of the six damages; of several encoders, the worst of them."""
    names = damage_names(validity.limits)
    several = len(validity.encoders) > 1
    rows: list[list[Value]] = []
    for encoder, of in validity.encoders.items():
        for name, t in of.metrics.items():
            known = {kind: share for kind, share in t.damages.items() if share is not None}
            kind = min(known, key=lambda kind: as_float(known[kind]), default=None)
            worst: list[Value] = [t.worst, None if kind is None else names[kind], _verdict(t, validity)]
            each: list[Value] = [t.damages.get(kind) for kind in DAMAGES]
            rows.append([encoder, _named(name), *worst] if several else [_named(name), *each])
    judged = [Column("worst", style="percent"), *columns_of("of the damages", "verdict")]
    what = "share of documents in which the undamaged segmentation scores better"
    notes = [
        f"worst: least {what}, of six damages" if several else what,
        f"blind: {BLIND} reads lengths only, so its row is the level reached without reading the text",
    ]
    columns = columns_of(*(["encoder"] if several else []), "metric")
    columns += judged if several else _shares(*DAMAGES)
    return Table(columns, rows, notes=notes, title="Which metrics work here")


def _verdicts(validity: Validity, seed: int | None) -> Table:
    rows: list[list[Value]] = [
        [
            encoder, _named(name), _verdict(t, validity), *(t.damages.get(kind) for kind in DAMAGES), t.worst,
            t.level_correlation, t.documents, "; ".join(t.reasons),
        ]
        for encoder, of in validity.encoders.items()
        for name, t in of.metrics.items()
    ]  # fmt: skip
    columns = [*columns_of("encoder", "metric", "verdict"), *_shares(*DAMAGES, "worst")]
    columns += [*columns_of("level ρ", "documents"), Column("why not", width=28)]
    return Table(columns, rows, notes=_verdict_notes(validity, seed), title="Verdicts")


def _verdict(trust: Trust, validity: Validity) -> str:
    """Return the verdict on a metric; undecided if there are few documents."""
    return trust.verdict if trust.documents >= validity.limits.documents else "undecided"


def _verdict_notes(validity: Validity, seed: int | None) -> list[str]:
    limits = validity.limits
    names = list(damage_names(limits).values())
    what = "gold boundaries" if validity.gold else "the given boundaries"
    without = number_of(validity.left_out, "document")
    left_out = f"; {without} without a boundary left out" if validity.left_out else ""
    repeated = "once" if validity.draws == 1 else f"{validity.draws} times"
    notes = [
        f"{what} of {number_of(validity.documents, 'document')}, each damaged {repeated}, seed {seed}{left_out}",
        f"shares of documents in which the undamaged segmentation scores better, against {', '.join(names[:-1])} and {names[-1]}",
        f"usable: at least {_percent(limits.better)} against each of these, more than the blind row against the worst of them, "
        f"and a loss that follows the level of damage with rank correlation ρ of at least {limits.correlation:g}",
        f"for large differences: at least {_percent(limits.large)} against the strongest removal and random placement, and more "
        "than 50 % against each",
        f"blind: {BLIND} reads lengths only, so its row is the level reached without reading the text",
        "scores of different encoders are not comparable; each row is judged on its own",
    ]
    notes += [f"{name}: {_facts(encoder.facts)}" for name, encoder in validity.encoders.items()]
    if not validity.gold:
        notes.append(
            "without gold this tests whether a metric prefers the given segmentation to damaged ones, not whether it is right"
        )
    return notes


def _facts(facts: CorpusFacts) -> str:
    repeats = "" if facts.repeats is None else f", {_percent(facts.repeats)} of units repeat another"
    where = "between documents" if facts.documents > 1 else "within the document"
    return (
        f"{facts.segments} segments of {facts.units} units, {_percent(facts.singletons)} of segments have one unit{repeats}, "
        f"mean cosine {where} {_two(facts.anisotropy) or '-'}"
    )


def _noticed(name: str, encoder: EncoderTrust) -> Table:
    metrics = list(encoder.metrics.values())
    rows: list[list[Value]] = []
    for across in zip(*(trust.trials for trust in metrics), strict=True):
        judged = min(outcome.documents for outcome in across)
        rows.append([_label(across[0]), judged, *(_percent(outcome.ranked_right) for outcome in across)])
    for kind in metrics[0].monotonicity:
        rows.append([f"level of {kind}, ρ", "", *(_two(t.monotonicity[kind].corpus) for t in metrics)])
    notes = [
        "share of documents in which the undamaged segmentation scores better, ties count half; 50 % is chance",
        "documents: changed by the damage, and scored before and after",
        "ρ: rank correlation of the level of damage with the median loss, 1 if more damage always costs more",
    ]
    columns = columns_of("damage", "documents", *map(_named, encoder.metrics))
    return Table(columns, rows, notes=notes, title=f"Documents ranked right with {name}")


def _systems(name: str, encoder: EncoderTrust) -> Table:
    """Return one row per real system: its density, and how often each metric scores the reference above it."""
    found = [t.systems for t in encoder.metrics.values() if t.systems is not None]
    rows: list[list[Value]] = [
        [system, per_100, *(_percent(each.systems[system]) for each in found)]
        for system, per_100 in encoder.systems.items()
    ]
    rows.append(["all", None, *(_percent(each.share) for each in found)])
    for title, end in (("95 % interval, low", 0), ("95 % interval, high", 1)):
        rows.append([title, None, *(_percent(each.interval[end]) for each in found)])
    facts = encoder.facts
    notes = [
        "share of documents in which the reference scores better than the system, ties count half; 50 % is chance",
        f"per 100: segments per 100 units; the reference has {100 * facts.segments / facts.units:.1f}",
        f"all: of up to {number_of(max(each.pairs for each in found), 'pair')} of a document and a system that have other "
        "boundaries and a score each; interval: documents resampled",
        "a system that cuts by the evidence that a metric reads may score above any reference; that metric cannot rank it",
        *encoder.failed,
    ]
    if any(name.startswith(("Support", "model:")) for name in encoder.metrics):
        notes.append("weights of Support were learned from outputs of such systems too")
    columns = [Column("system"), Column("per 100", digits=1), *columns_of(*map(_named, encoder.metrics))]
    return Table(columns, rows, notes=notes, title=f"The reference against real systems with {name}")


def _correlations(validity: Validity) -> Table:
    rows: list[list[Value]] = [
        [encoder, name, reference, c.pearson, c.spearman, c.kendall, c.points]
        for encoder, of in validity.encoders.items()
        for name, trust in of.metrics.items()
        for reference, c in trust.correlations.items()
    ]
    note = "loss of the metric against loss of the reference metric, one point per document, damage and draw"
    columns = columns_of("encoder", "metric", "reference metric", "Pearson", "Spearman", "Kendall", "points")
    return Table(columns, rows, notes=[note], title="Correlation with reference metrics")


def _level_means(validity: Validity) -> Table:
    """Return the correlation of mean losses over the levels of each damage, as papers report it."""
    several = len(validity.encoders) > 1
    rows: list[list[Value]] = [
        [
            *([encoder] if several else []), name, reference,
            *(None if (c := found.get(kind)) is None else c.pearson for kind in GRADED),
            min((c.documents for c in found.values()), default=0),
        ]
        for encoder, of in validity.encoders.items()
        for name, trust in of.metrics.items()
        for reference, found in trust.level_means.items()
    ]  # fmt: skip
    notes = [
        "Pearson correlation of mean losses, one point per level and one for no damage, as papers report it",
        "a curve that rises correlates with every other that rises: the table of documents above says more",
        "documents: fewest behind the means of one damage; documents without a score at some level are left out",
    ]
    columns = columns_of(*(["encoder"] if several else []), "metric", "reference", *GRADED, "documents")
    return Table(columns, rows, notes=notes, title="Correlation of level means with reference metrics")


def _label(outcome: TrialOutcome) -> str:
    if outcome.kind not in GRADED:
        return damage_names(Limits())[outcome.kind]
    level = f"{outcome.level:g}" if outcome.kind == "transposition" else _percent(outcome.level)
    return f"{outcome.kind} {level}"


def _named(metric: str) -> str:
    return f"{metric} (blind)" if metric == BLIND else metric


def _shares(*titles: str) -> list[Column]:
    return [Column(title, style="percent") for title in titles]


def _percent(share: Number) -> str | None:
    return None if share is None else f"{100 * share:.0f} %"


def _two(value: Number) -> str | None:
    return None if value is None else f"{value:.2f}"
