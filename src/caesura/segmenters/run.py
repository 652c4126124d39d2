# SPDX-License-Identifier: Apache-2.0
"""Several segmenters on one corpus: each output says how it was made and what it cost, and is saved as JSON lines or as chapters."""

from __future__ import annotations

import dataclasses
import itertools
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from caesura._version import __version__
from caesura.corpus import MADE_BY, Corpus, Document, drawing_places
from caesura.errors import CaesuraError, CaesuraWarning, DeclarationError, FormatError, SegmentationError, shareable
from caesura.files import suffix
from caesura.formats import FORMATS, save, save_each
from caesura.limits import UNITS, are_too_many, peak_bytes
from caesura.placements.random import checked_seed
from caesura.results.costs import Cost
from caesura.scorers import Encoding, Features
from caesura.scorers.features.terms import telling_words
from caesura.segmentation import Segmentation
from caesura.segmenters.base import Cut, Segmenter, as_document
from caesura.segmenters.others.spec import segmenter
from caesura.units.align import faults_of
from caesura.units.projection import Projection, project_corpus, summary
from caesura.units.text import chunks_of

__all__ = ["cost_of", "cut_documents", "parse_methods", "run_method", "run_methods", "save_segmented"]

_CHAPTERS = {".vtt": "webvtt", ".chapters": "youtube"}
_WHOLE_SECONDS = "youtube"
CHAPTERS = "chapters"
"""Instead of a format: a folder with a list of chapters for each document."""
_PATIENCE = 30.0  # seconds of failures, and of nothing else, after which a method is given up
_LONG = 30  # characters of a name above which a table loses its columns
Progress = Callable[[int, int], None]


def parse_methods(texts: Iterable[str | Segmenter]) -> list[Segmenter]:
    """Return segmenters by their texts; refuse one that is given twice."""
    methods: list[Segmenter] = []
    for text in texts:
        method = segmenter(text) if isinstance(text, str) else text
        known = [(other.label, getattr(other, "target", "")) for other in methods]
        if (method.label, getattr(method, "target", "")) in known:
            raise DeclarationError(f"method {method} is given twice; name it once")
        methods.append(method)
    if not methods:
        raise DeclarationError("no method given; caesura segmenters lists them")
    return methods


def run_methods(
    corpus: Corpus,
    methods: Sequence[Segmenter],
    *,
    encoding: Encoding | None = None,
    seed: int = 0,
    whole_text: bool = False,
    progress: Progress | None = None,
) -> Iterator[tuple[Segmenter, Corpus | CaesuraError, list[str]]]:
    """Yield each method with the corpus it segmented, or with the error that stopped it, and a line for each document that failed.

    All methods see the same vectors, encoded once. A document that fails is left out, an error stops its own method only.
    """
    shared = encoding or Encoding()
    for method in methods:
        failed: list[str] = []
        try:
            made = run_method(
                corpus, method, encoding=shared, seed=seed, whole_text=whole_text, progress=progress, failed=failed
            )
            yield method, made, failed
        except CaesuraError as error:
            yield method, error, []


def run_method(
    corpus: Corpus,
    method: Segmenter,
    *,
    encoding: Encoding | None = None,
    seed: int = 0,
    whole_text: bool = False,
    progress: Progress | None = None,
    failed: list[str] | None = None,
) -> Corpus:
    """Return the documents of a corpus with boundaries, scores, and how they were made (`MADE_BY`).

    A method that ranks no gaps gets random scores, its boundaries above all other gaps, so that its output too can be
    thinned to any density without favouring a place. The documents of a chunker also have its chunks; with ``whole_text``
    it reads the text of a document as it is, and its chunks count, not its boundaries between units (see `Features`). A
    document that fails is an error or, if there is a list for lines that say so (``failed``), left out.
    """
    made = cut_documents(
        corpus, method, encoding=encoding, seed=seed, whole_text=whole_text, progress=progress, failed=failed
    )
    return segmented(method, made, ids_are_given=corpus.ids_are_given, whole_text=whole_text)


