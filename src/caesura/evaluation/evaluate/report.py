# SPDX-License-Identifier: Apache-2.0
"""Systems measured against a reference: the counts of every document, and the analyses based on them."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.batches.pairs import Pairs
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.evaluate.sources import pseudo_name, remark
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import DRAWS
from caesura.evaluation.matching import endless_note
from caesura.evaluation.measurement import Answers, Bools, Rows, ShownDict
from caesura.evaluation.outcome import Corpora
from caesura.evaluation.referenced import Referenced
from caesura.kernels import Counts
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.results import Blind, CountTables, Input, Results, Skill, number
from caesura.results.evaluate.facts import AnnotationRegime, Chapters, DensityError, ExtraFacts, Reads, Regimes
from caesura.results.evaluate.verdict import Thresholds, Verdict
from caesura.statistics.exact import ExactSum, exact_sums

if TYPE_CHECKING:
    from caesura.encoders import Encoder, Precomputed
    from caesura.evaluation.chance.expected import Chance
    from caesura.evaluation.signature import Signature

__all__ = ["Counted", "Evaluation", "annotation_regime", "density_error", "reading_notes", "regimes"]

WORST_SHARE = 0.1
"""The share of documents, rounded up, that count as the worst in density error."""
_NAMED = 100  # of the worst documents
_BLOCK = 1 << 14  # documents scored at once


@dataclasses.dataclass(frozen=True)
class Counted:
    """The counts of one system: a table per request, and the documents missing, fitted, dropped or without a known end."""

    tables: Mapping[Request, Counts]
    missing: tuple[str, ...] = ()
    fitted: tuple[str, ...] = ()
    elsewhere: int = 0
    endless: int = 0


@dataclasses.dataclass(frozen=True)
class Evaluation(Referenced):
    """Systems measured against a reference.

    In addition to the attributes of every measurement it has the ``reference``; ``requests``, the counts that each metric reads;
    ``pairs``, the reference with the hypothesis of each system, one row per document; and ``counted``, the counts of each system.
    """

    reference: Source
    systems: Mapping[str, Source]
    metrics: Mapping[str, PairwiseMetric]
    requests: Mapping[str, Request]
    pairs: Mapping[str, Pairs]
    counted: Mapping[str, Counted]
    documents: Sequence[str]
    unit: str
    by: Aggregation | None = None
    profile: str = "caesura"
    against: str = "boundaries"
    chances: dict[tuple[str, int, int], Chance] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    # ------------------------------------------------------------------ numbers

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document; its ``columns`` name them."""
        request = self.requests[metric]
        return self.counted[system].tables[request].take(self.metrics[metric].places(request))

    def totals(self, system: str, metric: str) -> Rows:
        """Return scores, inclusion and summed counts, computed in blocks, since all counts as 64-bit numbers take much memory."""
        request, chosen = self.requests[metric], self.metrics[metric]
        table, sums = self.counted[system].tables[request], [ExactSum()] * len(chosen.columns)
        scores, included, done = np.empty(len(table)), np.empty(len(table), dtype=bool), 0
        for counts in table.taken(chosen.places(request), _BLOCK):
            some = slice(done, done := done + len(counts))
            scores[some] = chosen.score(counts)
            included[some] = chosen.included(counts, scores[some])
            if self.aggregation(metric) == "micro":
                sums = [a + b for a, b in zip(sums, exact_sums(counts), strict=True)]
        return Rows(np.array([[each.value for each in sums]]), scores, included)

    def aggregate(self, system: str, metric: str, rows: Rows, used: Bools) -> Aggregate:
        """Aggregate the documents of one system, counting those that another system lacks as dropped."""
        a = super().aggregate(system, metric, rows, used)
        elsewhere = self.counted[system].elsewhere
        return dataclasses.replace(a, dropped=a.dropped + elsewhere) if elsewhere else a

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return the parameters resolved from the data, such as window sizes."""
        request = self.requests[metric]
        table = self.counted[system].tables[request].extremes
        return self.metrics[metric].resolved(table, request.columns)

    def recipe(self, system: str, metric: str) -> Signature:
        """Return the recipe of a number in its parts, with the encoder whose vectors of titles were read."""
        recipe, spec = super().recipe(system, metric), self.metrics[metric].title_encoder()
        titles = self.pairs[system].titles
        return dataclasses.replace(recipe, encoder=titles[0].vectors[spec].fingerprint) if spec and titles else recipe

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents of the reference that a system lacks."""
        return self.counted[system].missing

    def only(self, systems: Mapping[str, Source]) -> Evaluation:
        """Return the evaluation of some of the systems."""
        return dataclasses.replace(
            self,
            systems=systems,
            pairs={name: self.pairs[name] for name in systems},
            counted={name: self.counted[name] for name in systems},
        )

    @functools.cached_property
    def chapters(self) -> Chapters | None:
        """What became of the chapters of every system, in seconds; None if the documents are not recordings."""
        if self.unit != "ms":
            return None
        from caesura.evaluation.evaluate.chapters import chapters

        return chapters(self)

    # ------------------------------------------------------------------ analyses, each imported on use

    def expectations(self, draws: int = DRAWS, seed: int = 0) -> dict[str, dict[str, Skill]]:
        """Return the expectation by chance of every score, and its skill: system to metric."""
        from caesura.evaluation.chance.skill import expectations

        return expectations(self, draws, seed)

    def blind_scores(self, metric: str, draws: int = DRAWS, seed: int = 0) -> dict[str, Blind]:
        """Return the scores of random and evenly spaced boundaries by a metric."""
        from caesura.evaluation.chance.skill import blind_scores

        return blind_scores(self, metric, draws, seed)

    def bors(self) -> dict[str, float]:
        """Return the boundaries of every system per boundary of the reference, of all documents."""
        from caesura.evaluation.chance.skill import pooled_bor

        return {system: pooled_bor(pairs) for system, pairs in self.pairs.items()}

    def reselected(self, system: str) -> Pairs | None:
        """Return reference and system with equal numbers of boundaries; None if a document lacks scores or has other units."""
        corpus = self.systems[system].corpus
        if corpus.bare:
            return None
        # Ids differ only if two single documents with different ids are compared.
        ids = self.documents if len(corpus) > 1 or self.documents[0] in corpus else corpus.ids
        if any(corpus[key].scores is None for key in ids):
            return None
        from caesura.selectors.scores import FlatScores

        flat = FlatScores.from_corpus(corpus, ids)
        pairs = self.pairs[system]
        if not np.array_equal(flat.n_units, pairs.n_units):
            return None
        return pairs.against(flat.at_counts(np.diff(pairs.ref_ptr)))

    def verdicts(
        self, thresholds: Thresholds | None = None, *, tolerance: int | str | None = None, by_document: bool = False
    ) -> ShownDict[Verdict]:
        """Return in words what the scores of each system mean together; of each document too if requested."""
        from caesura.evaluation.chance.verdict import verdicts

        by_system, documents = verdicts(self, thresholds, tolerance=tolerance, by_document=by_document)
        self.answers.verdicts, self.answers.regimes = by_system, regimes(self)
        if by_document:
            self.answers.document_verdicts = documents
        return ShownDict(by_system).shown_by(self, "What the scores mean")

    def extra_boundaries(
        self,
        of: Reads = "words",
        *,
        encoder: str | Encoder | Precomputed = "default",
        systems: Sequence[str] | None = None,
        draws: int = 10,
        seed: int = 0,
    ) -> ShownDict[ExtraFacts]:
        """Return how the text judges extra boundaries, those that the reference does not have: sub-topics, or noise.

        The texts are read as words, as vectors of an encoder, or both. ``draws`` random segmentations of every document, as dense as
        the system, say what is supported by chance, and the reference's own boundaries what can be expected (docs/granularity.md).
        """
        from caesura.evaluation.evaluate.extra import extra_boundaries as judged

        found = judged(self, of, encoder, list(self.systems) if systems is None else systems, draws, seed)
        self.answers.extra = found
        return ShownDict(found).shown_by(self, "Extra boundaries")

    # ------------------------------------------------------------------ the results

    def complete(self, results: Results, answers: Answers) -> None:
        """Add verdicts and regimes, if they were requested."""
        super().complete(results, answers)
        results.verdicts, results.document_verdicts = answers.verdicts, answers.document_verdicts
        results.regimes, results.chapters, results.extra = answers.regimes, self.chapters, answers.extra
        if results.verdicts is not None and results.extra is not None:
            from caesura.results.evaluate.extra import with_extra

            results.verdicts = {name: with_extra(v, results.extra.get(name)) for name, v in results.verdicts.items()}

    def corpora(self) -> Corpora:
        """Return the reference and the systems."""
        return super().corpora()._replace(documents=self.reference.corpus)

    def inputs(self) -> list[Input]:
        """Return the reference and the systems as named in the results."""
        role = "reference" if pseudo_name(self.against) is None else "pseudo-reference"
        return [self.reference.as_input(role), *super().inputs()]

    def stored(self, metric: str) -> tuple[str, Sequence[str]]:
        """Return the key of the table that holds a metric's counts, and the names of its columns there."""
        request = self.requests[metric]
        return str(request), [request.columns[place] for place in self.metrics[metric].places(request)]

    def notes(self) -> list[str]:
        """Return the lines below the first table: recipes and omissions."""
        notes = [*remark(self.against), *(self.signature(name, short=True) for name in self.metrics)]
        notes += [f"reference: {self.reference.remark}"] if self.reference.remark else []
        for system, counted in self.counted.items():
            notes += reading_notes(
                system,
                self.unit,
                len(self.reference.corpus),
                len(counted.missing),
                len(counted.fitted),
                counted.endless,
            )
        return notes + self.left_out()

    def count_tables(self) -> CountTables:
        """Return system to request to table of counts, as stored next to the results."""
        return {
            system: {str(request): table.packed() for request, table in counted.tables.items()}
            for system, counted in self.counted.items()
        }

    def count_columns(self) -> dict[str, Sequence[str]]:
        """Return the columns of each stored table."""
        return {str(request): request.columns for request in self.requests.values()}


