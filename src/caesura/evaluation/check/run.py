# SPDX-License-Identifier: Apache-2.0
"""The function that checks segmentations without a reference."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.declare import in_any_case, nearest
from caesura.errors import ComparabilityError
from caesura.evaluation.check import chapters
from caesura.evaluation.check.rules import counted, tallied
from caesura.evaluation.inputs import CorpusLike, Reading, Source, SystemLike, check_missing, read_source, read_systems
from caesura.evaluation.matching import Durations, lasting, matched
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Corpora, Outcome
from caesura.results import Results
from caesura.results.base import MetricFacts, Score
from caesura.results.check.facts import CheckedRule, CheckFacts

__all__ = ["Checked", "check"]


@dataclasses.dataclass(frozen=True)
class Checked(Outcome):
    """What was checked, and what breaks which rule."""

    source: Source
    facts: CheckFacts
    chunks: Source | None = None
    notes: Sequence[str] = ()

    def results(self) -> Results:
        """Return everything as typed data; the share that breaks each rule is a score, which a gate can limit."""
        scored = {rule.short or rule.name: self._scored(rule) for rule in self.facts.rules}
        return Results(
            question="check", caesura=__version__, unit=self.source.corpus.unit, environment=environment(),
            inputs=[self.source.as_input("documents"), *([self.chunks.as_input("system")] if self.chunks else [])],
            metrics={name: metric for name, (metric, _) in scored.items()},
            systems={self.facts.of: {name: score for name, (_, score) in scored.items()}},
            check=self.facts, notes=[*self.notes, *([self.source.remark] if self.source.remark else [])],
        )  # fmt: skip

    def _scored(self, rule: CheckedRule) -> tuple[MetricFacts, Score]:
        title = f"share of the {rule.of} that break: {rule.name}"
        facts = MetricFacts(rule.short or rule.name, title, "lower", 0.0, (0.0, 1.0), "", [])  # type: ignore[arg-type]
        return facts, Score(score=rule.share, aggregation="micro", documents=self.facts.documents)

    @property
    def passed(self) -> bool:
        """Whether no rule is broken that makes lists or chunks unusable."""
        return not self.facts.unusable

    def mended(self) -> Corpus:
        """Return the lists of chapters as far as they can be mended."""
        if self.chunks is not None:
            raise ComparabilityError("chunks cannot be mended here; change the chunker")
        corpus = self.source.corpus
        return corpus.replaced([chapters.mended(document) for document in corpus])

    def corpora(self) -> Corpora:
        """Return the documents."""
        return Corpora(documents=self.source.corpus)

    def size(self) -> str:
        """Return the number of documents."""
        return f" of {self.facts.documents} documents"


def check(
    documents: CorpusLike,
    chunks: SystemLike | None = None,
    *,
    asked: str | Iterable[str] = (),
    duration: str | None = None,
    durations: Durations | None = None,
    tokenizer: str | os.PathLike[str] | None = None,
    max_tokens: int | None = None,
    missing: str = "error",
    format: str | None = None,  # noqa: A002  (the word of the command line)
    chunks_format: str | None = None,
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> Checked:
    """Check, without a reference, whether lists of chapters can be published, or chunks be used for retrieval.

    Parameters
    ----------
    documents : path or Corpus
        One list of chapters, a file or folder of many; with ``chunks`` the texts, as in `caesura.spans`.
    chunks : path, Corpus or mapping of id to list of chunks, optional
        The output of a chunker, or a segmentation of the documents in any format.
    asked : str or iterable of str
        Whose rules count: ``"youtube"``, ``"apple"``, ``"podcasting"`` (Podcasting 2.0); all of them if none is named.
    duration, durations
        The length of the recording, or of several, as in `caesura.evaluate`.
    tokenizer, max_tokens
        What counts the tokens of chunks, and the limit of the model, as in `caesura.spans`; without a limit no chunk is too long.
    missing : {"error", "skip"}
        Whether what cannot be read, and a document whose chunks are not in its text, is an error, or left out and counted.
    format, columns, marks, strict
        As in `caesura.load`; ``chunks_format`` is the format of the chunks.

    Examples
    --------
    >>> from caesura import Document, Segmentation
    >>> titles = {"segment_titles": ["Welcome", "News", "Goodbye"]}
    >>> show = Segmentation(90000, (30000, 84000), unit="ms")
    >>> checked = check(Corpus([Document(id="show", n_units=90000, segmentation=show, unit="ms", extra=titles)]))
    >>> checked.passed, [(rule.name, rule.worst[0].at) for rule in checked.facts.rules if rule.count]
    (False, [('each lasts 10 s or more', '1:24')])
    """
    if chunks is None and (tokenizer is not None or max_tokens is not None or chunks_format is not None):
        raise ComparabilityError("tokenizer, max_tokens and chunks_format are for chunks; give them")
    if chunks is not None:
        if asked or duration is not None or durations is not None:
            raise ComparabilityError("asked, duration and durations are for lists of chapters; leave out chunks")
        reading: Reading = {"columns": columns, "marks": marks, "strict": strict, "missing": missing}
        return _chunks_checked(documents, chunks, reading, format, chunks_format, tokenizer, max_tokens)
    named = [_platform(name) for name in ([asked] if isinstance(asked, str) else asked)]
    source = read_source(
        documents,
        "documents",
        format=format,
        columns=columns,
        marks=marks,
        strict=strict,
        repair=not strict,
        missing=missing,
    )
    if source.corpus.unit != "ms":
        raise ComparabilityError(
            f"{source.name}: the unit is {source.corpus.unit!r}; check reads lists of chapters, which are in time, "
            "or texts and their chunks"
        )
    timed = lasting({"documents": source}, duration, durations)["documents"]
    corpus = timed.corpus.replaced(list(map(chapters.cut_off, source.corpus, timed.corpus)))
    rules = chapters.rules_for(named)
    found = {d.id: [each for each in chapters.breaches(d) if each.rule in rules] for d in corpus}
    items = sum(map(chapters.n_chapters, corpus))
    facts = CheckFacts(
        of="chapters",
        items=items,
        documents=len(corpus),
        asked=named,
        rules=tallied(rules, found, {"chapters": items, "documents": len(corpus)}),
        broken={key: counted(some) for key, some in found.items() if some},
    )
    return Checked(dataclasses.replace(timed, corpus=corpus), facts)


def _chunks_checked(
    documents: CorpusLike,
    chunks: SystemLike,
    reading: Reading,
    format: str | None,  # noqa: A002
    chunks_format: str | None,
    tokenizer: str | os.PathLike[str] | None,
    max_tokens: int | None,
) -> Checked:
    from caesura.evaluation.check.chunks import checked_chunks

    check_missing(missing := reading["missing"] or "error")
    if max_tokens is not None and max_tokens < 1:
        raise ComparabilityError(f"max_tokens is {max_tokens}; it must be at least 1")
    source = read_source(documents, "documents", format=format, texts=True, **reading)
    read = matched(read_systems(chunks, format=chunks_format, **reading), source.corpus, "id")
    if len(read) != 1:
        raise ComparabilityError(f"there are {len(read)} chunkers; check one at a time")
    (chunker,) = read.values()
    facts, notes = checked_chunks(source, chunker, tokenizer=tokenizer, max_tokens=max_tokens, missing=missing)
    return Checked(source, facts, chunker, notes)


def _platform(name: str) -> str:
    known = in_any_case(name, chapters.PLATFORMS)
    if known is None:
        raise ComparabilityError(f"{name!r} has no rules here; {nearest(name, chapters.PLATFORMS)}")
    return known
