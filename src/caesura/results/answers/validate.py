# SPDX-License-Identifier: Apache-2.0
"""The answer of the self-degradation test: the usable metrics, and the score of the blind metric."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.results.answers._common import joined, number_of, percent
from caesura.results.base import as_float
from caesura.results.schema import Results
from caesura.results.validity import BLIND, EncoderTrust, Limits, Trust, Validity, damage_names

__all__ = ["answer"]


def answer(results: Results) -> tuple[str, ...]:
    """Return the usable metrics of each encoder, or the closest one, and the score of the blind metric."""
    validity = results.validity
    if validity is None:
        return ()
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
    metrics = {name: trust for name, trust in encoder.metrics.items() if name != BLIND}
    usable = [name for name, trust in metrics.items() if trust.verdict == "usable here"]
    large = [name for name, trust in metrics.items() if trust.verdict == "only for large differences"]
    documents = number_of(validity.documents, "document")
    if usable:
        yield f"Usable on these {documents}{where}: {joined(usable)}."
    if large:
        yield f"Only for large differences{where}: {joined(large)}."
    if not usable and metrics:
        nearest = max(
            metrics, key=lambda name: (metrics[name].worst is not None, as_float(metrics[name].worst))
        )
        yield from _nearest(nearest, metrics[nearest], limits, where, documents)
    blind = encoder.metrics.get(BLIND)
    if blind is not None and blind.worst is not None:
        yield (
            f"Without reading, {BLIND} tells the undamaged segmentation from random placement in "
            f"{percent(blind.damages.get('random'))} of documents, and from its worst damage in {percent(blind.worst)}."
        )


def _nearest(name: str, trust: Trust, limits: Limits, where: str, documents: str) -> Iterator[str]:
    least = max(limits.documents, 1)
    if trust.documents < least:
        yield f"Undecided{where}: {number_of(trust.documents, 'document')} could be judged, at least {least} are required."
        return
    yield f"No metric is usable on these {documents}{where}."
    shares = {kind: share for kind, share in trust.damages.items() if share is not None}
    if shares:
        kind = min(shares, key=lambda kind: as_float(shares[kind]))
        yield (
            f"{name} comes nearest: against its worst damage, {damage_names(limits)[kind]}, the undamaged segmentation scores "
            f"better in {percent(shares[kind])} of documents, and {percent(limits.better)} are required."
        )
