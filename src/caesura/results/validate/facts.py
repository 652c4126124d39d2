# SPDX-License-Identifier: Apache-2.0
"""Results of the self-degradation test: which reference-free metrics work on a corpus, with which encoder, and why not."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.errors import DeclarationError
from caesura.results.base import Ends, Number, Section

__all__ = [
    "BLIND", "DAMAGES", "GRADED", "WORDS", "AgainstSystems", "CorpusFacts", "Correlation", "EncoderTrust", "Kind", "LevelCorrelation",
    "Limits", "MetricCheck", "Monotonicity", "TrialOutcome", "Trust", "Usable", "Validity", "damage_names",
    "may_be_used", "reads_words",
]  # fmt: skip

Kind = Literal["removal", "splitting", "transposition", "random", "even", "order", "odd"]
DAMAGES: tuple[Kind, ...] = ("removal", "splitting", "random", "even", "order", "odd")
"""The six damages that decide whether a metric is usable."""

GRADED: tuple[Kind, ...] = ("removal", "splitting", "transposition")
"""The kinds of damage that have levels."""

BLIND = "Evenness"
"""The blind metric, which reads only lengths and is in every table."""

WORDS = "Placement(of='words')"
"""The metric that reads words, for systems that were made with the judging vectors."""

Usable = Literal["usable here", "only for large differences", "not usable here"]


def may_be_used(verdict: Usable) -> bool:
    """Return whether a metric with this verdict may name a better system or a threshold: the one rule of every command.

    "Only for large differences" is not enough: two systems differ less than a segmentation and random boundaries.

    >>> may_be_used("usable here"), may_be_used("only for large differences")
    (True, False)
    """
    return verdict == "usable here"


def reads_words(metric: str) -> bool:
    """Return whether a metric, by its name, reads words and no vectors.

    >>> reads_words(WORDS), reads_words("Placement")
    (True, False)
    """
    return metric.startswith("Placement") and "of='words'" in metric


class Limits(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """The thresholds that a metric must reach.

    It is usable if the undamaged segmentation scores better in a share ``better`` of the documents, against each of six
    damages: a share ``removal`` of boundaries removed, the same share of segments split, as many boundaries at random, evenly
    spaced, between the same lengths in another order, and around odd units. The loss of score must also have this rank
    ``correlation`` with the level of damage, mean over the kinds of damage that have levels. It is usable only for large
    differences if the share is ``large`` at the strongest removal and against random placement, above one half against each
    of the six, and the loss grows with the level of damage, however weakly. In both cases the worst of the six must be above that
    of the blind metric. Each share needs this many ``documents``, and half of the corpus.

    Shares of one-unit segments (``singletons``) and of repeated units (``repeats``), and a mean cosine of units of different
    documents (``anisotropy``), are named as reasons from these values on.
    """

    better: float = 0.85
    removal: float = 0.30
    correlation: float = 0.80
    large: float = 0.70
    documents: int = 10
    singletons: float = 0.10
    repeats: float = 0.10
    anisotropy: float = 0.40

    def __post_init__(self) -> None:
        """Raise for values that are out of range."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if name == "documents":
                if value < 1 or value != int(value):
                    raise DeclarationError(f"the limit documents is {value}; it must be an integer of at least 1")
            elif not 0 <= value <= 1:
                raise DeclarationError(f"the limit {name} is {value}; it must lie between 0 and 1")


def damage_names(limits: Limits) -> dict[Kind, str]:
    """Return the names of the six damages.

    >>> damage_names(Limits())["removal"]
    '30 % removal'
    """
    share = f"{100 * limits.removal:.0f} %"
    return {
        "removal": f"{share} removal",
        "splitting": f"{share} splitting",
        "random": "random placement",
        "even": "even spacing",
        "order": "another order",
        "odd": "odd units cut out",
    }


class CorpusFacts(Section):
    """Facts of a corpus, its segmentation and its vectors that mislead reference-free metrics.

    ``singletons`` is the share of segments of one unit; ``repeats`` the share of units whose text, ignoring case and
    white space, occurs elsewhere in the same document (None without texts); ``anisotropy`` the mean cosine of two units of
    different documents (of the same one if there is only one), 0 for vectors in all directions, near 1 for vectors
    that are all alike.
    """

    singletons: Number
    repeats: Number
    anisotropy: Number
    documents: int
    units: int
    segments: int


