# SPDX-License-Identifier: Apache-2.0
"""Recordings under the conventions of every chapter benchmark: the scores that its program prints, and the rule behind each.

The definitions are those of the profiles (`caesura.metrics.profiles`), under the names of their programs.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from caesura.batches.pairs import Pairs
from caesura.evaluation.evaluate.chapters import ALIKE, Chapter
from caesura.evaluation.explain.conventions import CAESURA, Convention, Counter, Outcome
from caesura.metrics.base import PairwiseMetric
from caesura.metrics.profiles import under_profile
from caesura.table import Column, Table, Value, format_number
from caesura.units.quantity import as_time, default_tolerance

if TYPE_CHECKING:
    from caesura.evaluation.explain.report import Explanation

__all__ = ["chapter_conventions", "chapters_text"]

_MOST = 60  # rows in the terminal
_BESIDE_TITLES = 50  # columns


class _Score(NamedTuple):
    """A score of a program, under its name, and its rule in words."""

    profile: str
    name: str
    rule: str


_PROGRAMS = {
    "caesura": CAESURA,
    "vidchapters": Convention("VidChapters", "dvc_eval of VidChapters", "vidchapters"),
    "chapterllama": Convention("Chapter-Llama", "tools/results of Chapter-Llama", "chapterllama"),
    "chunkseg": Convention("chunkseg", "chunkseg 0.4.0", "chunkseg"),
    "gebd": Convention("GEBD", "the challenge on generic event boundaries", "gebd"),
    "openpss": Convention("OpenPSS", "the benchmark of page streams", "openpss"),
}
_GROUPS: dict[str, tuple[_Score, ...]] = {
    "Chapters that overlap": (
        _Score("caesura", "SegmentF1", "pairs one to one that overlap by more than half of what both cover (tIoU > 0.5)"),
        _Score("vidchapters", "F1@0.5", "every chapter that overlaps enough with any counts, even with one that served already"),
        _Score("vidchapters", "F1", "mean over tIoU 0.3, 0.5, 0.7 and 0.9; a chapter may serve twice"),
        _Score("chapterllama", "F1", "mean over tIoU 0.5 to 0.95 in steps of 0.05; a chapter may serve twice"),
        _Score("openpss", "PQ", "pairs with tIoU > 0.5: their F1 times their mean overlap"),
        _Score("caesura", "MeanTIoU", "mean overlap, largest pairs first; chapters without a partner count 0"),
        _Score("chapterllama", "Avg. TIoU", "mean overlap of the pairs alone; chapters without a partner cost nothing"),
        _Score("vidchapters", "SODA_d", "the best pairs in order, by overlap without a threshold"),
    ),
    "Starts of chapters": (
        _Score("caesura", "BoundaryF1(tolerance='{near}')", "as near as that; a start at 0:00 is left out"),
        _Score("vidchapters", "F1@5s", "nearer than 5 s; 0:00 counts as found; a start may serve twice"),
        _Score("chapterllama", "F1@5s", "nearer than 5 s, without 0:00; a start may serve twice; precision and recall rounded first"),
        _Score("chunkseg", "f1", "in the same bin of 6 s: two starts a second apart may be in different bins"),
        _Score("chunkseg", "collar_f1", "within 3 s, nearest pairs first, which need not find the most"),
        _Score("gebd", "f1", "within 5 % of the recording, each start in turn taking the nearest free one"),
    ),
    "Titles": (
        _Score("caesura", "TitleScore", "common words in order (ROUGE-L) of chapters that overlap by half; others count 0"),
        _Score("vidchapters", "ROUGE_L", "of all overlapping pairs at four thresholds; words of ASCII letters only"),
        _Score("vidchapters", "CIDEr", "the same pairs, rare words weigh more; reaches 10; a single pair has 0"),
        _Score("chunkseg", "tm_rl_f1", "only of chapters whose start and end are within 5 s; others cost nothing"),
        _Score("chunkseg", "tm_matched", "the share of titles of the reference that have such a partner"),
        _Score("chunkseg", "gc_rl_f1", "all titles of a side as one text"),
    ),
}  # fmt: skip
_LACKING = "METEOR and SODA_c (a Java program) and BERTScore (a large model) are not offered."


def chapter_conventions(pairs: Pairs, near: int | str | None) -> Iterator[tuple[str, Outcome, float, str]]:
    """Yield every score of every program, Caesura's own of each group first; those of titles if both sides have some.

    Each has its name, the outcome, its difference from the first of its group, and its rule.
    """
    counter, within = Counter(pairs), near or default_tolerance("ms")
    titled = pairs.titles is not None and all(any(side) for side in pairs.titles)
    for group, scores in _GROUPS.items():
        if group == "Titles" and not titled:
            continue
        base = math.nan
        for score in scores:
            name, convention = score.name.format(near=within), _PROGRAMS[score.profile]
            metric = cast(PairwiseMetric, under_profile(name, score.profile))
            outcome = counter.count(convention, metric)
            base = outcome.score if score is scores[0] else base
            off = 0.0 if outcome.score == base or math.isnan(outcome.score - base) else outcome.score - base
            yield name, outcome, off, score.rule


def chapters_text(explanation: Explanation, width: int) -> Iterator[str]:
    """Yield the scores of every program with their rules, and the paired chapters row by row."""
    rows = {(row.metric, row.convention): row for row in explanation.rows}
    near = str(explanation.near or default_tolerance("ms"))
    for group, scores in _GROUPS.items():
        names = [(score.name.format(near=near), _PROGRAMS[score.profile].name) for score in scores]
        found = [rows[name] for name in names if name in rows]
        if found:
            yield from [group, ""]
            for row in found:
                name = f"F1 ({near})" if row.metric.startswith("BoundaryF1(") else row.metric
                yield from textwrap.wrap(
                    f"{row.convention} {name}: {row.why}", width,
                    initial_indent=f"  {format_number(row.outcome.score):>6}  ", subsequent_indent=" " * 12,
                )  # fmt: skip
            yield ""
    yield from textwrap.wrap(_LACKING, width)
    if explanation.pair is not None:
        yield from ["", "Chapters side by side", "", *_side_by_side(explanation.chapters(), width)]


def _side_by_side(rows: list[Chapter], width: int) -> Iterator[str]:
    titled = [any(row.title for row in rows), any(row.other_title for row in rows)]
    room = max((width - _BESIDE_TITLES) // max(sum(titled), 1), 8)
    cells: list[list[Value]] = []
    for row in rows[:_MOST]:
        late = "" if row.off is None or row.outcome == "start" else f"{row.off:+.1f} s" if row.off else "0 s"
        cell: list[Value] = [_time(row.reference), *([_short(row.title, room)] if titled[0] else [])]
        cell += [_time(row.hypothesis), *([_short(row.other_title, room)] if titled[1] else []), late, row.outcome]
        agree = "" if row.agreeing is None else "yes" if row.agreeing else "no"
        cells.append([*cell, agree] if all(titled) else cell)
    columns = ["reference", *(["title"] if titled[0] else []), "hypothesis", *([" title"] if titled[1] else [])]
    columns += ["late", "outcome", *(["agree"] if all(titled) else [])]
    yield from str(Table([Column(title) for title in columns], cells)).split("\n")
    if len(rows) > _MOST:
        yield f"... and {len(rows) - _MOST} more; --format json lists all"
    if all(titled):
        yield f"agree: ROUGE-L of the two titles is {ALIKE:g} or more"


def _time(start: int | None) -> str:
    return "" if start is None else as_time(start / 1000)


def _short(title: str, room: int) -> str:
    """Return a title in this room, cut at a word if possible."""
    if len(title) <= room:
        return title
    whole = title[: room - 1].rpartition(" ")[0]
    return f"{whole if len(whole) > room // 2 else title[: room - 1]}…"
