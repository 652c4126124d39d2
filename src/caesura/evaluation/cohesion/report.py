# SPDX-License-Identifier: Apache-2.0
"""The outcome of a measurement without a reference, and every question it can answer."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.errors import MetricError
from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.cohesion.equal_density import Checks, check_systems, compare_at_equal_density
from caesura.evaluation.cohesion.null import Drawn, Nulls, Sampling, draw_nulls
from caesura.evaluation.cohesion.pooling import DocumentPooling, pool_documents, pooled_intervals
from caesura.evaluation.inputs import Source
from caesura.evaluation.intervals import by_normal_theory, check_resampling, intervals
from caesura.evaluation.measurement import Answers, Bools, Measurement, Rows, ShownDict, ShownList
from caesura.evaluation.outcome import Corpora
from caesura.evaluation.signature import Signature
from caesura.kernels import one_thread
from caesura.metrics.base import Aggregation, Floats
from caesura.metrics.cohesion import Cautions, CohesionMetric, cautions, count_in_one_pass
from caesura.results import Comparison, Input, Resampling, Results
from caesura.results.base import EncoderFacts
from caesura.results.cohesion.facts import CohesionFacts, Density, GapValue, WorstSegment
from caesura.results.schema import Question
from caesura.statistics import Interval

__all__ = ["Cohesion"]

_LONGEST_QUOTE = 200
_LONGEST_SIDE = 100


@dataclasses.dataclass(frozen=True)
class Cohesion(Measurement):
    """Segmentations measured without a reference.

    Beside the attributes of every measurement it has the documents (``source``); ``batches``, the segmentations of each
    system with the vectors of the units; the ``encoder``, since scores of different encoders cannot be compared; how documents
    are aggregated (``pooling``, None for each metric's default); what is drawn at random (``sampling``); the documents that
    each system lacks (``missing``); ``remarks`` on what was done to the input; whether metrics are ``checked`` before one may name a
    better system; and the systems made with the same encoder (``same_vectors``).
    """

    question: ClassVar[Question] = "cohesion"
    source: Source
    systems: Mapping[str, Source]
    metrics: Mapping[str, CohesionMetric]
    batches: Mapping[str, Embedded]
    encoder: EncoderFacts
    documents: Sequence[str]
    pooling: DocumentPooling | None
    sampling: Sampling
    missing: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...] = ()
    checked: bool = True
    same_vectors: tuple[str, ...] = ()
    profile: str = "caesura"
    against: str = "nothing"

    @property
    def unit(self) -> str:  # type: ignore[override]
        """The unit of the segmentations."""
        return self.source.corpus.unit

    @property
    def by(self) -> Aggregation | None:  # type: ignore[override]
        """The aggregation that decides which documents count; a median or weighted mean uses those of the mean."""
        return self.pooling if self.pooling is None or self.pooling == "micro" else "macro"

    # ------------------------------------------------------------------ numbers

    @functools.cached_property
    @one_thread()
    def _counts(self) -> dict[str, dict[str, Floats]]:
        metrics = list(self.metrics.values())
        return {
            system: dict(zip(self.metrics, count_in_one_pass(metrics, batch), strict=True))
            for system, batch in self.batches.items()
        }

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document; its ``columns`` name them."""
        return self._counts[system][metric]

    def aggregate(self, system: str, metric: str, rows: Rows, used: Bools) -> Aggregate:
        """Aggregate the documents of one system."""
        a = super().aggregate(system, metric, rows, used)
        if self.pooling not in ("median", "length"):
            return a
        order = self.drawn_in
        kept = used[order]
        score = pool_documents(self.pooling, rows.scores[order][kept], self.units[order][kept])
        return dataclasses.replace(a, score=score, aggregation=self.pooling)

    @functools.cached_property
    def units(self) -> Floats:
        """The number of units of each document."""
        return next(iter(self.batches.values())).n_units.astype(np.float64)

    @functools.cached_property
    def _cautions(self) -> dict[str, Cautions]:
        return {system: cautions(batch) for system, batch in self.batches.items()}

    def density(self, system: str) -> Density:
        """Return how many segments a system makes of 100 units, and the share of segments with one unit."""
        flat, facts = self.batches[system].segmentations, self._cautions[system]
        return Density(
            segments_per_100=100 * (len(flat.pos) + len(flat)) / int(flat.n_units.sum()),
            one_unit_share=float(facts.single_unit.sum() / facts.segments.sum()),
        )

    # ------------------------------------------------------------------ answers

    @property
    def resampling(self) -> Resampling:
        """How documents are resampled: as the intervals were last requested, or as the measurement was."""
        if self.answers.resampling is None:
            self.answers.resampling = self._resampling(self.sampling.resamples, self.sampling.seed, 0.95)
        return self.answers.resampling

    def _resampling(self, resamples: int, seed: int, level: float) -> Resampling:
        drawn = self.pooling in ("median", "length") or not by_normal_theory(self)
        return Resampling(resamples=resamples if drawn else 0, seed=seed, level=level)

    def intervals(
        self, resamples: int | None = None, seed: int | None = None, level: float = 0.95
    ) -> ShownDict[dict[str, Interval]]:
        """Return a bootstrap interval for every score, system to metric; comparisons are then resampled alike.

        ``resamples`` and ``seed`` are those of the measurement unless given.
        """
        resamples = self.sampling.resamples if resamples is None else resamples
        seed = self.sampling.seed if seed is None else seed
        check_resampling(resamples=resamples, level=level, seed=seed)
        resampling = self._resampling(resamples, seed, level)
        if resampling != self.resampling:
            self.answers.comparisons = None
        resample = pooled_intervals if self.pooling in ("median", "length") else intervals
        resampled = resample(self, resamples, seed, level)
        self.answers.intervals, self.answers.resampling = resampled, resampling
        return ShownDict(resampled).shown_by(self, "Intervals")

    @one_thread()
    def chance(self, progress: Callable[[int, int], None] | None = None, drawn: Drawn | None = None) -> Nulls:
        """Return every score among those of random segmentations: system to metric to kind.

        They are drawn once; ``progress`` is told how many documents are done, of how many. ``drawn`` are their counts, if
        they were drawn elsewhere.
        """
        if self.answers.nulls is None:
            self.answers.nulls = draw_nulls(self, progress, drawn)
        return self.answers.nulls

    def compare(self) -> ShownList[Comparison]:
        """Compare all pairs of systems on each metric, as they are and at equal density; see `resampling`."""
        if self.answers.comparisons is None:
            self.answers.comparisons = compare_at_equal_density(self, self.resampling)
        return ShownList(self.answers.comparisons).shown_by(self, "Comparison")

    @functools.cached_property
    def checks(self) -> Checks | None:
        """Whether each metric may be used to judge each system; None if that was not requested."""
        return check_systems(self, self.sampling.seed) if self.checked else None

    def worst(self, system: str, metric: str | None = None, number: int = 5) -> list[WorstSegment]:
        """Return the segments with the worst values of a metric, the first one unless another is named."""
        name = metric or next(iter(self.metrics))
        self._check_names(name, system)
        return _worst_segments(self.metrics[name], self.batches[system], self.source.corpus, number)

    def gaps(self, system: str, metric: str | None = None, number: int = 5) -> tuple[list[GapValue], list[GapValue]]:
        """Return the boundaries of a system with the lowest values, and the gaps with the highest values that it left out.

        By the first metric that values gaps unless one is named, such as Support or ``Placement(of='gaps')``.
        """
        name = metric or self._values_gaps
        if name is None or not self.metrics[name].values_gaps:
            raise MetricError(f"{name or 'no metric'} values gaps; measure Support or Placement(of='gaps')")
        self._check_names(name, system)
        return _gap_values(self.metrics[name], self.batches[system], self.source.corpus, number)

    @property
    def _values_gaps(self) -> str | None:
        return next((name for name, metric in self.metrics.items() if metric.values_gaps), None)

    def resolved(self, system: str, metric: str) -> Mapping[str, str]:
        """Return what the data decided, such as whether English word lists were read."""
        return self.metrics[metric].resolved(self.counts(system, metric), self.metrics[metric].columns)

    def cautions(self) -> dict[str, list[str]]:
        """Return reasons to doubt the scores of each system, such as segments of one unit or equal vectors."""
        return {
            # Documents of one segment are counted with the scores that they lack.
            system: [line for line in facts.sentences() if not line.endswith("no score")]
            for system, facts in self._cautions.items()
        }

    # ------------------------------------------------------------------ the results

    @one_thread()
    def results(self, *, per_document: bool = False, worst: int = 3) -> Results:
        """Return scores, intervals, chance, comparisons and the worst segments of each system, as typed data."""
        self.answers.worst_segments = worst
        if self.answers.intervals is None:
            self.intervals()
        return super().results(per_document=per_document)

    def complete(self, results: Results, answers: Answers) -> None:
        """Add the place among random segmentations, comparisons, encoder, density and worst segments."""
        per_document = results.per_document is not None
        for system, row in self.chance().items():
            for name, nulls in row.items():
                plain = {
                    str(kind): each.per_document() if per_document else each.corpus for kind, each in nulls.items()
                }
                results.systems[system][name].nulls = plain or None
        if len(self.systems) > 1:
            results.comparisons = answers.comparisons or list(self.compare())
        number = answers.worst_segments
        has_texts = any(document.units is not None for document in self.source.corpus)
        results.cohesion = CohesionFacts(
            encoder=self.encoder,
            density={system: self.density(system) for system in self.systems},
            cautions=self.cautions(),
            remarks=list(self.remarks),
            worst={s: self.worst(s, number=number) for s in self.systems} if number and has_texts else None,
            checks=self.checks,
            same_vectors=list(self.same_vectors),
        )
        if number and has_texts and self._values_gaps is not None:
            facts = results.cohesion
            facts.gaps_by, facts.weakest, facts.missing = self._values_gaps, {}, {}
            for system in self.systems:
                facts.weakest[system], facts.missing[system] = self.gaps(system, number=number)
        if per_document:
            for system, density in results.cohesion.density.items():
                density.segments = (np.diff(self.batches[system].segmentations.ptr) + 1).tolist()

    def recipe(self, system: str, metric: str) -> Signature:
        """Return the recipe of a number in its parts, the encoder among them."""
        recipe = super().recipe(system, metric)
        return dataclasses.replace(recipe, against="boundaries", encoder=self.encoder.fingerprint)

    def missing_documents(self, system: str) -> Sequence[str]:
        """Return the documents that a system lacks."""
        return self.missing[system]

    def corpora(self) -> Corpora:
        """Return the documents and the systems."""
        return super().corpora()._replace(documents=self.source.corpus)

    def inputs(self) -> list[Input]:
        """Return the documents and the systems, as the results name them."""
        return [self.source.as_input("documents"), *super().inputs()]

    def notes(self) -> list[str]:
        """Return the lines below the first table: recipes, remarks, cautions, and what was left out."""
        notes = [*(self.signature(name, short=True) for name in self.metrics), *self.remarks]
        lacking = {system: len(ids) for system, ids in self.missing.items() if ids}
        notes += [f"{system}: {count} documents missing, skipped" for system, count in lacking.items()]
        notes += [f"{system}: {line}" for system, lines in self.cautions().items() for line in lines]
        return notes + self.left_out()

    def _reasons(self, system: str, metric: str, a: Aggregate) -> Iterable[str]:
        yield from super()._reasons(system, metric, a)
        infinite = int(np.isinf(self.per_document(system, metric)).sum())
        if infinite:
            yield (
                f"{metric}: {infinite} of {len(self.documents)} documents infinite (neighbours with equal centroids), left "
                "out of z and of comparisons; degenerate='skip' (--degenerate skip) leaves them out of all numbers"
            )


def _worst_segments(metric: CohesionMetric, batch: Embedded, corpus: Corpus, number: int) -> list[WorstSegment]:
    """Return the segments with the worst values of a metric; segments without a value are left out."""
    values = metric.segment_values(batch)
    flat = batch.segmentations
    ptr = flat.ptr + np.arange(len(flat) + 1)
    known = np.flatnonzero(~np.isnan(values))
    worst = known[np.argsort(-metric.facts().badness(values[known]), kind="stable")[:number]]
    segments = []
    for place in worst.tolist():
        row = int(np.searchsorted(ptr, place, side="right")) - 1
        cuts = [0, *flat.pos[flat.ptr[row] : flat.ptr[row + 1]].tolist(), int(flat.n_units[row])]
        start, end = cuts[place - int(ptr[row])], cuts[place - int(ptr[row]) + 1]
        units = corpus[batch.ids[row]].units
        text = "" if units is None else _quote(" ".join(units[start:end]))
        value = float(values[place])
        segments.append(WorstSegment(document=batch.ids[row], start=start + 1, end=end, value=value, text=text))
    return segments


def _gap_values(
    metric: CohesionMetric, batch: Embedded, corpus: Corpus, number: int
) -> tuple[list[GapValue], list[GapValue]]:
    """Return the boundaries with the lowest values of a corpus, and the highest gaps without one."""
    flat = batch.segmentations
    low: list[tuple[float, int, int]] = []
    high: list[tuple[float, int, int]] = []
    for row, values in enumerate(metric.gap_values(batch)):
        chosen = np.zeros(len(values), dtype=bool)
        chosen[flat.pos[flat.ptr[row] : flat.ptr[row + 1]] - 1] = True
        for found, mask, sign in ((low, chosen, 1.0), (high, ~chosen, -1.0)):
            places = np.flatnonzero(mask)
            best = places[np.argsort(sign * values[places], kind="stable")[:number]]
            found += [(sign * float(values[place]), row, int(place) + 1) for place in best]

    def told(found: list[tuple[float, int, int]], sign: float) -> list[GapValue]:
        gaps = []
        for value, row, gap in sorted(found)[:number]:
            units = corpus[batch.ids[row]].units or ("",) * int(flat.n_units[row])
            before, after = (_quote(unit, _LONGEST_SIDE) for unit in units[gap - 1 : gap + 1])
            gaps.append(GapValue(document=batch.ids[row], gap=gap, value=sign * value, before=before, after=after))
        return gaps

    return told(low, 1.0), told(high, -1.0)


def _quote(text: str, longest: int = _LONGEST_QUOTE) -> str:
    plain = " ".join(text.split())
    if len(plain) <= longest:
        return plain
    half = longest // 2
    return f"{plain[:half].rstrip()} … {plain[-half:].lstrip()}"
