# SPDX-License-Identifier: Apache-2.0
"""Chunkers measured on spans that must stay whole: scores, intervals, comparisons and the worst spans."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import msgspec

from caesura.errors import listed
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.compare.paired import Drawn, Normal, compared, settled, tests_of
from caesura.evaluation.compare.standing import documents_needed
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import PERMUTATIONS, check_resampling
from caesura.evaluation.measured import Measured
from caesura.evaluation.measurement import Answers, Bools, Measurement, Rows, ShownDict, ShownList
from caesura.evaluation.outcome import Answered, Corpora, Ranges
from caesura.evaluation.signature import Signature
from caesura.evaluation.spans.measures import SpanMeasure, SystemSpans
from caesura.evaluation.spans.overlap import Query
from caesura.evaluation.spans.retrieve import Retrieved
from caesura.metrics.base import Aggregation, Floats
from caesura.results import Comparison, Input, Resampling, Results, as_float, number
from caesura.results.compare.facts import DIFFERENT
from caesura.results.schema import Question
from caesura.results.spans.facts import Chunker, RetrievalFacts, SpanFacts, Tag, WorstSpan
from caesura.statistics import Bootstrap
from caesura.units.align import faults_of
from caesura.units.text import text_of

if TYPE_CHECKING:
    from caesura.statistics import Interval

__all__ = ["SpanReport"]

_COMPARED, _BY_CHANCE = "Inside", "InsideByChance"


@dataclasses.dataclass(frozen=True)
class SpanReport(Measurement):
    """Chunkers measured on spans that must stay whole.

    In addition to the attributes of every measurement it has the texts (``source``); ``measured``, every span against the chunks of
    each system; the documents with spans that a system lacks (``missing``); ``has_text``, whether tokens and characters can be
    counted; the number of spans given by ``repeated`` words, whose first occurrence was used; the file of the spans (``gold``), or whether they are the documents' own ``structure``;
    what was wrong with spans that were left out (``bad``); and the ``places`` of the spans of each document, in characters of its text, or in units. ``texts`` are the documents that have spans,
    and chunks of every system; ``documents`` are the rows that are resampled: the ``questions`` if it is ``by_question``, else the
    texts. ``homes`` has the document of each question. ``clocks`` names the clock of each chunker, ``measured_in`` what counted tokens, ``retrieved`` what retrieval found.
    """

    question: ClassVar[Question] = "spans"
    source: Source
    systems: Mapping[str, Source]
    metrics: Mapping[str, SpanMeasure]
    measured: Mapping[str, SystemSpans]
    documents: Sequence[str]
    texts: Sequence[str]
    missing: Mapping[str, Sequence[str]]
    has_text: bool
    questions: Sequence[Query]
    homes: Sequence[str]
    by_question: bool = False
    clocks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    measured_in: str = "words"
    max_tokens: int | None = None
    retrieved: Retrieved | None = None
    repeated: int = 0
    gold: Input | None = None
    structure: bool = False
    bad: Sequence[str] = ()
    places: Sequence[Ranges] = ()
    by: Aggregation | None = "micro"
    profile: str = "caesura"
    against: str = "spans"

    @property
    def unit(self) -> str:  # type: ignore[override]
        """The scale on which spans and chunks are placed."""
        return "character" if self.has_text else "unit"

    # ------------------------------------------------------------------ numbers

    def counts(self, system: str, metric: str) -> Floats:
        """Return the sum of a measure over the spans of each document, and the number of these spans."""
        known = self._counted.get((system, metric))
        if known is None:
            known = self._counted[system, metric] = self.metrics[metric].count(self.measured[system])
        return known

    @functools.cached_property
    def _counted(self) -> dict[tuple[str, str], Floats]:
        return {}

    def aggregate(self, system: str, metric: str, rows: Rows, used: Bools) -> Aggregate:
        """Return the mean over spans; a document without a defined value adds none, but is not left out."""
        return dataclasses.replace(super().aggregate(system, metric, rows, used), undefined=0)

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents with spans that a system lacks."""
        return self.missing[system]

    def lie_in(self) -> Sequence[str]:
        """Return the document of each row: of a question, the one with its first passage."""
        return self.homes if self.by_question else self.documents

    def recipe(self, system: str, metric: str) -> Signature:
        """Return the recipe of a number, with the number of spans and where random boundaries may fall."""
        of = self.measured[system]
        counted = {"spans": str(len(of.rows)), **({"left_out": str(len(self.bad))} if self.bad else {})}
        if metric == "InsideByChance":
            counted["places"] = "units" if of.at_units else "tokens"
        return dataclasses.replace(super().recipe(system, metric), counted=counted)

    # ------------------------------------------------------------------ answers

    def compare(self, *, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> ShownList[Comparison]:
        """Compare chunkers with one another and with their clocks: on the spans that they leave whole, and on what is retrieved."""
        check_resampling(resamples=resamples, level=level, seed=seed)
        own = [system for system, source in self.systems.items() if not source.baseline]
        among, clocks = list(itertools.combinations(own, 2)), list(self.clocks.items())
        pairs = [*among, *clocks]
        bootstrap = Bootstrap(len(self.documents), resamples, seed, level)
        tests = tests_of(self, pairs, bootstrap, PERMUTATIONS)
        measures = [*([] if self.retrieved is None else [self.retrieved.main]), _COMPARED]
        self.answers.comparisons = [
            item for metric in measures for family in (among, clocks) for item in _compare(self, metric, family, tests)
        ]
        self.answers.resampling = self._resampling(tests.resampling)
        if self.retrieved is not None:
            self.answers.questions_needed = self._needed(self.retrieved.main, own, tests)
        return ShownList(self.answers.comparisons).shown_by(self, "Comparison")

    def _needed(self, metric: str, own: Sequence[str], tests: Drawn | Normal) -> int | None:
        """Return about how many questions would show the lead of the best chunker over its clock."""
        best = max(own, key=lambda system: self.scores[system][metric])
        if best not in self.clocks:
            return None
        drawn = tests.replicates(metric, [best, self.clocks[best]])
        lead = self.scores[best][metric] - self.scores[self.clocks[best]][metric]
        gains = drawn[best] - drawn[self.clocks[best]]
        return None if lead <= 0 else documents_needed(lead, gains, len(self.documents), DIFFERENT)

    def intervals(self, resamples: int = 1000, seed: int = 0, level: float = 0.95) -> ShownDict[dict[str, Interval]]:
        """Return a bootstrap interval for every score, system to metric; questions or documents are resampled."""
        found = super().intervals(resamples, seed, level)
        if self.answers.resampling is not None:
            self.answers.resampling = self._resampling(self.answers.resampling)
        return found

    def _resampling(self, drawn: Resampling) -> Resampling:
        return msgspec.structs.replace(drawn, unit="questions" if self.by_question else "documents")

    def worst(self, number: int = 3) -> dict[str, list[WorstSpan]]:
        """Return the spans of each system that lose most, then need the most chunks, then the most padding."""
        worst: dict[str, list[WorstSpan]] = {}
        for system, of in self.measured.items():
            ranked = sorted(
                of.rows, key=lambda row: (-row.lost, -row.chunks, -row.padding_characters, row.document, row.words)
            )
            worst[system] = [
                WorstSpan(
                    document=self.texts[row.document], span=row.words, chunks=row.chunks, lost=row.lost,
                    padding=row.padding_tokens if self.has_text else row.padding_units,
                )
                for row in ranked[:number]
                if row.cut
            ]  # fmt: skip
        self.answers.worst_spans = worst
        return worst

    # ------------------------------------------------------------------ the results

    def complete(self, results: Results, answers: Answers) -> None:
        """Add the comparisons, the sizes of the chunks, and the worst spans."""
        results.comparisons = answers.comparisons
        results.spans = SpanFacts(
            spans=len(next(iter(self.measured.values())).rows),
            length_in="tokens" if self.has_text else "units",
            chunkers={system: self._chunker(of) for system, of in self.measured.items()},
            worst=answers.worst_spans,
            questions=len(self.questions) if self.by_question else None,
            texts=len(self.texts),
            measured_in=self.measured_in,
            max_tokens=self.max_tokens,
            clocks=dict(self.clocks),
            retrieval=self._retrieval(),
            structure=self.structure,
        )

    def _retrieval(self) -> RetrievalFacts | None:
        if self.retrieved is None:
            return None
        curve = {system: [number(each) for each in row] for system, row in self.retrieved.curve.items()}
        return RetrievalFacts(
            by=self.retrieved.by, measure=self.retrieved.main, budgets=list(self.retrieved.budgets), curve=curve,
            tags=self._tags(self.retrieved.main), questions_needed=self.answers.questions_needed,
        )  # fmt: skip

    def _tags(self, metric: str) -> dict[str, Tag]:
        """Return the main score of every system over the questions with each tag."""
        tags = dict.fromkeys(tag for query in self.questions for tag in query.tags)
        found = {}
        for tag in tags:
            own = [place for place, query in enumerate(self.questions) if tag in query.tags]
            scores = {system: number(float(of.values[metric][own].mean())) for system, of in self.measured.items()}
            found[tag] = Tag(questions=len(own), scores=scores)
        return found

    def _chunker(self, of: SystemSpans) -> Chunker:
        tokens = of.pool.tokens
        return Chunker(
            all_chunks=len(tokens),
            all_tokens=int(tokens.sum()),
            most_tokens=int(tokens.max(initial=0)),
            over_limit=None if self.max_tokens is None else int((tokens > self.max_tokens).sum()),
            cut=sum(row.cut for row in of.rows),
            partly_lost=sum(row.lost > 0 and row.chunks > 0 for row in of.rows),
            wholly_lost=sum(row.chunks == 0 for row in of.rows),
            chunks=of.chunks,
            length=of.tokens / max(of.chunks, 1),
            chance_places=None if of.overlap else "units" if of.at_units else "tokens",
            gap_characters=sum(a.gap_characters for a in of.alignments) if self.has_text else None,
            overlap_characters=sum(a.overlap_characters for a in of.alignments) if self.has_text else None,
        )

    def corpora(self) -> Corpora:
        """Return the documents, the systems, and where spans and chunks lie in each document."""
        return super().corpora()._replace(documents=self.source.corpus, spans=_Answers(self))

    def inputs(self) -> list[Input]:
        """Return the documents, the spans and the systems as named in the results."""
        spans = [] if self.gold is None else [self.gold]
        return [self.source.as_input("documents"), *spans, *super().inputs()]

    def notes(self) -> list[str]:
        """Return the notes below the scores that depend on the texts and the chunks."""
        notes = [f"{len(self.bad)} spans or lines of spans left out: {listed(self.bad, '; ')}"] if self.bad else []
        sources = {"documents": self.source, **self.systems}
        notes += [f"{name}: {source.remark}" for name, source in sources.items() if source.remark]
        for system, of in self.measured.items():
            notes += [f"{system}: {fault}" for fault in faults_of(of.alignments)]
            if self.missing[system]:
                notes.append(
                    f"{system}: {len(self.missing[system])} documents with spans missing, skipped for all systems"
                )
        if self.repeated:
            notes.append(
                f"{self.repeated} spans are given by words that occur several times; the first occurrence was used"
            )
        return notes


class _Answers(Mapping[str, Answered]):
    """The documents of a report with their spans and chunks, each made when it is asked for."""

    def __init__(self, report: SpanReport) -> None:
        self._report = report

    def __len__(self) -> int:
        return len(self._report.texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._report.texts)

    def __getitem__(self, key: str) -> Answered:
        report, at = self._report, self._rows[key]
        return Answered(
            text=text_of(report.source.corpus[key]).text if report.has_text else None,
            spans=report.places[at],
            chunks={system: of.places[at] for system, of in report.measured.items()},
            needed={system: rows[at] for system, rows in self._needed.items()},
        )

    @functools.cached_property
    def _rows(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self._report.texts)}

    @functools.cached_property
    def _needed(self) -> dict[str, list[list[tuple[int, float]]]]:
        needed: dict[str, list[list[tuple[int, float]]]] = {}
        for system, of in self._report.measured.items():
            needed[system] = [[] for _ in self._report.texts]
            for row in of.rows:
                needed[system][row.document].append((row.chunks, row.lost))
        return needed


def _compare(
    measured: Measured, metric: str, pairs: Sequence[tuple[str, str]], tests: Drawn | Normal
) -> list[Comparison]:
    """Compare pairs of chunkers on one measure; the unit of resampling and of permutation is a row of its counts.

    The density part of a difference of `Inside` is the difference of the chance levels, which follows from the numbers of
    boundaries alone.
    """
    chance, comparisons = measured.statistics()[_BY_CHANCE], []
    for first, second in pairs:
        item = compared(measured, tests, metric, first, second, len(measured.documents))
        density = chance[first].value - chance[second].value if metric == _COMPARED else math.nan
        item.density, item.placement = number(density), number(as_float(item.difference) - density)
        item.parts_by = None if math.isnan(density) else "chance"
        item.p_bootstrap = None
        comparisons.append(item)
    return settled(comparisons)
