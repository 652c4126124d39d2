# SPDX-License-Identifier: Apache-2.0
"""The reasons why a window metric gives another score: another k, another string, other edges."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from caesura.evaluation.explain.counts import Outcome
from caesura.units.quantity import as_clock

__all__ = ["WINDOW_PARAMETERS", "counted", "window_reasons", "window_rule"]

WINDOW_PARAMETERS = frozenset({"k", "k_from", "rounding", "min_k", "string", "short", "edge", "weighted"})
"""The parameters that `window_reasons` describes."""

_K_RULE = ("k", "k_from", "rounding", "min_k", "short")
_ROUNDED = {"half_even": "rounded half to even", "half_up": "rounded half up", "floor": "rounded down"}


def window_reasons(base: Outcome, other: Outcome) -> Iterator[str]:
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


def window_rule(outcome: Outcome) -> str:
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
