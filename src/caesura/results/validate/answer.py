# SPDX-License-Identifier: Apache-2.0
"""The answer of the self-degradation test: the usable metrics, and the score of the blind metric."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results._sentences import joined, number_of, percent
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.results.validate.facts import BLIND, EncoderTrust, Trust, Validity, may_be_used, reads_words
from caesura.results.validate.usable import OWN, judged_by_words, nearest, refused, usable

__all__ = ["answer"]

_COIN = 0.5


def answer(results: Results) -> tuple[str, ...]:
    """Return the usable metrics of each encoder, or the closest one, and the score of the blind metric."""
    validity = required(results.validity)
    several = len(validity.encoders) > 1
    sentences = [
        sentence
        for name, encoder in validity.encoders.items()
        for sentence in _encoder(validity, encoder, f" with {name}" if several else "")
    ]
    sentences += [
        f"{line}." if not several else f"{name}: {line}."
        for name, encoder in validity.encoders.items()
        for line in encoder.traps
    ]
    if not validity.gold:
        sentences.append(
            "There is no gold: this tests whether a metric prefers the given segmentation, not whether it is right."
        )
    return tuple(sentences)


def _encoder(validity: Validity, encoder: EncoderTrust, where: str) -> Iterator[str]:
    limits = validity.limits
    of = OWN if validity.gold else "the given boundaries"
    metrics = {name: trust for name, trust in encoder.metrics.items() if name != BLIND}
    if encoder.same_vectors:
        metrics = {name: trust for name, trust in metrics.items() if reads_words(name)}
        what = f"With{where.removeprefix(' with')}, the segmentation" if where else "The segmentation"
        yield judged_by_words([what], words=bool(metrics))
    fit = {name: trust for name, trust in metrics.items() if may_be_used(trust.verdict)}
    large = [name for name, trust in metrics.items() if trust.verdict == "only for large differences"]
    if fit:
        yield usable(fit, of, where, limits)
    elif metrics:
        name = nearest(metrics)
        yield refused(name, metrics[name], of, where=where, limits=limits)
    if large:
        yield f"Only large differences, as from random boundaries, are shown{where} by {joined(large)}."
    if metrics:
        name = nearest(fit or metrics)
        yield from _systems(name, metrics[name], len(encoder.systems), where)
    blind = encoder.metrics.get(BLIND)
    if blind is not None and blind.worst is not None:
        yield (
            f"{BLIND}, which does not read the text, prefers the segmentation to random boundaries in "
            f"{percent(blind.damages.get('random'))} of documents, and to the perturbation it notices least in {percent(blind.worst)}."
        )


def _systems(name: str, trust: Trust, systems: int, where: str) -> Iterator[str]:
    """Yield how often a metric scores the reference above real systems, and what that is worth; nothing if it was not asked."""
    found = trust.systems
    if found is None:
        return
    against = f"Against {number_of(systems, 'real segmenter')}{where}, {name}"
    if found.share is None:
        yield f"{against} has no score to compare with that of {OWN}."
        return
    low, high = found.interval
    ends = "" if low is None or high is None else f" (95 % interval {percent(low)} to {percent(high)})"
    if high is not None and high < _COIN:
        worth = "it prefers the systems to the reference, so it cannot rank systems"
    elif low is None or low <= _COIN:
        worth = "that is not shown to be better than a coin"
    else:
        worth = "whether it ranks systems correctly is another question (caesura correlate)"
    yield (
        f"{against} scores {OWN} higher in {percent(found.share)} of {number_of(found.pairs, 'pair')} of a document and a "
        f"system{ends}; {worth}."
    )
