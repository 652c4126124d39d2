# SPDX-License-Identifier: Apache-2.0
"""Table 1: correlations of the proposed metrics with metrics that need a reference, and the formulas of both as printed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from caesura.metrics import metric
from caesura.results.reproduce.facts import Erratum
from caesura.segmentation import Segmentation
from caesura_reproductions.base import Found, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["correlations"]

Floats = npt.NDArray[np.float64]

_TWO_TOPICS = np.array([[1, 0], [1, 0.2], [1, -0.1], [1, 0.1], [0, 1], [0.2, 1], [-0.1, 1], [0.1, 1]])
"""Four units about one thing and four about another, so that the boundary between them is right."""


@item(
    "T1",
    "Correlations with metrics that have a reference",
    otherwise="the outputs of the systems are not public: the files released under that name are pages that ask to sign in",
)
def correlations(printed: Printed, data: Data) -> Iterator[Found]:
    """Yield errors of the formulas only: Table 2 is computed from the printed values."""
    yield _similarity_for_distance()
    yield _singletons()
    yield finding(
        "Section 5",
        "The window of Pk and WindowDiff is k = K/2, where K is half the average segment length.",
        "That is a quarter of the average segment: 2 units where segments have 8. The window of both metrics is half of it, 4 units.",
    )


def _similarity_for_distance() -> Erratum:
    """Return what Equations 17 to 20 give for a right boundary."""
    halves = np.split(_TWO_TOPICS, 2)
    within, across = halves[0], np.concatenate([halves[0][2:], halves[1][:2]])
    as_printed = [_relative(similarity(across), similarity(within)) for similarity in (_to_mean, _of_pairs)]
    ours = [metric(name)(Segmentation(8, (4,)), _TWO_TOPICS) for name in ("ARPcos", "ARPpair")]
    return finding(
        "Equations 17 to 20",
        "ARPcos and ARPpair put the mean cosine similarity for the dispersion in Equation 15, and higher scores are better.",
        "With similarities good boundaries score below zero: between four vectors of one direction and four of another ARPcos is "
        f"{as_printed[0]:.2f} and ARPpair {as_printed[1]:.2f}. With distances, as in the released program, they are {ours[0]:.2f} and {ours[1]:.2f}.",
    )


def _singletons() -> Erratum:
    """Return what Equation 16 gives for segments of one unit."""
    far = 10 * np.eye(2)
    dispersion = float((far.std(axis=0) ** 2).sum())
    return finding(
        "Equation 16",
        "A segment of one unit gets the mean dispersion of the document, which makes the score more uncertain, near 0; scores lie between -1 "
        "and 1.",
        f"A dispersion has the scale of the vectors and no upper limit: two segments of one unit, orthogonal and of length 10, get "
        f"{dispersion:.0f}. The released program puts the mean into Equation 15 instead; these two then get "
        f"{metric('ARPstd')(Segmentation(2, (1,)), far):.0f}.",
    )


def _relative(across: float, within: float) -> float:
    return (across - within) / (across + within)


def _cosines(one: Floats, other: Floats) -> Floats:
    found: Floats = one @ other.T / np.outer(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))
    return found


def _to_mean(units: Floats) -> float:
    return float(_cosines(units, units.mean(axis=0)[None]).mean())


def _of_pairs(units: Floats) -> float:
    return float(_cosines(units, units)[np.triu_indices(len(units), 1)].mean())
