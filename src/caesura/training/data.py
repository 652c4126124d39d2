# SPDX-License-Identifier: Apache-2.0
"""Documents for training, validation and test: read, checked, and held apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.against import chosen_source, one_reference
from caesura.evaluation.inputs import Source, read_source
from caesura.files import stem
from caesura.scorers.trained.model import DataFacts
from caesura.training.config import Config

__all__ = ["Data", "facts_of", "make_data", "read_data"]

_SHARE = 0.15
_FEWEST = 8
_MAJORITY = "consensus=0.5"


@dataclasses.dataclass(frozen=True)
class Data:
    """What a scorer is trained on, judged by and scored on.

    ``pieces`` are the documents that stage 1 takes pieces from. ``files`` maps a document of ``train``, ``validation`` and
    ``test`` to the name of its file. ``facts`` describe all of them, as the card of the model does.
    """

    train: Corpus
    validation: Corpus
    test: Corpus
    pieces: Corpus
    abroad: Mapping[str, Corpus]
    files: Mapping[str, str]
    facts: Sequence[DataFacts]


def read_data(config: Config, **reading: Any) -> Data:
    """Read the files of a configuration; ``reading`` is as in `caesura.load`."""
    if not config.train:
        raise ComparabilityError("there is nothing to train on; give a file with documents and boundaries")

    def read(files: Sequence[str]) -> dict[str, Source]:
        return {name: read_source(file, name, **reading) for name, file in _named(files).items()}

    abroad = {name: read_source(file, name, **reading) for name, file in config.abroad.items()}
    return make_data(
        config, read(config.train), read(config.validation), read(config.test), read(config.stage1.files), abroad
    )


def _named(files: Sequence[str]) -> dict[str, str]:
    """Return files by their stem, numbered where two are the same."""
    found: dict[str, str] = {}
    for file in files:
        name, number = stem(file), 2
        while name in found:
            name, number = f"{stem(file)} ({number})", number + 1
        found[name] = file
    return found


def make_data(
    config: Config,
    train: Mapping[str, Source],
    validation: Mapping[str, Source] | None = None,
    test: Mapping[str, Source] | None = None,
    pieces: Mapping[str, Source] | None = None,
    abroad: Mapping[str, Source] | None = None,
) -> Data:
    """Check documents, and hold some of the training documents out for validation and test where none are given.

    Documents with the same text are held out together, and a document that is also in another part is refused. Against annotators,
    every coding of a document is one to train on, and one to validate on; the mean loss over codings is that of labels which are the
    shares of the annotators. What is tested has one segmentation for each document, the majority's.
    """
    among = config.against == "annotators"
    if not among:
        one_reference(config.against, "a scorer learns from one, or from all annotators (annotators)")
    train, validation, test, abroad = (
        {name: chosen_source(source, _MAJORITY if among else config.against) for name, source in (group or {}).items()}
        for group in (train, validation, test, abroad)
    )
    files: dict[str, str] = {}
    known = {
        role: _joined(sources or {}, role, files)
        for role, sources in (("train", train), ("validation", validation), ("test", test))
    }
    parts = dict(known)
    wanted = [role for role in ("validation", "test") if not len(known[role])]
    if wanted:
        parts["train"], held = _held_out(known["train"], wanted, config.seed)
        parts.update(held)
    for role in parts:
        _check_classes(parts[role], role)
    _refuse_shared(parts)
    taken = _joined(pieces or {}, "stage1.files", {}) if pieces else parts["train"]
    if among:
        parts |= {role: _codings(parts[role], files) for role in ("train", "validation")}
    other = {name: _labelled(source.corpus, name) for name, source in (abroad or {}).items()}
    origins = {name: source for group in (train, validation, test) for name, source in (group or {}).items()}
    facts = [
        facts_of(corpus.subset([key for key in corpus.ids if files[key] == name]), role, origins[name])
        for role, corpus in parts.items()
        for name in dict.fromkeys(files[key] for key in corpus.ids)
    ]
    facts += [facts_of(source.corpus, "pieces", source) for source in (pieces or {}).values()]
    facts += [facts_of(source.corpus, "abroad", source) for source in (abroad or {}).values()]
    return Data(parts["train"], parts["validation"], parts["test"], taken, other, files, facts)


def _codings(corpus: Corpus, files: dict[str, str]) -> Corpus:
    """Return a document for the coding of each annotator, with its file in ``files``."""
    coded = []
    for document in corpus:
        for name, coding in document.annotations.items():
            key = f"{document.id} ({name})"
            files[key] = files[document.id]
            coded.append(dataclasses.replace(document, id=key, segmentation=coding, annotations={}))
    return Corpus(coded, name=corpus.name)


def facts_of(corpus: Corpus, role: str, source: Source) -> DataFacts:
    """Return what a card says about documents; a model is given away, so it names files without their folders."""
    return DataFacts(
        role=role, name=source.name, documents=len(corpus), gaps=int((corpus.flat.n_units - 1).sum()),
        boundaries=len(corpus.flat.pos), file=source.file and PurePath(source.file).name, sha256=source.sha256,
    )  # fmt: skip


def _joined(sources: Mapping[str, Source], role: str, files: dict[str, str]) -> Corpus:
    """Return the documents of several files as one corpus, with the name of the file before each id if there are several."""
    documents: list[Document] = []
    for name, source in sources.items():
        for document in _labelled(source.corpus, source.name):
            key = f"{name}/{document.id}" if len(sources) > 1 or document.id in files else document.id
            files[key] = name
            documents.append(dataclasses.replace(document, id=key))
    return Corpus(documents, name=role)


def _labelled(corpus: Corpus, name: str) -> Corpus:
    """Return the documents that have a gap; refuse documents without text or boundaries."""
    for document in corpus:
        if document.segmentation is None:
            raise ComparabilityError(
                f"{name}: document {document.id!r} has no boundaries; a scorer learns from documents that have them"
            )
        if document.units is None:
            raise ComparabilityError(f"{name}: document {document.id!r} has no text; add 'units'")
    return Corpus([document for document in corpus if document.n_units > 1], name=name)


def _check_classes(corpus: Corpus, role: str) -> None:
    gaps, boundaries = int((corpus.flat.n_units - 1).sum()), len(corpus.flat.pos)
    if not gaps:
        raise ComparabilityError(f"the {role} documents have no gap; give documents of two units or more")
    if boundaries in (0, gaps):
        what = "no boundary" if not boundaries else "a boundary at every gap"
        raise ComparabilityError(
            f"the {len(corpus)} {role} documents have {what}, so there is nothing to tell apart; give other documents"
        )


def _held_out(corpus: Corpus, roles: Sequence[str], seed: int) -> tuple[Corpus, dict[str, Corpus]]:
    """Hold 15 % of the documents out for each role, at least two; documents with the same text stay together."""
    if len(corpus) < _FEWEST:
        raise ComparabilityError(
            f"there are {len(corpus)} training documents, and some must be held out; give at least {_FEWEST}, or "
            "files for validation and test"
        )
    groups: dict[tuple[str, ...], list[str]] = {}
    for document in corpus:
        groups.setdefault(document.units or (), []).append(document.id)
    order = np.random.default_rng([seed, 15]).permutation(len(groups))
    shuffled = [list(groups.values())[place] for place in order]
    wanted = max(2, round(_SHARE * len(corpus)))  # a splice takes two documents
    held: dict[str, Corpus] = {}
    for role in roles:
        chosen: list[str] = []
        while shuffled and len(chosen) < wanted:
            chosen += shuffled.pop()
        held[role] = _part(corpus, chosen, role)
    return _part(corpus, [key for group in shuffled for key in group], "train"), held


def _part(corpus: Corpus, ids: Sequence[str], role: str) -> Corpus:
    part = corpus.subset(ids)
    return Corpus(list(part), name=role)


def _refuse_shared(parts: Mapping[str, Corpus]) -> None:
    """Refuse a document whose text is in two parts: it would be scored by what was learnt by heart."""
    seen: dict[tuple[str, ...], tuple[str, str]] = {}
    for role, corpus in parts.items():
        for document in corpus:
            where = seen.setdefault(document.units or (), (role, document.id))
            if where[0] != role:
                raise ComparabilityError(
                    f"document {document.id!r} of {role} has the text of {where[1]!r} of {where[0]}; keep it in one of them"
                )