class Made(NamedTuple):
    """A document that was segmented, for a chunker how its chunks lie in the text, and what else it may be (`Cut.readings`)."""

    document: Document
    projection: Projection | None
    readings: Mapping[str, Document] = MappingProxyType({})


def cut_documents(
    corpus: Corpus,
    method: Segmenter,
    *,
    encoding: Encoding | None = None,
    seed: int = 0,
    places: Sequence[int] | None = None,
    whole_text: bool = False,
    progress: Progress | None = None,
    failed: list[str] | None = None,
) -> list[Made]:
    """Segment the documents of a corpus, or some of a larger one, with their ``places`` among its ids (`drawing_places`).

    With a list for lines about them (``failed``), documents that fail are left out, unless all do.
    """
    places = drawing_places(corpus.ids).tolist() if places is None else places
    shared = encoding or Encoding()
    checked_seed(seed)
    if method.needs_vectors and not shared.prepared_for(corpus):
        shared.prepare(corpus)
    # A baseline sees all documents at once, because some depend on the mean of the corpus; so does a command.
    started = time.perf_counter()
    whole = method.cut_corpus(corpus, seed, shared) if method.at_once else None
    each = (time.perf_counter() - started) / max(len(corpus), 1)
    made: list[Made] = []
    bare = are_too_many(int(corpus.flat.n_units.sum()), len(corpus))  # without texts they are only a number
    bare = bare and are_too_many(sum(each.n_units for each in corpus if each.units is None), len(corpus))
    first: SegmentationError | None = None
    began = time.perf_counter()
    for row, document in enumerate(corpus):
        features = Features(document, shared, seed=seed, row=places[row], whole_text=whole_text)
        started = time.perf_counter()
        try:
            cut = _cut(method, features) if whole is None else whole[row]
        except SegmentationError as error:
            first = first or error
            if failed is None or (not made and (row + 1 == len(corpus) or time.perf_counter() - began > _PATIENCE)):
                raise first from None
            failed.append(str(error))
            if progress is not None:
                progress(row + 1, len(corpus))
            continue
        seconds = time.perf_counter() - started if whole is None else each
        readings = {
            kind: _with_recipe(
                dataclasses.replace(cut, segmentation=found), document, method, features, seconds, ranks=not bare, returns=kind
            )
            for kind, found in cut.readings.items()
        }  # fmt: skip
        one = next(iter(readings.values()), None)
        one = one or _with_recipe(cut, document, method, features, seconds, ranks=not bare)
        made.append(Made(one, cut.projection, readings))
        if progress is not None:
            progress(row + 1, len(corpus))
    if bare and any(one.document.scores is None for one in made):
        said = f"{method.label}: its gaps have no scores: the documents have no texts and more than {UNITS}"
        warnings.warn(CaesuraWarning(said), stacklevel=2)
    peak = peak_bytes()
    memory = None if peak is None else round(peak / (1 << 20), 1)
    for document in itertools.chain.from_iterable((one.document, *one.readings.values()) for one in made):
        document.extra[MADE_BY]["peak_memory_mb"] = memory
    return made


def segmented(method: Segmenter, made: Sequence[Made], *, ids_are_given: bool, whole_text: bool = False) -> Corpus:
    """Return segmented documents as a corpus, read alike, and say what happened to chunks whose boundaries between units count."""
    if not whole_text:
        _tell(method, [one.projection for one in made if one.projection is not None])
    found = [(one.document.id, {k: d.segmentation for k, d in one.readings.items() if d.segmentation}) for one in made]
    kind = method.reading(found)
    documents = [one.readings.get(kind, one.document) for one in made]
    return Corpus(documents, name=method.label, ids_are_given=ids_are_given)


