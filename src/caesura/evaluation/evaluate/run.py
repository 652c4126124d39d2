# SPDX-License-Identifier: Apache-2.0
"""The function that measures systems against a reference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, cast, overload

from caesura.batches.pairs import Missing, pair
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.against import EACH
from caesura.evaluation.evaluate.report import Counted, Evaluation
from caesura.evaluation.evaluate.sources import (
    chosen_reference,
    common_documents,
    long_enough,
    named,
    read_both,
    with_baselines,
    with_title_vectors,
    with_titles,
    without_extra,
)
from caesura.evaluation.inputs import (
    CorpusLike,
    PairsLike,
    SystemsLike,
    check_missing,
    default_metrics,
    requested_metrics,
    standard_metrics,
    with_length_classes,
    wrong_family,
)
from caesura.evaluation.matching import Durations, Match
from caesura.metrics.base import Aggregation, Metric, PairwiseMetric
from caesura.metrics.counting import count_requests
from caesura.metrics.profiles import profile as find_profile

if TYPE_CHECKING:
    from caesura.evaluation.agree.standing import PanelEvaluation

__all__ = ["Options", "evaluate"]


Metrics = Iterable[str | Metric] | str | Metric | None


class Options(TypedDict, total=False):
    """The options of `evaluate` that do not affect the type of its result."""

    by: Aggregation | None
    profile: str
    missing: Missing
    match: Match
    duration: str | None
    durations: Durations | None
    cut: int | str | None
    baselines: str | Iterable[str]
    seed: int
    threads: int | None
    format: str | None
    columns: str | None
    marks: str | None
    strict: bool
    part: bool


@overload
def evaluate(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None = None,
    metrics: Metrics = None,
    *,
    against: Literal["boundaries"] = "boundaries",
    **options: Unpack[Options],
) -> Evaluation: ...
@overload
def evaluate(
    reference: CorpusLike,
    systems: SystemsLike,
    metrics: Metrics = None,
    *,
    against: Literal["annotators", "best", "all"],
    **options: Unpack[Options],
) -> PanelEvaluation: ...
@overload
def evaluate(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None = None,
    metrics: Metrics = None,
    *,
    against: str = "boundaries",
    **options: Unpack[Options],
) -> Evaluation | PanelEvaluation: ...
def evaluate(
    reference: CorpusLike | PairsLike,
    systems: SystemsLike | None = None,
    metrics: Metrics = None,
    *,
    against: str = "boundaries",
    by: Aggregation | None = None,
    profile: str = "caesura",
    missing: Missing = "error",
    match: Match = "id",
    duration: str | None = None,
    durations: Durations | None = None,
    cut: int | str | None = None,
    baselines: str | Iterable[str] = (),
    seed: int = 0,
    threads: int | None = None,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    part: bool = False,
) -> Evaluation | PanelEvaluation:
    """Measure systems against a reference.

    Parameters
    ----------
    reference : path, Corpus, mapping of id to document, one document, or Pairs
        The gold segmentations. A document is a `Segmentation`, a string of 0 and 1 (one digit per gap), or a list or array of
        bool; whole numbers may be masses, labels or bits, so they are refused (`Segmentation.from_masses`, ``from_labels``,
        ``from_bits`` and ``from_boundaries`` say which). `Pairs`, or a mapping of names to them, hold their systems
        already: documents are then numbered from 1.
    systems : mapping of name to any of these, or one or several paths
        The segmentations to score; files are named by their stem. Left out if the reference is `Pairs`. A mapping of id to a
        list of chunks is located in the texts of the reference. A function, or a `caesura.segmenter`, segments the texts of
        the reference; a document on which it fails is missing. A list of paths or corpora, or a pattern such as ``run*.jsonl`` of files
        that share documents, are several runs of one system: its scores are their means
        (`caesura.evaluation.evaluate.runs.RunEvaluation`).
    metrics : iterable of str or metric, optional
        Such as ``["Pk", "BoundaryF1(tolerance=1)"]``; a standard set if not given, or what the program of the profile prints.
    against : str
        Which boundaries of the reference to score against: its ``"boundaries"``, all its ``"annotators"`` (the mean over them), the
        ``"best"`` annotator of each document for each system, the boundaries that at least a share of the annotators marked
        (``"consensus=0.5"``; 0 is the union), or those of one (``"annotator=NAME"``). ``"all"`` scores against the annotators, and
        adds a table with each of these references.
        ``"pseudo"`` means that its boundaries are machine-made, and marks every number accordingly
        (`caesura.evaluation.evaluate.sources`).
    by : {"macro", "micro"}, optional
        How documents are aggregated; each metric's default if not given.
    profile : str
        The conventions to follow (`caesura.metrics.profiles`).
    missing : {"error", "skip"}
        What to do when a system lacks a document of the reference or has one that the reference lacks, or a line of a file, or a
        file of a folder, cannot be read: raise an error, or leave the document out, counted and listed.
    match : {"id", "order"}
        Whether to match documents of reference and system by id or, in files without ids, by their order, which every
        signature then records.
    duration : str, optional
        The length of a recording whose file lacks it (a list of starts), such as ``"1:02:30"`` or ``"90min"``.
    durations : path or mapping of id to length, optional
        The lengths of several recordings, in seconds or as times: a mapping, a table or JSON of id and length, or a file or
        folder of media or transcripts.
    cut : int or str, optional
        Also break CovN, CovD and the boundary scores down by segment length: shorter than this, or not.
    baselines : str or iterable of str
        Baselines to score along with the systems, such as ``"none,every,random_density"`` (`caesura.segmenters`).
    seed : int
        Random seed of the baselines.
    threads : int, optional
        Worker threads; by default one for each processor, if there is enough to count. Results do not depend on it.
    format : str, optional
        The format of the files; detected if not given.
    columns : str, optional
        What columns of tables and frames and keys of records are for, such as ``"doc=dial_id,label=topic"`` (`caesura.load`).
    marks : {"first", "last", "last_closed", "topics", "gap", "segments"}, optional
        What labels of 0 and 1, bits, or spans of an annotation tool mark, wherever they occur in the inputs (`caesura.load`).
        Without it they are asked about if they can mean several things.
    strict : bool
        Refuse unknown keys in files.
    part : bool
        Whether these are some documents of a corpus that is merged later (`caesura.scale.count`): then no document need be left
        to score, or be longer than a window.

    Returns
    -------
    Evaluation or PanelEvaluation
        Scores, tables, signatures and results file. Against annotators it is a `PanelEvaluation`, which also has the annotators'
        scores against each other.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference = {"d1": Segmentation.from_masses([6, 3, 4])}
    >>> e = evaluate(reference, {"a": {"d1": Segmentation.from_masses([4, 4, 5])}}, metrics=["Pk", "B"])
    >>> round(e.scores["a"]["Pk"], 3)
    0.545
    >>> round(evaluate("000001001000", "000100010000", "Pk").scores["hypothesis"]["Pk"], 3)
    0.545
    """
    _check_options(by, missing, threads)
    source, hypotheses = read_both(
        reference, systems, format, strict, match, duration, columns, marks, durations, missing
    )
    if missing == "skip":
        hypotheses = {name: without_extra(system, source.corpus) for name, system in hypotheses.items()}
    chosen = find_profile(profile)
    unmarked = against == "boundaries" and not source.corpus.present.any()
    if chosen.several and unmarked and any(document.annotations for document in source.corpus):
        against = chosen.several
    if against in EACH:
        from caesura.evaluation.agree.standing import evaluate_among

        hypotheses = with_baselines(hypotheses, baselines, source.corpus, seed)
        among = evaluate_among(
            source, hypotheses, metrics, by=by, profile=chosen.name, missing=missing, cut=cut, threads=threads or 1,
            against="best" if against == "best" else "annotators",
        )  # fmt: skip
        if against == "all":
            from caesura.evaluation.agree.axis import one_axis
            from caesura.evaluation.agree.references import against_each

            among.answers.references, among.answers.axis = against_each(among), one_axis(among)
        return _grouped(among)
    against = named(against, source)
    source, hypotheses = chosen_reference(source, against, hypotheses)
    hypotheses = with_baselines(hypotheses, baselines, source.corpus, seed)
    pairings = {
        name: pair(source.corpus, hypothesis.corpus, name=name, missing=missing)
        for name, hypothesis in hypotheses.items()
    }
    had = {name: len(pairing.rows) for name, pairing in pairings.items()}
    pairings = common_documents(pairings)
    if chosen.shortest and source.corpus.unit == "ms":
        pairings = long_enough(pairings, chosen.shortest)
    if not part and len(source.corpus) and not len(next(iter(pairings.values())).rows):
        raise ComparabilityError(
            "no document of the reference is in every system, so that missing='skip' leaves none to score; "
            "evaluate the systems one by one"
        )
    first = next(iter(pairings.values()))
    unit, rows, ids = first.pairs.unit, first.rows, source.corpus.ids
    reading = [name for name, each in _metrics(metrics, unit, profile, cut, by).items() if each.needs_titles()]
    pairs, untitled = with_titles(pairings, source, hypotheses, reading, optional=metrics is None)
    if untitled:
        hypotheses = {name: source.remarked(untitled) for name, source in hypotheses.items()}
    requested = _metrics(metrics, unit, profile, cut, by, titled=not untitled)
    pairs = with_title_vectors(pairs, sorted({each.title_encoder() for each in requested.values()} - {""}))
    requests = {name: metric.request(unit) for name, metric in requested.items()}
    batches = [chosen.arranged(each) for each in pairs.values()]
    for batch in batches if not part else ():
        for metric in requested.values():
            metric.check_corpus(batch)
    # Each distinct request runs once per system, however many metrics read it.
    tables = dict(zip(pairs, count_requests(batches, list(requests.values()), threads=threads), strict=True))
    evaluation = Evaluation(
        reference=source,
        systems=hypotheses,
        metrics=requested,
        requests=requests,
        pairs=pairs,
        counted={
            name: Counted(
                tables[name], pairing.skipped, pairing.fitted, had[name] - len(pairing.rows), len(pairing.endless)
            )
            for name, pairing in pairings.items()
        },
        documents=ids if len(rows) == len(ids) else [ids[row] for row in rows],
        unit=unit,
        by=by,
        profile=chosen.name,
        against=against,
    )
    return _grouped(evaluation)


def _grouped(single: Evaluation | PanelEvaluation) -> Evaluation | PanelEvaluation:
    """Return an evaluation in which the runs of a system are one."""
    if not any(source.run_of for source in single.systems.values()):
        return single
    from caesura.evaluation.evaluate.runs import grouped

    # Only who gives runs gets a RunEvaluation, which has what comparisons, intervals and chance need.
    return cast("Evaluation", grouped(single))


def _check_options(by: str | None, missing: str, threads: object) -> None:
    """Raise for unknown values of options, instead of falling back to a default."""
    if by not in (None, "macro", "micro"):
        raise ComparabilityError(f"by is {by!r}; it must be 'macro', 'micro' or None for each metric's own")
    check_missing(missing)
    if threads is not None and not (isinstance(threads, int) and threads >= 1):
        raise ComparabilityError(f"threads is {threads!r}; it must be a whole number from 1 on")


def _metrics(
    metrics: Metrics, unit: str, profile: str, cut: int | str | None, by: Aggregation | None, *, titled: bool = True
) -> dict[str, PairwiseMetric]:
    """Return the metrics, all of them for a reference and a hypothesis, by their requested text."""
    pairwise: dict[str, PairwiseMetric] = {}
    for name, metric in requested_metrics(
        default_metrics(unit, standard_metrics(profile), profile, titled=titled) if metrics is None else metrics,
        profile,
    ).items():
        if not isinstance(metric, PairwiseMetric):
            raise wrong_family(name, metric)
        pairwise[name] = metric
    pairwise = with_length_classes(pairwise, cut)
    for name, metric in pairwise.items():
        if by == "micro" and not metric.facts().additive:
            raise MetricError(f"{name}: the counts of documents do not add, so there is no micro score; use macro")
    return pairwise
