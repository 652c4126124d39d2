# SPDX-License-Identifier: Apache-2.0
"""The reasons why a convention gives another score: the rules that differ, with the actual counts.

Reasons are not written per convention. Two outcomes are compared parameter by parameter, and each differing parameter is
described with its effect on the counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from caesura.declare import parameters
from caesura.evaluation.explain.conventions import CAESURA, Counter, Outcome
from caesura.metrics import METRICS
from caesura.units.quantity import as_clock

__all__ = ["counted", "reasons"]

_WINDOW_PARAMETERS = frozenset({"k", "k_from", "rounding", "min_k", "string", "short", "edge", "weighted"})
"""The parameters that `window_reasons` describes."""
_K_RULE = ("k", "k_from", "rounding", "min_k", "short")
_ROUNDED = {"half_even": "rounded half to even", "half_up": "rounded half up", "floor": "rounded down"}
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
        return [_window_rule(base)] if base.has("k") else [base.metric.facts().formula]
    differences = list(_window_reasons(base, other)) if base.has("k") else []
    for parameter in parameters(other.metric):
        ours, theirs = getattr(base.metric, parameter.name), getattr(other.metric, parameter.name)
        if ours != theirs and parameter.name not in _WINDOW_PARAMETERS:
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


def _window_reasons(base: Outcome, other: Outcome) -> Iterator[str]:
    """Yield the effects of the rules on windows; both metrics must have windows."""
    yield from _window(base, other)
    yield from _short(base, other)
    yield from _string(base, other)
    yield from _edge(base, other)
    if _option(other, "weighted") and not _option(base, "weighted"):
        off = other.total("surplus") + other.total("deficit")
        yield (
            f"adds up by how many boundaries each window is off, {off} in all, "
            f"instead of counting the {other.total('errors')} windows that are off"
        )


def _window_rule(outcome: Outcome) -> str:
    """Return the rule for k of the outcome that the others are compared with."""
    if outcome.single:
        return f"k = {_range(outcome)}: {_worked_rule(outcome)}"
    return f"k is {_range(outcome)}: {_rule(outcome)}"


def _option(outcome: Outcome, name: str) -> object:
    return getattr(outcome.metric, name, None)


def _window(base: Outcome, other: Outcome) -> Iterator[str]:
    """Yield k and its rule, if the rules differ."""
    same_rule = all(_option(base, name) == _option(other, name) for name in _K_RULE)
    if same_rule and base.convention.swap == other.convention.swap and _option(base, "k_from") == "segments":
        return
    differing = int((base.column("k") != other.column("k")).sum())
    ours, theirs = _range(base), _range(other)
    if other.single:
        versus = f", not {ours}" if differing else " by its rule too"
        yield f"k = {theirs}{versus}: {_worked_rule(other)}"
    elif differing:
        ranges = "" if theirs == ours else f" ({theirs}, not {ours})"
        yield f"another k in {differing} of {len(other.table)} documents{ranges}: {_rule(other)}"
    else:
        yield f"k is the same in every document, though it is {_rule(other)}"
    sightless = int((other.column("k") == 0).sum())
    if sightless:
        where = "" if other.single else f" in {sightless} documents"
        yield f"a window of 0{where} sees nothing, so nothing is an error"


def _short(base: Outcome, other: Outcome) -> Iterator[str]:
    """Yield what becomes of documents without a window, if there are any and one side scores them."""
    number = int((other.column("windows") == 0).sum())
    if number and _option(other, "short") == "no_error" and _option(base, "short") != "no_error":
        where = "no window" if other.single else f"no window in {number} documents"
        yield f"{where}: 0, not undefined"


def _range(outcome: Outcome) -> str:
    low, high = map(as_clock if outcome.pairs.unit == "ms" else str, outcome.range_of("k"))
    return low if low == high else f"{low} to {high}"


def _rule(outcome: Outcome) -> str:
    """Return the rule for k in words."""
    metric: Any = outcome.metric
    if metric.k is not None:
        return f"the requested k, {metric.k}"
    least = f"at least {metric.min_k}" if metric.min_k else "with no minimum"
    if metric.k_from == "boundaries":
        return f"the length of the string over twice its boundaries, {_ROUNDED[metric.rounding]}, {least}"
    quarter = ", a quarter of a document without boundaries" if metric.k_from == "two_segments" else ""
    return f"half the mean {_side(outcome)} segment{quarter}, {_ROUNDED[metric.rounding]}, {least}"


def _worked_rule(outcome: Outcome) -> str:
    """Return the rule for k with the numbers of a single document; without them on milliseconds."""
    metric: Any = outcome.metric
    if metric.k is not None or outcome.pairs.unit == "ms":
        return _rule(outcome)
    units, boundaries = int(outcome.pairs.n_units[0]), len(outcome.pairs.ref_pos)
    if metric.k_from == "two_segments" and not boundaries:
        return f"a quarter of a document without boundaries, {_worked(f'{units}/4', Fraction(units, 4), outcome)}"
    if metric.k_from != "boundaries":
        segments = boundaries + 1
        half = _worked(f"{units}/{segments}/2", Fraction(units, 2 * segments), outcome)
        return f"half the mean {_side(outcome)} segment, {half}"
    gaps, closed = metric.string == "gaps", metric.string == "units_closed"
    slots, marks = units - gaps, boundaries + closed
    which = counted(marks, "boundary", "boundaries") if marks else "boundaries, none counting as one"
    closing = ", the closing one included" if closed else ""
    twice = 2 * max(marks, 1)
    quotient = _worked(f"{slots}/{twice}", Fraction(slots, twice), outcome)
    return f"the {counted(slots, 'gap' if gaps else 'character')} over twice the {which}{closing}, {quotient}"


def _worked(quotient: str, exact: Fraction, outcome: Outcome) -> str:
    """Return a quotient, and how rounding and the minimum turn it into k."""
    metric: Any = outcome.metric
    shown = f"{quotient} = {float(exact):.{max(len(str(int(exact))) + 2, 3)}g}"
    rounded, how = round(exact), "to"
    if metric.rounding == "floor":
        rounded, how = int(exact), "down to"
    elif exact.denominator == 2 and metric.rounding == "half_even":
        how = "to the even"
    elif exact.denominator == 2:
        rounded, how = int(exact) + 1, "up to"
    if exact.denominator != 1:
        shown += f", rounded {how} {rounded}"
    if rounded < metric.min_k:
        shown += f", raised to the minimum, {metric.min_k}"
    elif rounded < 2 and not metric.min_k:
        shown += ", with no minimum"
    k = outcome.range_of("k")[0]
    return shown if k >= max(rounded, metric.min_k) else f"{shown}, shrunk to fit the document, {k}"


def _side(outcome: Outcome) -> str:
    return "hypothesis" if outcome.convention.swap else "reference"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, in the singular or the plural (by default with an s)."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _string(base: Outcome, other: Outcome) -> Iterator[str]:
    """Yield the effect of a string with a character for the last unit: one more window for every k."""
    theirs, ours = _option(other, "string"), _option(base, "string")
    if theirs == ours:
        return
    if theirs == "gaps":
        yield "one window less: the string has no character for the end of the document"
        return
    which = f"character {int(other.pairs.n_units[0])}" if other.single else "the last character of each"
    more = "one window more: " if ours == "gaps" else ""
    yield f"{more}{which}, a {0 if theirs == 'units' else 1}, stands for the end of the document"
    if theirs == "units_closed" and other.metric.name() == "Pk":
        yield "both sides have that 1, so the window over it is never an error of Pk"


def _edge(base: Outcome, other: Outcome) -> Iterator[str]:
    theirs, ours = str(_option(other, "edge")), str(_option(base, "edge"))
    if theirs == ours:
        return
    if theirs == "interior":
        yield "only windows inside the document, not every window that holds a gap"
        return
    if not theirs.startswith("lamprier"):
        yield "no windows over the ends of the document"
        return
    windows = int(other.column("windows").sum()) - (theirs == "lamprier_segeval")
    if not ours.startswith("lamprier"):
        count = f" = {windows} windows, not {base.total('windows')}" if other.single else " windows of each document"
        yield f"k units are added at both ends, which makes N + k{count}"
    if theirs == "lamprier_segeval":
        counts = f" = {windows + 1}, where {windows} windows" if other.single else ", where N + k windows"
        yield f"divides by N + k + 1{counts} were summed"
