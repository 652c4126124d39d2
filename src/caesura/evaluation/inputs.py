# SPDX-License-Identifier: Apache-2.0
"""Inputs of an evaluation: paths, corpora, mappings and arrays, and the metrics that were requested.

A document may be given as a `caesura.Segmentation`, or spelled in a way that means one thing only
(`caesura.segmentation.segmentation_of`): a string of 0 and 1, one digit per gap, or a list, tuple or array of bool. With
``marks``, which says what a 1 marks, whole numbers 0 and 1 are read too, and it holds for labels of 0 and 1 in rows and files.
A string is a path first: ``"0100"`` is read from a file if there is one of that name. In a mapping of ids, strings are never
paths.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeGuard, TypeVar, cast

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus, Numbered
from caesura.errors import ComparabilityError, MetricError, and_more, listed
from caesura.evaluation.texts import (
    ArrowStream,
    are_chunks,
    are_texts,
    chunk_corpus,
    records_of,
    refuse_bare_texts,
    text_corpus,
)
from caesura.files import relative_to, system_name
from caesura.metrics import Metric, listed_metrics
from caesura.metrics.profiles import profile as find_profile
from caesura.metrics.profiles import under_profile
from caesura.results import Input
from caesura.segmentation import CONTINUOUS_UNITS, Segmentation, Spelled, check_marks, is_spelled, segmentation_of
from caesura.units.quantity import default_tolerance

if TYPE_CHECKING:
    from caesura.segmenters.base import Segmenter

__all__ = [
    "DEFAULT_METRICS", "CorpusLike", "PairsLike", "Source", "SystemsLike", "check_missing", "default_metrics", "read_pairs",
    "read_source", "read_systems", "requested_metrics", "standard_metrics", "with_length_classes", "wrong_family",
]  # fmt: skip

CorpusLike = (
    str | os.PathLike[str] | Corpus | Mapping[str, Spelled] | Mapping[str, str | Sequence[Any]] | Spelled | ArrowStream
    | Iterable[Mapping[str, Any]]
)  # fmt: skip
SystemLike: TypeAlias = "CorpusLike | Callable[..., object] | Segmenter"
SystemsLike: TypeAlias = "SystemLike | Mapping[str, SystemLike] | Iterable[str | os.PathLike[str]]"
PairsLike = Pairs | Mapping[str, Pairs]


class Reading(TypedDict):
    """Options of `read_source` and `read_systems`."""

    columns: str | None
    marks: str | None
    strict: bool
    missing: str | None


@dataclasses.dataclass(frozen=True)
class Source:
    """A corpus and the name it has here; the corpus knows where it came from.

    It is ``single`` if it was given as one segmentation, without an id, and a ``baseline`` if it was made here. ``assumed``
    is what reading it took for granted, such as ``{"match": "order"}``: part of every recipe; ``remark`` is what it cost. ``run_of`` names
    the system of which it is one run.
    """

    corpus: Corpus
    name: str
    single: bool = False
    baseline: bool = False
    assumed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    remark: str = ""
    run_of: str = ""

    def remarked(self, remark: str, **changes: Any) -> Source:
        """Return it with one remark more, and other changes."""
        return dataclasses.replace(self, remark="; ".join(filter(None, (self.remark, remark))), **changes)

    @property
    def file(self) -> str | None:
        """The file, folder or pattern that was read, from the current folder."""
        return None if self.corpus.origin is None else relative_to(self.corpus.origin.path)

    @property
    def sha256(self) -> str | None:
        """The hash of what was read."""
        return None if self.corpus.origin is None else self.corpus.origin.sha256

    def as_input(self, role: str, missing: int = 0) -> Input:
        """Return it as the results file names it; ``missing`` documents were not there."""
        corpus, origin = self.corpus, self.corpus.origin
        known: dict[str, Any] = {}
        if origin is not None:
            known = {"format": origin.format, "files": origin.files or None, "changes": origin.changes or None}
        return Input(
            role=role, name=self.name, documents=len(corpus), unit=corpus.unit, file=self.file, sha256=self.sha256,
            missing=missing, assumed=dict(self.assumed) or None, made_by=corpus.made_by or None, **known,
        )  # fmt: skip


def read_source(
    value: CorpusLike,
    name: str,
    *,
    format: str | None = None,  # noqa: A002
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    texts: bool = False,
    repair: bool = False,
    missing: str | None = None,
) -> Source:
    """Return the corpus behind a path, a corpus, a mapping or one segmentation; with ``texts``, a mapping may hold texts.

    A mapping of lists of strings is then of units, and otherwise of chunks. ``columns`` says what columns and keys are for,
    ``marks`` what labels of 0 and 1, bits or spans mark; ``repair`` is that of `caesura.load`. With
    ``missing="skip"`` documents that cannot be read are left out.
    """
    check_marks(marks)
    if isinstance(value, Corpus):
        return Source(value, name)
    if isinstance(value, Mapping):
        if texts and are_texts(value):
            return Source(text_corpus(value, name, format), name)
        if not texts and are_chunks(value):
            return Source(chunk_corpus(cast("Mapping[str, Sequence[str]]", value), name), name)
        return Source(Corpus.from_segmentations(value, name=name, marks=marks), name)
    if hasattr(value, "__arrow_c_stream__"):
        from caesura.formats import from_arrow

        return Source(from_arrow(value, name, columns=columns, marks=marks, strict=strict), name)
    refuse_bare_texts(value, name)
    if _is_path(value):
        from caesura.formats import leaving_out, load

        with leaving_out(missing) as bad:
            corpus = load(value, format, columns=columns, marks=marks, strict=strict, repair=repair)
        remark = f"{len(bad)} left out, which cannot be read: {listed(bad, '; ')}" if bad else ""
        return Source(corpus, name, assumed={"left_out": str(len(bad))} if bad else {}, remark=remark)
    rows = records_of(value)
    if rows is not None:
        from caesura.formats import from_records

        return Source(from_records(rows, name, columns=columns, marks=marks, strict=strict), name)
    if isinstance(value, (Segmentation, str, list, tuple, np.ndarray)):
        corpus = Corpus.from_segmentations({"1": segmentation_of(value, repr(name), marks=marks)}, name=name)
        corpus.ids_are_given = False
        return Source(corpus, name, single=True)
    raise ComparabilityError(
        f"{name!r} is a {type(value).__name__}; give a path, a Corpus, or a mapping of document id to Segmentation"
    )


def check_missing(missing: str) -> None:
    """Refuse an unknown value of ``missing``, which says what to do when a system lacks a document."""
    if missing not in ("error", "skip"):
        raise ComparabilityError(f"missing is {missing!r}; it must be 'error' or 'skip'")


def _is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Say whether a value names a file; a string of 0 and 1 does if there is such a file."""
    if isinstance(value, str):
        return not is_spelled(value) or os.path.exists(value)  # noqa: PTH110  (a name too long is not an error)
    return isinstance(value, os.PathLike)


