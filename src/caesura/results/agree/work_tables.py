# SPDX-License-Identifier: Apache-2.0
"""Tables of `agree` for whoever runs the annotation: the corpus, who lacks what, near misses, dates, changes, second codings."""

from __future__ import annotations

from caesura.results._tables import ends
from caesura.results.agree.facts import AgreementFacts, Before, Changes, NearMisses, RelationOf, Trend
from caesura.results.base import FEW
from caesura.results.schema import Results
from caesura.segmentation import UNSPECIFIED_UNIT
from caesura.table import Column, Table, Value, columns_of
from caesura.units.quantity import as_time

__all__ = ["distance", "work_tables"]

_MOST_IN_MATRIX = 20
_MOST_DOCUMENTS = 40
_NAMED = 3
_RELATIONS: dict[RelationOf, tuple[str, str]] = {
    "time": ("seconds per unit of a coding, with the support of its boundaries", "codings"),
    "doubt": ("an annotator was unsure of a boundary, with its support", "doubtful gaps"),
    "titles": ("words that titles share, with the support of the place where their segments begin", "titles"),
}


def work_tables(results: Results, facts: AgreementFacts) -> list[Table]:
    """Return the tables, those without anything to show left out."""
    made = [
        _corpus(facts),
        _lacking(results, facts),
        None if facts.near is None else _near(results, facts, facts.near),
        None if facts.trend is None else _trend(facts.trend),
        None if facts.since is None else _since(facts.since),
        _repeats(results, facts),
        _relations(facts),
    ]
    return [table for table in made if table is not None]


def distance(within: int, unit: str) -> str:
    """Return a distance in words.

    >>> distance(2, "turn"), distance(1, "unit"), distance(10_000, "ms"), distance(40, "character")
    ('2 turns', '1 unit', '10 s', '40 characters')
    """
    if unit == "ms":
        return f"{within / 1000:g} s" if within < 60_000 else as_time(within / 1000)
    return f"{within} {unit or UNSPECIFIED_UNIT}{'' if within == 1 else 's'}"


def _corpus(facts: AgreementFacts) -> Table:
    s = facts.statistics
    codings, documents = s.get("codings"), s.get("documents")
    segments = sum(map(sum, facts.segment_counts.values()))
    rows: list[list[Value]] = [
        ["units of a document", _whole(documents), s.get("units_mean"), s.get("units_sd"), None, None, None],
        ["segments of a coding", _whole(codings), s.get("segments_mean"), s.get("segments_sd"), None, None, None],
        ["units of a segment", segments, s.get("segment_length_mean"), s.get("segment_length_sd"), None, None, None],
    ]
    for name, words in (("exact", "support at the gap"), ("half", "within half a window"), ("full", "within a window")):
        quartiles = [s.get(f"support_{name}_{at}") for at in ("q25", "median", "q75")]
        rows.append([words, len(facts.support), None, None, *quartiles])
    seconds = [row.seconds for row in facts.annotators.values() if row.seconds is not None]
    if seconds:
        mean = sum(seconds) / len(seconds)
        spread = (sum((each - mean) ** 2 for each in seconds) / max(len(seconds) - 1, 1)) ** 0.5
        rows.append(
            [
                "minutes of an annotator",
                len(seconds),
                mean / 60,
                spread / 60 if len(seconds) > 1 else None,
                None,
                None,
                None,
            ]
        )
    columns = [
        Column("what"),
        Column("number"),
        *(Column(title, digits=2) for title in ("mean", "sd", "25 %", "median", "75 %")),
    ]
    notes = [f"{len(facts.names)} annotators; sd: sample standard deviation; support: of each gap that somebody marked"]
    return Table(columns, rows, notes=notes, title="Corpus")


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _lacking(results: Results, facts: AgreementFacts) -> Table | None:
    """Return who has not coded which document; None if everybody coded everything."""
    total = max(results.inputs[0].documents, len(facts.coded_by))
    everybody = range(len(facts.names))
    lacking = {
        key: [place for place in everybody if place not in set(coders)] for key, coders in facts.coded_by.items()
    }
    lacking = {key: places for key, places in lacking.items() if places}
    uncoded = total - len(facts.coded_by)
    if not lacking and not uncoded:
        return None
    notes = [
        f"segments of each coding; -: not coded; {len(facts.coded_by) - len(lacking)} of {total} documents are coded by everybody"
    ]
    notes += [f"{uncoded} documents are coded by nobody"] if uncoded else []
    if len(facts.names) > _MOST_IN_MATRIX:
        rows: list[list[Value]] = []
        for place, name in enumerate(facts.names):
            keys = [key for key, places in lacking.items() if place in places]
            more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
            rows.append([name, len(keys), ", ".join(keys[:_NAMED]) + more])
        return Table(
            columns_of("annotator", "lacks", "documents"), rows, notes=notes[1:], title="Who lacks which document"
        )
    shown = list(lacking)[:_MOST_DOCUMENTS]
    if len(lacking) > len(shown):
        notes.append(f"{len(lacking) - len(shown)} more documents that somebody lacks")
    rows = []
    for key in shown:
        segments = dict(zip(facts.coded_by[key], facts.segment_counts[key], strict=True))
        rows.append([key, *(segments.get(place) for place in everybody)])
    rows.append(["lacks", *(sum(place in places for places in lacking.values()) for place in everybody)])
    return Table(columns_of("document", *facts.names), rows, notes=notes, title="Who lacks which document")


