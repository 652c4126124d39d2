# SPDX-License-Identifier: Apache-2.0
"""When a metric without a reference may be believed on a corpus: named limits, and the verdict they give."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from caesura.errors import DeclarationError
from caesura.experiments.validity.facts import CorpusFacts

__all__ = ["Limits", "Verdict", "Word", "judge"]

Word = Literal["usable here", "only for large differences", "not usable here"]


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a metric must reach.

    Attributes
    ----------
    better : float
        Usable: the share of documents in which the undamaged segmentation scores better, at ``removal`` and against
        random placement of as many boundaries.
    removal : float
        The share of boundaries removed at which that is asked.
    correlation : float
        Usable: the rank correlation between the level of damage and the loss of score, mean over the kinds of damage
        that have levels.
    large : float
        Only for large differences: the share of documents at the strongest removal and against random placement.
    singletons, repeats : float
        From these shares of one-unit segments and of repeated units on, they are named as a reason.
    anisotropy : float
        From this mean cosine of units of different documents on, the vectors are named as a reason.
    """

    better: float = 0.85
    removal: float = 0.30
    correlation: float = 0.80
    large: float = 0.70
    singletons: float = 0.10
    repeats: float = 0.10
    anisotropy: float = 0.40

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise DeclarationError(f"the limit {field.name} is {value}; it must lie between 0 and 1")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a metric may be believed, and why.

    Attributes
    ----------
    word : str
        "usable here", "only for large differences", "not usable here".
    reasons : tuple of str
        What was missed, and what of the corpus may be the cause.
    removal, random, strongest, correlation : float
        The numbers it was judged by: shares of documents ranked right, and the rank correlation with the level.
    """

    word: Word
    reasons: tuple[str, ...]
    removal: float
    random: float
    strongest: float
    correlation: float


def judge(
    removal: float,
    random: float,
    strongest: float,
    correlation: float,
    facts: CorpusFacts,
    limits: Limits,
) -> Verdict:
    """Judge a metric on a corpus.

    Examples
    --------
    >>> facts = CorpusFacts(singletons=0.3, repeats=0.0, anisotropy=0.1, documents=20, units=400, segments=90)
    >>> verdict = judge(0.9, 0.45, 0.95, 1.0, facts, Limits())
    >>> verdict.word
    'not usable here'
    >>> verdict.reasons
    ('beats random placement in 45 % of documents only', '30 % of the segments have one unit')
    """
    found = (removal, random, strongest, correlation)
    reasons = [
        f"beats {what} in {share:.0%} of documents only".replace("%", " %")
        for what, share in ((f"{limits.removal:.0%} removal", removal), ("random placement", random))
        if not share >= limits.better and not math.isnan(share)
    ]
    if any(math.isnan(value) for value in found):
        reasons.append("too few documents can be degraded to tell")
    if correlation < limits.correlation:
        reasons.append(f"follows the level of damage with rank correlation {correlation:.2f} only")
    if not reasons:
        return Verdict("usable here", (), *found)
    reasons += facts.reasons(limits.singletons, limits.repeats, limits.anisotropy)
    large = strongest >= limits.large and random >= limits.large
    return Verdict("only for large differences" if large else "not usable here", tuple(reasons), *found)