def reading_notes(system: str, unit: str, documents: int, missing: int, fitted: int, endless: int) -> list[str]:
    """Return one note per omission or substitution in reading a system; ``documents`` is the size of the reference."""
    notes = []
    if missing:
        notes.append(f"{system}: {missing} of {documents} documents missing, skipped")
    if fitted:
        which = "1 document" if fitted == 1 else f"{fitted} documents"
        notes.append(f"{system}: the end of {which} taken from the other side")
    if endless and unit == "ms":
        notes.append(f"{system}: {endless_note(endless)}")
    return notes


def annotation_regime(reference: Flat) -> AnnotationRegime:
    """Return the annotation density of a reference and its variation.

    >>> from caesura.segmentation import Segmentation
    >>> flat = Flat.from_segmentations([Segmentation(10, (2, 5)), Segmentation(30, (9,))])
    >>> regime = annotation_regime(flat)
    >>> regime.per_100_units, round(regime.mean, 3), regime.mean_segment
    (7.5, 11.667, 8.0)
    """
    counts, units = np.diff(reference.ptr), reference.n_units
    each = 100 * counts / units
    some = len(each) > 0
    quartiles = np.percentile(each, [25, 50, 75]).tolist() if some else [math.nan] * 3
    mean = float(each.mean()) if some else math.nan
    sd = float(each.std(ddof=1)) if len(each) > 1 else math.nan
    return AnnotationRegime(
        documents=len(each),
        without=int((counts == 0).sum()),
        per_100_units=number(100 * float(counts.sum()) / float(units.sum())) if some else None,
        mean=number(mean),
        sd=number(sd),
        quartiles=(number(quartiles[0]), number(quartiles[1]), number(quartiles[2])),
        mean_segment=float(units.sum()) / float(counts.sum() + len(each)) if some else None,
        # Near 0 the annotation is uniform, from about 1 on highly variable.
        variation=number(sd / mean) if mean else None,
    )