def _near(results: Results, facts: AgreementFacts, near: NearMisses) -> Table | None:
    if near.near is None:
        return None
    notes = [
        f"share of the boundaries of the row's annotator that have one of the column's within {distance(near.within, results.unit)}",
        f"all pairs: {near.near:.0%}, by chance {near.near_by_chance or 0:.0%}; at the same gap {near.exact or 0:.0%}, by chance "
        f"{near.exact_by_chance or 0:.0%}",
    ]
    rows: list[list[Value]] = [[who, *row] for who, row in zip(facts.names, near.matrix, strict=False)]
    columns = [Column(title, digits=2) for title in ("annotator", *(facts.names if rows else ()))]
    return Table(columns, rows, notes=notes, title="Near misses")


def _trend(trend: Trend) -> Table:
    rows: list[list[Value]] = [
        [each.since, each.until, each.documents, each.score, each.per_100_units] for each in trend.periods
    ]
    columns = [*columns_of("since", "until", "documents", trend.coefficient), Column("per 100", digits=1)]
    p, r = trend.p, trend.spearman
    notes = [
        "documents by the date on which their last annotator finished; per 100: boundaries of an annotator per 100 units"
    ]
    if p is not None and r is not None:
        notes.append(
            f"rank correlation of {trend.coefficient} with the date: {r:+.2f}, permutation test p {_p(p)}, {trend.documents} documents"
        )
    notes += [f"{trend.undated} documents have no date that can be read"] if trend.undated else []
    return Table(columns, rows, notes=notes, title="Agreement over time")


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _since(since: Before) -> Table:
    heads = ("new", "gone", "changed", "same", "added", "removed")
    people = {who: own for who, own in since.annotators.items() if own != Changes(same=own.same)}
    rows: list[list[Value]] = [[who, *(getattr(own, head) for head in heads)] for who, own in people.items()]
    notes = [
        "codings that are new, gone, changed or the same; boundaries added to and removed from changed ones",
        f"{since.new} documents are new and {since.gone} gone",
    ]
    quiet = len(since.annotators) - len(people)
    notes += [f"{quiet} annotators without a change"] if quiet else []
    if since.before is not None and since.now is not None:
        change = (
            f"{since.coefficient} was {since.before:.3f} and is {since.now:.3f} on {since.documents} documents of both"
        )
        low, high = since.interval
        notes.append(
            change
            if low is None or high is None
            else f"{change}: a change of {since.now - since.before:+.3f} [{low:+.3f}, {high:+.3f}]"
        )
    if since.other_length:
        shown = ", ".join(since.other_length[:_NAMED])
        notes.append(f"{len(since.other_length)} documents have another number of units now, and are left out: {shown}")
    return Table(columns_of("annotator", *heads), rows, notes=notes, title="Since the earlier export")


def _repeats(results: Results, facts: AgreementFacts) -> Table | None:
    if not facts.repeats:
        return None
    within = distance(facts.near.within, results.unit) if facts.near is not None else "reach"
    rows: list[list[Value]] = [
        [who, own.documents, own.boundaries, own.again, own.itself, own.others, own.near]
        for who, own in facts.repeats.items()
    ]
    heads = ("annotator", "documents", "boundaries", "again", f"{facts.by} with themselves", "with the others", "near")
    notes = [
        f"near: share of the boundaries of the first coding that have one of the second within {within}",
        "with the others: the first coding, on the same documents",
    ]
    return Table(columns_of(*heads), rows, notes=notes, title="Documents coded twice")


def _relations(facts: AgreementFacts) -> Table | None:
    if not facts.relations:
        return None
    rows: list[list[Value]] = []
    notes = ["rank correlation (Spearman) within documents, averaged over those in which both sides vary"]
    for name, words in _RELATIONS.items():
        own = facts.relations.get(name)
        if own is not None:
            rows.append([name, own.number, own.documents, own.spearman, ends(own.interval)])
            notes.append(f"{name}: {words[0]}; number: {words[1]}")
            if own.documents < FEW:
                notes.append(f"{name}: few documents, so the interval is rough")
    columns = [*columns_of("what", "number", "documents", "with support"), Column("interval", style="interval")]
    return Table(columns, rows, notes=notes, title="Time, doubt and titles")
