# SPDX-License-Identifier: Apache-2.0
"""The part of each lead that is density: every chunker is compared with a token clock of equal mean length.

A clock cuts every N tokens, regardless of the text. Shorter chunks contain less besides the answer, so its score rises as N
falls. The score of a chunker above the clock of the same mean length is the effect of its placement; the rest is density.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.statistics import Bootstrap, Permutation, Statistic, holm
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_chroma2024._omega import CHUNKERS, NEAREST, PRINTED_ONLY, Floats, omega, tokens
from caesura_reproductions.printed import Printed

__all__ = ["BASE", "density"]

BASE = "Token 400/0"
"""The clock that leads are measured from."""
_RESAMPLES = 10_000


@item("Density", "The score of a token clock of equal mean length, and what of each lead it explains")
def density(printed: Printed, data: Data) -> Iterator[Found]:
    """Compare every chunker with its clock, and split its lead over a clock of 400 tokens."""
    clocks = {chunker: 100 * omega(NEAREST + chunker) for chunker in (*CHUNKERS, *PRINTED_ONLY)}
    scores = {chunker: 100 * omega(chunker) for chunker in CHUNKERS}
    yield from (Value(chunker, "mean tokens", tokens(chunker)) for chunker in clocks)
    yield from (Value(chunker, "clock", float(clock.mean())) for chunker, clock in clocks.items())
    differences: dict[tuple[str, str], Floats] = {}
    for chunker, own in scores.items():
        differences[chunker, "above the clock"] = own - clocks[chunker]
        if chunker != BASE:
            differences[chunker, f"lead over {BASE}"] = own - scores[BASE]
            differences[chunker, "of it density"] = clocks[chunker] - clocks[BASE]
    yield from _intervals(differences)
    yield from _p_values(scores, clocks)
    for chunker in PRINTED_ONLY:
        above = printed.others["T1"][chunker, "mean"].number - float(clocks[chunker].mean())
        note = "printed minus clock; without its chunks there is no interval over questions"
        yield Value(chunker, "above the clock", above, note=note)


def _intervals(differences: dict[tuple[str, str], Floats]) -> Iterator[Value]:
    """Yield every mean difference over the questions, and the ends of its 95 % interval; all from the same draws."""
    table = np.stack(list(differences.values()), axis=1)
    bootstrap = Bootstrap(len(table), resamples=_RESAMPLES)
    resampled = bootstrap.mean(table)
    for (row, column), values, means in zip(differences, table.T, resampled.T, strict=True):
        found = bootstrap.interval(means, len(table))
        yield Value(row, column, float(values.mean()))
        yield Value(row, f"{column}, low", found.low)
        yield Value(row, f"{column}, high", found.high)


def _p_values(scores: dict[str, Floats], clocks: dict[str, Floats]) -> Iterator[Value]:
    """Yield the p-value of each chunker that is not a clock itself against its clock, by Holm's correction over all."""
    differing = [name for name in scores if not np.array_equal(scores[name], clocks[name])]
    pairs = [(Statistic.mean(scores[name]), Statistic.mean(clocks[name])) for name in differing]
    exchanged = Permutation(len(next(iter(scores.values())))).exchanged(pairs)
    for name, p in zip(differing, holm([each.p_value() for each in exchanged]), strict=True):
        yield Value(name, "above the clock, p", p, note="paired permutation test over questions, Holm's correction")