def short_names(methods: Sequence[Segmenter]) -> list[str]:
    """Return names for tables: a long one without its parameters, if no other method is called so.

    >>> [str(one) for one in short_names(parse_methods(["C99", "TextTiling(window=12, cutoff=0.25, smoothing=3)"]))]
    ['C99', 'TextTiling']
    """
    heads = [method.label.partition("(")[0] + (" (oracle)" if method.oracle else "") for method in methods]
    return [
        head if len(method.label) > _LONG and heads.count(head) == 1 else method.label
        for method, head in zip(methods, heads, strict=True)
    ]


def told(method: Segmenter, error: CaesuraError | str) -> str:
    """Return the message of a method that failed, on all documents or on one, with its name, once."""
    named = str(error).startswith(str(method)) or f": {method} " in str(error)
    return str(error) if named else f"{method.label}: {error}"


def cost_of(corpus: Corpus, method: str, *, whole_text: bool = False) -> Cost:
    """Return what it cost to make the output of `run_method`, and unless chunks count, how far cuts moved to a gap."""
    recipes = [document.extra[MADE_BY] for document in corpus]
    seconds = float(sum(recipe["seconds"] for recipe in recipes))
    units = int(corpus.flat.n_units.sum())
    last: dict[str, Any] = recipes[-1] if recipes else {}
    boundaries = sum(_n_chunks(document) - 1 for document in corpus) if whole_text else len(corpus.flat.pos)
    moved = [] if whole_text else [recipe["moved"] for recipe in recipes if "moved" in recipe]
    return Cost(
        method=method,
        seconds=seconds, seconds_per_document=seconds / max(len(recipes), 1), peak_memory_mb=last.get("peak_memory_mb"),
        per_100=100 * boundaries / max(units, 1), oracle=bool(last.get("oracle")), encoder=last.get("encoder"),
        moved_mean=sum(one["sum"] for one in moved) / max(sum(one["cuts"] for one in moved), 1) if moved else None,
        moved_most=max(one["most"] for one in moved) if moved else None,
    )  # fmt: skip


def _n_chunks(document: Document) -> int:
    """Return the number of chunks of a document, or of segments."""
    if chunks := chunks_of(document):
        return len(chunks["chunks"])
    return 1 if document.segmentation is None else document.segmentation.n_segments


def _tell(method: Segmenter, moved: Sequence[Projection]) -> None:
    """Say how the chunks of a chunker differ from the text, and how far boundaries moved; nothing if they tile it."""
    # That chunks differ in white space says nothing about where they are.
    known = [dataclasses.replace(one.alignment, respaced=0, empty=0) for one in moved if one.alignment is not None]
    if faults_of(known) or any(one.max_displacement or one.merged or one.dropped for one in moved):
        warnings.warn(CaesuraWarning(f"{method.label}: {summary(moved)}"), stacklevel=4)


def _cut(method: Segmenter, features: Features) -> Cut:
    try:
        return method.cut(features)
    except SegmentationError as error:
        where = f"document {features.document.id!r}"
        raise SegmentationError(str(error) if where in str(error) else f"{where}: {error}") from None


def _with_recipe(
    cut: Cut,
    document: Document,
    method: Segmenter,
    features: Features,
    seconds: float,
    *,
    ranks: bool,
    returns: str = "",
) -> Document:
    by_chance = ranks and cut.scores is None
    if by_chance:
        # Random, but every boundary ranks above every other gap.
        scores = features.rng().random(features.n_units - 1) / 2
        scores[np.array(cut.segmentation.boundaries, dtype=np.int64) - 1] += 0.5
        cut = dataclasses.replace(cut, scores=scores)
    made = as_document(cut, document)
    recipe: dict[str, Any] = {
        "method": shareable(str(method)),
        "caesura": __version__,
        "parameters": method.options(),
        **({"oracle": True} if method.oracle else {}),
        **({"scores": "random"} if by_chance else {}),
        **({"returns": returns} if returns else {}),
        **method.versions(),
        "seconds": round(seconds, 6),
    }
    if cut.projection is not None and not features.whole_text:
        cuts = cut.projection.segmentation.n_boundaries + cut.projection.merged
        mean, most = cut.projection.mean_displacement, cut.projection.max_displacement
        recipe["moved"] = {"cuts": cuts, "sum": round(cuts * mean, 6), "most": most}
    if (method.needs_vectors or method.encodes) and features.encoding.name is not None:
        recipe["encoder"] = shareable(features.encoding.name)
    return dataclasses.replace(made, extra={**made.extra, MADE_BY: recipe})