class TrialOutcome(Section):
    """The response of a metric to one kind of damage at one level, over documents and draws.

    ``level`` is a share for removal and splitting, a distance in units for transposition, 1 for random placement.
    ``ranked_right`` is the share of documents (mean over draws, ties count half) in which the undamaged segmentation
    scores better; ``drop`` the mean loss of score, positive if the damage is noticed, over the documents with finite losses;
    ``effect`` that mean divided by the standard deviation of these losses. ``documents`` were changed by the damage and have
    both scores in at least one draw.
    """

    kind: Kind
    level: float
    degradation: str
    ranked_right: Number
    drop: Number
    effect: Number
    documents: int


class Monotonicity(Section):
    """Rank correlation of the level of damage with the loss: of the corpus, and the mean over documents."""

    corpus: Number
    documents: Number


class Correlation(Section):
    """Correlation (Pearson, Spearman, Kendall's tau-b) of a metric's loss with that of a reference metric."""

    pearson: Number
    spearman: Number
    kendall: Number
    points: int


class LevelCorrelation(Section):
    """Pearson correlation of mean losses, one point per level of a damage and one for no damage.

    ``levels`` are the levels used beside 0, ``documents`` those behind every mean. A rising curve correlates with every other
    rising curve, so this says less than a correlation over documents; papers report it.
    """

    pearson: Number
    levels: int
    documents: int


class AgainstSystems(Section):
    """How often a metric scores the reference above real systems that read the text.

    ``share`` is that of the ``pairs`` of a document and a system (ties count half) in which the two have other boundaries
    and both have a score, with its 95 % ``interval`` over the ``documents``; ``systems`` has it by system.
    """

    share: Number
    interval: Ends
    pairs: int
    documents: int
    systems: dict[str, Number]


class Trust(Section):
    """Whether a metric works on a corpus with an encoder, and why not.

    ``damages`` has the share of documents ranked right against each of the six damages that decide, None if too few
    documents could be judged, ``worst`` the minimum of them; ``removal`` and ``random`` are two of them, ``strongest_removal`` is the
    share at the highest level of removal. ``level_correlation`` is the mean rank correlation with the level of damage;
    ``documents`` is the smallest number of documents behind one of the shares. ``correlations`` with reference metrics, over
    documents, are empty without gold, and so is ``level_means``: those over the levels of each damage, by reference metric.
    ``systems`` is the comparison with real systems, None if that was not requested.
    """

    verdict: Usable
    reasons: list[str]
    removal: Number
    random: Number
    strongest_removal: Number
    level_correlation: Number
    documents: int
    monotonicity: dict[Kind, Monotonicity]
    trials: list[TrialOutcome]
    correlations: dict[str, Correlation]
    damages: dict[Kind, Number] = msgspec.field(default_factory=dict)
    worst: Number = None
    level_means: dict[str, dict[Kind, LevelCorrelation]] = msgspec.field(default_factory=dict)
    systems: AgainstSystems | None = None


class MetricCheck(Section):
    """Whether a metric may be used, in short, by the test and the limits of `caesura validate`.

    ``reference`` says what was damaged: the boundaries of the documents, or else what a system gave. ``damages`` has the
    share of documents in which the undamaged segmentation scores better, by damage, ``worst`` the minimum of them. At least half
    of the ``documents`` and ten must be judged.
    """

    verdict: Usable
    reasons: list[str]
    damages: dict[Kind, Number]
    worst: Number
    documents: int
    reference: bool = False


class EncoderTrust(Section):
    """Every metric with one encoder; ``traps`` list cases in which the value of SegReFree does not depend on the text.

    ``same_vectors`` says that the damaged segmentation was made with this encoder: it vouches only for metrics that read words.
    ``systems`` has the segments per 100 units of each real system that the reference was compared with, ``failed`` a line for
    each document or system that failed.
    """

    fingerprint: str
    facts: CorpusFacts
    metrics: dict[str, Trust]
    traps: list[str] = msgspec.field(default_factory=list)
    same_vectors: bool = False
    systems: dict[str, float] = msgspec.field(default_factory=dict)
    failed: list[str] = msgspec.field(default_factory=list)


class Validity(Section):
    """Reference-free metrics tested on a corpus.

    ``gold`` says whether the damaged boundaries are gold or the output of a system; ``left_out`` documents have no
    boundary to damage; ``moved`` says whether transposition moves one boundary of a document or all of them; ``draws`` is the
    number of repetitions of each damage.
    """

    documents: int
    left_out: int
    gold: bool
    draws: int
    moved: Literal["one", "all"]
    limits: Limits
    encoders: dict[str, EncoderTrust]