def read_pairs(batches: PairsLike) -> tuple[Source, dict[str, Source]]:
    """Return the reference and the systems behind batches of pairs; the documents are numbered from 1."""
    named = {"hypothesis": batches} if isinstance(batches, Pairs) else dict(batches)
    first, shared = next(iter(named.items()))
    for name, pairs in named.items():
        if not all(_same(getattr(pairs, side), getattr(shared, side)) for side in ("n_units", "ref_ptr", "ref_pos")):
            raise ComparabilityError(
                f"the references of {first!r} and {name!r} differ; all batches must hold the same documents"
            )
    ids = Numbered(len(shared))

    def source(name: str, flat: Flat, unit: str) -> Source:
        return Source(Corpus.from_flat(ids, flat, unit=unit, name=name, ids_are_given=False), name)

    reference = source("reference", shared.reference, shared.unit)
    return reference, {name: source(name, pairs.hypothesis, pairs.unit) for name, pairs in named.items()}


def _same(first: Ints, second: Ints) -> bool:
    return first is second or np.array_equal(first, second)


def read_systems(
    systems: SystemsLike,
    *,
    single: bool = False,
    format: str | None = None,  # noqa: A002
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    beside: Corpus | None = None,
    missing: str | None = None,
) -> dict[str, Source]:
    """Return the systems by name; files without a name are named by their stem, and functions segment the corpus ``beside``.

    A mapping to segmentations is one hypothesis of many documents, or, where the reference is a ``single``
    segmentation, many hypotheses of one. Ids that are those of the corpus ``beside`` are held once; if it is in time, lists
    of chapters are repaired.
    """
    repair = beside is not None and beside.unit == "ms"
    named: list[tuple[Any, Any]]
    if isinstance(systems, Mapping):
        # Types first: a hundred thousand segmentations are told apart from systems in no time.
        documents = set(map(type, systems.values())) <= {Segmentation} or all(
            is_spelled(value, marks) for value in systems.values()
        )
        documents = documents or are_chunks(systems)
        named = [("hypothesis", systems)] if systems and documents and not single else list(systems.items())
    elif _is_path(systems):
        named = [(system_name(systems), systems)]
    elif (
        isinstance(systems, (Corpus, Segmentation, str, np.ndarray))
        or hasattr(systems, "__arrow_c_stream__")
        or not isinstance(systems, Iterable)
    ):
        named = [("hypothesis", systems)]
    else:
        items = list(systems)
        paths = all(isinstance(item, (str, os.PathLike)) for item in items)
        named = [(system_name(item), item) for item in items] if paths else [("hypothesis", items)]
    if not named:
        raise ComparabilityError("no system given; name at least one hypothesis")
    sources: dict[str, Source] = {}
    for given, value in named:
        name = str(given) if isinstance(given, int) else given
        if not isinstance(name, str) or not name:
            raise ComparabilityError(f"a system is called {name!r}; give it a name, such as NAME=FILE")
        if name in sources:
            raise ComparabilityError(
                f"two systems are called {name!r}; name them apart, with NAME=FILE or in a mapping of name to system"
            )
        if beside is not None and (callable(value) or hasattr(value, "cut_corpus")):
            sources[name] = _segmented(value, name, beside, missing)
        else:
            read = functools.partial(
                read_source, format=format, columns=columns, marks=marks, strict=strict, repair=repair, missing=missing
            )
            sources |= _runs(value, name, read)
    if beside is not None:
        for source in sources.values():
            source.corpus.share(beside)
    return sources


