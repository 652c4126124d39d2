# SPDX-License-Identifier: Apache-2.0
"""Tables of `agree`: coefficients, pairs, annotators, boundary support, contested gaps, planning."""

from __future__ import annotations

import dataclasses

from caesura.results._tables import ends, few_note
from caesura.results.agree.facts import AgreementFacts, AnnotatorRow, Plan
from caesura.results.agree.work_tables import work_tables
from caesura.results.base import as_float, required
from caesura.results.schema import Results
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.table import Column, Table, Value, columns_of

__all__ = ["csv_table", "near_misses", "tables"]

_MOST_CONTESTED = 10
_MOST_ANNOTATORS = 12
_MOST_IN_MATRIX = 20


def tables(results: Results) -> list[Table]:
    """Return every table; the annotators are the main one."""
    facts = required(results.agreement)
    plan = [] if facts.plan is None else [_plan(facts.plan)]
    detail = [_coefficients(results, facts), _pairwise(facts)]
    if facts.pairwise and len(facts.names) <= _MOST_IN_MATRIX:
        detail.append(_matrix(facts))
    detail += [_intervals(results, facts), *work_tables(results, facts), _prominence(facts), _contested(facts)]
    return [_annotators(results, facts), *(dataclasses.replace(table, detail=True) for table in detail), *plan]


def csv_table(results: Results) -> Table:
    """Return one row per annotator, with everything that is known of them."""
    facts = required(results.agreement)
    rows: list[list[Value]] = [
        [
            name, a.documents, a.boundaries, a.per_100_units, a.units_per_segment, a.seconds, a.bias, a.density, a.density_interval, a.agreement, a.interval,
            a.kappa_without, a.kappa_change, ", ".join(_apart(a)),
        ]
        for name, a in facts.annotators.items()
    ]  # fmt: skip
    columns = columns_of(
        "annotator", "documents", "boundaries", "per 100", "units per segment", "seconds", "bias", "density"
    )
    columns += [_interval("density"), Column(facts.by), _interval(facts.by), Column("kappa without")]
    return Table([*columns, _interval("kappa change"), Column("outlier by")], rows)


def _interval(title: str) -> Column:
    return Column(title, style="interval")


def _coefficients(results: Results, facts: AgreementFacts) -> Table:
    rows: list[list[Value]] = [
        [name, c.score, *c.interval, c.sd, c.observed, c.expected, c.documents, c.undefined]
        for name, c in facts.coefficients.items()
    ]
    titles = ("coefficient", "score", "low", "high", "sd", "observed", "expected", "documents", "undefined")
    return Table(columns_of(*titles), rows, notes=_coefficient_notes(results, facts), title="Agreement")


def near_misses(unit: str) -> str:
    """Return the option that counts near misses, on time and characters with a distance that suits them."""
    options = {"ms": "-m \"AgreementB(n_t='5s')\"", "character": '-m "AgreementB(n_t=50)"'}
    return options.get(unit, '-m "AgreementB(n_t=3)"')


def _coefficient_notes(results: Results, facts: AgreementFacts) -> list[str]:
    notes, r, coefficients = [], results.resampling, facts.coefficients.items()
    if r is not None:
        drawn = f"documents resampled {r.resamples} times, seed {r.seed}"
        pooled = [name for name, c in coefficients if c.aggregation == "micro"]
        means = f"mean over documents{'; of all documents together: ' if pooled else ''}{', '.join(pooled)}"
        notes.append(f"score: {means}; low, high: {r.level:.0%} interval, {drawn}")
        notes += few_note(results)
    notes += [f"{name}: undefined ({c.reason})" for name, c in coefficients if c.reason]
    biased = ", ".join(f"{name} {c.bias:.4f}" for name, c in coefficients if c.bias is not None)
    if biased:
        notes.append(f"bias (pooled chance minus chance by annotator): {biased}")
    why = "only one annotator, or no gap marked, or every gap marked"
    partly = [(name, c.undefined) for name, c in coefficients if c.undefined and not c.reason]
    notes += [f"{name}: {undefined} documents undefined ({why})" for name, undefined in partly]
    if results.unit in CONTINUOUS_UNITS:
        notes.append(
            f"on the unit {results.unit!r} annotators rarely mark exactly the same gap, and B and S need a distance: "
            f"{near_misses(results.unit)}"
        )
    return notes


def _pairwise(facts: AgreementFacts) -> Table:
    rows: list[list[Value]] = [
        [name, w["pooled"].mean, w["pooled"].sd, w["reference"].mean, w["reference"].sd]
        for name, w in facts.pairwise.items()
    ]
    columns = columns_of("metric", "mean", "sd", "mean, own window", "sd, own window")
    note = (
        "mean over documents of the mean over pairs; the window comes from all annotators of a document, or from each "
        "reference (own window)"
    )
    return Table(columns, rows, notes=[note], title="Every annotator against every other")


