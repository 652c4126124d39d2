# SPDX-License-Identifier: Apache-2.0
"""What a page knows of boundaries before it reads a document: cut at the chosen threshold, missed or false, contested, parted."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.evaluation.agree.gold import Place, contested_places
from caesura.evaluation.evaluate.chapters import chapter_rows
from caesura.evaluation.outcome import Corpora
from caesura.results import Results
from caesura.table import Table, Value, columns_of
from caesura.units.quantity import as_time, resolve_quantity

__all__ = ["at_choices", "contested", "errors", "paired_chapters", "parted"]

_PLACES = 12
_SHOWS = 3
_BESIDE, _UNITS, _CHARACTERS = 2, 8, 240


def at_choices(results: Results, inputs: Corpora) -> Corpora:
    """Return the corpora in which the scores that a sweep chose a threshold for are cut there; the others as they are."""
    choices = {} if results.sweep is None else results.sweep.choices or {}
    chosen = {name: choice for name, choice in choices.items() if name in inputs.systems}
    if not chosen:
        return inputs
    from caesura.selectors import SELECTORS
    from caesura.tuning.select import select_corpus

    systems = dict(inputs.systems)
    for name, choice in chosen.items():
        made = Corpus([document for document in systems[name] if document.scores is not None])
        cut = select_corpus(made, SELECTORS.parse(choice.selector))
        systems[name] = Corpus(
            [dataclasses.replace(document, segmentation=cut[document.id].segmentation) for document in made],
            name=systems[name].name,
        )
    return inputs._replace(systems=systems)


def errors(
    ids: Sequence[str], inputs: Corpora, tolerance: int, runs: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> dict[str, object]:
    """Return for each document and system the boundaries of the reference that were missed, and the false ones.

    A boundary is found if one of the other side lies within the tolerance. ``wanted`` has the boundaries of the reference; a
    number is None where a side has no segmentation. A system with several ``runs`` has the means over them.
    """
    gold = inputs.documents
    sides = {name: corpus for name, corpus in inputs.systems.items() if gold is not None}
    if gold is None:
        return {"wanted": [], "missed": {}, "false": {}}
    # Documents one after the other, so far apart that no boundary finds one of another document.
    starts = np.concatenate(([0], np.cumsum(_sizes(ids, gold) + tolerance + 1)))[:-1]
    places, owners, present = _one_line(ids, gold, starts)

    def counts(found: npt.NDArray[np.int64], others: npt.NDArray[np.int64], whose: npt.NDArray[np.int64]) -> list[int]:
        """Return for each document how many boundaries have none of the others within the tolerance."""
        if not others.size:
            return list(map(int, np.bincount(whose, minlength=len(ids))))
        at = np.searchsorted(others, found)
        after, before = others[np.minimum(at, others.size - 1)], others[np.maximum(at - 1, 0)]
        alone = np.minimum(np.abs(after - found), np.abs(before - found)) > tolerance
        return list(map(int, np.bincount(whose[alone], minlength=len(ids))))

    missed: dict[str, list[float | None]] = {}
    false: dict[str, list[float | None]] = {}
    for name, corpus in sides.items():
        own, its, there = _one_line(ids, corpus, starts)
        both = (present & there).tolist()
        for table, row in ((missed, counts(places, own, owners)), (false, counts(own, places, its))):
            table[name] = [count if known else None for count, known in zip(row, both, strict=True)]
    for table in (missed, false):
        for system, names in runs.items():
            rows = zip(*(table[name] for name in names if name in table), strict=True)
            table[system] = [None if None in row else round(float(np.mean(row)), 1) for row in rows]
    wanted = np.bincount(owners, minlength=len(ids)).tolist()
    return {"wanted": wanted, "missed": missed, "false": false}


def _one_line(
    ids: Sequence[str], corpus: Corpus, starts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the boundaries of documents on one line, the document of each, and which documents have a segmentation."""
    rows = np.array([corpus.row(key) if key in corpus else -1 for key in ids], np.int64)
    present = (rows >= 0) & np.asarray(corpus.present)[rows]
    ptr = corpus.flat.ptr
    first, sizes = ptr[rows], np.where(present, ptr[rows + 1] - ptr[rows], 0)
    owners = np.repeat(np.arange(len(ids)), sizes)
    within = np.arange(owners.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return corpus.flat.pos[first[owners] + within] + starts[owners], owners, present


def parted(ids: Sequence[str], inputs: Corpora, runs: Mapping[str, Sequence[str]]) -> dict[str, list[int | None]]:
    """Return for each system with several runs in how many gaps of each document some runs have a boundary and others have none.

    It is None of a document that fewer than two runs have.
    """
    made = {}
    for system, names in runs.items():
        corpora = [inputs.systems[name] for name in names if name in inputs.systems]
        if len(corpora) < 2:
            continue
        sizes = np.max([_sizes(ids, corpus) for corpus in corpora], axis=0)
        starts = np.cumsum(sizes + 1) - (sizes + 1)
        lines = [_one_line(ids, corpus, starts) for corpus in corpora]
        there = np.sum([present for _, _, present in lines], axis=0)
        places, votes = np.unique(np.concatenate([found for found, _, _ in lines]), return_counts=True)
        owners = np.searchsorted(starts, places, side="right") - 1
        counts = np.bincount(owners[votes < there[owners]], minlength=len(ids))
        made[system] = [int(n) if known > 1 else None for n, known in zip(counts, there, strict=True)]
    return made


def _sizes(ids: Sequence[str], corpus: Corpus) -> npt.NDArray[np.int64]:
    return np.array([corpus.flat.n_units[corpus.row(key)] if key in corpus else 0 for key in ids], np.int64)


def paired_chapters(results: Results, inputs: Corpora) -> list[Table]:
    """Return the chapters of the first shows, reference and system row by row, with what became of each."""
    found, gold = results.chapters, inputs.documents
    if found is None or gold is None or not found.titled:
        return []
    reach = resolve_quantity(found.within, "ms", owner="chapters", name="within")
    made = []
    for key in [key for key in results.documents or gold.ids if key in gold][:_SHOWS]:
        for name, corpus in [(name, c) for name, c in inputs.systems.items() if key in c][:_SHOWS]:
            sides = [gold[key], corpus[key]]
            if any(side.segmentation is None for side in sides):
                continue
            starts = [side.segmentation.boundaries for side in sides if side.segmentation is not None]
            titles = [side.extra.get("segment_titles") for side in sides]
            lists = [
                t if isinstance(t, (list, tuple)) and len(t) == len(s) + 1 else ()
                for t, s in zip(titles, starts, strict=True)
            ]
            rows: list[list[Value]] = []
            for row in chapter_rows(starts[0], starts[1], lists[0], lists[1], reach):
                late = f", {abs(row.off):g} s {'late' if row.off > 0 else 'early'}" if row.off else ""
                agree = {None: "", True: "; titles agree", False: "; titles differ"}[row.agreeing]
                times = [None if at is None else as_time(at / 1000) for at in (row.reference, row.hypothesis)]
                rows.append([times[0], row.title, times[1], row.other_title, f"{row.outcome}{late}{agree}"])
            columns = columns_of("reference", "title", name, "its title", "what became of it")
            made.append(Table(columns, rows, title=f"Chapters of {key}"))
    return made


def contested(results: Results, corpus: Corpus) -> list[dict[str, object]]:
    """Return the places on which annotators disagree, with the units around them: those first that cost most agreement.

    Gaps near each other are one place, as when they are adjudicated.
    """
    agreement = results.agreement
    places: dict[str, list[Place]] = {}
    seen: set[tuple[str, int]] = set()
    found: list[dict[str, object]] = []
    for each in () if agreement is None else agreement.contested:
        if len(found) == _PLACES:
            break
        if each.document not in corpus or (each.document, each.gap) in seen:
            continue
        document = corpus[each.document]
        if each.document not in places:
            places[each.document] = contested_places(document)
        place = next((place for place in places[each.document] if each.gap in place.votes), None)
        if place is not None:
            seen.update((each.document, gap) for gap in place.gaps)
            found.append(_with_context(document, place))
    return found


def _with_context(document: Document, place: Place) -> dict[str, object]:
    gaps = place.gaps
    made: dict[str, object] = {
        "document": document.id,
        "best": place.best,
        "votes": [[gap, list(place.votes[gap])] for gap in gaps],
        "against": [name for name in place.annotators if name not in place.voters],
    }
    if document.units is not None and gaps[-1] - gaps[0] <= _UNITS:
        first = max(0, gaps[0] - _BESIDE)
        made |= {"first": first + 1, "units": [_shortened(text) for text in document.units[first : gaps[-1] + _BESIDE]]}
        if document.speakers is not None:
            made["speakers"] = list(document.speakers[first : gaps[-1] + _BESIDE])
    return made


def _shortened(text: str) -> str:
    """Return a text without its middle if it is long: boundaries lie at its ends."""
    half = _CHARACTERS // 2
    return text if len(text) <= _CHARACTERS else f"{text[:half].rstrip()} … {text[-half:].lstrip()}"
