# SPDX-License-Identifier: Apache-2.0
"""When a metric without a reference may be believed on a corpus: named limits, and the verdict they give."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from caesura.errors import DeclarationError
from caesura.experiments.validity.facts import CorpusFacts

__all__ = ["Limits", "Verdict", "Word", "judge"]

_ROUNDING = 1e-9  # a share is a mean of thirds and tenths, and 0.7 may come out as 0.69999999

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
        Only for large differences: the share of documents at the strongest removal and against random placement; the
        loss must also grow with the level of damage, however weakly.
    documents : int
        So many documents must be judged at each of these, and half of the corpus, to tell anything.
    singletons, repeats : float
        From these shares of one-unit segments and of repeated units on, they are named as a reason.
    anisotropy : float
        From this mean cosine of units of different documents on, the vectors are named as a reason.
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
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "documents":
                if value < 1 or value != int(value):
                    raise DeclarationError(
                        f"the limit documents is {value}; it must be a whole number from 1 on"
                    )
            elif not 0 <= value <= 1:
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
    documents : int
        The fewest documents behind one of the shares.
    """

    word: Word
    reasons: tuple[str, ...]
    removal: float
    random: float
    strongest: float
    correlation: float
    documents: int


def judge(
    removal: float,
    random: float,
    strongest: float,
    correlation: float,
    documents: int,
    facts: CorpusFacts,
    limits: Limits,
) -> Verdict:
    """Judge a metric on a corpus.

    Parameters
    ----------
    removal, random, strongest : float
        Shares of documents ranked right.
    correlation : float
        Of the level of damage with the loss.
    documents : int
        The fewest documents behind one of the shares.
    facts : CorpusFacts
        What may be the cause.
    limits : Limits
        What must be reached.

    Examples
    --------
    >>> facts = CorpusFacts(singletons=0.3, repeats=0.0, anisotropy=0.1, documents=20, units=400, segments=90)
    >>> verdict = judge(0.9, 0.45, 0.95, 1.0, 20, facts, Limits())
    >>> verdict.word
    'not usable here'
    >>> verdict.reasons
    ('beats random placement in 45 % of documents only',
     'beats random placement in 45 % of documents, 70 are needed for large differences',
     '30 % of the segments have one unit')
    """
    found = (removal, random, strongest, correlation, documents)
    reasons = [
        f"beats {what} in {_below(share, limits.better)} % of documents only"
        for what, share in ((f"{100 * limits.removal:.0f} % removal", removal), ("random placement", random))
        if share < limits.better - _ROUNDING
    ]
    if math.isnan(correlation):
        reasons.append("too few levels of damage to tell whether more costs more")
    elif correlation < limits.correlation - _ROUNDING:
        reasons.append(f"follows the level of damage with rank correlation {correlation:.2f} only")
    least = max(limits.documents, math.ceil(facts.documents / 2))
    few = documents < least or any(math.isnan(share) for share in (removal, random, strongest))
    if few:
        reasons.append(f"cannot tell: {documents} documents could be judged, {least} are needed")
    if not reasons:
        return Verdict("usable here", (), *found)
    small = [
        f"beats {what} in {_below(share, limits.large)} % of documents, {100 * limits.large:.0f} are needed for large differences"
        for what, share in (("the strongest removal", strongest), ("random placement", random))
        if share < limits.large - _ROUNDING
    ]
    if correlation <= 0:
        small.append("does not lose more where more is damaged")
    reasons += small
    reasons += facts.reasons(limits.singletons, limits.repeats, limits.anisotropy)
    word: Word = "not usable here" if small or few else "only for large differences"
    return Verdict(word, tuple(reasons), *found)


def _below(share: float, limit: float) -> str:
    """Return a share in per cent, with as many digits as show that it is below the limit.

    >>> _below(0.45, 0.85), _below(0.849, 0.85)
    ('45', '84.9')
    """
    plain = f"{100 * share:.0f}"
    return plain if float(plain) < 100 * limit else f"{100 * share:.1f}"