def density_error(pairs: Pairs, documents: Sequence[str]) -> DensityError:
    """Return the error of the hypothesis' numbers of boundaries, and its concentration on few documents."""
    signed: Ints = np.diff(pairs.hyp_ptr) - np.diff(pairs.ref_ptr)
    off = np.abs(signed)
    total, tenth = int(off.sum()), math.ceil(WORST_SHARE * len(off))
    worst = np.argsort(-off, kind="stable")[:tenth]
    return DensityError(
        total=total,
        net=int(signed.sum()),
        documents_off=int((off > 0).sum()),
        worst_documents=tenth,
        worst_share=float(off[worst].sum()) / total if total else None,
        worst=[documents[row] for row in worst[off[worst] > 0][:_NAMED].tolist()],
    )


def regimes(evaluation: Evaluation) -> Regimes:
    """Return the annotation regime of the reference, and the density error of every system."""
    # In the order of the ids, so that ties among the worst documents do not depend on the order of the files.
    order, documents = evaluation.drawn_in, evaluation.drawn_documents
    pairs = {system: each.in_order(order) for system, each in evaluation.pairs.items()}
    return Regimes(
        annotation=annotation_regime(next(iter(pairs.values())).reference),
        density_error={system: density_error(each, documents) for system, each in pairs.items()},
    )
