# SPDX-License-Identifier: Apache-2.0
"""Who differs from the others, beyond what chance does: in density, in density since a document, and in agreement.

People are exchangeable if, in each document, any of them could have made any of the codings. Then shuffling the codings of each document
among its annotators changes nothing, and the largest of all statistics of all people has a distribution that shuffling draws.
An alert needs a statistic beyond all but 0.5 % of it: small, since the lead looks whenever somebody finishes a document.
"""

from __future__ import annotations

import msgspec
import numpy as np

from caesura.batches.panel import Ints
from caesura.metrics.base import Floats

__all__ = ["Alert", "alerts"]

_LEVEL = 0.005
_SHUFFLES = 999
_LARGEST = 20_000_000
"""Numbers in memory; a larger project has fewer shuffles, at least 300."""
_FEWEST = 4
"""Documents of a person, and on either side of a change."""
_FAR = 1.5
"""A difference in density of less than this factor is not worth an alert."""


class Alert(msgspec.Struct, frozen=True):
    """What is unusual about a person: ``kind`` is density, change or agreement, ``since`` the document of a change."""

    person: str
    kind: str
    text: str
    since: str | None = None


def alerts(
    people: list[str], documents: list[str], boundaries: Floats, agreement: Floats, order: Floats, seed: int = 0
) -> list[Alert]:
    """Return what is unusual.

    Parameters
    ----------
    people, documents : list of str
        The names.
    boundaries, agreement : array of documents by people
        The number of boundaries, and the mean agreement with the others; NaN where a person has not finished a document.
    order : array of documents by people
        When each person finished each document; any increasing number.
    seed : int
        Of the shuffles.
    """
    shared = (~np.isnan(boundaries)).sum(axis=1) > 1
    if not shared.any():
        return []
    boundaries, agreement, order = boundaries[shared], agreement[shared], order[shared]
    documents = [document for document, kept in zip(documents, shared, strict=True) if kept]
    present = ~np.isnan(boundaries)
    shuffles = int(np.clip(_LARGEST // max(1, present.size), 300, _SHUFFLES))
    drawn = _shuffled(boundaries, agreement, shuffles, seed)
    counts, scores = (
        np.concatenate([own[None], others]) for own, others in zip((boundaries, agreement), drawn, strict=True)
    )
    relative = _relative(counts)
    table = _statistics(relative, scores, np.argsort(np.where(present, order, np.inf), axis=0), present.sum(axis=0))
    enough = present.sum(axis=0) >= _FEWEST
    spread = table[1:].std(axis=0)
    usable = (spread > 0) & enough[None, :]
    z = np.where(usable, (table - table[1:].mean(axis=0)) / np.where(usable, spread, 1.0), 0.0)
    z[:, 2] = -z[:, 2]  # only agreement that is too low
    z[:, :2] = np.abs(z[:, :2])
    largest = z.max(axis=(1, 2))
    found = []
    for person, name in enumerate(people):
        for kind in range(3):
            beaten = (1 + int((largest[1:] >= z[0, kind, person]).sum())) / (1 + len(largest[1:]))
            if usable[kind, person] and beaten <= _LEVEL:
                alert = _alert(name, kind, relative[0, :, person], order[:, person], documents)
                found += [alert] if alert else []
    return found


def _shuffled(boundaries: Floats, agreement: Floats, shuffles: int, seed: int) -> tuple[Floats, Floats]:
    """Return the codings of each document shuffled among the people who made them."""
    generator = np.random.default_rng([seed, 35])
    counts, scores = (np.repeat(each[None], shuffles, axis=0) for each in (boundaries, agreement))
    for row in range(len(boundaries)):
        columns = np.flatnonzero(~np.isnan(boundaries[row]))
        orders = np.argsort(generator.random((shuffles, len(columns))), axis=1)
        counts[:, row, columns] = boundaries[row, columns][orders]
        scores[:, row, columns] = agreement[row, columns][orders]
    return counts, scores


def _relative(counts: Floats) -> Floats:
    """Return the logarithm of a person's boundaries over the mean of the others of the document."""
    total, people = np.nansum(counts, axis=2, keepdims=True), (~np.isnan(counts)).sum(axis=2, keepdims=True)
    relative: Floats = np.log((counts + 0.5) / ((total - counts) / (people - 1) + 0.5))
    return relative


def _statistics(relative: Floats, scores: Floats, order: Ints, finished: Ints) -> Floats:
    """Return for each shuffle and person: mean density, its largest change over time, mean agreement above that of the document."""
    centred = scores - np.nanmean(
        np.where(np.isnan(scores).all(axis=2, keepdims=True), 0.0, scores), axis=2, keepdims=True
    )
    table = np.zeros((len(relative), 3, relative.shape[2]))
    for person in range(relative.shape[2]):
        n = int(finished[person])
        if n < _FEWEST:
            continue
        rows = order[:n, person]
        own = relative[:, rows, person]
        table[:, 0, person] = own.mean(axis=1)
        table[:, 1, person] = _change(own)[0]
        table[:, 2, person] = np.nan_to_num(centred[:, rows, person]).mean(axis=1)
    return table


def _change(values: Floats) -> tuple[Floats, Ints]:
    """Return the largest scaled difference of means before and after a document, and its place, for each row."""
    n = values.shape[1]
    places = np.arange(_FEWEST, n - _FEWEST + 1)
    if not len(places):
        return np.zeros(len(values)), np.zeros(len(values), dtype=np.int64)
    sums = np.cumsum(values, axis=1)
    before = sums[:, places - 1] / places
    after = (sums[:, -1:] - sums[:, places - 1]) / (n - places)
    scaled = np.abs(after - before) * np.sqrt(places * (n - places) / n)
    best = scaled.argmax(axis=1)
    return scaled.max(axis=1), places[best]


def _alert(name: str, kind: int, relative: Floats, order: Floats, documents: list[str]) -> Alert | None:
    """Return an alert in words; None if the difference is too small to matter."""
    rows = np.flatnonzero(~np.isnan(relative))
    rows = rows[np.argsort(order[rows], kind="stable")]
    own = relative[rows]
    if kind == 0:
        factor = float(np.exp(own.mean()))
        if 1 / _FAR < factor < _FAR:
            return None
        return Alert(
            name, "density", f"{name} marks {factor:.1f} times as many boundaries as the others of the same documents."
        )
    if kind == 1:
        place = int(_change(own[None])[1][0])
        factor = float(np.exp(own[place:].mean() - own[:place].mean()))
        if 1 / _FAR < factor < _FAR:
            return None
        since = documents[rows[place]]
        text = (
            f"{name} marks {factor:.1f} times as many boundaries as before since {since}, their document {place + 1}."
        )
        return Alert(name, "change", text, since)
    return Alert(name, "agreement", f"{name} agrees less with the others than they do among themselves.")