def file_names(names: Iterable[str], folder: str, ending: str) -> list[str]:
    """Return one path per method in a folder, by the names of the methods, without characters that a shell reads.

    >>> file_names(["TextTiling(cutoff=0.5)", "every (oracle)"], "out", ".jsonl")
    ['out/TextTiling-cutoff-0.5.jsonl', 'out/every-oracle.jsonl']
    """
    paths: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._]+", "-", name).strip("-.") or "method"
        stems = itertools.chain([plain], (f"{plain}-{number}" for number in itertools.count(2)))
        free = (path for stem in stems if (path := str(Path(folder) / f"{stem}{ending}")) not in paths)
        paths.append(next(free))
    return paths


def save_segmented(corpus: Corpus, path: str, format: str | None = None, *, overwrite: bool) -> None:  # noqa: A002
    """Write segmented documents; to a format of chapters their boundaries as times, titled by their most telling words.

    A format that holds whole seconds gets the nearest second. Chapters of documents without times are refused. ``chapters`` is a
    folder with a file for each document (Podcasting 2.0).
    """
    if format == CHAPTERS:
        save_each(_timed(corpus, format, path), path, overwrite=overwrite)
        return
    name = _CHAPTERS.get(suffix(path)) if format is None else FORMATS.parse(format).name()
    if name is not None and (name in _CHAPTERS.values() or FORMATS.parse(name).unit == "ms"):
        corpus = _timed(corpus, name, path)
    save(corpus, path, format or name, overwrite=overwrite)


def _timed(corpus: Corpus, name: str, path: str) -> Corpus:
    for document in corpus:
        if document.unit != "ms" and document.unit_times is None:
            raise FormatError(
                f"document {document.id!r} has no times, which chapters need; write jsonl, or segment a transcript",
                path,
            )
    titles = [_titles(document) for document in corpus]
    if corpus.unit != "ms":
        corpus = project_corpus(corpus, "ms")[0]
    whole = name == _WHOLE_SECONDS
    bare = [_chapters(document, whole, each) for document, each in zip(corpus, titles, strict=True)]
    # The ids come from the files of a folder; chapters of one file have no place for them.
    return Corpus(bare, name=corpus.name, ids_are_given=corpus.ids_are_given and len(corpus) > 1)


def _titles(document: Document) -> list[str]:
    """Return a title for each segment of a text: its most telling words, which are marked as such; empty without a text."""
    if document.units is None:
        return [""] * (1 if document.segmentation is None else document.segmentation.n_segments)
    spans = [(0, document.n_units)] if document.segmentation is None else document.segmentation.spans
    found = telling_words(["\n".join(document.units[start:end]) for start, end in spans])
    return [f"Words: {', '.join(words)}" if words else "" for words in found]


def _chapters(document: Document, whole_seconds: bool, titles: Sequence[str]) -> Document:
    segmentation = document.segmentation or Segmentation(document.n_units, unit="ms")
    if len(titles) != segmentation.n_segments:  # boundaries at one time have become one
        titles = [""] * segmentation.n_segments
    starts = dict(zip((0, *segmentation.boundaries), titles, strict=True))
    if whole_seconds:
        starts = {1000 * round(start / 1000): title for start, title in reversed(starts.items())}
    kept = {start: starts[start] for start in sorted(starts) if 0 <= start < document.n_units}
    segmentation = Segmentation(document.n_units, [start for start in kept if start], unit="ms")
    extra = {"segment_titles": list(kept.values())} if any(kept.values()) else {}
    return Document(
        id=document.id, n_units=document.n_units, unit="ms", segmentation=segmentation, open_ended=whole_seconds, extra=extra
    )  # fmt: skip
