# SPDX-License-Identifier: Apache-2.0
"""Everything about the annotators of a corpus, in one object."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from caesura._version import __version__
from caesura.batches.panel import Ints, Panel
from caesura.corpus import Corpus
from caesura.evaluation.agree.annotators import annotator_rows
from caesura.evaluation.agree.before import compared_with
from caesura.evaluation.agree.coefficients import agreement_metric, coefficient, sd_defined
from caesura.evaluation.agree.contested import contested_gaps, disagreements, tally
from caesura.evaluation.agree.near import near_misses
from caesura.evaluation.agree.pairwise import PairwiseAgreement, Progress, pairwise, pairwise_metric
from caesura.evaluation.agree.planning import plan
from caesura.evaluation.agree.work import relations, repeats, seconds_of, trend
from caesura.evaluation.inputs import Source
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Corpora, Outcome, metric_facts
from caesura.metrics import metric as find_metric
from caesura.metrics.agreement import candidates_of, count_pairs, pooled_window, supporters
from caesura.results import Resampling, Results, number, write_results
from caesura.results.agree.facts import (
    AgreementFacts,
    AnnotatorRow,
    Before,
    Coefficient,
    Consensus,
    Contested,
    Disagreement,
    NearMisses,
    Plan,
    Prominence,
    Repeat,
    Support,
    Trend,
    Window,
)
from caesura.statistics import Bootstrap

__all__ = ["Agreement", "boundary_support", "prominence_class", "usable_on"]

_WINDOWS: tuple[Window, ...] = ("pooled", "reference")
_MOST_CONTESTED = 1_000  # maximum in the results; the file for adjudication has all
_FOLLOWED = "FleissKappa"
"""The coefficient that is followed over dates and exports."""
_PAIRWISE = ("Pk", "WindowDiff", "B", "S")


def usable_on(unit: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics that do not need an explicit distance on a unit."""
    return tuple(name for name in names if not find_metric(name).needs_distance(unit))


@dataclasses.dataclass
class _Answers:
    """What was requested beyond the agreement, and becomes part of the results."""

    plan: Plan | None = None
    consensus: Consensus | None = None


