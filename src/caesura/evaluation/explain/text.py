# SPDX-License-Identifier: Apache-2.0
"""An explanation as plain text: the pair, the scores, why they differ, and where the errors are."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from caesura.evaluation.explain.conventions import CAESURA, CONVENTIONS
from caesura.evaluation.explain.outcomes import OUTCOMES, Ints, SegmentOutcomes
from caesura.evaluation.explain.reasons import counted
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.table import Column, Table, Value, format_number
from caesura.units.quantity import as_time

if TYPE_CHECKING:
    from caesura.evaluation.explain.report import Explanation, Row

__all__ = ["explanation_text"]

MOST_SEGMENTS = 30
"""The number of segments listed in the terminal; the rest are counted."""

_BESIDE_TITLE = 68
"""The columns that the other cells of a segment take."""

_MEANINGS = {
    "retrieved": "covered well enough both ways by its partner, the segment that shares most with it",
    "split": "cut into pieces",
    "merged": "joined with others into one",
    "edge effect": "it and its partner hold more than half of each other, but an edge is off",
    "missed": "no segment of the hypothesis corresponds to it",
}
_IN_THE_HYPOTHESIS = (
    "In the hypothesis, a retrieved segment is correct, a split one is a piece, a merged one holds several, and a missed "
    "one corresponds to no segment of the reference."
)


def explanation_text(explanation: Explanation, width: int = 80) -> str:
    """Return the whole explanation as lines of at most ``width`` columns, as far as names allow."""
    views = explanation.views(width)
    if explanation.by_programs:
        from caesura.evaluation.explain.chapters import chapters_text

        parts = [_heading(explanation, width), _remarks(explanation, width), views.get("mass", [])]
        parts += [chapters_text(explanation, width), _worst(explanation, width)]
        return "\n\n".join(filter(None, map("\n".join, parts)))
    parts = [
        _heading(explanation, width),
        _remarks(explanation, width),
        views.get("mass", []),
        _windows(explanation, width),
        views.get("windows", []),
        _others(explanation, width),
        _segments(explanation, width),
        _worst(explanation, width),
    ]
    return "\n\n".join(filter(None, map("\n".join, parts)))


def _heading(explanation: Explanation, width: int) -> Iterator[str]:
    unit = explanation.pairs.unit
    if explanation.pair is None:
        pairs, total = explanation.pairs, int(explanation.pairs.n_units.sum())
        boundaries = f"{len(pairs.ref_pos)} reference and {len(pairs.hyp_pos)} hypothesis boundaries"
        yield f"{len(pairs)} documents, {total} {_plural(unit, total)}; {boundaries}"
        return
    for name, side in zip(("reference ", "hypothesis"), explanation.pair, strict=True):
        count = counted(side.n_boundaries, "boundary", "boundaries")
        timed = unit == "ms"
        length = as_time(side.n_units / 1000) if timed else f"{side.n_units} {_plural(unit, side.n_units)}"
        head = f"{name}  {length}, {count}{' at' if timed else ':'} " if side.n_boundaries or not timed else ""
        places = [as_time(gap / 1000) for gap in side.boundaries] if timed else [str(mass) for mass in side.masses]
        yield (
            head + _fitting(places, ", " if timed else "-", width - len(head)) if head else f"{name}  {length}, {count}"
        )


def _remarks(explanation: Explanation, width: int) -> Iterator[str]:
    """Yield what reading and projecting the two sides cost."""
    for side in (explanation.reference, explanation.hypothesis):
        if side.remark:
            yield from textwrap.wrap(f"{side.name}: {side.remark}", width)


def _fitting(texts: Sequence[str], mark: str, room: int) -> str:
    """Return as many lengths of segments, or times of boundaries, as fit."""
    whole = mark.join(texts)
    if len(whole) <= room:
        return whole
    room -= len(f"{mark}... ({len(texts)} more)")
    ends = itertools.accumulate(len(text) + len(mark) for text in texts)
    fitting = max(sum(end - len(mark) <= room for end in ends), 1)
    return f"{mark.join(texts[:fitting])}{mark}... ({len(texts) - fitting} more)"


def _windows(explanation: Explanation, width: int) -> Iterator[str]:
    """Yield the table of the window metrics, and why its scores differ."""
    metrics = list(explanation.window_metrics())
    if not metrics:
        return
    groups: dict[str, list[Row]] = {convention.name: [] for convention in (CAESURA, *CONVENTIONS)}
    for row in explanation.rows:
        if row.metric in metrics:
            groups[row.convention].append(row)
    groups = {name: rows for name, rows in groups.items() if rows}
    mean = "" if explanation.pair is not None else ", mean over documents"
    # On time, windows are counted by the millisecond, and such fractions are meaningless.
    timed = explanation.pairs.unit == "ms"
    length = "of length k" if timed else f"k {_plural(explanation.pairs.unit, 2)} long"
    yield from textwrap.wrap(f"{' and '.join(metrics)}: share of wrong windows ({length}){mean}", width)
    table = _window_table(groups, metrics, counted=not timed)
    reasons = _window_reasons(groups, width)
    yield from ["", *table, "", "Why they differ", *reasons, ""]
    empty = ", ".join(f"{m} {format_number(score)}" for m, score in explanation.without_boundaries().items())
    yield from textwrap.wrap(f"For comparison: a hypothesis without any boundary would score {empty}.", width)


def _window_table(groups: Mapping[str, Sequence[Row]], metrics: Sequence[str], *, counted: bool) -> list[str]:
    lines: list[list[Value]] = []
    for name, rows in groups.items():
        by_metric = {row.metric: row for row in rows}
        windows = "/".join(dict.fromkeys(row.window for row in rows))
        lines.append([name, windows, *(_cell(by_metric.get(metric), counted=counted) for metric in metrics)])
    titles = ("convention", "k", *metrics)
    return str(Table([Column(title) for title in titles], lines)).split("\n")


def _window_reasons(groups: Mapping[str, Sequence[Row]], width: int) -> Iterator[str]:
    """Yield the reasons of each convention whose scores differ, and the names of the others."""
    indent = max(len(name) for name in groups) + 4
    same, remarks = [], []
    for name, rows in groups.items():
        if name == CAESURA.name or any(row.differs for row in rows):
            reasons = dict.fromkeys(reason for row in rows for reason in row.reasons)
            yield from _hanging(name, list(reasons), indent, width)
            remarks += [row.remark for row in rows if row.remark]
        else:
            same.append(name)
    if same:
        yield from _hanging("the same here", ["; ".join(same)], indent, width)
    for remark in dict.fromkeys(remarks):
        yield from textwrap.wrap(f"Note: {remark}.", width)


def _cell(row: Row | None, *, counted: bool) -> str:
    if row is None:
        return "-"
    score, (errors, windows) = format_number(row.outcome.score), row.fraction or (0, 0)
    return f"{score}  {errors}/{windows}" if windows and counted else score


def _others(explanation: Explanation, width: int) -> Iterator[str]:
    """Yield the metrics that some convention changes with the reasons, then the names of the others."""
    windows = explanation.window_metrics()
    groups: dict[str, list[Row]] = {}
    for row in explanation.rows:
        if row.metric not in windows:
            groups.setdefault(row.metric, []).append(row)
    changed = {name: rows for name, rows in groups.items() if any(row.differs for row in rows)}
    if changed:
        yield from ["Other metrics that depend on a convention here", "", *_changed(changed, width)]
    same = [f"{m} {format_number(rows[0].outcome.score)}" for m, rows in groups.items() if m not in changed]
    if same:
        yield from [""] if changed else []
        yield from textwrap.wrap(f"The same under every convention here: {', '.join(same)}.", width)


def _changed(groups: Mapping[str, Sequence[Row]], width: int) -> Iterator[str]:
    names = max(len(name) for name in groups)
    indent = names + 13
    for name, (base, *others) in groups.items():
        yield f"  {name.ljust(names)}  {format_number(base.outcome.score):>6}   {base.convention}"
        for row in others:
            if row.differs:
                head = f"{' ' * names}  {format_number(row.outcome.score):>6}"
                yield from _hanging(head, [f"{row.convention}: {row.why}"], indent, width)


def _segments(explanation: Explanation, width: int) -> Iterator[str]:
    ours, theirs = explanation.outcomes
    yield from [f"What became of the segments (gamma = {explanation.gamma:g})", ""]
    if explanation.pair is None:
        yield from str(_tally_table(ours, theirs)).split("\n")
    else:
        yield from str(_list_table(explanation, width)).split("\n")
        if len(ours) > MOST_SEGMENTS:
            yield f"... and {len(ours) - MOST_SEGMENTS} more; --format json lists all"
        correct = theirs.tally()["retrieved"]
        yield from ["", f"Correct segments of the hypothesis: {correct} of {len(theirs)}"]
    yield ""
    words = [word for word in OUTCOMES if ours.tally()[word]]
    indent = max(len(word) for word in words) + 4
    for word in words:
        yield from _hanging(word, [_MEANINGS[word]], indent, width)
    if explanation.pair is None:
        yield from textwrap.wrap(_IN_THE_HYPOTHESIS, width)


def _list_table(explanation: Explanation, width: int) -> Table:
    """Return one row per segment of the reference; its title, if any, replaces a derived column."""
    (ours, theirs), unit = explanation.outcomes, explanation.pairs.unit
    partner = ours.partner - 1
    titles = explanation.titles()
    room = max(width - _BESIDE_TITLE, 8)
    columns: dict[str, Iterable[Value]] = {"segment": _spans(ours.start, ours.end, unit)}
    if titles:
        columns["title"] = [textwrap.shorten(title, room, placeholder="…") for title in titles]
    columns["partner"] = _spans(theirs.start[partner], theirs.end[partner], unit)
    columns["covered"], columns["of partner"] = ours.coverage.tolist(), ours.partner_coverage.tolist()
    if not titles:
        columns["both ways"] = ours.harmonic.tolist()
    columns["outcome"] = ours.words()
    cells = zip(*columns.values(), strict=True)
    rows: list[list[Value]] = [list(row) for row in itertools.islice(cells, MOST_SEGMENTS)]
    return Table([Column(title, digits=2) for title in columns], rows)


def _tally_table(ours: SegmentOutcomes, theirs: SegmentOutcomes) -> Table:
    ref, hyp = ours.tally(), theirs.tally()
    rows: list[list[Value]] = [
        [word, ref[word], 100 * ref[word] / len(ours), hyp[word], 100 * hyp[word] / len(theirs)] for word in OUTCOMES
    ]
    share = Column("%", digits=1)
    return Table([Column("outcome"), Column("reference"), share, Column("hypothesis"), share], rows)


def _spans(starts: Ints, ends: Ints, unit: str) -> Iterator[str]:
    """Yield the units of each segment, or its times."""
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if unit == "ms":
            yield f"{as_time(start / 1000)}-{as_time(end / 1000)}"
        elif unit in CONTINUOUS_UNITS:
            yield f"{start}-{end}"
        else:
            yield f"{start + 1}-{end}" if end > start + 1 else f"{end}"


def _worst(explanation: Explanation, width: int) -> list[str]:
    """Return the documents with the worst scores of a corpus."""
    worst = ", ".join(f"{key} ({format_number(score)})" for key, score in explanation.worst())
    if explanation.pair is not None or not worst:
        return []
    text = f"Worst by {explanation.rows[0].metric}: {worst}. --document ID draws one of them."
    return textwrap.wrap(text, width)


def _hanging(head: str, texts: Sequence[str], indent: int, width: int) -> list[str]:
    """Return a head with texts next to it, each wrapped and starting on a new line."""
    ended = [*(f"{text};" for text in texts[:-1]), texts[-1]]
    lines = [line for text in ended for line in textwrap.wrap(text, max(width - indent, 20))]
    return [f"  {head}".ljust(indent) + lines[0], *(" " * indent + line for line in lines[1:])]


def _plural(unit: str, number: int) -> str:
    return unit if unit == "ms" or number == 1 else f"{unit}s"
