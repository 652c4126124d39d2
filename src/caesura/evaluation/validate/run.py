# SPDX-License-Identifier: Apache-2.0
"""The self-degradation test: damage a segmentation in known ways, and see which reference-free metrics notice."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from caesura._version import __version__
from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, DeclarationError, MetricError, and_more
from caesura.evaluation.against import chosen_source, one_reference
from caesura.evaluation.cohesion.run import cohesion_metrics, embed_documents, made_with, words_for
from caesura.evaluation.inputs import CorpusLike, Source, read_source, requested_metrics
from caesura.evaluation.matching import on_units
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Corpora, Outcome
from caesura.evaluation.validate.correlations import correlate, means_of, over_levels
from caesura.evaluation.validate.judging import judge_metrics, with_blind
from caesura.evaluation.validate.systems import find_systems, rank_systems
from caesura.evaluation.validate.trials import DISTANCES, DRAWS, LEVELS, Damage, Trial, trials
from caesura.metrics.base import Floats, Metric, PairwiseMetric
from caesura.metrics.cohesion import CohesionMetric, cautions
from caesura.metrics.profiles import Profile
from caesura.metrics.profiles import profile as find_profile
from caesura.placements.random import checked_seed
from caesura.results import Input, Results
from caesura.results.validate.facts import EncoderTrust, Limits, Trust
from caesura.results.validate.facts import Validity as Section

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed
    from caesura.segmenters import Segmenter

__all__ = ["Validity", "validate"]

DEFAULT_VALIDATED = (
    "Support", "Placement", "ARPpair", "ARPcos", "ARPstd", "Silhouette", "SegReFree", "SegReFree(singletons='mean')",
)  # fmt: skip
DEFAULT_REFERENCES = ("Pk", "WindowDiff", "B", "W-F1")


def validate(
    documents: CorpusLike,
    segmentation: CorpusLike | None = None,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    encoders: Sequence[str | Encoder | Precomputed] = ("default",),
    references: Iterable[str] | None = None,
    profile: str = "caesura",
    against: str = "boundaries",
    levels: Sequence[float] = LEVELS,
    distances: Sequence[int] = DISTANCES,
    moved: Literal["one", "all"] = "all",
    draws: int = DRAWS,
    real_systems: bool | Iterable[str | Segmenter] = False,
    limits: Limits | None = None,
    seed: int = 0,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Validity:
    """Test which reference-free metrics work on these documents.

    A segmentation is damaged at rising levels (boundaries removed, segments split, boundaries moved), and its boundaries are
    placed anew: at random, evenly, between the same lengths in another order, around odd units. A metric works here if it
    scores the undamaged segmentation better, and more damage worse, and if it does better than a measure of lengths
    (`Evenness`), which is always tested beside the others: what needs no reading is no merit.

    Parameters
    ----------
    documents : path or Corpus
        The texts. If some have boundaries, these are gold, and only these documents are used.
    segmentation : path or Corpus, optional
        The boundaries to damage if there is no gold: the output of a system. It may be wrong, so the test says less.
    metrics : iterable of str or metric, optional
        Reference-free metrics; Support, Placement, ARP, silhouette and SegReFree if not given.
    encoders : sequence of str, Encoder or Precomputed
        Each metric is tested with each encoder.
    references : iterable of str, optional
        Pairwise metrics of the damaged segmentation against gold, to correlate with; Pk, WindowDiff, B and W-F1 if not
        given.
    profile : str
        The conventions of all metrics (`caesura.metrics.profiles`); ``paper`` is ARP as its equations print it, ``swapped``
        exchanges the two sides of reference metrics.
    against : str
        Which boundaries are gold: those of the documents, those that a share of their annotators marked (``"consensus=0.5"``), or
        those of one (``"annotator=NAME"``).
    levels : sequence of float
        Shares of boundaries to remove, and of segments to split.
    distances : sequence of int
        How far to move boundaries, in units, each in a random direction.
    moved : {"one", "all"}
        Whether to move one boundary of a document or all of them.
    draws : int
        How often to repeat each damage.
    real_systems : bool or iterable of str or segmenter
        Whether to compare gold also with what segmenters make of the documents: eight that are included, or those named. They
        read the text, as the damages do not, and a metric may score most of them above gold.
    limits : Limits, optional
        What a metric must reach.
    seed : int
        Random seed.
    cache, allow_download, format, columns, marks, strict
        As in `caesura.cohesion`.
    progress : callable, optional
        Called with the number of documents scored, and the number of all.

    Returns
    -------
    Validity
        The verdict on each metric with each encoder, and the numbers behind it.
    """
    if isinstance(encoders, str):
        encoders = [encoders]
    limits = _checked(draws, encoders, limits)
    checked_seed(seed)
    requested = cohesion_metrics(DEFAULT_VALIDATED if metrics is None else metrics, profile)
    one_reference(against, "one is damaged")
    base = _read_base(documents, segmentation, against, format, columns, marks, strict)
    corpus = base.corpus
    gold = base.given is None
    names = DEFAULT_REFERENCES if references is None else references
    pairwise = _references(names, profile) if gold else {}
    methods = find_systems(real_systems, gold=gold)
    planned = trials([*levels, limits.removal], distances, moved)
    chosen = find_profile(profile)
    test = _Test(corpus, with_blind(requested), pairwise, chosen, planned, draws, limits, seed, gold)
    tested: dict[str, EncoderTrust] = {}
    done = 0

    def advance(documents: int) -> None:
        nonlocal done
        done += documents
        if progress is not None:
            progress(done, len(encoders) * len(corpus) * (1 + len(methods)))

    for spec in encoders:
        embedded, vectors = embed_documents(corpus, spec, cache, allow_download)
        if vectors.fingerprint in (known.fingerprint for known in tested.values()):
            raise DeclarationError(f"the encoder {vectors.name!r} is named twice; name each once")
        name = vectors.name if vectors.name not in tested else f"{vectors.name} ({vectors.fingerprint})"
        same = [] if base.given is None else made_with({"": base.given}, vectors.fingerprint)
        also = test._replace(metrics=test.metrics | words_for(same, metrics, corpus, profile))
        batch = embedded.with_segmentations(corpus.flat)
        trust = tested[name] = also.judged(vectors.fingerprint, batch, advance, same_vectors=bool(same))
        if methods:
            rank_systems(trust, also.metrics, corpus, batch, methods, (spec, cache, allow_download), seed, advance)
    section = Section(
        documents=len(corpus), left_out=base.left_out, gold=gold, draws=draws, moved=moved, limits=limits,
        encoders=tested,
    )  # fmt: skip
    return Validity(corpus, base.inputs, section, seed, chosen.name, "nothing" if against == "boundaries" else against)


def _checked(draws: int, encoders: Sequence[object], limits: Limits | None) -> Limits:
    """Refuse options that are out of range, and return the limits."""
    if draws < 1:
        raise DeclarationError(f"draws is {draws}; it must be at least 1")
    if limits is not None and not isinstance(limits, Limits):
        raise DeclarationError("limits must be a Limits, such as Limits(better=0.9)")
    if not encoders:
        raise DeclarationError("no encoder given; name at least one, such as default")
    return limits or Limits()


def _references(names: Iterable[str], profile: str) -> dict[str, PairwiseMetric]:
    pairwise: dict[str, PairwiseMetric] = {}
    names = list(names)
    for name, metric in requested_metrics(names, profile).items() if names else ():
        if not isinstance(metric, PairwiseMetric):
            raise MetricError(f"{name}: does not compare a hypothesis with a reference; choose a metric such as Pk")
        pairwise[name] = metric
    return pairwise


def _reference_losses(
    metric: PairwiseMetric, corpus: Corpus, damages: Sequence[Sequence[Damage]], profile: Profile
) -> list[list[Floats]]:
    """Return the loss of a reference metric on each damaged document, by trial and draw."""
    flats = [corpus.flat, *(damage.flat for runs in damages for damage in runs)]
    pairs = Pairs.beside(Flat.joined([corpus.flat] * len(flats)), Flat.joined(flats), corpus.unit)
    perfect, *scores = metric.score(metric.count(profile.arranged(pairs))).reshape(len(flats), -1)
    rest = iter(scores)
    return [[metric.facts().gain(perfect, next(rest)) for _ in runs] for runs in damages]


class _Test(NamedTuple):
    """What is the same for every encoder: the metrics, the reference metrics, and the damage to do."""

    corpus: Corpus
    metrics: dict[str, CohesionMetric]
    references: Mapping[str, PairwiseMetric]
    profile: Profile
    planned: Sequence[Trial]
    draws: int
    limits: Limits
    seed: int
    gold: bool

    def judged(
        self, fingerprint: str, batch: Embedded, advance: Callable[[int], None], *, same_vectors: bool
    ) -> EncoderTrust:
        """Damage the segmentations, and judge every metric with one encoder."""
        tested = judge_metrics(
            self.metrics, self.corpus, batch, gold=self.gold, planned=self.planned, draws=self.draws,
            limits=self.limits, seed=self.seed, advance=advance, same_vectors=same_vectors,
        )  # fmt: skip
        losses = {
            n: _reference_losses(m, self.corpus, tested.damages, self.profile) for n, m in self.references.items()
        }
        ours = {
            name: [[metric.facts().gain(tested.before[name], run[name]) for run in runs] for runs in tested.after]
            for name, metric in self.metrics.items()
        }
        correlations = correlate(ours, losses)
        means = {name: means_of(each) for name, each in losses.items()}
        for name, trust in tested.judged.items():
            trust.correlations, own = correlations[name], means_of(ours[name])
            trust.level_means = {other: over_levels(own, theirs, self.planned) for other, theirs in means.items()}
        trapped = any(name.startswith(("SegReFree", "DaviesBouldin")) for name in self.metrics)
        traps = cautions(batch).traps() if trapped else []
        return EncoderTrust(
            fingerprint=fingerprint, facts=tested.facts, metrics=tested.judged, traps=traps, same_vectors=same_vectors
        )  # fmt: skip


class _Base(NamedTuple):
    """Documents with the boundaries to damage, and what gave them unless they are gold; how many documents have none; the inputs."""

    corpus: Corpus
    given: Source | None
    left_out: int
    inputs: list[Input]


def _read_base(
    documents: CorpusLike,
    segmentation: CorpusLike | None,
    against: str,
    format: str | None,  # noqa: A002
    columns: str | None,
    marks: str | None,
    strict: bool,
) -> _Base:
    """Read the documents and the boundaries to damage."""
    read = read_source(documents, "documents", format=format, columns=columns, marks=marks, strict=strict, texts=True)
    read = chosen_source(read, against)
    corpus = source = read.corpus
    inputs, given = [read.as_input("documents")], None
    gold = bool(source.present.any())
    if gold and segmentation is not None:
        raise ComparabilityError(
            "the documents have boundaries, which count as gold, and a segmentation is given; leave out one of them"
        )
    if not gold:
        if segmentation is None:
            raise ComparabilityError("no document has boundaries; give a segmentation of the documents to degrade")
        given = read_source(segmentation, "segmentation", format=format, columns=columns, marks=marks, strict=strict)
        inputs.append(given.as_input("segmentation"))
        corpus = _with_boundaries(source, on_units({"": given}, source)[0][""].corpus)
    usable = [key for key, size in zip(corpus.ids, np.diff(corpus.flat.ptr), strict=True) if size]
    if not usable:
        raise ComparabilityError("no document has a boundary; give documents with at least two segments")
    corpus = corpus if len(usable) == len(corpus) else corpus.subset(usable)
    return _Base(corpus, given, len(source) - len(corpus), inputs)


def _with_boundaries(source: Corpus, given: Corpus) -> Corpus:
    """Return the documents with the boundaries of a segmentation."""
    lacking = [key for key in source.ids if key not in given]
    if lacking:
        raise ComparabilityError(
            f"document {lacking[0]!r}{and_more(len(lacking))} is missing from the segmentation; add it"
        )
    documents = []
    for document in source:
        segmentation = given[document.id].segmentation
        if segmentation is None:
            raise ComparabilityError(f"document {document.id!r} of the segmentation has no boundaries; add them")
        if segmentation.n_units != document.n_units:
            raise ComparabilityError(
                f"document {document.id!r} has {document.n_units} units, its segmentation {segmentation.n_units}; "
                "both must be of the same units"
            )
        documents.append(dataclasses.replace(document, segmentation=segmentation))
    return Corpus(documents, name=source.name, ids_are_given=source.ids_are_given)


@dataclasses.dataclass(frozen=True)
class Validity(Outcome):
    """Reference-free metrics tested on a corpus; ``section`` has every number, by encoder and metric."""

    corpus: Corpus
    inputs: Sequence[Input]
    section: Section
    seed: int
    profile: str = "caesura"
    against: str = "nothing"

    def corpora(self) -> Corpora:
        """Return the documents, whose boundaries are a system's if they are not gold."""
        return Corpora(self.corpus, {} if self.section.gold else {"segmentation": self.corpus})

    def trust(self, metric: str, encoder: str | None = None) -> Trust:
        """Return whether a metric works; with the first encoder unless one is named."""
        name = encoder or next(iter(self.section.encoders))
        try:
            return self.section.encoders[name].metrics[metric]
        except KeyError:
            why = f"{metric!r} was not tested with {name!r}; see the first table of tables()"
            raise ComparabilityError(why) from None

    def results(self) -> Results:
        """Return everything that was measured, as typed data."""
        return Results(
            question="validate",
            caesura=__version__,
            against=self.against,
            profile=self.profile,
            unit=self.corpus.unit,
            seed=self.seed,
            environment=environment(),
            inputs=list(self.inputs),
            validity=self.section,
        )
