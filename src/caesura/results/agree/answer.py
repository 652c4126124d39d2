# SPDX-License-Identifier: Apache-2.0
"""The answer of `agree`: agreement beyond chance, outliers, kinds of disagreement, and the next step."""

from __future__ import annotations

from caesura.results._sentences import joined, number_of, percent
from caesura.results.agree.facts import AgreementFacts, Coefficient, Kind
from caesura.results.agree.tables import near_misses
from caesura.results.base import FEW, as_float, required
from caesura.results.schema import Results
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.table import format_number

__all__ = ["answer", "in_words"]

_WORDS = ((0.0, "none"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
_MOST_NAMED = 3


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
    sentences += [_apart(facts), _where(results, facts, main), _next(facts)]
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
    what = "Observed agreement per gap" if similar is None else f"Observed similarity of two annotators by {similar}"
    short = "kappa" if name.lower().endswith("kappa") else name
    return f"{what} is {percent(main.observed)}, expected by chance {percent(main.expected)} ({short} {as_float(main.score):.2f})."


def _apart(facts: AgreementFacts) -> str:
    """Return the outliers, their deviations, and kappa without the one whose removal helps most."""
    rows = facts.annotators
    dense = [name for name, row in rows.items() if row.density_outlier]
    apart = [name for name, row in rows.items() if row.outlier]
    if not dense and not apart:
        return "No annotator is shown to be an outlier." if facts.pairs > 1 else ""
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
    return f"Compared with the median annotator, {joined(claims)}{end}."


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
        what = f"agree with {_named(dense)} on how coarse a segment is, or see what is left without them (--exclude {dense[0]})"
    elif facts.tally.get("granularity", 0) > facts.tally.get("placement", 0) + facts.tally.get("mixed", 0):
        what = "say in the guidelines how coarse a segment is, since most differences are of granularity"
    elif facts.contested:
        gaps = number_of(facts.n_contested, "contested gap")
        what = f"settle the {gaps} (--adjudicate FILE lists those first that raise kappa most), or look at them (--figure FILE)"
    else:
        return ""
    return f"Next: {what}."
