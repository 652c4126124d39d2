# SPDX-License-Identifier: Apache-2.0
"""Figure 2: the shortest chapter."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.batches.panel import Panel
from caesura.evaluation.agree.pairwise import pairwise
from caesura.metrics.agreement import pooled_window
from caesura.metrics.agreement.gap_agreement import FleissKappa
from caesura_reproductions.base import Found, Value, drawn, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_004._chapters import chapters
from caesura_reproductions.printed import Printed

__all__ = ["chapter_1"]

_ROW = "four annotators"


@item("Fig2", "Agreement on chapter 1")
def chapter_1(printed: Printed, data: Data) -> Iterator[Found]:
    """Measure the agreement of the four annotators."""
    annotators = chapters(data)["ch1"].annotations
    panel = Panel.of(annotators)
    codings = list(annotators.values())
    gaps = FleissKappa()(codings)
    yield Value(
        _ROW,
        "kappa",
        FleissKappa(include_end=True)(codings),
        note=f"with the end of the chapter as an item that everybody marks; over the gaps alone it is {gaps:.3f}",
        definition=gaps,
    )
    shared, own = pairwise(panel, [("WindowDiff", "pooled"), ("WindowDiff", "reference")]).values()
    yield Value(
        _ROW,
        "windowDiff",
        shared.mean,
        note=f"mean over pairs with one window for all; with the window of each pair's own reference {own.mean:.3f}",
        sampling=0.0,
    )
    units, segments = sum(c.n_units for c in codings), sum(c.n_segments for c in codings)
    yield Value(_ROW, "average segment length", units / segments, note=f"{units} paragraphs / {segments} segments")
    yield Value(_ROW, "window size", int(pooled_window(panel)[0]), note="half the average segment length")
    counts = [coding.n_segments for coding in codings]
    yield Value(_ROW, "segments per annotator", ", ".join(map(str, counts)))
    yield finding(
        "Section 4.2",
        "Annotators 1 and 3 found two segments, annotator 3 five, and annotator 4 four.",
        f"Annotators 1 to 4 found {', '.join(map(str, counts))}: it is annotator 2 who found {max(counts)}.",
    )
    for name, coding in annotators.items():
        yield drawn(
            "where each annotator sees a boundary",
            name,
            coding.boundaries,
            (coding.n_units,),
            kind="ticks",
            axes=("paragraph", "annotator"),
        )
