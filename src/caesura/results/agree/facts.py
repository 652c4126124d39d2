# SPDX-License-Identifier: Apache-2.0
"""Results of `agree`: coefficients, annotators, pairs, boundary support, disagreements, contested gaps, planning."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import Ends, Number, Section

__all__ = [
    "AgreementFacts", "AnnotatorRow", "Before", "Changes", "Coefficient", "Consensus", "Contested", "Disagreement", "Kind", "NearMisses",
    "PairwiseRow", "Period", "Plan", "Prominence", "Relation", "RelationOf", "Repeat", "Support", "SupportCorrelation", "Trend", "Window",
]  # fmt: skip

Kind = Literal["none", "granularity", "placement", "mixed"]
Prominence = Literal["unanimous", "majority", "minority"]
Window = Literal["pooled", "reference"]
RelationOf = Literal["time", "doubt", "titles"]


class Coefficient(Section):
    """One agreement coefficient of a corpus.

    ``metric`` is the coefficient with its parameters. ``score``, ``observed`` and ``expected`` are means over the
    ``documents`` on which it is defined or, if ``aggregation`` is "micro", of all documents together; ``sd`` is the sample
    standard deviation over documents; ``undefined`` counts the others, and ``reason`` says why there is no score at all.
    ``bias`` is for coefficients over B and S: the part of the pooled chance agreement that comes from annotators who mark at
    different rates. ``per_document`` follows ``documents`` of the file.
    """

    metric: str
    score: Number
    interval: Ends
    sd: Number
    observed: Number
    expected: Number
    documents: int
    undefined: int
    reason: str | None
    bias: Number
    per_document: list[Number]
    aggregation: Literal["macro", "micro"] = "macro"


class AnnotatorRow(Section):
    """One annotator.

    ``bias`` is the number of boundaries over the mean of the others on the same documents, minus 1: 0.5 is half as many
    again, -0.5 half as many; None if nobody else annotated, infinite if the others marked none. ``agreement`` is the mean over
    documents of the mean score against the others, ``interval`` resamples those documents; an ``outlier`` has an interval
    that lies on the worse side of the interval of the median annotator.

    ``density`` is the number of boundaries over that of the median annotator of each document, on documents with at least
    three annotators. A ``density_outlier`` has at least 1.5 times as many or at most two thirds, and 1 is not in the
    ``density_interval``. ``kappa_without`` is FleissKappa of the corpus without the annotator, ``kappa_change`` the interval
    of the mean change over the documents that they share with at least two others. ``units_per_segment`` is the mean length of a segment,
    ``seconds`` the time of all codings that state theirs.
    """

    documents: int
    boundaries: int
    per_100_units: float
    bias: Number
    agreement: Number
    interval: Ends
    outlier: bool = False
    density: Number = None
    density_interval: Ends | None = None
    density_outlier: bool = False
    kappa_without: Number = None
    kappa_change: Ends | None = None
    units_per_segment: float | None = None
    seconds: Number = None


class PairwiseRow(Section):
    """A pairwise metric between every two annotators.

    ``mean`` and ``sd`` are over documents, of the mean over pairs. The rows of ``matrix`` (the annotator as reference) and
    its columns (as hypothesis) follow ``names``; it holds means over the ``documents`` that both annotated.
    """

    mean: Number
    sd: Number
    matrix: list[list[Number]]
    documents: list[list[int]]


class Support(Section):
    """A gap that at least one annotator marked.

    ``gap`` i lies after unit i. ``exact``, ``half`` and ``full`` are the shares of the ``annotators`` (those in
    ``marked_by`` included) with a boundary at the gap, within half a window, within a window; ``prominence`` classifies
    ``half``.
    """

    document: str
    gap: int
    marked_by: tuple[str, ...]
    annotators: int
    exact: float
    half: float
    full: float
    prominence: Prominence


class Disagreement(Section):
    """How two annotators of a document differ.

    ``only_first`` and ``only_second`` are the boundaries without a partner within half a window. The ``kind`` is "none" if
    there are none, "granularity" if one side has them, "placement" if both have and each lies within a window of one of the
    other's, else "mixed".
    """

    document: str
    first: str
    second: str
    kind: Kind
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]


class Contested(Section):
    """A gap on which the annotators of a document disagree.

    ``half`` is its support within half a window: if high, the others marked a gap nearby. ``gain`` is the increase of the
    mean kappa if everybody voted with the majority here. ``before`` and ``after`` quote the units on both sides, if
    the texts are known.
    """

    document: str
    gap: int
    votes_for: tuple[str, ...]
    votes_against: tuple[str, ...]
    half: float
    gain: Number
    before: str | None
    after: str | None


class Plan(Section):
    """The number of documents or annotators that brings the interval of a coefficient under a width.

    The pilot has ``documents`` on which the coefficient is defined, at most ``annotators`` per document, and an interval of
    ``width_now``. ``documents_needed`` is None beyond 100,000. ``annotators_needed`` is None if more annotators alone
    are not enough (documents differ too much), or if it would take more than ten times the pilot's annotators, too far to
    extrapolate. ``by_annotators`` maps the number of annotators, drawn from the pilot, to the width.
    """

    coefficient: str
    width: float
    level: float
    documents: int
    annotators: int
    width_now: float
    documents_needed: int | None
    annotators_needed: int | None
    by_annotators: dict[int, float]


class Consensus(Section):
    """The boundaries that at least a share of the annotators of each document marked (``threshold``), by document.

    If ``near``, boundaries within half a window are joined at the gap with most support.
    """

    threshold: float
    near: bool
    boundaries: dict[str, list[int]]


class SupportCorrelation(Section):
    """The mean over documents of the rank correlation (Spearman) of a system's scores with the support of each gap.

    Support is the share of annotators with a boundary within half a window.
    """

    spearman: Number
    documents: int


class NearMisses(Section):
    """How often a boundary of one annotator has one of another annotator of its document within so many units (milliseconds, characters).

    ``exact`` counts those at the same gap only. Shares are of all boundaries, each compared with every other annotator. By ``chance`` the
    boundary would lie at a random gap of its document. Row i and column j of ``matrix`` is the share of the boundaries of annotator i that
    have one of annotator j; it is empty for more than 20 annotators.
    """

    within: int
    exact: Number
    near: Number
    exact_by_chance: Number
    near_by_chance: Number
    matrix: list[list[Number]]


class Period(Section):
    """Documents that were finished one after the other, with the mean of a coefficient and the boundaries per 100 units."""

    since: str
    until: str
    documents: int
    score: Number
    per_100_units: float


class Trend(Section):
    """How a coefficient goes with the date on which the last annotator of a document finished.

    ``spearman`` is the rank correlation over ``documents``, ``p`` its two-sided permutation test. ``undated`` documents have no date that
    can be read.
    """

    coefficient: str
    documents: int
    undated: int
    spearman: Number
    p: Number
    periods: list[Period]


class Changes(Section):
    """Codings of one annotator that are new, gone or changed, and the boundaries that were added and removed in changed ones."""

    new: int = 0
    gone: int = 0
    changed: int = 0
    same: int = 0
    added: int = 0
    removed: int = 0


class Before(Section):
    """An earlier export of the same annotations, compared with this one.

    ``before`` and ``now`` are means over the ``documents`` on which the coefficient is defined in both; the ``interval`` is that of their
    difference. ``new`` and ``gone`` documents are in one export only; ``other_length`` lists documents whose units changed, which are left out.
    """

    coefficient: str
    documents: int
    before: Number
    now: Number
    interval: Ends
    new: int
    gone: int
    other_length: list[str]
    file: str | None
    sha256: str | None
    annotators: dict[str, Changes]


class Repeat(Section):
    """An annotator who coded documents twice: agreement of the two codings, and of the first with the others, by the metric ``by``.

    ``near`` is the share of the boundaries of the first coding that have one of the second within the distance of `NearMisses`.
    """

    documents: int
    boundaries: int
    again: int
    itself: Number
    others: Number
    near: Number


class Relation(Section):
    """The mean over documents of a rank correlation (Spearman) with support, the share of the other annotators within half a window.

    Time: seconds per unit of each coding, with the mean support of its boundaries. Doubt: whether an annotator was unsure of a boundary,
    with its support. Titles: how many words the titles of the segments have in common that annotators begin there, with the support of
    the place. ``documents`` are those in which both sides vary; ``number`` counts what was given: codings, doubtful gaps, titles.
    """

    number: int
    documents: int
    spearman: Number
    interval: Ends


class AgreementFacts(Section):
    """The agreement of the annotators of a corpus, and how and where they differ.

    ``by`` is the pairwise metric of the rows in ``annotators``. ``names`` orders the matrices in ``pairwise``, which maps
    metric to window to row. ``segment_counts`` lists the segments of each annotator of a document; their spread is
    granularity, and ``coded_by`` lists the annotators in the same order, as indices into ``names``. ``units`` has the length
    of each document. ``tally`` counts the ``disagreements`` by kind: of all ``pairs``, or of as many as were labelled.
    ``excluded`` annotators were left out. ``contested`` lists at most 1,000 gaps, of ``contested_gaps``.
    ``trend`` and ``since`` follow the agreement over dates and since an earlier export, ``relations`` correlate time, doubt and titles with
    support, as far as files have them. ``second`` says which annotators were read as others coding again, and ``anonymous`` that names are hidden.
    """

    by: str
    names: list[str]
    statistics: dict[str, Number]
    segment_counts: dict[str, list[int]]
    coefficients: dict[str, Coefficient]
    pairwise: dict[str, dict[Window, PairwiseRow]]
    annotators: dict[str, AnnotatorRow]
    support: list[Support]
    disagreements: list[Disagreement]
    tally: dict[Kind, int]
    contested: list[Contested]
    plan: Plan | None = None
    pairs: int = 0
    coded_by: dict[str, list[int]] = msgspec.field(default_factory=dict)
    units: dict[str, int] = msgspec.field(default_factory=dict)
    excluded: list[str] = msgspec.field(default_factory=list)
    consensus: Consensus | None = None
    contested_gaps: int | None = None
    near: NearMisses | None = None
    trend: Trend | None = None
    since: Before | None = None
    repeats: dict[str, Repeat] = msgspec.field(default_factory=dict)
    relations: dict[RelationOf, Relation] = msgspec.field(default_factory=dict)
    second: dict[str, str] = msgspec.field(default_factory=dict)
    anonymous: bool = False

    @property
    def n_contested(self) -> int:
        """The number of contested gaps, listed or not."""
        return len(self.contested) if self.contested_gaps is None else self.contested_gaps
