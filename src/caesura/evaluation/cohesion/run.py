# SPDX-License-Identifier: Apache-2.0
"""The call that measures segmentations without a reference."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Missing
from caesura.corpus import MADE_BY, Corpus, no_boundaries
from caesura.errors import ComparabilityError, MetricError, and_more, shareable
from caesura.evaluation.cohesion.null import KINDS, Kind, Sampling
from caesura.evaluation.cohesion.pooling import POOLINGS, DocumentPooling
from caesura.evaluation.cohesion.report import Cohesion
from caesura.evaluation.inputs import (
    CorpusLike,
    Reading,
    Source,
    SystemsLike,
    check_missing,
    read_source,
    read_systems,
    requested_metrics,
)
from caesura.evaluation.matching import Match, matched, on_units
from caesura.metrics.base import Metric
from caesura.metrics.cohesion import CohesionMetric
from caesura.metrics.profiles import profile as find_profile
from caesura.results.base import EncoderFacts
from caesura.results.validate.facts import WORDS

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed

__all__ = ["DEFAULT_COHESION", "cohesion", "cohesion_metrics", "embed_documents", "made_with", "words_for"]

Degenerate = Literal["keep", "skip"]
DEFAULT_COHESION = ("Support", "Placement", "ARPpair", "Silhouette")


def cohesion(
    documents: CorpusLike,
    systems: SystemsLike | None = None,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    encoder: str | Encoder | Precomputed = "default",
    profile: str = "caesura",
    by: DocumentPooling | None = None,
    nulls: Iterable[Kind] = KINDS,
    draws: int = 100,
    resamples: int = 1000,
    seed: int = 0,
    check: bool = True,
    annotators: bool = False,
    degenerate: Degenerate = "keep",
    missing: Missing = "error",
    match: Match = "id",
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Cohesion:
    """Measure segmentations without a reference: whether segments are cohesive, and differ from their neighbours.

    Parameters
    ----------
    documents : path, Corpus, or mapping of id to text or list of units
        The documents with their texts; with precomputed vectors the number of units is enough.
    systems : mapping of name to path, Corpus or mapping of id to list of chunks, or paths, optional
        The segmentations to score; the documents' own boundaries if not given. Boundaries in characters or time are
        projected onto the units of the documents, and how far they moved is reported.
    metrics : iterable of str or metric, optional
        Reference-free metrics; Support, Placement, ARPpair and Silhouette if not given, and ``Placement(of='words')``
        if a system was made with the judging encoder, as its file says.
    encoder : str, Encoder or Precomputed
        The source of the vectors: ``default``, ``onnx:minilm``, ``npz:vectors.npz`` and so on (`caesura.encoders`).
    profile : str
        The conventions to follow (`caesura.metrics.profiles`); ``paper`` is ARP as its equations print it.
    by : {"macro", "micro", "median", "length"}, optional
        How documents are aggregated: mean (default), all segments pooled, median, mean weighted by units.
    nulls : iterable of {"count", "lengths"}
        The kinds of random segmentations to compare with: as many boundaries, the same segment lengths.
    draws : int
        Number of random segmentations of each kind.
    resamples : int
        Number of bootstrap resamples of the documents.
    seed : int
        Random seed.
    check : bool
        Whether to test metrics as `caesura validate` does, on the boundaries of the documents or else on what each system gave,
        and to name a better system only by metrics that may be used.
    annotators : bool
        Whether each annotator of the documents is a system too.
    degenerate : {"keep", "skip"}
        What to do with documents in which a metric is infinite for a system, such as SegReFree where two neighbouring segments
        have equal centroids: keep them, so that the mean is infinite too, or leave them out for all systems and metrics.
    missing : {"error", "skip"}
        What to do when a system lacks a document.
    match : {"id", "order"}
        As in `caesura.evaluate`.
    cache : Cache or bool, optional
        The cache of vectors; by default the usual one if the encoder is named by a string and slower than the cache.
    allow_download : bool
        Whether weights may be downloaded.
    format, columns, marks, strict
        As in `caesura.evaluate`.
    progress : callable, optional
        Called with the number of distinct texts encoded so far, and their total.

    Returns
    -------
    Cohesion
        Scores; it answers further questions: ``intervals()``, ``chance()``, ``compare()``, ``worst(system)``.

    Examples
    --------
    >>> from caesura.corpus import Document
    >>> from caesura.segmentation import Segmentation
    >>> texts = ("The cat sat.", "The cat slept.", "Rates rose.", "Banks lent less.")
    >>> docs = Corpus([Document(id="d", n_units=4, units=texts)])
    >>> c = cohesion(docs, {"a": {"d": Segmentation(4, (2,))}}, ["ARPpair"], nulls=())
    >>> list(c.scores["a"])
    ['ARPpair']
    """
    sampling = Sampling(tuple(dict.fromkeys(nulls)), draws, resamples, seed)
    if by is not None and by not in POOLINGS:
        raise ComparabilityError(
            f"by is {by!r}; it must be one of {', '.join(POOLINGS)}, or None for each metric's default"
        )
    check_missing(missing)
    if degenerate not in get_args(Degenerate):
        raise ComparabilityError(
            f"degenerate is {degenerate!r}; it must be one of {', '.join(map(repr, get_args(Degenerate)))}"
        )
    profile = find_profile(profile).name
    requested = cohesion_metrics(DEFAULT_COHESION if metrics is None else metrics, profile)
    for name, metric in requested.items():
        if by == "micro" and not metric.facts().additive:
            raise MetricError(
                f"{name}: its counts are not additive, so there is no micro score; use by='macro' (--by macro)"
            )
    reading: Reading = {"columns": columns, "marks": marks, "strict": strict, "missing": missing}
    source = read_source(documents, "documents", format=format, texts=True, **reading)
    if not len(source.corpus):
        raise ComparabilityError("there are no documents; give at least one")
    people = _annotators(source) if annotators else {}
    given = {} if people and not systems else _systems(source, systems, format, reading)
    if both := sorted(people.keys() & given.keys()):
        raise ComparabilityError(f"{both[0]!r} is both a system and an annotator; give the system another name")
    given = people | matched(given, source.corpus, match)
    sources, remarks = on_units(given, source.corpus)
    remarks += [f"documents: {source.remark}"] if source.remark and systems else []
    ids, lacking = _shared_documents(source.corpus, sources, missing)
    corpus = source.corpus if len(ids) == len(source.corpus) else source.corpus.subset(ids)
    base, encoder_facts = embed_documents(corpus, encoder, cache, allow_download, progress)
    if len(base) < len(corpus):
        remarks = [*remarks, f"{len(corpus) - len(base)} of {len(corpus)} documents could not be encoded, left out"]
        ids, corpus = list(base.ids), corpus.subset(base.ids)
    remarks += [
        f"{name}: its weights were trained with another encoder; caesura train --metric trains them for this one"
        for name, metric in requested.items()
        if metric.trained_with not in ("", encoder_facts.fingerprint)
    ]
    same = made_with(sources, encoder_facts.fingerprint)
    requested |= words_for(same, metrics, corpus, profile)
    outcome = Cohesion(
        source=dataclasses.replace(source, corpus=corpus),
        systems=sources,
        metrics=requested,
        batches={name: base.with_segmentations(system.corpus) for name, system in sources.items()},
        encoder=encoder_facts,
        documents=ids,
        pooling=by,
        sampling=sampling,
        missing=lacking,
        remarks=tuple(remarks),
        checked=check,
        same_vectors=tuple(same),
        profile=profile,
    )
    return _finite(outcome) if degenerate == "skip" else outcome


def _finite(outcome: Cohesion) -> Cohesion:
    """Return the measurement of the documents in which no metric is infinite for any system."""
    infinite = np.zeros(len(outcome.documents), dtype=bool)
    for system in outcome.systems:
        for metric in outcome.metrics:
            infinite |= np.isinf(outcome.per_document(system, metric))
    if not infinite.any():
        return outcome
    rows = np.flatnonzero(~infinite)
    if not len(rows):
        raise ComparabilityError(
            "a metric is infinite in every document; use another metric, or degenerate='keep' (--degenerate keep)"
        )
    ids = [outcome.documents[row] for row in rows.tolist()]
    remark = (
        f"{len(infinite) - len(rows)} of {len(infinite)} documents left out, since a metric is infinite there for a system "
        "(degenerate='skip')"
    )
    return dataclasses.replace(
        outcome,
        source=dataclasses.replace(outcome.source, corpus=outcome.source.corpus.subset(ids)),
        batches={name: batch.take(rows) for name, batch in outcome.batches.items()},
        documents=ids,
        remarks=(*outcome.remarks, remark),
    )


def words_for(
    same: Collection[str], metrics: object, corpus: Corpus, profile: str = "caesura"
) -> dict[str, CohesionMetric]:
    """Return the metric that reads words, where systems were made with the judging ``same`` vectors and no metrics were asked for."""
    readable = all(document.units is not None for document in corpus)
    return cohesion_metrics(WORDS, profile) if same and metrics is None and readable else {}


def cohesion_metrics(
    metrics: Iterable[str | Metric] | str | Metric, profile: str = "caesura"
) -> dict[str, CohesionMetric]:
    """Return reference-free metrics under a profile, by the string with which each was requested."""
    reference_free: dict[str, CohesionMetric] = {}
    for name, metric in requested_metrics(metrics, profile).items():
        if not isinstance(metric, CohesionMetric):
            raise MetricError(f"{name}: needs a reference; score it with caesura evaluate")
        reference_free[name] = metric
    return reference_free


def _systems(
    source: Source,
    systems: SystemsLike | None,
    format: str | None,  # noqa: A002
    reading: Reading,
) -> dict[str, Source]:
    if systems is not None and not (isinstance(systems, (list, tuple, Mapping)) and not systems):
        return read_systems(systems, format=format, **reading)
    bare = [key for key, there in zip(source.corpus.ids, source.corpus.present, strict=True) if not there]
    if bare:
        raise ComparabilityError(
            f"document {bare[0]!r}{and_more(len(bare))} has no boundaries, and no system is given; "
            "give a file with boundaries"
        )
    return {source.name if source.name != "documents" else "boundaries": source}


def _annotators(source: Source) -> dict[str, Source]:
    """Return each annotator of the documents as a system."""
    names = sorted({name for document in source.corpus for name in document.annotations})
    if not names:
        raise ComparabilityError(
            "the documents have no annotations; give each 'annotations': {\"annotator\": [boundaries]}"
        )
    groups = [document.annotations.keys() for document in source.corpus if document.annotations]
    if all(len(group) < len(names) for group in groups):
        theirs = [each.id for each in source.corpus if each.annotations.keys() == groups[0]]
        raise ComparabilityError(
            f"no document has all {len(names)} annotators; give those of one group, such as document {theirs[0]!r}"
            f"{and_more(len(theirs))} by {', '.join(sorted(groups[0]))}"
        )
    return {name: Source(source.corpus.annotator(name), name) for name in names}


def _or_by_order(one: Corpus, other: Corpus) -> str:
    """Offer to match by order where one of two files has no ids."""
    possible = len(one) == len(other) and not (one.ids_are_given and other.ids_are_given)
    return ", or match the documents by their order with match='order' (--match order)" if possible else ""


def _shared_documents(
    corpus: Corpus, systems: Mapping[str, Source], missing: Missing
) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the documents that every system has, and those that each lacks."""
    absent: dict[str, tuple[str, ...]] = {}
    for name, system in systems.items():
        extra = [key for key in system.corpus.ids if key not in corpus]
        if extra:
            raise ComparabilityError(
                f"{name!r} has document {extra[0]!r}{and_more(len(extra))}, which is not among the documents; "
                f"check the ids{_or_by_order(system.corpus, corpus)}"
            )
        present = {key for key, there in zip(system.corpus.ids, system.corpus.present, strict=True) if there}
        lacking = tuple(key for key in corpus.ids if key not in present)
        bare = [system.corpus[key] for key in lacking if key in system.corpus]
        if bare and missing == "error":
            raise no_boundaries(bare, repr(name), "give 'boundaries', 'masses', 'labels' or 'chunks'")
        if lacking and missing == "error":
            raise ComparabilityError(
                f"document {lacking[0]!r}{and_more(len(lacking))} is missing from {name!r}; "
                "add it, or skip such documents with missing='skip' (--missing skip)"
            )
        absent[name] = lacking
    dropped = {key for lacking in absent.values() for key in lacking}
    ids = [key for key in corpus.ids if key not in dropped]
    if not ids:
        raise ComparabilityError("no document is in every system; check the ids")
    return ids, absent