def _annotators(results: Results, facts: AgreementFacts) -> Table:
    """Return one row per annotator; of many, the outliers and those who agree least with the others."""
    known = results.metrics.get(facts.by)
    worse = 1 if known is None or known.direction != "lower" else -1
    shown = list(facts.annotators)
    if len(shown) > _MOST_ANNOTATORS:
        rows_of = facts.annotators
        shown.sort(key=lambda name: (not _apart(rows_of[name]), worse * as_float(rows_of[name].agreement), name))
    people = [(name, facts.annotators[name]) for name in shown[:_MOST_ANNOTATORS]]
    rows: list[list[Value]] = [
        [name, a.documents, a.per_100_units, a.density, a.agreement, a.kappa_without, ", ".join(_apart(a))]
        for name, a in people
    ]
    heads = ("annotator", "documents", "per 100", "density", facts.by, "kappa without", "outlier by")
    columns = [Column(head, digits=1 if head == "per 100" else 2 if head == "density" else 3) for head in heads]
    notes = [
        "per 100: boundaries per 100 units",
        "density: boundaries relative to the median annotator of the same documents",
        f"{facts.by}: mean score against the others",
        "kappa without: FleissKappa if the annotator is left out",
    ]
    if len(shown) > len(rows):
        notes.append(f"{len(shown) - len(rows)} more with --full; outliers first, then by agreement")
    if facts.excluded:
        notes.append(f"left out: {', '.join(facts.excluded)}")
    return Table(columns, rows, notes=notes, title="Annotators")


def _apart(row: AnnotatorRow) -> list[str]:
    return [*(["agreement"] if row.outlier else []), *(["density"] if row.density_outlier else [])]


def _intervals(results: Results, facts: AgreementFacts) -> Table:
    rows: list[list[Value]] = [
        [
            name, a.boundaries, a.units_per_segment, a.bias, ends(a.density_interval), a.agreement, ends(a.interval),
            ends(a.kappa_change),
        ]
        for name, a in facts.annotators.items()
    ]  # fmt: skip
    columns = [
        Column("annotator"),
        Column("boundaries"),
        Column("segment", digits=1),
        Column("bias"),
        _interval("interval of density"),
    ]
    columns += [Column(f"{facts.by} with others"), _interval("interval"), _interval("change of kappa")]
    notes = [
        "segment: mean length in units",
        "bias: boundaries relative to the mean of the others on the same documents (0.5 is half as many again)",
        "change of kappa: interval of the mean change over the annotator's documents if they are left out",
    ]
    return Table(columns, rows, notes=notes + few_note(results), title="Annotators with intervals")


def _matrix(facts: AgreementFacts) -> Table:
    name = facts.by if facts.by in facts.pairwise else next(iter(facts.pairwise))
    matrix = facts.pairwise[name]["pooled"].matrix
    rows: list[list[Value]] = [[who, *row] for who, row in zip(facts.names, matrix, strict=True)]
    columns = [Column(title, digits=2) for title in ("annotator", *facts.names)]
    return Table(columns, rows, title=f"{name} between every two annotators")


def _prominence(facts: AgreementFacts) -> Table:
    rows: list[list[Value]] = []
    for name in ("unanimous", "majority", "minority"):
        gaps = [s for s in facts.support if s.prominence == name]
        means = [_mean([s.exact for s in gaps]), _mean([s.half for s in gaps]), _mean([s.full for s in gaps])]
        rows.append([name, len(gaps), len(gaps) / max(len(facts.support), 1), *means])
    columns = columns_of("prominence", "gaps", "share", "support exact", "half a window", "a window")
    kinds = ", ".join(f"{kind} {pairs}" for kind, pairs in facts.tally.items())
    if facts.pairs > sum(facts.tally.values()):
        kinds += f" (of {facts.pairs} pairs, {sum(facts.tally.values())} drawn at random)"
    notes = [
        "prominence: by the share of annotators with a boundary within half a window",
        f"pairs of annotators by kind of disagreement: {kinds}",
    ]
    return Table(columns, rows, notes=notes, title="Boundaries marked by any annotator")


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _contested(facts: AgreementFacts) -> Table:
    rows: list[list[Value]] = [
        [c.document, c.gap, f"{len(c.votes_for)} of {len(c.votes_for) + len(c.votes_against)}", c.half, c.gain, c.before or "", c.after or ""]
        for c in facts.contested[:_MOST_CONTESTED]
    ]  # fmt: skip
    columns = columns_of("document", "gap", "votes", "half a window")
    columns += [Column("gain", digits=4), Column("before", width=36), Column("after", width=36)]
    notes = ["gain: by how much the mean kappa would rise if everybody voted with the majority here"]
    if facts.n_contested > len(rows):
        notes.append(f"{facts.n_contested - len(rows)} more")
    return Table(columns, rows, notes=notes, title="Contested gaps, largest gain first")


def _plan(plan: Plan) -> Table:
    few = "no number of annotators alone (documents differ too much, or the pilot has too few annotators to tell)"
    documents, annotators = plan.documents_needed, plan.annotators_needed
    more = "more than 100,000 documents" if documents is None else f"{documents} documents like these"
    wider = few if annotators is None else f"{annotators} annotators per document"
    notes = [
        f"The {plan.level:.0%} interval of {plan.coefficient} is {plan.width_now:.3f} wide with {plan.documents} documents "
        f"and up to {plan.annotators} annotators.",
        f"To bring it under {plan.width:g}: {more}, or {wider}.",
    ]
    if plan.annotators > len(plan.by_annotators) + 1:
        notes.append("of many annotators not every number was drawn")
    rows: list[list[Value]] = [[n, width] for n, width in plan.by_annotators.items()]
    title = f"Planning: interval width of {plan.coefficient} by annotators per document"
    return Table(columns_of("annotators", "width"), rows, notes=notes, title=title)
