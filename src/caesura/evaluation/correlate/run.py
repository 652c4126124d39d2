# SPDX-License-Identifier: Apache-2.0
"""Correlation over systems between metrics without and with a reference."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.corpus import MADE_BY, Corpus
from caesura.declare import split_names
from caesura.errors import CaesuraError, ComparabilityError, shareable
from caesura.evaluation.against import one_choice
from caesura.evaluation.agree.standing import PanelEvaluation
from caesura.evaluation.cohesion import Cohesion, cohesion
from caesura.evaluation.correlate.coefficients import FEWEST, Read, differences, readings
from caesura.evaluation.evaluate.report import Evaluation
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.inputs import CorpusLike, Source, SystemsLike, read_source, read_systems, requested_metrics
from caesura.evaluation.measurement import Answers, Measurement
from caesura.evaluation.outcome import Corpora, Outcome, metric_facts
from caesura.evaluation.validate.judging import check_metrics
from caesura.metrics import Metric
from caesura.metrics.cohesion import CohesionMetric
from caesura.results import Resampling, Results, number
from caesura.results.correlate.facts import CorrelationFacts, RankedSystem
from caesura.statistics.bootstrap import Bootstrap

__all__ = ["Correlation", "correlate"]

Floats = npt.NDArray[np.float64]

REFERENCE_FREE = ("ARPpair", "SegReFree", "Silhouette")
WITH_REFERENCE = ("Pk", "WindowDiff", "W-F1")
PAPER000 = "paper000"
"""Stands for the gold and the random systems of Ghinassi et al. 2024."""


@dataclasses.dataclass(frozen=True)
class Correlation(Outcome):
    """What was correlated, and the coefficients."""

    evaluation: Evaluation | PanelEvaluation
    cohesions: Mapping[str, Cohesion]
    facts: CorrelationFacts
    resampling: Resampling
    read: Sequence[Read] = ()

    def results(self) -> Results:
        """Return scores and correlations as typed data."""
        whole = self.evaluation.results()
        several = len(self.cohesions) > 1
        for spec, measured in self.cohesions.items():
            for metric, made in measured.metrics.items():
                title = f"{metric} [{spec}]" if several else metric
                whole.metrics[title] = metric_facts(made)
                for system in measured.systems:
                    whole.systems[system][title] = measured.score(system, metric, Answers())
            whole.notes += [f"{name}: {line}" for name, lines in measured.cautions().items() for line in lines]
        whole.notes = list(dict.fromkeys(whole.notes))
        whole.question, whole.correlation = "correlate", self.facts
        whole.seed, whole.resampling = self.resampling.seed, self.resampling
        return whole

    def corpora(self) -> Corpora:
        """Return the reference and the systems."""
        return self.evaluation.corpora()

    def size(self) -> str:
        """Return how many systems there are."""
        return f" over {len(self.facts.ranked)} systems"


def correlate(
    gold: CorpusLike,
    systems: SystemsLike,
    metrics: Iterable[str | Metric] | None = None,
    *,
    encoders: Sequence[str] = ("default",),
    baselines: str | Iterable[str] = (),
    against: str = "boundaries",
    resamples: int = 1000,
    seed: int = 0,
    check: bool = True,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Correlation:
    """Correlate metrics without a reference with metrics that need one, over systems.

    Parameters
    ----------
    gold : path or Corpus
        Documents with text and boundaries.
    systems : mapping of name to path or Corpus, or paths
        At least three systems, baselines included.
    metrics : iterable of str, optional
        Metrics of both kinds; by default ARPpair, SegReFree and Silhouette, and Pk, WindowDiff and W-F1.
    encoders : sequence of str
        The encoders of the reference-free metrics, each read by itself.
    baselines : str or iterable of str
        Baselines to add to the systems, as in `caesura.evaluate`; ``"paper000"`` adds those of Ghinassi et al. 2024: the gold, and a
        boundary at each gap with probability 1/k (k segments in the mean document) and 1/2 to 1/9.
    against : str
        Which boundaries count as true, as in `caesura.evaluate`. Against several annotators, those that half of them marked are
        damaged to test whether the reference-free metrics may be used.
    resamples, seed : int
        Bootstrap resamples of the documents, for the intervals.
    check : bool
        Whether to test as well if the reference-free metrics may be used on these documents, as `caesura validate` does.
    progress : callable, optional
        Called while documents are encoded.
    options
        Of reading, as in `caesura.evaluate` (``missing``, ``match``, ``format``, ``strict``), and of encoders
        (``cache``, ``allow_download``).

    Returns
    -------
    Correlation
        Coefficients in four readings: over all systems, without baselines, without baselines with the logarithm of
        BOR held constant, and without baselines and systems that equal the reference. Beside them the share of pairs of systems that are
        ordered rightly, and the differences between metrics.
    """
    free, with_reference = _sorted(metrics)
    encoding: dict[str, Any] = {name: options.pop(name) for name in ("cache", "allow_download") if name in options}
    if PAPER000 in _names(baselines):
        reading: dict[str, Any] = {
            key: options[key] for key in ("format", "columns", "marks", "strict") if key in options
        }
        gold = read_source(gold, "reference", **reading).corpus
        found = read_systems(systems, beside=gold, **reading)
        systems, baselines = _as_paper000(gold, found, _names(baselines))
    evaluation: Evaluation | PanelEvaluation = evaluate(
        gold, systems, [*with_reference, "BOR"], baselines=baselines, seed=seed, against=one_choice(against), **options
    )
    if evaluation.has_runs:
        raise ComparabilityError(
            "a correlation is over systems with one run each; name each run as a system: NAME=FILE"
        )
    if len(evaluation.systems) < FEWEST:
        raise ComparabilityError(
            f"a correlation over systems needs at least {FEWEST} of them, and there are {len(evaluation.systems)}; add systems, "
            "or --baselines"
        )
    corpora: Any = {name: source.corpus for name, source in evaluation.systems.items()}
    documents = evaluation.reference.corpus
    if isinstance(evaluation, PanelEvaluation):
        documents = documents.subset(evaluation.documents).consensus(0.5, min_annotators=0)

    def cohesions_of(kept: Mapping[str, Any]) -> dict[str, Cohesion]:
        call: dict[str, Any] = {"nulls": (), "check": False, "seed": seed, "progress": progress, **encoding}
        return {spec: cohesion(documents, dict(kept), free, encoder=spec, **call) for spec in encoders}

    cohesions = cohesions_of(corpora)
    undefined = _undefined(cohesions.values())
    if undefined:
        left = {name: source for name, source in evaluation.systems.items() if name not in undefined}
        if len(left) < FEWEST:
            raise ComparabilityError(
                f"{', '.join(undefined)}: not defined without a reference on any document, as where there are no boundaries; "
                f"{len(left)} systems are left, and a correlation needs at least {FEWEST}; add systems, or --baselines"
            )
        evaluation = evaluation.only(left)
        cohesions = cohesions_of({name: corpora[name] for name in left})
    if any(list(one.documents) != list(evaluation.documents) for one in cohesions.values()):
        raise ComparabilityError("the two kinds of metrics are not defined on the same documents; leave out the others")
    names = Counter(shareable(spec) for spec in cohesions)
    cohesions = {
        name if names[name := shareable(spec)] == 1 else f"{name} ({one.encoder.fingerprint})": one
        for spec, one in cohesions.items()
    }
    baseline = np.array([_is_baseline(source) for source in evaluation.systems.values()])
    bootstrap = Bootstrap(len(evaluation.documents), resamples, seed)
    judged = _drawn(evaluation, bootstrap)
    bor = judged.pop("BOR")
    equal = np.array([_is_reference(source.corpus, documents) for source in evaluation.systems.values()])
    read: list[Read] = []
    for spec, measured in cohesions.items():
        for metric, x in _drawn(measured, bootstrap).items():
            for reference, y in judged.items():
                read += readings((spec, metric, reference), x, y, bor, baseline, equal, bootstrap)
    checks = {}
    for spec, measured in cohesions.items() if check else ():
        batch = next(iter(measured.batches.values())).with_segmentations(measured.source.corpus)
        checks[spec] = check_metrics(measured.metrics, measured.source.corpus, batch, gold=True, seed=seed)
    facts = CorrelationFacts(
        ranked={
            name: RankedSystem(baseline=is_one, bor=number(float(value)), reference=same)
            for name, is_one, value, same in zip(
                evaluation.systems, baseline.tolist(), bor[0], equal.tolist(), strict=True
            )
        },
        rows=[each.row for each in read],
        differences=list(differences(read, bootstrap)),
        checks=checks,
        encoders=[one.encoder for one in cohesions.values()],
        same_vectors={spec: list(one.same_vectors) for spec, one in cohesions.items()},
        left_out=undefined,
    )
    return Correlation(evaluation, cohesions, facts, Resampling(resamples=resamples, seed=seed), read)


def _names(baselines: str | Iterable[str]) -> list[str]:
    return [name for text in ([baselines] if isinstance(baselines, str) else baselines) for name in split_names(text)]


def _as_paper000(gold: Corpus, found: Mapping[str, Source], names: list[str]) -> tuple[dict[str, Corpus], list[str]]:
    """Return the systems with the gold among them, and the nine random baselines of Ghinassi et al. 2024.

    Each places a boundary at a gap with probability 1/k: for k the number of segments of the mean document, and 2 to 9.
    """
    if any(document.segmentation is None for document in gold):
        raise ComparabilityError(f"the baselines {PAPER000} need boundaries in every document of the reference")
    segments = 1 + len(gold.flat.pos) / len(gold)
    random = dict.fromkeys(f"random(p={1 / k:.6g})" for k in (segments, *range(2, 10)) if k > 1)
    if "gold" in found:
        raise ComparabilityError(
            f"a system is named 'gold', as {PAPER000} names the reference; give it another name: NAME=FILE"
        )
    others = [name for name in names if name != PAPER000 and name not in random]
    return {**{name: source.corpus for name, source in found.items()}, "gold": gold}, [*random, *others]


def _sorted(metrics: Iterable[str | Metric] | None) -> tuple[list[str | Metric], list[str | Metric]]:
    """Return the metrics without and with a reference; what is not given of a kind is the default."""
    free: list[str | Metric] = []
    with_reference: list[str | Metric] = []
    given = list(metrics or ())
    for name, metric in requested_metrics(given, "caesura").items() if given else ():
        item = metric if metric in given else name
        (free if isinstance(metric, CohesionMetric) else with_reference).append(item)
    return free or list(REFERENCE_FREE), [item for item in with_reference or WITH_REFERENCE if str(item) != "BOR"]


def _undefined(measured: Iterable[Cohesion]) -> list[str]:
    """Return the systems on which a metric is not defined on any document: no document would be left for all systems."""
    return list(
        dict.fromkeys(
            system
            for one in measured
            for metric in one.metrics
            for system in one.systems
            if not one.rows(system, metric).included.any()
        )
    )


def _is_baseline(source: Source) -> bool:
    """Return whether a system is a baseline: made here as one, or by a method that is one, as its file says."""
    recipe = next((document.extra.get(MADE_BY) for document in source.corpus), None)
    method = recipe.get("method") if isinstance(recipe, Mapping) else source.name if source.baseline else None
    if source.baseline or not isinstance(method, str):
        return source.baseline
    from caesura.segmenters import SEGMENTERS, Baseline

    try:
        return isinstance(SEGMENTERS.parse(method), Baseline)
    except CaesuraError:
        return False


def _is_reference(system: Corpus, documents: Corpus) -> bool:
    """Return whether a system has the boundaries of the reference in every document."""
    return all(
        (own := system[key].segmentation) is not None
        and (theirs := documents[key].segmentation) is not None
        and own.boundaries == theirs.boundaries
        for key in documents.ids
        if key in system
    )


def _drawn(measured: Measurement, bootstrap: Bootstrap) -> dict[str, Floats]:
    """Return every metric: scores of the systems, turned so that higher is better, in the first row and then by resample."""
    replicates = measured.replicates(bootstrap)
    found = {}
    for name, metric in measured.metrics.items():
        point = np.array([measured.scores[system][name] for system in measured.systems])
        drawn = np.stack([replicates[name][system] for system in measured.systems], axis=1)
        table = np.concatenate([point[None, :], drawn])
        found[name] = -table if metric.facts().direction == "lower" else table
    return found
