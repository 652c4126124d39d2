# SPDX-License-Identifier: Apache-2.0
"""What a reader should know before the scores: documents and systems that are odd, missing, alike or few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from caesura.batches.flat import Ints
from caesura.corpus import Corpus
from caesura.evaluation.outcome import Corpora
from caesura.results import Results
from caesura.results.base import FEW
from caesura.results.front import counted, some

__all__ = ["alerts"]

_NAMED = 3
_DENSE = 2.0
"""How many times as many boundaries, or as few, are worth a word."""
_HALF = 0.5
_LONG = 20.0
"""How many times the median length makes a document odd."""


def alerts(
    results: Results, inputs: Corpora, ids: Sequence[str], alike: Sequence[Sequence[int]], *, reference: bool
) -> list[str]:
    """Return one sentence for each oddity, the gravest first.

    ``alike`` says for each of the documents ``ids`` which systems have the same boundaries; it is empty if they are not at hand.
    """
    found = [*_missing(results), *_few(results, ids)]
    if not alike:
        return found
    found += _identical(list(inputs.systems), alike)
    given = inputs.documents
    shown = given is not None and all(key in given for key in ids)
    gold = given if reference and shown else None
    sides = {name: c for name, c in inputs.systems.items() if all(key in c for key in ids)}
    found += _empty(ids, gold, sides)
    found += _densities(ids, gold, sides)
    sized = given if shown else next(iter(sides.values()), None)
    return [*found, *([] if sized is None else _lengths(ids, sized))]


def _few(results: Results, ids: Sequence[str]) -> Iterator[str]:
    documents = len(ids) or max((i.documents for i in results.inputs), default=FEW)
    if 0 < documents < FEW and results.check is None:  # a rule is broken however few there are
        are = "is" if documents == 1 else "are"
        yield f"{counted(documents, 'document')} {are} few: scores may be quite different on others."


def _missing(results: Results) -> Iterator[str]:
    """Yield the systems that lack documents, which are then left out for every system."""
    lacking = [entry for entry in results.inputs if entry.missing]
    if lacking:
        parts = [f"{entry.name} lacks {counted(entry.missing, 'document')}" for entry in lacking]
        yield f"{some(parts)}; a document that one system lacks is scored for none."


def _identical(names: Sequence[str], alike: Sequence[Sequence[int]]) -> Iterator[str]:
    """Yield groups of systems with the same boundaries in every document."""
    groups: dict[bytes, list[str]] = {}
    for name, column in zip(names, np.asarray(alike).T, strict=True):
        groups.setdefault(column.tobytes(), []).append(name)
    for group in [group for group in groups.values() if len(group) > 1][:_NAMED]:
        yield f"{some(group)} have the same boundaries in every document: one file under two names?"


def _boundaries(ids: Sequence[str], corpus: Corpus) -> Ints:
    """Return the number of boundaries in each document, -1 where it has no segmentation."""
    rows = [corpus.row(key) for key in ids]
    return np.where(corpus.present[rows], np.diff(corpus.flat.ptr)[rows], -1)


def _empty(ids: Sequence[str], gold: Corpus | None, sides: Mapping[str, Corpus]) -> Iterator[str]:
    """Yield how often the reference has no boundary, and the systems that have none where there should be one."""
    of = f"of {counted(len(ids), 'document')}"
    none = np.zeros(len(ids), bool) if gold is None else _boundaries(ids, gold) == 0
    if none.any():
        yield f"In {none.sum():,} {of} the reference has no boundary: there, any boundary is an error."
    counts = {name: int(((_boundaries(ids, c) == 0) & ~none).sum()) for name, c in sides.items()}
    worst = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    if worst:
        where = "" if gold is None else " where the reference has some"
        yield f"No boundary at all{where}: {some([f'{name} in {counts[name]:,}' for name in worst])} {of}."


def _densities(ids: Sequence[str], gold: Corpus | None, sides: Mapping[str, Corpus]) -> Iterator[str]:
    """Yield the systems that are much denser or sparser than the reference, or else than one another."""
    totals = {name: int(np.maximum(_boundaries(ids, corpus), 0).sum()) for name, corpus in sides.items()}
    if gold is not None:
        wanted = int(np.maximum(_boundaries(ids, gold), 0).sum())
        odd = {n: t / wanted for n, t in totals.items() if wanted and not 1 / _DENSE < t / wanted < _DENSE}
        if odd:
            parts = [f"{name} {ratio:.1f} times" for name, ratio in odd.items()]
            yield f"Very uneven density: {some(parts)} as many boundaries as the reference."
        return
    least, most = (choose(totals, key=totals.__getitem__, default="") for choose in (min, max))
    if least != most and totals[most] >= _DENSE * max(totals[least], 1):
        ratio = totals[most] / max(totals[least], 1)
        yield f"Very uneven density: {most} has {ratio:.1f} times as many boundaries as {least}."


def _lengths(ids: Sequence[str], corpus: Corpus) -> Iterator[str]:
    """Yield documents of one unit, and a document that outweighs the others."""
    units = corpus.flat.n_units[[corpus.row(key) for key in ids]]
    single = int((units == 1).sum())
    if single:
        have = "has" if single == 1 else "have"
        yield f"{counted(single, 'document')} {have} a single unit, so there is no place for a boundary."
    longest, share = int(units.argmax()), units.max() / units.sum()
    if len(ids) > 2 and (share > _HALF or units.max() > _LONG * float(np.median(units))):
        yield f"Document {ids[longest]} has {100 * share:.0f} % of all units ({units.max():,})."
