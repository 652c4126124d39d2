# SPDX-License-Identifier: Apache-2.0
"""Tables of verdicts, and of the underlying density."""

from __future__ import annotations

from caesura.results.reference import Regimes
from caesura.results.tables._common import columns_of
from caesura.results.verdict import Verdict
from caesura.table import Column, Table, Value, format_number
from caesura.units.quantity import as_clock

__all__ = ["MEANING", "meaning_table", "regime_tables", "verdict_table"]

_HOUR = 3_600_000  # milliseconds
MEANING = "What the scores mean"


def meaning_table(verdicts: dict[str, Verdict]) -> Table:
    """Return one row per system: its verdict, and W-F1 with chance and a clock."""
    rows: list[list[Value]] = []
    for system, v in verdicts.items():
        f1 = v.findings["W-F1"]
        rows.append([system, v.verdict, v.bor, f1.score, f1.chance, v.clock.score, f1.skill])
    name = next((v.f1 for v in verdicts.values()), "W-F1")
    columns = [
        *columns_of("system", "verdict"),
        Column("BOR", digits=2),
        *columns_of(name, "chance", "clock"),
    ]
    columns[1] = Column("verdict", width=26)
    note = f"chance, clock: {name} of as many boundaries, at random or at equal distances; skill: 0 is chance, 1 perfect"
    few = (
        ["the documents are few, so the verdicts only suggest"]
        if any(v.suggests for v in verdicts.values())
        else []
    )
    return Table([*columns, Column("skill", digits=2)], rows, notes=[note, *few], title=MEANING, detail=True)


def verdict_table(found: dict[str, dict[str, Verdict]], *, by_document: bool = False) -> Table:
    """Return one row per system, or per system and document."""
    rows: list[list[Value]] = []
    notes: list[str] = []
    for system, row in found.items():
        for key, v in row.items():
            sizes: list[Value] = [
                None if f.skill is None else f"{f.skill:.2f} {f.size}" for f in v.findings.values()
            ]
            who: list[Value] = [system, key] if by_document else [system]
            clock = f"{format_number(v.clock.score)} {'beaten' if v.above_clock else 'not beaten'}"
            rows.append([*who, v.verdict, v.bor, v.findings["W-F1"].score, clock, *sizes])
            if not by_document:
                notes += [f"{system}: {v.words}", f"{system}: next: {v.next}"]
                notes += [f"{system}: for {use}: {advice}" for use, advice in v.advice.items()]
    some = next((v for row in found.values() for v in row.values()), None)
    f1 = "W-F1" if some is None else some.f1
    names = [] if some is None else [f"{f1 if name == 'W-F1' else name} skill" for name in some.findings]
    heads = ["system", *(["document"] if by_document else []), "verdict", "BOR", f1, "clock", *names]
    columns = [Column(title, digits=2 if title == "BOR" else 3) for title in heads]
    return Table(
        columns,
        rows,
        notes=notes + ([] if some is None else _lines(some)),
        title="Verdict",
        detail=not by_document,
    )


def _lines(v: Verdict) -> list[str]:
    """Return the notes on the thresholds of a verdict."""
    t = v.thresholds
    return [
        f"skill: above {t.placements} random placements of as many boundaries (seed {t.seed}); {t.strong:g} is strong, "
        f"{t.weak:g} weak, if the lower end of the 95 % interval is above 0; tolerance {v.tolerance}",
        f"clock: the better {v.f1} of boundaries at equal distances, as many in all or in each document; beaten: "
        f"p < {t.alpha:g} after Holm's correction over the two",
        f"BOR below {t.low_bor:g} is conservative, above {t.high_bor:g} aggressive",
    ]


def regime_tables(regimes: Regimes, unit: str) -> list[Table]:
    """Return the density of the reference, and the density error of every system; on time per hour, not per 100 units."""
    r = regimes.annotation
    timed = unit == "ms"
    per = "hour" if timed else "100 units"
    heads = ("documents", "without", f"per {per}", "mean", "sd", "q25", "median", "q75", "mean segment")
    densities = [r.per_100_units, r.mean, r.sd, *r.quartiles]
    segment: Value = r.mean_segment
    if timed:
        densities = [None if value is None else value * _HOUR / 100 for value in densities]
        segment = None if r.mean_segment is None else as_clock(round(r.mean_segment))
    annotation: list[Value] = [r.documents, r.without, *densities, segment]
    rows: list[list[Value]] = [
        [system, e.total, e.net, e.documents_off, e.worst_share, ", ".join(e.worst[:3])]
        for system, e in regimes.density_error.items()
    ]
    tenth = next((e.worst_documents for e in regimes.density_error.values()), 0)
    share = f"share of it in the {tenth} worst of {r.documents} documents"
    error = [f"error: sum over documents of ||P| - |G||; worst tenth: {share}"]
    columns = columns_of("system", "error", "net", "documents off", "worst tenth", "the worst")
    notes = [f"mean, sd and quartiles: boundaries per {per} of each document"]
    return [
        Table(columns_of(*heads), [annotation], notes=notes, title="Annotation regime", detail=True),
        Table(columns, rows, notes=error, title="Density error", detail=True),
    ]
