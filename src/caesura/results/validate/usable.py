# SPDX-License-Identifier: Apache-2.0
"""Whether a reference-free metric may be used on these documents: the sentences of every command that rests on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.results._sentences import joined, number_of, percent
from caesura.results.base import as_float
from caesura.results.validate.facts import BLIND, WORDS, Limits, MetricCheck, Trust, damage_names

__all__ = [
    "NOT_BY_WORDS", "OWN", "judged_by_words", "nearest", "not_recommended", "output_of", "refused", "same_vectors",
    "usable",
]  # fmt: skip

Check = MetricCheck | Trust
"""What was found of a metric: both have a verdict, reasons, shares and documents."""

NOT_BY_WORDS = f'add -m "{WORDS}", or judge with another encoder'
"""What to do if it was not scored."""
OWN = "the documents' own boundaries"
"""What was perturbed if the documents have boundaries."""
_UNDECIDED = "undecided: "


def output_of(systems: Sequence[str]) -> str:
    """Return what was perturbed if the documents have no boundaries.

    >>> output_of(["a", "b"])
    'the output of a and b'
    """
    return f"the output of {joined(systems)}"


def same_vectors(systems: Sequence[str]) -> str:
    """Return the warning that systems were made with the vectors that judge them.

    >>> same_vectors(["a", "b"])
    'a and b were made with the judging encoder, whose vectors overrate such systems'
    """
    made = "was" if len(systems) == 1 else "were"
    return f"{joined(systems)} {made} made with the judging encoder, whose vectors overrate such systems"


def judged_by_words(systems: Sequence[str], *, words: bool) -> str:
    """Return that warning, with the metric that reads words if it was scored, else what to do."""
    return f"{same_vectors(systems)}; {f'{WORDS} reads words instead' if words else NOT_BY_WORDS}."


def usable(checks: Mapping[str, Check], of: str, where: str = "", limits: Limits | None = None) -> str:
    """Return that these metrics may be used, with what was perturbed and the lowest share among them."""
    lowest = min(checks.values(), key=lambda check: as_float(check.worst))
    passes = "passes" if len(checks) == 1 else "pass"
    return f"{joined(checks)} {passes} the check and may be used here{where}: {_core(lowest, of, limits or Limits())}."


def refused(
    metric: str,
    check: Check,
    of: str,
    so: str = "",
    where: str = "",
    limits: Limits | None = None,
    *,
    only: bool = False,
) -> str:
    """Return what follows (``so``), that no metric passes the check, and how near the best came; or this of one metric (``only``)."""
    limits = limits or Limits()
    undecided = [reason for reason in check.reasons if reason.startswith(_UNDECIDED)]
    if undecided:
        so = so or f"Whether {metric if only else 'a reference-free metric'} may be used is open"
        what = f"the check of {metric if only else 'the metrics'}{where}"
        return f"{so}: {what} {undecided[0].removeprefix(_UNDECIDED)}."
    why = _core(check, of, limits)
    if check.worst is None or as_float(check.worst) >= limits.better:
        why = check.reasons[0] if check.reasons else "no perturbation could be judged"
    if only:
        which = f"{metric} does not pass the check{where}"
        return f"{so}: {which} ({why})." if so else f"{which}: {why}."
    lead = f"{so}: no" if so else "No"
    return f"{lead} reference-free metric passes the check{where}. The best, {metric}: {why}."


def not_recommended(scorer: str, metric: str, check: MetricCheck) -> str:
    """Return that no threshold of a scorer is recommended, and what to do instead."""
    of = OWN if check.reference else output_of([scorer])
    why = refused(metric, check, of, f"No threshold of {scorer} is recommended", only=True).removesuffix(".")
    if check.reference:
        return f"{why}; the documents have boundaries: choose by them instead, without --no-reference"
    return f"{why}; mark the boundaries of at least ten documents and choose by them, or select a density"


def nearest(checks: Mapping[str, Check]) -> str:
    """Return the metric that comes nearest to being usable: the one with the highest share against its worst damage."""
    known = {name: check for name, check in checks.items() if name != BLIND} or checks
    return max(known, key=lambda name: (known[name].worst is not None, as_float(known[name].worst)))


def _core(check: Check, of: str, limits: Limits) -> str:
    shares = {kind: share for kind, share in check.damages.items() if share is not None}
    kind = min(shares, key=lambda kind: as_float(shares[kind]), default=None)
    which = "" if kind is None else f" ({damage_names(limits)[kind]})"
    return (
        f"of six perturbations of {of}, the hardest to notice{which} lowers the score in {percent(check.worst)} of "
        f"{number_of(check.documents, 'document')}; {percent(limits.better)} are required"
    )