def _runs(value: CorpusLike, name: str, read: Callable[[CorpusLike, str], Source]) -> dict[str, Source]:
    """Return the runs of a system: a list of files or corpora, or the files of a pattern that share documents; else the only one.

    Files of a pattern that have no document in common, or no ids, are parts of one corpus.
    """
    runs: Sequence[CorpusLike] = []
    if isinstance(value, (list, tuple)) and value and all(isinstance(each, (Corpus, os.PathLike)) for each in value):
        runs = cast("Sequence[CorpusLike]", value)
    elif _is_path(value):
        from caesura.formats import expanded

        files = expanded(value)
        if len(files) > 1:
            first, second = (read(file, name).corpus for file in files[:2])
            named = first.ids_are_given and second.ids_are_given
            runs = files if named and not set(first.ids).isdisjoint(second.ids) else []
    if not runs:
        return {name: read(value, name)}
    each_run = {f"{name}[{place}]": each for place, each in enumerate(runs, start=1)}
    return {key: dataclasses.replace(read(each, key), run_of=name) for key, each in each_run.items()}


def _segmented(method: Callable[..., object] | Segmenter, name: str, documents: Corpus, missing: str | None) -> Source:
    """Return the documents as a function or a segmenter cuts them; one that fails is missing."""
    from caesura.segmenters import segmenter
    from caesura.segmenters.run import run_method

    failed: list[str] = []
    made = run_method(documents, segmenter(method) if callable(method) else method, failed=failed)
    if failed and missing != "skip":
        raise ComparabilityError(
            f"{name}: {failed[0]}, or skip and count such documents with missing='skip'{and_more(len(failed), True)}"
        )
    remark = f"failed on {len(failed)} of {len(documents)} documents: {listed(failed, '; ')}"
    return Source(made, name, remark=remark if failed else "")


