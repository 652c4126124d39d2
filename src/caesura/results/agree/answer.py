# SPDX-License-Identifier: Apache-2.0
"""The answer of `agree`: agreement beyond chance, outliers, kinds of disagreement, and the next step."""

from __future__ import annotations

import statistics

from caesura.results._sentences import joined, number_of, percent
from caesura.results.agree.facts import AgreementFacts, Before, Changes, Coefficient, Kind, Plan
from caesura.results.agree.tables import near_misses
from caesura.results.agree.work_tables import distance
from caesura.results.base import FEW, as_float, required
from caesura.results.schema import Results
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.table import format_number
from caesura.units.quantity import as_time

__all__ = ["answer", "in_words"]

_WORDS = ((0.0, "none"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
_MOST_NAMED = 3
_SHOWN = 0.05


def answer(results: Results) -> tuple[str, ...]:
    """Return the answer in two to five sentences."""
    facts = required(results.agreement)
    if not facts.coefficients:
        return ()
    if not facts.pairs and facts.coded_by:
        return (*_so_far(results, facts), "Agreement needs a second annotator on the same documents.")
    name, main = next(iter(facts.coefficients.items()))
    sentences = [_beyond_chance(name, main)]
    if main.score is not None:
        sentences.append(_meaning(results, name, main))
    sentences += [_apart(results, facts), _where(results, facts, main), *_work(results, facts), _next(facts)]
    return tuple(sentence for sentence in sentences if sentence)


def _so_far(results: Results, facts: AgreementFacts) -> list[str]:
    """Return a sentence on the progress and density of each of the first annotators."""
    total = max(results.inputs[0].documents, len(facts.units))
    sentences = []
    for place, name in enumerate(facts.names[:_MOST_NAMED]):
        row = facts.annotators[name]
        units = sum(facts.units[key] for key, coders in facts.coded_by.items() if place in coders)
        boundaries = (
            f"{number_of(row.boundaries, 'boundary', 'boundaries')} ({row.boundaries / row.documents:.1f} per document)"
        )
        sentences.append(
            f"{name} has coded {row.documents} of {number_of(total, 'document')}, {units:,} units with {boundaries}: a segment "
            f"has {units / (row.boundaries + row.documents):,.1f} units on average."
        )
    return sentences


def in_words(kappa: float) -> str:
    """Return Landis and Koch's word for an agreement.

    >>> [in_words(kappa) for kappa in (-0.1, 0.2, 0.21, 0.7, 0.95)]
    ['none', 'slight', 'fair', 'substantial', 'almost perfect']
    """
    return next((word for limit, word in _WORDS if kappa <= limit), "almost perfect")


def _beyond_chance(name: str, main: Coefficient) -> str:
    if main.score is None:
        return f"Agreement is not defined: {main.reason}."
    low, high = main.interval
    size = f"{name} is {format_number(main.score)}"
    if low is None or high is None:
        return f"{size} on {number_of(main.documents, 'document')}, which is too few for an interval: whether the annotators agree beyond chance is open."
    size += f" [{format_number(low)}, {format_number(high)}] on {number_of(main.documents, 'document')}"
    size += ", few for an interval" if main.documents < FEW else ""
    if low > 0:
        return f"The annotators agree beyond chance, and the agreement is {in_words(main.score)} on the scale of Landis and Koch: {size}."
    if high < 0:
        return f"The annotators agree less than chance would: {size}."
    return f"The annotators are not shown to agree beyond chance: {size}."


def _meaning(results: Results, name: str, main: Coefficient) -> str:
    if results.unit in CONTINUOUS_UNITS:
        return (
            f"On the unit {results.unit} people rarely mark exactly the same point, so this says little: count near misses, "
            f"for example with {near_misses(results.unit)}."
        )
    similar = name[len("Agreement")] if name.startswith(("AgreementB", "AgreementS")) else None
    near = _near(results, required(results.agreement))
    what = "Observed agreement per gap" if similar is None else f"Observed similarity of two annotators by {similar}"
    size = f"{what} is {percent(main.observed)}, expected by chance {percent(main.expected)}"
    return f"{size}; {near}." if near else f"{size}."


def _near(results: Results, facts: AgreementFacts) -> str:
    """Return how often a boundary has one of another annotator near it, and whether exact places say little."""
    near = facts.near
    if near is None or near.near is None or near.near_by_chance is None:
        return ""
    within = f"within {distance(near.within, results.unit)}"
    chance = f"by chance {percent(near.near_by_chance)}"
    if len(facts.names) == 2 and near.matrix:
        first, second = facts.names
        shares = near.matrix[0][1], near.matrix[1][0]
        text = (
            f"{percent(shares[0])} of the boundaries of {first} have one of {second} {within}, {percent(shares[1])} of those of {second} "
            f"one of {first} ({chance}, at the same gap {percent(near.exact)})"
        )
    else:
        text = f"{percent(near.near)} of boundaries have another's {within} ({chance}), {percent(near.exact)} at the same gap"
    little = near.near > near.near_by_chance and 2 * as_float(near.exact) <= near.near
    return f"{text}, so exact places say little ({near_misses(results.unit)} counts near misses)" if little else text


def _lengths(results: Results, facts: AgreementFacts) -> str:
    """Return how long a segment of the median annotator is, and of those with the shortest and longest."""
    rows = {name: row.units_per_segment for name, row in facts.annotators.items() if row.units_per_segment is not None}
    if len(rows) < 2:
        return ""
    ordered = sorted(rows.items(), key=lambda item: (item[1], item[0]))
    middle = statistics.median(rows.values())
    ends = [ordered[0], ordered[-1]] if len(rows) > 2 or ordered[0][1] != ordered[-1][1] else []
    named = ", ".join(f"{name} {_length(length, results.unit, bare=True)}" for name, length in ends)
    return f"one segment per {_length(middle, results.unit)}" + (f"; {named}" if named else "")


def _length(length: float, unit: str, *, bare: bool = False) -> str:
    if unit == "ms":
        return as_time(length / 1000)
    text = f"{length:.0f}" if length >= 20 else f"{length:.1f}"
    return text if bare else f"{text} {unit}s"


def _work(results: Results, facts: AgreementFacts) -> list[str]:
    """Return what was asked, or is shown, about the work: dates, an earlier export, second codings, what a plan says."""
    sentences = []
    trend, since, plan = facts.trend, facts.since, facts.plan
    if trend is not None and trend.p is not None and trend.p < _SHOWN and trend.spearman is not None:
        way = "rises" if trend.spearman > 0 else "falls"
        first, last = trend.periods[0], trend.periods[-1]
        sentences.append(
            f"Agreement {way} over time: {trend.coefficient} {format_number(first.score)} on the {first.documents} documents until {first.until}, "
            f"{format_number(last.score)} on the {last.documents} since {last.since} (rank correlation with the date {trend.spearman:+.2f})."
        )
    if since is not None:
        sentences.append(_since(since))
    for who, own in list(facts.repeats.items())[:1] if len(facts.repeats) == 1 else ():
        sentences.append(
            f"{who} agrees with themselves by {facts.by} {format_number(own.itself)} on {number_of(own.documents, 'document')} coded twice, "
            f"with the others there by {format_number(own.others)}."
        )
    if len(facts.repeats) > 1:
        itself, others = (
            [as_float(value) for own in facts.repeats.values() if (value := getattr(own, side)) is not None]
            for side in ("itself", "others")
        )
        if itself and others:
            sentences.append(
                f"{len(facts.repeats)} annotators who coded documents twice agree with themselves by {facts.by} "
                f"{statistics.fmean(itself):.3f} on average, with the others there by {statistics.fmean(others):.3f}."
            )
    if plan is not None:
        sentences.append(_plan(plan))
    return sentences


def _since(since: Before) -> str:
    changed = sum(own.changed for own in since.annotators.values())
    new = sum(own.new for own in since.annotators.values())
    if all(own == Changes(same=own.same) for own in since.annotators.values()):
        return "Nothing that is in both has changed since the earlier export."
    what = f"Since the earlier export {number_of(new, 'coding')} came and {changed} changed"
    if since.before is None or since.now is None:
        return f"{what}; no document has agreement in both."
    low, high = since.interval
    if low is None or high is None:
        shown = "which is too few for an interval"
    else:
        shown = f"a change of {since.now - since.before:+.3f} [{low:+.3f}, {high:+.3f}]"
        shown += "" if low > 0 or high < 0 else ", which may be chance"
    return f"{what}: {since.coefficient} was {since.before:.3f} and is {since.now:.3f} on {number_of(since.documents, 'document')} of both, {shown}."


def _plan(plan: Plan) -> str:
    ways = [] if plan.documents_needed is None else [f"{plan.documents_needed:,} documents like these"]
    ways += [] if plan.annotators_needed is None else [f"{plan.annotators_needed} annotators per document"]
    if not ways:
        return (
            f"An interval of {plan.coefficient} narrower than {plan.width:g} is out of reach: 100,000 documents like these do not reach it, "
            f"nor do more annotators; now it is {plan.width_now:.2g} wide."
        )
    return f"An interval of {plan.coefficient} narrower than {plan.width:g} needs {joined(ways, 'or')}; now it is {plan.width_now:.2g} wide."


def _apart(results: Results, facts: AgreementFacts) -> str:
    """Return the outliers, their deviations, kappa without the one whose removal helps most, and how long segments are."""
    lengths = _lengths(results, facts)
    rows = facts.annotators
    dense = [name for name, row in rows.items() if row.density_outlier]
    apart = [name for name, row in rows.items() if row.outlier]
    if not dense and not apart:
        if facts.pairs < 2:
            return f"The median annotator makes {lengths}." if lengths else ""
        return "No annotator is shown to be an outlier" + (f" (median: {lengths})." if lengths else ".")
    fewer = [name for name in dense if as_float(rows[name].density) < 1]
    more = [name for name in dense if name not in fewer]
    claims = [
        f"{_named(names)} {'marks' if len(names) == 1 else 'mark'} far {how} boundaries "
        f"({joined(f'{as_float(rows[name].density):.2g}' for name in names[:_MOST_NAMED])} times as many)"
        for names, how in ((fewer, "fewer"), (more, "more"))
        if names
    ]
    if apart:
        verb = "agrees" if len(apart) == 1 else "agree"
        scores = joined(format_number(rows[name].agreement) for name in apart[:_MOST_NAMED])
        claims.append(f"{_named(apart)} {verb} less with the others ({facts.by} {scores})")
    best = max({*dense, *apart}, key=lambda name: (as_float(rows[name].kappa_without or 0.0), name))
    without = rows[best].kappa_without
    end = "" if without is None else f"; without {best}, kappa is {format_number(without)}"
    middle = f" ({lengths})" if lengths else ","
    return f"Compared with the median annotator{middle} {joined(claims)}{end}."


def _named(names: list[str]) -> str:
    more = [number_of(len(names) - _MOST_NAMED, "other")] if len(names) > _MOST_NAMED else []
    return joined([*names[:_MOST_NAMED], *more])


def _where(results: Results, facts: AgreementFacts, main: Coefficient) -> str:
    pairs = sum(facts.tally.values())
    if pairs == facts.tally.get("none", 0):
        return ""
    words: dict[Kind, str] = {
        "granularity": "only in granularity (one has further boundaries)",
        "placement": "only in placement",
        "mixed": "in both",
        "none": "not at all",
    }
    claims = [
        f"{percent(facts.tally[kind] / pairs)} differ {how}" for kind, how in words.items() if facts.tally.get(kind)
    ]
    claims = [claims[0], *(text.replace(" differ", "", 1) for text in claims[1:])]
    sentence = f"Of {number_of(facts.pairs, 'pair')}, {joined(claims)}"
    known = [
        (value, key) for key, value in zip(results.documents or [], main.per_document, strict=True) if value is not None
    ]
    if len(known) > 1:
        value, key = min(known)
        sentence += f"; they disagree most in document {key} ({format_number(value)})"
    return sentence + "."


def _next(facts: AgreementFacts) -> str:
    dense = [name for name, row in facts.annotators.items() if row.density_outlier]
    if dense:
        what = f"agree how coarse a segment is, or leave them out (--exclude {dense[0]})"
    elif facts.tally.get("granularity", 0) > facts.tally.get("placement", 0) + facts.tally.get("mixed", 0):
        what = "say in the guidelines how coarse a segment is, since most differences are of granularity"
    elif facts.contested:
        gaps = number_of(facts.n_contested, "contested gap")
        what = f"settle the {gaps} (--adjudicate FILE lists those first that raise kappa most), or look at them (--figure FILE)"
    else:
        return ""
    return f"Next: {what}."
