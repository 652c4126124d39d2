# SPDX-License-Identifier: Apache-2.0
"""The additions of an evaluation against a reference: regimes, extra boundaries, levels, and chapters in seconds."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import Number, Section

__all__ = [
    "OTHERS", "AnnotationRegime", "Axis", "AxisPoint", "ChapterCounts", "ChapterShow", "ChapterSystem", "Chapters",
    "DensityError", "ExtraFacts", "Level", "LevelMatch", "Levels", "Reads", "Regimes", "TreeScore", "WindowRow",
]  # fmt: skip

Reads = Literal["words", "vectors", "both"]
"""What is read of texts."""
OTHERS = "annotators (others)"
"""The row of the boundaries that annotators marked and the reference does not have."""
_ALPHA = 0.05


class AnnotationRegime(Section):
    """The density of a reference and its variation: boundaries per 100 units, pooled and per document."""

    documents: int
    without: int
    per_100_units: Number
    mean: Number
    sd: Number
    quartiles: tuple[Number, Number, Number]
    mean_segment: Number
    variation: Number


class DensityError(Section):
    """The error of a system's numbers of boundaries, and its concentration on few documents; ``worst`` names up to 100 of these."""

    total: int
    net: int
    documents_off: int
    worst_documents: int
    worst_share: Number
    worst: list[str]


class Regimes(Section):
    """The density of the reference, and the density error of every system."""

    annotation: AnnotationRegime
    density_error: dict[str, DensityError]


class ExtraFacts(Section):
    """The extra boundaries of a system, judged by the text (``of`` words, vectors or both).

    ``z`` is the mean over the ``documents`` that have extra boundaries, ``supported`` the share of all ``boundaries``; ``z_chance`` and
    ``chance`` are those of as many random boundaries in each document, and ``own`` is the share of the reference's own boundaries that
    are supported. ``p`` is of z against ``z_chance``, ``p_own`` of ``own`` against the same boundaries elsewhere, both paired by document;
    None if there are too few. ``marked`` is the share that another annotator marked within one unit, if there are annotators. ``places`` has every extra
    gap of each document, and whether it is supported.
    """

    of: Reads
    encoder: str | None
    documents: int
    boundaries: int
    z: Number
    z_chance: Number
    p: Number
    supported: Number
    chance: Number
    own: Number
    p_own: Number
    marked: Number
    marked_chance: Number
    places: dict[str, list[tuple[int, bool]]]

    @property
    def heard(self) -> bool | None:
        """Whether the text tells the reference's own boundaries from random ones; None if it is not tested."""
        return _above(self.own, 0.5, self.p_own)

    @property
    def shown(self) -> bool | None:
        """Whether extra boundaries stand better than random ones; None if it is not tested."""
        return _above(self.z, self.z_chance, self.p)


def _above(value: Number, chance: Number, p: Number) -> bool | None:
    if value is None or chance is None or p is None:
        return None
    return value > chance and p < _ALPHA


class RunFacts(Section):
    """Several runs of one system, by metric: the score of each, and the standard deviation over runs and over documents.

    ``over_documents`` is that of a document's mean over many runs. ``enough`` is the number of runs after which further ones would
    make the interval narrower by at most 5 %; None if documents hardly differ. ``agreement`` has coefficients of the runs with each
    other, and ``apart`` the documents on which they agree least.
    """

    runs: list[str]
    scores: dict[str, list[Number]]
    over_runs: dict[str, Number]
    over_documents: dict[str, Number]
    enough: dict[str, int | None]
    agreement: dict[str, Number]
    apart: list[str]


class ReferenceRow(Section):
    """The scores of every system against one choice of the reference, as the option ``against`` spells it."""

    against: str
    documents: int
    per_100_units: Number
    systems: dict[str, dict[str, Number]]


class AxisPoint(Section):
    """A system, an annotator or a consensus (``what``): boundaries per boundary of the mean annotator, and scores against the annotators."""

    name: str
    what: Literal["system", "annotator", "consensus"]
    bor: Number
    scores: dict[str, Number]


class WindowRow(Section):
    """MultiWindowDiff of every system, and of people against the rest, with one ``window``."""

    window: int | str
    systems: dict[str, Number]
    people: Number


class Axis(Section):
    """People and systems on one axis of density, and the systems under windows of several sizes."""

    points: list[AxisPoint]
    windows: list[WindowRow]


class Level(Section):
    """One level of a hierarchical reference: documents that lack it, the scores of every system, its name if it has one."""

    level: int
    filled: int
    systems: dict[str, dict[str, Number]]
    name: str | None = None


class LevelMatch(Section):
    """The levels a system matches, by W-F1 and by density; 1 is the coarsest."""

    by_score: int | None
    by_density: int | None
    scores: list[Number]
    ratios: list[Number]


class TreeScore(Section):
    """The hierarchies of a system against those of the reference: means over ``documents`` on which the L-measure is defined.

    ``l_f`` is the L-measure, ``t_f`` the reduced T-measure, each with its precision and recall. Row i and column k of ``by_level`` is W-F1 of
    level k + 1 of the system against level i + 1 of the reference.
    """

    documents: int
    l_precision: Number
    l_recall: Number
    l_f: Number
    t_precision: Number
    t_recall: Number
    t_f: Number
    by_level: list[list[Number]]


class Levels(Section):
    """Systems against each level of a hierarchical reference, coarse to fine; ``trees`` has those that have levels themselves."""

    tolerance: int | str
    documents: int
    levels: list[Level]
    matches: dict[str, LevelMatch]
    trees: dict[str, TreeScore] = msgspec.field(default_factory=dict)


class ChapterCounts(Section):
    """What became of chapter starts, those at 0:00 left out.

    ``found`` of the ``reference`` have a start of the hypothesis within reach, one to one; ``late`` and ``early`` count the found ones
    that are off by a tenth of a second or more. ``median`` is the median of their distances, late ones positive, ``largest`` the
    largest distance, in seconds. ``titles`` are found chapters with a title on both sides, ``agreeing`` those whose titles agree.
    """

    reference: int
    hypothesis: int
    found: int
    late: int
    early: int
    median: Number
    largest: Number
    titles: int
    agreeing: int

    @property
    def missed(self) -> int:
        """The number of starts of the reference that are not found."""
        return self.reference - self.found

    @property
    def extra(self) -> int:
        """The number of starts of the hypothesis that the reference does not have."""
        return self.hypothesis - self.found


class ChapterShow(ChapterCounts):
    """The chapters of one show; times in seconds."""

    document: str
    missed_at: list[float]
    extra_at: list[float]


class ChapterSystem(Section):
    """The chapters of one system, over all shows and of each."""

    total: ChapterCounts
    shows: list[ChapterShow]


class Chapters(Section):
    """Lists of chapters in seconds: which starts are found ``within`` a distance, and whether titles agree.

    Two titles agree if their ROUGE-L is at least ``alike``. Without titles in the reference they are not called chapters.
    """

    within: str
    alike: float
    titled: bool
    systems: dict[str, ChapterSystem]