DEFAULT_METRICS = ("Pk", "WindowDiff", "B", "W-F1", "BOR", "Purity", "Coverage", "CovN", "CovD")

M = TypeVar("M", bound=Metric)


def standard_metrics(profile: str) -> tuple[str, ...]:
    """Return what is scored under a profile if no metric is named: what its program prints, or else the standard set.

    >>> standard_metrics("superdialseg")
    ('Pk', 'WindowDiff', 'F1', 'Score', 'MAE')
    """
    chosen = find_profile(profile)
    return chosen.metrics or tuple(chosen.names) or DEFAULT_METRICS


def default_metrics(unit: str, names: Iterable[str], profile: str = "caesura", *, titled: bool = False) -> list[str]:
    """Return a set as the documents allow.

    On time and characters W-F1 has the usual tolerance there, and what needs a distance is left out; so is what reads titles,
    unless segments are ``titled``.
    """
    near = f"BoundaryF1(tolerance={default_tolerance(unit)!r})" if unit in CONTINUOUS_UNITS else "W-F1"
    standard = [near if name == "W-F1" else name for name in names]
    found = {name: under_profile(name, profile) for name in standard}
    return [
        name for name, each in found.items() if not each.needs_distance(unit) and (titled or not each.needs_titles())
    ]


def requested_metrics(metrics: Iterable[str | Metric] | str | Metric, profile: str) -> dict[str, Metric]:
    """Return the metrics by the text with which each was requested."""
    if not isinstance(metrics, (str, Metric, Iterable)):
        raise MetricError(f"{metrics!r} is not a metric; give a name such as 'Pk', or a list of names")
    by_text: dict[str, Metric] = {}
    for item in listed_metrics(metrics, find_profile(profile).names):
        if isinstance(item, str):
            by_text[item] = under_profile(item, profile)
        elif isinstance(item, Metric):
            by_text[str(item)] = item
        else:
            raise MetricError(f"{item!r} is not a metric; give a name such as 'Pk' or 'WindowDiff(k=5)'")
    if not by_text:
        raise MetricError("no metric given; name at least one, such as 'Pk'")
    return by_text


def wrong_family(name: str, metric: Metric) -> MetricError:
    """Return the error for a metric that takes other inputs than an evaluation has, with what to use instead."""
    from caesura.metrics.agreement import PanelMetric
    from caesura.metrics.cohesion import CohesionMetric

    if isinstance(metric, CohesionMetric):
        return MetricError(f"{name}: needs vectors, not a reference; measure it with caesura cohesion")
    if isinstance(metric, PanelMetric):
        return MetricError(f"{name}: needs several annotators; evaluate against='annotators' (--against annotators)")
    return MetricError(f"{name}: measures the annotators alone; see caesura agree")


def with_length_classes(metrics: Mapping[str, M], cut: int | str | None) -> dict[str, M]:
    """Add the short and the long class of every metric that has length classes."""
    if cut is None:
        return dict(metrics)
    classified: dict[str, M] = {}
    for name, metric in metrics.items():
        classified[name] = metric
        if getattr(metric, "length", None) == "all":
            for length in ("short", "long"):
                options: dict[str, Any] = {"length": length, "cut": cut}
                classified[f"{name} [{length}]"] = dataclasses.replace(metric, **options)
    if len(classified) == len(metrics):
        raise MetricError(f"cut={cut!r}: none of the metrics has length classes; add CovN, CovD or Boundary*")
    return classified
