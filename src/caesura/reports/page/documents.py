# SPDX-License-Identifier: Apache-2.0
"""Documents for the page: an index, and blocks of about a hundred with texts, boundaries and scores."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.evaluation.outcome import Answered, Corpora, Ranges
from caesura.evaluation.slices import facet, facets
from caesura.results import Results

__all__ = ["BLOCK", "block", "has_reference", "index", "lengths", "n_blocks", "stepped", "under_ids"]

_MOST_STEPS = 1000
_LARGEST = 1e300
_EXACT = 2.0**50
_SMALLEST = -22
"""The largest power of ten that a float represents exactly."""
_BASIC = 0xFFFF
"""The last character that a browser counts as one; those above it count as two."""
BLOCK = 200
"""The number of documents per block."""
_MOST_VALUES = 12
_MOST_READ = 20_000
"""The number of documents above which their texts are not read for the index, since that would take far longer than scoring them."""
_WITHOUT_REFERENCE = ("agree", "cohesion")


def has_reference(results: Results) -> bool:
    """Return whether the boundaries of the documents are what systems were scored against."""
    if results.validity is not None:
        return results.validity.gold
    free = results.sweep is not None and results.sweep.without_reference is not None
    return results.question not in _WITHOUT_REFERENCE and not free


def _ids(results: Results, inputs: Corpora) -> Sequence[str]:
    """Return the documents of a section, in the order of their scores; of spans, those that have some."""
    if results.spans is not None:
        scored = results.documents or ()
        return scored if scored and all(key in inputs.spans for key in scored) else list(inputs.spans)
    if results.documents is not None:
        return results.documents
    if inputs.documents is not None:
        return list(inputs.documents.ids)
    return list(next(iter(inputs.systems.values())).ids) if inputs.systems else []


def under_ids(results: Results, inputs: Corpora) -> Corpora:
    """Return the corpora under the ids of the results; single documents match regardless of their ids."""
    ids = _ids(results, inputs)
    if len(ids) != 1:
        return inputs

    def renamed(corpus: Corpus) -> Corpus:
        if ids[0] in corpus or len(corpus) != 1:
            return corpus
        return Corpus([dataclasses.replace(document, id=ids[0]) for document in corpus], name=corpus.name)

    systems = {name: renamed(corpus) for name, corpus in inputs.systems.items()}
    return inputs._replace(documents=inputs.documents and renamed(inputs.documents), systems=systems)


def index(results: Results, inputs: Corpora, place: int) -> dict[str, Any] | None:
    """Return the index of all documents; None if no document is available."""
    ids = _ids(results, inputs)
    if results.spans is not None and ids:
        systems = _cut_by(results, inputs)
        unit = "unit" if inputs.spans[ids[0]].text is None else "character"
        counts, chunks = _span_counts(inputs.spans, ids, systems), _chunk_lengths(inputs.spans, unit, systems)
        return _index(ids, inputs, place, unit, systems, spans=counts, lengths=chunks)
    corpora = [corpus for corpus in (inputs.documents, *inputs.systems.values()) if corpus is not None]
    if not ids or not corpora:
        return None
    unit = next((corpus.unit for corpus in corpora if corpus.unit), results.unit)
    unit = "unit" if unit in ("", "unspecified") else unit
    parts = {"alike": _alike(ids, inputs), "lengths": lengths(inputs, unit, reference=has_reference(results))}
    return _index(ids, inputs, place, unit, list(inputs.systems), **parts)


def _index(
    ids: Sequence[str], inputs: Corpora, place: int, unit: str, systems: list[str], **parts: object
) -> dict[str, Any]:
    common = {"ids": list(ids), "size": BLOCK, "unit": unit, "systems": systems, "place": place}
    return {**common, "fields": _fields(ids, inputs), **parts}


def _alike(ids: Sequence[str], inputs: Corpora) -> list[list[int]]:
    """Return for each document which systems have the same boundaries: equal numbers, from 0 on; -1 for a missing one."""
    sides = [_contents(ids, corpus) for corpus in inputs.systems.values()]
    rows = []
    for contents in zip(*sides, strict=True) if sides else ([()] * len(ids)):
        seen: dict[bytes, int] = {}
        rows.append([-1 if content is None else seen.setdefault(content, len(seen)) for content in contents])
    return rows


def _contents(ids: Sequence[str], corpus: Corpus) -> list[bytes | None]:
    """Return the boundaries of each document as bytes; None for one that has no segmentation."""
    content, ends = corpus.flat.pos.astype(np.int64).tobytes(), (8 * corpus.flat.ptr).tolist()
    present, rows = corpus.present.tolist(), [corpus.row(key) if key in corpus else None for key in ids]
    return [None if row is None or not present[row] else content[ends[row] : ends[row + 1]] for row in rows]


def _fields(ids: Sequence[str], inputs: Corpora) -> dict[str, list[str]]:
    """Return the facets of documents: length in thirds, number of speakers, and every other key with few values."""
    corpus = inputs.documents
    if corpus is None or len(ids) < 6 or any(key not in corpus for key in ids):
        return {}
    read = not (corpus.lazy and len(ids) > _MOST_READ)
    fields = {name: facet(corpus, ids, name) for name in facets(corpus, ids, read=read)}
    return {name: values for name, values in fields.items() if 1 < len(set(values)) <= _MOST_VALUES}


def n_blocks(documents: Mapping[str, Any] | None) -> int:
    """Return the number of blocks for the documents of an index."""
    return 0 if documents is None else -(-len(documents["ids"]) // BLOCK)


def block(results: Results, inputs: Corpora, number: int) -> list[dict[str, object]]:
    """Return the documents of one block of a section."""
    reference = has_reference(results)
    start = number * BLOCK
    ids = _ids(results, inputs)[start : start + BLOCK]
    if results.spans is not None:
        systems = _cut_by(results, inputs)
        sizes = {key: 1 if (main := _found(inputs.documents, key)) is None else main.n_units for key in ids}
        return [_span_document(key, inputs.spans[key], systems, sizes[key]) for key in ids]
    return [_document(key, inputs, reference=reference) for key in ids]


def _found(corpus: Corpus | None, key: str) -> Document | None:
    return corpus[key] if corpus is not None and key in corpus else None


def _places(corpus: Corpus | None, key: str) -> list[int] | None:
    """Return the boundaries of a document, or None if it has no segmentation."""
    if corpus is None or key not in corpus or not (corpus.complete or corpus.present[corpus.row(key)]):
        return None
    flat, row = corpus.flat, corpus.row(key)
    places: list[int] = flat.pos[flat.ptr[row] : flat.ptr[row + 1]].tolist()
    return places


def _document(key: str, inputs: Corpora, *, reference: bool) -> dict[str, object]:
    corpora = (inputs.documents, *inputs.systems.values())
    sizes = [int(corpus.flat.n_units[corpus.row(key)]) for corpus in corpora if corpus is not None and key in corpus]
    main, *others = (None if corpus is None or corpus.bare else _found(corpus, key) for corpus in corpora)
    sides = [document for document in (main, *others) if document is not None]
    plain: dict[str, object] = {
        "id": key,
        "n": max(sizes, default=1),
        "sys": [_places(corpus, key) for corpus in inputs.systems.values()],
    }
    if reference and (places := _places(inputs.documents, key)) is not None:
        plain["ref"] = places
    if not sides:
        return plain
    if main is not None and main.annotations:
        plain["people"] = {name: [int(place) for place in each.boundaries] for name, each in main.annotations.items()}
    if any(document is not None and document.scores is not None for document in others):
        plain["scores"] = [None if each is None else stepped(each.scores) for each in others]
    if titles := {
        at: list(map(str, made))
        for at, document in enumerate((main, *others))
        if document is not None and isinstance(made := document.extra.get("segment_titles"), (list, tuple))
    }:
        plain["titles"] = [titles.get(at) for at in range(len(others) + 1)]
    for name, attribute in (("units", "units"), ("speakers", "speakers"), ("times", "unit_times")):
        value = next((v for document in sides if (v := getattr(document, attribute)) is not None), None)
        if value is not None:
            plain[name] = value
    return plain


def _cut_by(results: Results, inputs: Corpora) -> list[str]:
    """Return the systems whose chunks were found in every document."""
    return [name for name in results.systems if all(name in each.chunks for each in inputs.spans.values())]


def _span_counts(found: Mapping[str, Answered], ids: Sequence[str], systems: Sequence[str]) -> dict[str, object]:
    """Return for each document the number of its answers, and how many of them each system cuts."""
    rows = [found[key].needed for key in ids]
    cut = [[sum(chunks != 1 or lost > 0 for chunks, lost in row[system]) for system in systems] for row in rows]
    return {"answers": [len(next(iter(row.values()), ())) for row in rows], "cut": cut}


def _span_document(key: str, found: Answered, systems: Sequence[str], n_units: int) -> dict[str, object]:
    """Return a document with its text, answers and chunks; offsets count as a browser counts characters."""
    made: dict[str, object] = {"id": key, "n": n_units}
    text = found.text or ""
    if found.text is not None:
        made["text"], made["n"] = text, len(text)
    wide = (
        np.cumsum([ord(character) > _BASIC for character in text]).tolist() if text and max(text) > chr(_BASIC) else []
    )

    def moved(ranges: Ranges) -> list[list[int]]:
        """Return where ranges lie for a browser, in which each wide character before a place moves it by one."""
        return [[place + (wide[place - 1] if wide and place else 0) for place in ends] for ends in ranges]

    made["spans"] = moved(found.spans)
    made["chunks"] = [moved(found.chunks[system]) for system in systems]
    made["needed"] = [[[chunks, float(f"{lost:.4g}")] for chunks, lost in found.needed[system]] for system in systems]
    return made


def stepped(scores: Sequence[float] | None) -> dict[str, object] | None:
    """Return scores as whole steps above ``first``, each ``times / per`` wide; None if one is not finite, or huge.

    The threshold after ``k`` steps is ``(first + k) * times / per``, computed in this order with floats.

    >>> stepped([0.1, 0.75, 0.7509, 1.0])
    {'first': 100, 'times': 1.0, 'per': 1000.0, 'steps': [0, 650, 650, 900]}
    """
    values = np.asarray(() if scores is None else scores, dtype=np.float64)
    if not values.size or not (np.abs(values) < _LARGEST).all():
        return None
    times, per = _width(float(values.min()), float(values.max()))
    steps = np.floor(values * per / times)
    # The division rounds, so a score next to a threshold may fall on the wrong side.
    steps += (steps + 1) * times / per <= values
    steps -= steps * times / per > values
    first = steps.min()
    return {"first": int(first), "times": times, "per": per, "steps": (steps - first).astype(int).tolist()}


def _width(low: float, high: float) -> tuple[float, float]:
    """Return a round width of steps as a fraction: 1, 2 or 5 times a power of ten."""
    wanted = max(high / _MOST_STEPS - low / _MOST_STEPS, abs(low) / _EXACT, abs(high) / _EXACT)
    power = max(_SMALLEST, math.floor(math.log10(wanted))) if wanted else 0
    if 5 * 10.0**power < wanted:
        power += 1
    digit = next((digit for digit in (1.0, 2.0, 5.0) if digit * 10.0**power >= wanted), 5.0)
    return (digit, 10.0**-power) if power < 0 else (digit * 10.0**power, 1.0)


def lengths(inputs: Corpora, unit: str, *, reference: bool) -> dict[str, object] | None:
    """Return the histograms of segment lengths and word counts for each side; None without a side."""
    given = {"reference": inputs.documents} if reference and inputs.documents is not None else {}
    size = 1000 if unit == "ms" else 1
    sides: dict[str, list[tuple[str, int]]] = {}
    words: dict[str, list[tuple[int, int]]] = {}
    for name, corpus in {**given, **inputs.systems}.items():
        masses = _masses(corpus)
        if masses.size:
            sides[name] = _between_powers(masses // size)
        if found := _words(corpus, inputs.documents):
            words[name] = found
    return {"unit": "second" if unit == "ms" else unit, "sides": sides, "words": words} if sides else None


def _chunk_lengths(found: Mapping[str, Answered], unit: str, systems: Sequence[str]) -> dict[str, object] | None:
    """Return the same of chunks, which may overlap: their characters, or units without texts, and their words."""
    sides: dict[str, list[tuple[str, int]]] = {}
    words: dict[str, list[tuple[int, int]]] = {}
    for system in systems:
        chunks = [(each.text, start, end) for each in found.values() for start, end in each.chunks[system]]
        if chunks:
            sides[system] = _between_powers(np.array([end - start for _, start, end in chunks]))
        texts = [len(text[start:end].split()) for text, start, end in chunks if text is not None]
        if texts:
            words[system] = _counted(np.array(texts))
    return {"unit": unit, "sides": sides, "words": words} if sides else None


def _between_powers(lengths: npt.NDArray[np.int64]) -> list[tuple[str, int]]:
    powers = np.floor(np.log2(np.maximum(lengths, 1))).astype(int)
    return [
        (f"{2**power}" if power == 0 else f"{2**power} to {2 ** (power + 1) - 1}", int((powers == power).sum()))
        for power in range(int(powers.min()), int(powers.max()) + 1)
    ]


def _masses(corpus: Corpus) -> npt.NDArray[np.int64]:
    """Return the lengths of all segments of the documents that have a segmentation."""
    flat = corpus.flat
    # Each document is its boundaries and its end; a segment begins where the one before it ends, the first at 0.
    ends = np.insert(flat.pos, flat.ptr[1:], flat.n_units)
    last = flat.ptr[1:] + np.arange(len(flat))
    masses = np.diff(ends, prepend=0)
    masses[last[:-1] + 1] = ends[last[:-1] + 1]
    return masses[np.repeat(corpus.present, np.diff(flat.ptr) + 1)]


def _words(corpus: Corpus, texts: Corpus | None) -> list[tuple[int, int]]:
    """Return the histogram of words per segment, split at white space as in a sweep; empty without texts."""
    if len(corpus) > _MOST_READ or (corpus.bare and (texts is None or texts.bare)):
        return []
    found = []
    for row in np.flatnonzero(corpus.present).tolist():
        key, segmentation = corpus.ids[row], corpus.segmentation(row)
        documents = [texts[key]] if texts is not None and key in texts else []
        known = (each.units for each in [*documents, corpus[key]] if each.units)
        units = next((units for units in known if len(units) == segmentation.n_units), None)
        if units is None:
            return []
        before = np.concatenate(([0], np.cumsum([len(text.split()) for text in units])))
        found.append(np.diff(before[[0, *segmentation.boundaries, segmentation.n_units]]))
    return _counted(np.concatenate(found)) if found else []


def _counted(numbers: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    values, counts = np.unique(numbers, return_counts=True)
    return list(zip(values.tolist(), counts.tolist(), strict=True))
