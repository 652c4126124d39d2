# SPDX-License-Identifier: Apache-2.0
"""The reasons why a convention gives another score: the rules that differ, with the actual counts.

Reasons are not written per convention. Two outcomes are compared parameter by parameter, and each differing parameter is
described with its effect on the counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from caesura.declare import parameters
from caesura.evaluation.explain.conventions import CAESURA
from caesura.evaluation.explain.counts import Counter, Outcome
from caesura.evaluation.explain.window_reasons import WINDOW_PARAMETERS, window_reasons, window_rule
from caesura.metrics import METRICS

__all__ = ["reasons"]

_BOTH_CLASSES = (
    "sums over both classes of the confusion matrix, boundary and none, so that what either side has alone is an error "
    "of precision and recall alike"
)
_MATCHINGS = {
    "coverage": "a boundary is found if any of the other side is near, even one that served already",
    "one_to_one": "each boundary serves only once",
    "as_run": "the code credits only the first reference boundary it meets near a hypothesis boundary",
    "as_run_one_to_one": "the code pairs nearest first, each boundary once, which need not find the most pairs",
}
_CHANGED_PLACES = (
    "segeval books a boundary that only the hypothesis has as a miss, so precision and recall change places"
)
_EMPTY = {
    "vacuous": "the side with nothing to judge counts as 1, not 0",
    "zero": "both sides count as 0",
    "nan": "it is undefined (segeval fails), not 1",
    "always_zero": "there is nothing to find, and F1 is 0, not 1",
}
_TWINS = (("Precision", "Recall"), ("Recall", "Precision"), ("Purity", "Coverage"), ("Coverage", "Purity"))


def reasons(base: Outcome, other: Outcome) -> list[str]:
    """Return why an outcome differs from the base (the metric under the default); for the base, its own rule."""
    if other is base:
        return [window_rule(base)] if base.has("k") else [base.metric.facts().formula]
    differences = list(window_reasons(base, other)) if base.has("k") else []
    for parameter in parameters(other.metric):
        ours, theirs = getattr(base.metric, parameter.name), getattr(other.metric, parameter.name)
        if ours != theirs and parameter.name not in WINDOW_PARAMETERS:
            writer = _WRITERS.get(parameter.name)
            differences.append(writer(base, other) if writer else f"{parameter.name} is {theirs!r}, not {ours!r}")
    differences += [*_swap(base, other), *_pooling(base, other)]
    if not any("undefined" in reason for reason in differences):
        differences += _undefined(base, other)
    return [reason for reason in differences if reason] or ["the same rules"]


def _matching(base: Outcome, other: Outcome) -> str:
    rule = _MATCHINGS[getattr(other.metric, "matching", "")]
    names = ("n_ref", "found_ref", "n_hyp", "found_hyp")
    n_ref, found_ref, n_hyp, found_hyp = (other.total(name) for name in names)
    _, ours_ref, _, ours_hyp = (base.total(name) for name in names)
    if (found_ref, found_hyp) == (ours_ref, ours_hyp):
        return f"finds the same boundaries here, though {rule}"
    return (
        f"finds {found_ref} of {n_ref} reference and {found_hyp} of {n_hyp} hypothesis boundaries, "
        f"not {ours_ref} and {ours_hyp}: {rule}"
    )


def _empty(base: Outcome, other: Outcome) -> str:
    rule = getattr(other.metric, "empty", "")
    ref, hyp = np.diff(other.pairs.ref_ptr), np.diff(other.pairs.hyp_ptr)
    if rule in ("vacuous", "zero"):
        cases, when = (ref == 0) != (hyp == 0), "only one side has boundaries"
    else:
        cases, when = (ref == 0) & (hyp == 0), "neither side has a boundary"
    then = _EMPTY.get(rule, "it is 1, not undefined")
    if not cases.any():
        return f"differs only where {when}, which is not the case here: there {then}"
    where = "" if len(cases) == 1 else f" in {int(cases.sum())} of {len(cases)} documents"
    return f"{when}{where}: {then}"


def _as_printed(base: Outcome, other: Outcome) -> str:
    differences = []
    classes = getattr(other.metric, "classes", None)
    if classes == "boundary":
        differences.append(_CHANGED_PLACES)
        if other.score == base.score:
            differences.append("both are equal here")
    if other.request.parameters[0] != 2 and other.total("transpositions"):
        differences.append("a near miss at distance d weighs d/n_t, not 1 - d/n_t")
    return "; ".join(differences) or ("" if classes else "a near miss weighs one half either way")


def _weighting(base: Outcome, other: Outcome) -> str:
    side = "hyp" if base.metric.name() == "Purity" else "ref"
    best, segments = f"{side}_best", f"n_{side}"
    if getattr(other.metric, "weighting", "") == "unit":
        return f"each unit weighs the same: {other.total(best)} of {other.total('units')} units"
    if not other.single or base.metric.name() not in ("Purity", "Coverage"):
        return "each segment weighs the same, not each unit"
    return (
        f"each segment weighs the same, not each unit: mean of {other.total(segments)} shares, "
        f"not {base.total(best)} of {base.total('units')} units"
    )


def _strict(base: Outcome, other: Outcome) -> str:
    gamma = getattr(other.metric, "gamma", None)
    more = [other.total(name) - base.total(name) for name in ("ref_correct", "hyp_correct")]
    if not any(more):
        return f"no segment's coverage is exactly gamma = {gamma}"
    return (
        f"a coverage of exactly gamma = {gamma} is enough: {more[0]} reference and {more[1]} hypothesis segments more"
    )


_WRITERS: dict[str, Callable[[Outcome, Outcome], str]] = {
    "matching": _matching, "empty": _empty, "as_printed": _as_printed, "weighting": _weighting, "strict": _strict,
    "classes": lambda base, other: _BOTH_CLASSES,
}  # fmt: skip


def _swap(base: Outcome, other: Outcome) -> Iterator[str]:
    """Yield the effect of exchanging the sides; for Pk and WindowDiff, another k is reported with the windows."""
    if base.convention.swap == other.convention.swap or "errors" in other.metric.columns:
        return
    twin = _twin(other.metric.name())
    if twin is not None:
        unswapped = Counter(base.pairs).count(CAESURA, METRICS.lookup(twin)[0](**other.metric.options()))
        # If the window comes from the reference, exchanging the sides changes more than the roles.
        if math.isclose(unswapped.score, other.score):
            yield f"this is {twin} as given: the hypothesis is taken as the reference"
            return
    yield "the hypothesis is taken as the reference, and vice versa"


def _twin(name: str) -> str | None:
    """Return the metric that measures the same from the other side, such as recall for precision."""
    candidates = (name.replace(ours, theirs) for ours, theirs in _TWINS if ours in name)
    return next((twin for twin in candidates if twin in METRICS), None)


def _pooling(base: Outcome, other: Outcome) -> Iterator[str]:
    ours, theirs = base.aggregate, other.aggregate
    if ours.aggregation == theirs.aggregation:
        return
    if theirs.aggregation == "micro":
        yield f"the counts of the {theirs.documents} documents are summed first, so long ones weigh more"
    else:
        yield f"mean of the scores of {theirs.documents} documents, each weighing the same"


def _undefined(base: Outcome, other: Outcome) -> Iterator[str]:
    why: str = other.metric.why_undefined()
    if math.isnan(other.score) and not math.isnan(base.score):
        yield f"undefined: {why}"
    elif other.aggregate.undefined > base.aggregate.undefined and other.aggregate.aggregation == "macro":
        yield f"{other.aggregate.undefined} of {len(other.table)} documents undefined ({why})"
