# SPDX-License-Identifier: Apache-2.0
"""Tables of verdicts, and of the underlying density."""

from __future__ import annotations

from caesura.results.evaluate.facts import Regimes
from caesura.results.evaluate.verdict import Verdict
from caesura.table import Column, Table, Value, columns_of
from caesura.units.quantity import as_clock

__all__ = ["clock_columns", "meaning_table", "regime_tables", "verdict_table"]

_BEATEN = {True: "yes", False: "no"}
_HOUR = 3_600_000  # milliseconds


def meaning_table(verdicts: dict[str, Verdict]) -> Table:
    """Return one row per system: its verdict, and W-F1 with chance and a clock."""
    rows: list[list[Value]] = []
    for system, v in verdicts.items():
        f1 = v.findings["W-F1"]
        rows.append([system, v.verdict, v.bor, f1.score, f1.chance, v.clock.score, f1.skill])
    name = next((v.f1 for v in verdicts.values()), "W-F1")
    columns = [Column("system"), Column("verdict", width=26), Column("BOR", digits=2)]
    columns += [*columns_of(name, "chance", "clock"), Column("skill", digits=2)]
    note = f"chance, clock: {name} of the same number of boundaries, placed at random or evenly; skill: 0 is chance, 1 perfect"
    few = ["the documents are few, so the verdicts only suggest"] if any(v.suggests for v in verdicts.values()) else []
    return Table(columns, rows, notes=[note, *few], title="What the scores mean", detail=True)


def clock_columns(verdicts: list[Verdict | None]) -> tuple[list[Column], list[list[Value]]]:
    """Return the columns that a verdict adds to a table of scores, and their values: the verdict, the clock, which of them is better."""
    f1 = next((v.f1 for v in verdicts if v is not None), "W-F1")
    values: list[list[Value]] = [
        [None, None, None] if v is None else [v.verdict, v.clock.score, _BEATEN[v.above_clock]] for v in verdicts
    ]
    return columns_of("verdict", f"{f1} clock", f"{f1} clock beaten"), values


def verdict_table(found: dict[str, dict[str, Verdict]], *, by_document: bool = False) -> Table:
    """Return one row per system, or per system and document."""
    rows: list[list[Value]] = []
    notes: list[str] = []
    for system, row in found.items():
        for key, v in row.items():
            sizes: list[Value] = []
            for f in v.findings.values():
                sizes += [f.skill, None if f.skill is None else f.size]
            who: list[Value] = [system, key] if by_document else [system]
            rows.append(
                [*who, v.verdict, v.bor, v.findings["W-F1"].score, v.clock.score, _BEATEN[v.above_clock], *sizes]
            )
            if not by_document:
                notes += [f"{system}: {v.words}", f"{system}: next: {v.next}"]
                notes += [f"{system}: for {use}: {advice}" for use, advice in v.advice.items()]
    some = next((v for row in found.values() for v in row.values()), None)
    f1 = "W-F1" if some is None else some.f1
    heads = ["system", *(["document"] if by_document else []), "verdict", "BOR", f1, "clock", "clock beaten"]
    for name in [] if some is None else some.findings:
        heads += [f"{f1 if name == 'W-F1' else name} {what}" for what in ("skill", "size")]
    columns = [Column(title, digits=2 if title == "BOR" or title.endswith("skill") else 3) for title in heads]
    columns[heads.index("verdict")] = Column("verdict", width=26)
    notes += [] if some is None else _lines(some)
    return Table(columns, rows, notes=notes, title="Verdict", detail=not by_document)


def _lines(v: Verdict) -> list[str]:
    t = v.thresholds
    return [
        f"skill: above as many boundaries at random (at most {t.placements} draws, seed {t.seed}); {t.strong:g} is strong, "
        f"{t.weak:g} weak, if the lower end of the 95 % interval is above 0; tolerance {v.tolerance}",
        f"clock: the better {v.f1} of boundaries at equal distances, as many in all or in each document; beaten: "
        f"adjusted p < {t.alpha:g} (Holm's method over the two)",
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
