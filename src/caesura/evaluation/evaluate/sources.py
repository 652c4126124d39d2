# SPDX-License-Identifier: Apache-2.0
"""The inputs of an evaluation: the reference and the boundaries to score against, the systems, and the baselines."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairing, Pairs
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, and_more
from caesura.evaluation.against import FORMS, chosen_boundaries
from caesura.evaluation.inputs import CorpusLike, PairsLike, Source, SystemsLike, read_pairs, read_source, read_systems
from caesura.evaluation.matching import Durations, lasting, matched, meeting, repaired
from caesura.files import stem
from caesura.units.quantity import resolve_quantity

__all__ = [
    "chosen_reference",
    "common_documents",
    "long_enough",
    "named",
    "pseudo_name",
    "read_both",
    "remark",
    "titles_of",
    "with_baselines",
    "with_title_vectors",
    "with_titles",
    "without_documents",
    "without_extra",
]

_PREFIX = "pseudo"


def read_both(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None,
    format: str | None,  # noqa: A002
    strict: bool,
    match: str = "id",
    duration: str | None = None,
    columns: str | None = None,
    marks: str | None = None,
    durations: Durations | None = None,
    missing: str = "error",
) -> tuple[Source, dict[str, Source]]:
    """Return the reference and the systems, whose documents are matched by id or by order."""
    hypotheses: dict[str, Source] | None = None
    if _is_pairs(reference):
        if systems is not None:
            raise ComparabilityError("Pairs hold reference and hypothesis; give them without systems")
        source, hypotheses = read_pairs(cast("PairsLike", reference))
    elif systems is None:
        raise ComparabilityError("no system given; name at least one hypothesis")
    else:
        source = read_source(
            cast("CorpusLike", reference), "reference", format=format, columns=columns, marks=marks, strict=strict,
            missing=missing,
        )  # fmt: skip
    if not len(source.corpus):
        raise ComparabilityError("the reference holds no document")
    if hypotheses is None:
        hypotheses = read_systems(
            cast("SystemsLike", systems),
            single=source.single,
            format=format,
            columns=columns,
            marks=marks,
            strict=strict,
            beside=source.corpus,
            missing=missing,
        )
    if "left_out" in source.assumed:  # what it lacks now is not scored
        hypotheses = {
            n: without_documents(s, set(s.corpus.ids) - set(source.corpus.ids)) for n, s in hypotheses.items()
        }
    hypotheses = meeting(matched(hypotheses, source.corpus, match), source.corpus)
    both = lasting({"": source, **hypotheses}, duration, durations)
    source = both.pop("")
    return source, repaired(both, source.corpus)


def _is_pairs(value: CorpusLike | PairsLike) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(each, Pairs) for each in value.values())
    return isinstance(value, Pairs)


def chosen_reference(source: Source, against: str, systems: Mapping[str, Source]) -> tuple[Source, dict[str, Source]]:
    """Return the reference with the chosen boundaries, and the systems without documents that it then lacks."""
    whole = source.corpus
    chosen = "boundaries" if pseudo_name(against) is not None else against
    corpus = chosen_boundaries(whole, chosen, FORMS.replace(" or all", ", all or pseudo"))
    if len(corpus) < len(whole):
        unread = set(whole.ids) - set(corpus.ids)
        systems = {name: without_documents(system, unread) for name, system in systems.items()}
    return dataclasses.replace(source, corpus=corpus), dict(systems)


def with_baselines(
    systems: Mapping[str, Source], texts: str | Iterable[str], reference: Corpus, seed: int
) -> dict[str, Source]:
    """Return the systems and the requested baselines, by name."""
    if not texts:
        return dict(systems)
    from caesura.segmenters import baseline_systems

    if not reference.present.all():
        if not any(document.annotations for document in reference):
            bare = [key for key, there in zip(reference.ids, reference.present, strict=True) if not there]
            raise ComparabilityError(
                f"document {bare[0]!r} of the reference has no boundaries{and_more(len(bare), True)}; give 'boundaries'"
            )
        reference = reference.consensus(0)
    baselines = {
        name: Source(corpus, name, baseline=True) for name, corpus in baseline_systems(texts, reference, seed).items()
    }
    clash = sorted(set(baselines) & set(systems))
    if clash:
        raise ComparabilityError(
            f"a system and a baseline are both named {clash[0]!r}; rename the system: NAME=FILE or NAME=METHOD"
        )
    return {**systems, **baselines}


def without_documents(source: Source, unread: set[str]) -> Source:
    """Leave out the documents that the chosen annotators did not code."""
    return dataclasses.replace(
        source, corpus=source.corpus.subset(key for key in source.corpus.ids if key not in unread)
    )


def without_extra(source: Source, reference: Corpus) -> Source:
    """Leave out the documents that the reference lacks, with a remark; not if those are all, since then the ids are wrong."""
    corpus = source.corpus
    if corpus.ids == reference.ids or not (corpus.ids_are_given and reference.ids_are_given):
        return source
    extra = {key for key in corpus.ids if key not in reference}
    if not extra or len(extra) == len(corpus):
        return source
    which = "1 document" if len(extra) == 1 else f"{len(extra)} documents"
    return without_documents(source, extra).remarked(f"{which} that the reference lacks left out")


def common_documents(pairings: Mapping[str, Pairing]) -> dict[str, Pairing]:
    """Keep the documents that every system has, so that all scores of a table use the same documents."""
    rows = [pairing.rows for pairing in pairings.values()]
    if all(each is rows[0] or np.array_equal(each, rows[0]) for each in rows):
        return dict(pairings)
    common = functools.reduce(np.intersect1d, rows)
    return {name: pairing.take(np.flatnonzero(np.isin(pairing.rows, common))) for name, pairing in pairings.items()}


def long_enough(pairings: Mapping[str, Pairing], shortest: str) -> dict[str, Pairing]:
    """Leave out recordings shorter than this, as a program does, unless none is longer."""
    least = resolve_quantity(shortest, "ms", owner="profile", name="shortest")
    kept = np.flatnonzero(next(iter(pairings.values())).pairs.n_units >= least)
    return {name: pairing.take(kept) if len(kept) else pairing for name, pairing in pairings.items()}


def with_titles(
    pairings: Mapping[str, Pairing],
    reference: Source,
    systems: Mapping[str, Source],
    readers: Sequence[str],
    *,
    optional: bool,
) -> tuple[dict[str, Pairs], str]:
    """Return the pairs with the titles of their segments, and why the metrics that read them are left out, if they are.

    Metrics that were asked for are not ``optional``: every system must have titles then. Baselines have none, and score 0. Of
    recordings, whose chapters are shown with their titles, titles are kept even if no metric reads them.
    """
    pairs = {name: pairing.pairs for name, pairing in pairings.items()}
    first = next(iter(pairings.values()))
    if not readers and first.pairs.unit != "ms":
        return pairs, ""
    from caesura.batches.titles import Titles

    try:
        gold = Titles.of(titles_of(reference.corpus, first.rows, "the reference"))
        made = {name: titles_of(systems[name].corpus, each.columns, repr(name)) for name, each in pairings.items()}
    except ComparabilityError as error:
        if optional or not readers:
            return pairs, f"{', '.join(readers) or 'titles'}: not scored, {error}"
        raise
    without = ["the reference"] if not any(gold) else []
    without += [repr(name) for name, titles in made.items() if not any(titles) and not systems[name].baseline]
    pairs = {name: each.with_titles(gold, made[name]) for name, each in pairs.items()}
    if without and readers:
        reason = f"{without[0]} has no titles of segments ('segment_titles')"
        if not optional:
            raise ComparabilityError(f"{readers[0]}: {reason}; add them, or leave the metric out")
        return pairs, f"{', '.join(readers)}: not scored, {reason}"
    return pairs, ""


def with_title_vectors(pairs: Mapping[str, Pairs], encoders: Iterable[str]) -> dict[str, Pairs]:
    """Return the pairs with the vectors of their titles by each encoder; every distinct title is encoded once."""
    found = dict(pairs)
    for spec in encoders:
        from caesura.batches.titles import TitleVectors
        from caesura.encoders import embed, encoder
        from caesura.encoders.base import unit_length

        opened = encoder(spec)
        sides = list(dict.fromkeys(side for each in found.values() for side in each.titles or ()))
        texts = Corpus(
            [Document(id=str(at), n_units=len(side.texts), units=tuple(side.texts)) for at, side in enumerate(sides)]
        )
        vectors = embed(texts, opened, cache=None)
        made = {
            side: side.with_vectors(spec, TitleVectors(unit_length(rows), opened.fingerprint))
            for side, rows in zip(sides, vectors.values(), strict=True)
        }
        found = {
            name: each.with_titles(*(made[side] for side in each.titles)) if each.titles else each
            for name, each in found.items()
        }
    return found


def titles_of(corpus: Corpus, rows: Ints, who: str) -> list[list[str]]:
    """Return the titles of some documents, none of one that has no titles; a title that is missing is empty."""
    if corpus.bare:
        return [[] for _ in rows]
    found: list[list[str]] = []
    numbers = (np.diff(corpus.flat.ptr) + 1).tolist()
    for row in rows.tolist():
        document = corpus[corpus.ids[row]]
        titles = document.extra.get("segment_titles") or []
        segments = numbers[row]
        if not isinstance(titles, (list, tuple)) or not all(each is None or isinstance(each, str) for each in titles):
            raise ComparabilityError(
                f"{who}: the titles of {document.id!r} are no list of texts; give one for each segment"
            )
        if titles and len(titles) != segments:
            raise ComparabilityError(
                f"{who}: {document.id!r} has {len(titles)} titles for {segments} segments; give one for each, which may be empty"
            )
        found.append([each or "" for each in titles])
    return found


def named(against: str, source: Source) -> str:
    """Return ``pseudo:NAME`` for ``pseudo``, with the name of the file or corpus; any other value unchanged.

    >>> from caesura.corpus import Corpus
    >>> named("pseudo", Source(Corpus([], name="tiling of May"), "reference"))
    'pseudo:tiling_of_May'
    """
    if against != _PREFIX:
        return against
    name = stem(source.file) if source.file else source.corpus.name or source.name
    # Bars separate the parts of a signature, which is printed on one line.
    safe = re.sub(r"[|:\s]+", "_", name)
    return f"{_PREFIX}:{safe}"


def pseudo_name(against: str) -> str | None:
    """Return the name of the pseudo-reference, or None for a real reference."""
    kind, colon, name = against.partition(":")
    return name if kind == _PREFIX and colon and name else None


def remark(against: str) -> list[str]:
    """Return the note on a pseudo-reference; empty for a real reference."""
    name = pseudo_name(against)
    if name is None:
        return []
    return [
        f"the reference {name!r} is machine-made: the scores measure how far two segmenters agree, not which is right"
    ]