@dataclasses.dataclass(frozen=True)
class Agreement(Outcome):
    """Agreement of the annotators of a corpus.

    ``names`` are the requested coefficients, ``by`` is the pairwise metric that measures each annotator's agreement with
    the others; ``bootstrap`` resamples documents. ``excluded`` annotators were left out; ``before`` is an earlier export, ``again`` maps annotators
    who coded a second time to their names, and ``anonymous`` hides all names. ``progress`` is called with the number of pairs of annotators compared and the total.
    """

    source: Source
    panel: Panel
    names: tuple[str, ...]
    by: str
    bootstrap: Bootstrap
    profile: str = "caesura"
    excluded: tuple[str, ...] = ()
    before: Source | None = None
    again: Mapping[str, str] = dataclasses.field(default_factory=dict)
    anonymous: bool = False
    progress: Progress | None = dataclasses.field(default=None, repr=False, compare=False)

    @functools.cached_property
    def _answers(self) -> _Answers:
        return _Answers()

    @property
    def n_pairs(self) -> int:
        """The number of pairs of annotators of the same document."""
        return count_pairs(self.panel)

    @property
    def corpus(self) -> Corpus:
        """The documents."""
        return self.source.corpus

    def corpora(self) -> Corpora:
        """Return the documents with their annotators."""
        return Corpora(self.corpus)

    @functools.cached_property
    def coefficients(self) -> dict[str, Coefficient]:
        """Each coefficient with its interval."""
        return {name: coefficient(name, self.panel, self.bootstrap, self.profile) for name in self.names}

    @functools.cached_property
    def annotators(self) -> dict[str, AnnotatorRow]:
        """Each annotator: density, bias, agreement with the others."""
        return annotator_rows(
            self.panel, self.pairwise(self.by), self.by, self.bootstrap, seconds_of(self.corpus, self.panel)
        )

    @functools.cached_property
    def support(self) -> list[Support]:
        """Every gap that at least one annotator marked, with its support."""
        return boundary_support(self.panel)

    @functools.cached_property
    def disagreements(self) -> list[Disagreement]:
        """Every two annotators of every document, labelled; of more than 100,000 pairs, as many drawn at random."""
        return disagreements(self.panel, self.bootstrap.seed)

    @functools.cached_property
    def contested(self) -> list[Contested]:
        """The gaps to settle, largest gain first."""
        return contested_gaps(self.corpus, self.panel, self.support)

    def pairwise(self, metric: str, window: Window = "pooled") -> PairwiseAgreement:
        """Score every annotator against every other by a pairwise metric."""
        return self._compared([(metric, window)])[metric, window]

    def _compared(self, measures: list[tuple[str, Window]]) -> dict[tuple[str, Window], PairwiseAgreement]:
        """Score every two annotators by several metrics in one pass; earlier scores are kept."""
        missing = [measure for measure in measures if measure not in self._pairwise]
        if missing:
            self._pairwise.update(pairwise(self.panel, missing, self.progress))
        return self._pairwise

    @functools.cached_property
    def _pairwise(self) -> dict[tuple[str, Window], PairwiseAgreement]:
        return {}

    def plan(self, width: float, coefficient: str = "FleissKappa") -> Plan:
        """Estimate the number of documents or annotators that brings the interval of a coefficient under a width.

        The plan becomes part of the results.
        """
        seed, level = self.bootstrap.seed, self.bootstrap.level
        self._answers.plan = plan(self.panel, coefficient, width, seed=seed, level=level)
        return self._answers.plan

    def consensus(self, threshold: float, *, near: bool = False, min_annotators: int = 3) -> Corpus:
        """Return the corpus with the boundaries that at least a share of the annotators marked; see `Corpus.consensus`.

        The boundaries become part of the results.
        """
        agreed = self.corpus.consensus(threshold, near=near, min_annotators=min_annotators)
        boundaries = {d.id: list(d.segmentation.boundaries) for d in agreed if d.segmentation is not None}
        self._answers.consensus = Consensus(threshold=threshold, near=near, boundaries=boundaries)
        return agreed

    @functools.cached_property
    def near(self) -> NearMisses:
        """How often a boundary of one annotator has one of another at or near its gap."""
        return near_misses(self.panel)

    @functools.cached_property
    def trend(self) -> Trend | None:
        """How agreement goes with the dates of documents; None if too few have a date."""
        kappa = agreement_metric(_FOLLOWED)
        scores = kappa.score(kappa.count(self.panel))
        return trend(self.corpus, self.panel, _FOLLOWED, scores, self.bootstrap.seed)

    @functools.cached_property
    def repeats(self) -> dict[str, Repeat]:
        """Everybody who coded documents twice."""
        return repeats(self.corpus, self.panel, self.by, self.pairwise(self.by))

    @functools.cached_property
    def since(self) -> Before | None:
        """What has changed since an earlier export, if one was given."""
        if self.before is None:
            return None
        return compared_with(self.before, self.corpus, _FOLLOWED, self.bootstrap)

    def statistics(self) -> dict[str, float]:
        """Return lengths, segments and support of the corpus: means, sample standard deviations, quartiles."""
        panel = self.panel
        sizes = {"documents": len(panel), "annotators": len(panel.names), "codings": len(panel.annotator)}
        statistics = {name: float(size) for name, size in sizes.items()}
        masses = panel.codings.masses().astype(np.float64)
        lengths = {"units": panel.n_units, "segment_length": masses, "segments": panel.n_boundaries + 1}
        for name, values in lengths.items():
            statistics[f"{name}_mean"], statistics[f"{name}_sd"] = float(values.mean()), sd_defined(values)
        for tolerance in ("exact", "half", "full"):
            shares = [getattr(item, tolerance) for item in self.support] or [math.nan]
            for name, at in (("q25", 25), ("median", 50), ("q75", 75)):
                statistics[f"support_{tolerance}_{name}"] = float(np.percentile(shares, at))
        return statistics

    def segment_counts(self) -> dict[str, list[int]]:
        """Return the number of segments of each annotator of each document; their spread is granularity."""
        return self._by_document(self.panel.n_boundaries + 1)

    def _by_document(self, values: Ints) -> dict[str, list[int]]:
        """Split a number of each coding by document."""
        parts = np.split(values, self.panel.doc_ptr[1:-1])
        return {key: part.tolist() for key, part in zip(self.panel.ids, parts, strict=True)}

    def results(self) -> Results:
        """Return everything as typed data."""
        b, names = self.bootstrap, usable_on(self.panel.unit, _PAIRWISE)
        self._compared([(self.by, "pooled"), *((name, window) for name in names for window in _WINDOWS)])
        return Results(
            question="agree",
            caesura=__version__,
            profile=self.profile,
            against="annotators",
            unit=self.panel.unit,
            seed=b.seed,
            environment=environment(),
            inputs=[self.source.as_input("annotations")],
            metrics={name: metric_facts(pairwise_metric(name)) for name in dict.fromkeys([*names, self.by])},
            documents=list(self.panel.ids),
            resampling=Resampling(resamples=b.resamples, seed=b.seed, level=b.level),
            agreement=AgreementFacts(
                by=self.by,
                names=list(self.panel.names),
                statistics={name: number(value) for name, value in self.statistics().items()},
                segment_counts=self.segment_counts(),
                coefficients=self.coefficients,
                pairwise={name: {window: self.pairwise(name, window).row() for window in _WINDOWS} for name in names},
                annotators=self.annotators,
                support=self.support,
                disagreements=self.disagreements,
                tally=tally(self.disagreements),
                contested=self.contested[:_MOST_CONTESTED],
                contested_gaps=len(self.contested),
                plan=self._answers.plan,
                pairs=self.n_pairs,
                coded_by=self._by_document(self.panel.annotator),
                units=dict(zip(self.panel.ids, self.panel.n_units.tolist(), strict=True)),
                excluded=list(self.excluded),
                consensus=self._answers.consensus,
                near=self.near,
                trend=self.trend,
                since=self.since,
                repeats=self.repeats,
                relations=relations(self.corpus, self.panel, b),
                second=dict(self.again),
                anonymous=self.anonymous,
            ),
        )

    def save(self, path: str | Path, *, results: Results | None = None, overwrite: bool = True) -> Results:
        """Write the results file, and return the results."""
        results = results or self.results()
        write_results(path, results, overwrite=overwrite)
        return results