def embed_documents(
    corpus: Corpus,
    encoder: str | Encoder | Precomputed,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Embedded, EncoderFacts]:
    """Return the documents, as one segment each, with their vectors, and the facts of the encoder.

    Documents that the source leaves out, because an engine could not encode them, are left out.
    """
    from caesura.encoders import embed
    from caesura.encoders import source as find

    vectors = find(encoder, allow_download=allow_download)
    # The default encoder is faster than the cache. An encoder object states its own fingerprint, and a wrong one would
    # corrupt the cache, so its vectors are cached only on request.
    cached = isinstance(encoder, str) and vectors.name != "default" if cache is None else cache
    arrays = embed(corpus, vectors, cache=cached, progress=progress)
    if len(arrays) < len(corpus):
        corpus = corpus.subset(arrays)
    n_units = corpus.flat.n_units
    whole = Flat(n_units, np.zeros(len(corpus) + 1, dtype=np.int64), np.empty(0, dtype=np.int64))
    stacked = np.concatenate([arrays[key] for key in corpus.ids])
    unit = corpus.unit
    texts = {document.id: document.units for document in corpus if document.units is not None}
    speakers = {document.id: document.speakers for document in corpus if document.speakers is not None}
    return (
        Embedded.from_arrays(corpus.ids, whole, stacked, unit=unit).with_texts(texts, speakers),
        EncoderFacts(name=shareable(vectors.name), fingerprint=vectors.fingerprint, dim=vectors.dim),
    )


def made_with(systems: Mapping[str, Source], fingerprint: str) -> list[str]:
    """Return the systems whose files say that they were made with an encoder, by its fingerprint.

    ``caesura segment`` writes the name and the fingerprint of its encoder into each document, under ``made_by``.
    """
    return [name for name, system in systems.items() if fingerprint in _encoders(system.corpus)]


def _encoders(corpus: Corpus) -> set[str]:
    """Return the words of every ``made_by.encoder`` of a corpus; what is not of that form says nothing."""
    found: set[str] = set()
    for document in corpus:
        recipe = document.extra.get(MADE_BY)
        encoder = recipe.get("encoder") if isinstance(recipe, Mapping) else None
        if isinstance(encoder, str):
            found.update(encoder.split())
    return found
