# SPDX-License-Identifier: Apache-2.0
"""Near misses: how often a boundary of one annotator has one of another at, or near, its gap, and how often by chance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import starts_of
from caesura.batches.panel import Ints, Panel
from caesura.metrics.agreement import candidates_of, supporters
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.agree.facts import NearMisses
from caesura.segmentation import CONTINUOUS_UNITS
from caesura.units.quantity import default_tolerance, resolve_quantity

__all__ = ["near_misses", "reach_of"]

_UNITS = 2
"""How far a near miss may be where units are counted; on time and characters it is the usual tolerance."""
_MOST_IN_MATRIX = 20


def reach_of(unit: str) -> int:
    """Return how far a near miss may be, in units.

    >>> reach_of("turn"), reach_of("ms")
    (2, 10000)
    """
    if unit not in CONTINUOUS_UNITS:
        return _UNITS
    return resolve_quantity(default_tolerance(unit), unit, owner="near misses", name="within")


def near_misses(panel: Panel, within: int | None = None) -> NearMisses:
    """Compare every boundary with every other annotator of its document; the time is linear in all boundaries.

    >>> from caesura.segmentation import Segmentation
    >>> found = near_misses(Panel.of({"a": Segmentation(21, (5, 10)), "b": Segmentation(21, (6,))}))
    >>> found.exact, found.near, found.matrix
    (0.0, 0.6666666666666666, [[None, 0.5], [1.0, None]])
    """
    reach = reach_of(panel.unit) if within is None else within
    exact, near = (_share(panel, tolerance) for tolerance in (0, reach))
    return NearMisses(
        within=reach,
        exact=number(exact[0]),
        near=number(near[0]),
        exact_by_chance=number(exact[1]),
        near_by_chance=number(near[1]),
        matrix=_matrix(panel, reach) if len(panel.names) <= _MOST_IN_MATRIX else [],
    )


def _share(panel: Panel, reach: int) -> tuple[float, float]:
    """Return the share of boundaries that have one of another annotator within reach, and its expectation at random gaps."""
    gaps, tolerance = candidates_of(panel), np.full(len(panel), reach)
    h = panel.n_annotators
    others = h[panel.document] - 1
    compared = float((panel.n_boundaries * others).sum())
    if not compared:
        return np.nan, np.nan
    # Whoever marked a gap is among those who are near it.
    found = (gaps.votes * (supporters(panel, gaps, tolerance) - 1)).sum()
    covered = _covered(panel, reach)
    of_others = np.bincount(panel.document, weights=covered, minlength=len(panel))[panel.document] - covered
    room = np.maximum(panel.n_units[panel.document] - 1, 1)
    return float(found / compared), float((panel.n_boundaries * of_others / room).sum() / compared)


def _covered(panel: Panel, reach: int) -> Floats:
    """Return for each coding how many gaps of its document lie within reach of one of its boundaries."""
    owner = np.repeat(np.arange(len(panel.annotator)), panel.n_boundaries)
    at = panel.codings.pos
    start, stop = np.maximum(at - reach, 1), np.minimum(at + reach, panel.n_units[panel.document[owner]] - 1)
    follows = np.flatnonzero(owner[1:] == owner[:-1]) + 1
    start[follows] = np.maximum(start[follows], at[follows - 1] + reach + 1)
    sizes = np.maximum(stop - start + 1, 0)
    return np.asarray(np.bincount(owner, weights=sizes, minlength=len(panel.annotator)), dtype=np.float64)


def _matrix(panel: Panel, reach: int) -> list[list[float | None]]:
    starts = starts_of(
        panel.n_units + 2 * reach
    )  # documents lie so far apart that no boundary reaches into another one
    laid, documents = [], []
    for place in range(len(panel.names)):
        own = np.flatnonzero(panel.annotator == place)
        document = np.repeat(panel.document[own], panel.n_boundaries[own])
        laid.append(panel.codings.take(own).pos + starts[document])
        documents.append(document)
    coded = [set(panel.document[panel.annotator == place].tolist()) for place in range(len(panel.names))]
    rows: list[list[float | None]] = []
    for first, at in enumerate(laid):
        row: list[float | None] = []
        for second, other in enumerate(laid):
            shared = (
                np.isin(documents[first], list(coded[second])) if first != second else np.zeros(len(at), dtype=bool)
            )
            row.append(number(float(_has_near(at[shared], other, reach).mean())) if shared.any() else None)
        rows.append(row)
    return rows


def _has_near(at: Ints, other: Ints, reach: int) -> npt.NDArray[np.bool_]:
    return np.searchsorted(other, at + reach, side="right") - np.searchsorted(other, at - reach) > 0
