# SPDX-License-Identifier: Apache-2.0
"""Whether a reference-free metric works on a corpus: what it makes of every trial, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.validate.correlations import rank_correlations
from caesura.evaluation.validate.trials import Noticed
from caesura.results import as_float, number
from caesura.results.validate.facts import (
    BLIND,
    DAMAGES,
    GRADED,
    CorpusFacts,
    Kind,
    Limits,
    Monotonicity,
    TrialOutcome,
    Trust,
    Usable,
    damage_names,
)

__all__ = ["judge", "monotonicity", "trust"]

_HALF = 0.5  # what a coin reaches
_ROUNDING = 1e-9  # a share is a mean of thirds and tenths, and 0.7 may come out as 0.69999999


def trust(noticed: Sequence[Noticed], facts: CorpusFacts, limits: Limits, blind: float | None) -> Trust:
    """Judge a metric by what it makes of every trial, and by the worst share of the blind one (None: it is that one)."""
    follows = {kind: monotonicity([n for n in noticed if n.outcome.kind == kind]) for kind in GRADED}
    removals = [n for n in noticed if n.outcome.kind == "removal"]
    deciding = {kind: _deciding(noticed, kind, limits) for kind in DAMAGES}
    removal, random = deciding["removal"], deciding["random"]
    strongest = (_well_supported(removals) or removals)[-1].outcome
    correlation = mean_defined(np.array([as_float(m.corpus) for m in follows.values()]))
    documents = min(removal.documents, random.documents, strongest.documents)
    least = _least(facts, limits)
    shares: dict[Kind, float] = {
        # Gold that is evenly spaced already is not damaged by it: there is nothing to judge.
        kind: as_float(outcome.ranked_right) if outcome.documents >= min(least, documents) else math.nan
        for kind, outcome in deciding.items()
    }
    known = [share for share in shares.values() if not math.isnan(share)]
    verdict, reasons = judge(shares, as_float(strongest.ranked_right), correlation, documents, facts, limits, blind)
    return Trust(
        verdict=verdict,
        reasons=reasons,
        removal=removal.ranked_right,
        random=random.ranked_right,
        strongest_removal=strongest.ranked_right,
        level_correlation=number(correlation),
        documents=documents,
        monotonicity=follows,
        trials=[n.outcome for n in noticed],
        correlations={},
        damages={kind: number(share) for kind, share in shares.items()},
        worst=min(known, default=None),
    )


def _deciding(noticed: Sequence[Noticed], kind: Kind, limits: Limits) -> TrialOutcome:
    """Return what was made of one of the six damages; removal and splitting at the level that decides."""
    level = limits.removal if kind in GRADED else 1.0
    return next(n.outcome for n in noticed if n.outcome.kind == kind and math.isclose(n.outcome.level, level))


def _least(facts: CorpusFacts, limits: Limits) -> int:
    return max(limits.documents, math.ceil(facts.documents / 2))


def judge(
    shares: Mapping[Kind, float],
    strongest: float,
    correlation: float,
    documents: int,
    facts: CorpusFacts,
    limits: Limits,
    blind: float | None,
) -> tuple[Usable, list[str]]:
    """Return whether a metric works on a corpus, and the reasons why not.

    ``shares`` of documents ranked right are by damage, NaN where it cannot be judged, ``strongest`` is that of the strongest
    removal, ``documents`` the fewest behind one of them; ``correlation`` is the rank correlation of the level of damage with the
    loss; ``blind`` is the worst share of the metric that reads nothing.

    >>> facts = CorpusFacts(singletons=0.3, repeats=0.0, anisotropy=0.1, documents=20, units=400, segments=90)
    >>> shares = {"removal": 0.9, "splitting": 0.9, "random": 0.45, "even": 0.9, "order": 0.9, "odd": 0.2}
    >>> verdict, reasons = judge(shares, 0.95, 1.0, 20, facts, Limits(), 0.02)
    >>> verdict
    'not usable here'
    >>> for reason in reasons:
    ...     print(reason)
    beats random placement in only 45 % of documents, odd units cut out in only 20 %
    beats random placement in 45 % of documents, below the 70 % required for large differences
    does not beat random placement, odd units cut out in most documents
    30 % of the segments have one unit
    """
    if blind is None:
        return "not usable here", ["reads lengths only: this is the level reached without reading the text"]
    names = damage_names(limits)
    low = [(names[kind], share) for kind, share in shares.items() if share < limits.better - _ROUNDING]
    reasons = []
    if low:
        first, *others = (f"{what} in only {_below(share, limits.better)} %" for what, share in low)
        reasons.append(", ".join([f"beats {first} of documents", *others]))
    worst = min((share for share in shares.values() if not math.isnan(share)), default=math.nan)
    if worst <= blind + _ROUNDING:
        reasons.append(
            f"its worst damage, {100 * worst:.0f} %, is no better than {100 * blind:.0f} % without reading ({BLIND})"
        )
    if math.isnan(correlation):
        reasons.append("too few levels of damage to tell whether more damage costs more")
    elif correlation < limits.correlation - _ROUNDING:
        reasons.append(f"follows the level of damage with a rank correlation of only {correlation:.2f}")
    least = _least(facts, limits)
    few = documents < least or any(math.isnan(share) for share in (shares["removal"], shares["random"], strongest))
    if few:
        reasons.append(f"undecided: needs {least} documents and found {documents}")
    if not reasons:
        return "usable here", []
    small = [
        f"beats {what} in {_below(share, limits.large)} % of documents, below the {100 * limits.large:.0f} % required for "
        "large differences"
        for what, share in (("the strongest removal", strongest), ("random placement", shares["random"]))
        if share < limits.large - _ROUNDING
    ]
    lost = [names[kind] for kind, share in shares.items() if share <= _HALF]
    if lost:
        small.append(f"does not beat {', '.join(lost)} in most documents")
    if correlation <= 0:
        small.append("does not lose more when more is damaged")
    blinded = worst <= blind + _ROUNDING
    verdict: Usable = "not usable here" if small or few or blinded else "only for large differences"
    return verdict, [*reasons, *small, *_causes(facts, limits)]


def _causes(facts: CorpusFacts, limits: Limits) -> list[str]:
    """Return in words the facts of the corpus that reach a limit."""
    singletons, repeats, cosine = map(as_float, (facts.singletons, facts.repeats, facts.anisotropy))
    causes = (
        (f"{100 * singletons:.0f} % of the segments have one unit", singletons >= limits.singletons),
        (f"{100 * repeats:.0f} % of the units repeat another of their document", repeats >= limits.repeats),
        (f"the vectors are alike (mean cosine {cosine:.2f})", cosine >= limits.anisotropy),
    )
    return [cause for cause, reached in causes if reached]


def _below(share: float, limit: float) -> str:
    """Return a share in per cent, with as many digits as show that it is below the limit.

    >>> _below(0.45, 0.85), _below(0.849, 0.85)
    ('45', '84.9')
    """
    plain = f"{100 * share:.0f}"
    return plain if float(plain) < 100 * limit else f"{100 * share:.1f}"


def _well_supported(noticed: Sequence[Noticed]) -> list[Noticed]:
    """Return the levels that can be judged in at least half as many documents as the best of them.

    Near 100 % hardly a document keeps a boundary, and 10 % of four boundaries is none: such a level says nothing.
    """
    most = max(n.outcome.documents for n in noticed)
    return [n for n in noticed if n.outcome.documents and n.outcome.documents >= most / 2]


def monotonicity(noticed: Sequence[Noticed]) -> Monotonicity:
    """Return the rank correlation of level and loss: of the corpus, and the mean over documents.

    The loss of the corpus is the median over the documents that are judged at every level, so that all levels are measured on
    the same ones and an infinite loss counts as the largest. Level 0, no damage and no loss, is a point of every curve.
    """
    levels_used = _well_supported(noticed) if noticed else []
    if not levels_used:
        return Monotonicity(corpus=None, documents=None)
    table = np.stack([n.per_document for n in levels_used])
    common = ~np.isnan(table).any(axis=0)
    curve = np.median(table[:, common], axis=1) if common.any() else np.full(len(table), np.nan)
    losses = np.vstack([curve, table.T])  # levels increase
    corpus, *own = rank_correlations(np.insert(losses, 0, 0.0, axis=1)).tolist()
    return Monotonicity(corpus=number(corpus), documents=number(mean_defined(np.array(own))))