def prominence_class(support: float) -> Prominence:
    """Return the class of a support: unanimous at 1, majority from one half, else minority.

    >>> [prominence_class(s) for s in (1.0, 0.5, 0.49)]
    ['unanimous', 'majority', 'minority']
    """
    if support >= 1.0:
        return "unanimous"
    return "majority" if support >= 0.5 else "minority"


def boundary_support(panel: Panel) -> list[Support]:
    """Return every gap that at least one annotator marked, with its support.

    Documents with one annotator are left out: there is nobody to support or contest a boundary. The window is half the mean
    segment over all annotators of the document, as for MultiWindowDiff; half of it is not rounded.
    """
    windows = pooled_window(panel)
    candidates = candidates_of(panel)
    h = panel.n_annotators[candidates.document]
    # Distances are whole numbers, so "within half a window" is within its floor.
    shares = [supporters(panel, candidates, reach) / h for reach in (np.zeros_like(windows), windows // 2, windows)]
    exact, half, full = (share.tolist() for share in shares)
    names = np.array(panel.names, dtype=object)[panel.annotator[candidates.coding]].tolist()
    ptr, gaps, sizes = candidates.ptr.tolist(), candidates.gap.tolist(), h.tolist()
    return [
        Support(
            document=panel.ids[document],
            gap=gaps[place],
            marked_by=tuple(names[ptr[place] : ptr[place + 1]]),
            annotators=sizes[place],
            exact=exact[place],
            half=half[place],
            full=full[place],
            prominence=prominence_class(half[place]),
        )
        for place, document in enumerate(candidates.document.tolist())
        if sizes[place] > 1
    ]
