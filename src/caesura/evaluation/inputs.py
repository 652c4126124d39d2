# SPDX-License-Identifier: Apache-2.0
"""What may be evaluated: paths, corpora and mappings, and the metrics that are asked for."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, MetricError
from caesura.files import file_hash, stem
from caesura.metrics import Metric
from caesura.metrics.profiles import under_profile
from caesura.results import Input
from caesura.segmentation import CONTINUOUS_UNITS, Segmentation

__all__ = [
    "DEFAULT_METRICS",
    "CorpusLike",
    "Source",
    "SystemsLike",
    "asked_metrics",
    "default_metrics",
    "read_source",
    "read_systems",
    "with_length_classes",
]

CorpusLike = str | os.PathLike[str] | Corpus | Mapping[str, Segmentation] | Segmentation
SystemsLike = CorpusLike | Mapping[str, CorpusLike] | Iterable[str | os.PathLike[str]]


@dataclasses.dataclass(frozen=True)
class Source:
    """A corpus and where it came from."""

    corpus: Corpus
    name: str
    file: str | None = None
    sha256: str | None = None

    def as_input(self, role: str, missing: int = 0) -> Input:
        """Return it as the results file names it; ``missing`` documents were not there."""
        return Input(
            role=role,
            name=self.name,
            documents=len(self.corpus),
            unit=self.corpus.unit,
            file=self.file,
            sha256=self.sha256,
            missing=missing,
        )


def read_source(value: CorpusLike, name: str, *, format: str | None = None, strict: bool = False) -> Source:  # noqa: A002
    """Return the corpus behind a path, a corpus or a mapping."""
    if isinstance(value, Corpus):
        return Source(value, name)
    if isinstance(value, Segmentation):
        corpus = Corpus.from_segmentations({"1": value}, name=name)
        corpus.ids_are_given = False
        return Source(corpus, name)
    if isinstance(value, Mapping):
        return Source(Corpus.from_segmentations(value, name=name), name)
    if isinstance(value, (str, os.PathLike)):
        from caesura.formats import load

        path = Path(value)
        corpus = load(path, format, strict=strict)
        return Source(corpus, name, path.name, None if path.is_dir() else file_hash(path))
    raise ComparabilityError(
        f"{name!r} is a {type(value).__name__}; give a path, a Corpus, or a mapping of document id to Segmentation"
    )


def read_systems(
    systems: SystemsLike,
    *,
    single: bool = False,
    format: str | None = None,  # noqa: A002
    strict: bool = False,
) -> dict[str, Source]:
    """Return the systems by name; files without a name are named by their stem.

    A mapping to segmentations is one hypothesis of many documents, or, where the reference is a ``single``
    segmentation, many hypotheses of one.
    """
    if isinstance(systems, Mapping) and not systems:
        raise ComparabilityError("no system given; name at least one hypothesis")
    named: list[tuple[str, Any]]
    if isinstance(systems, Mapping) and (
        single or not all(isinstance(v, Segmentation) for v in systems.values())
    ):
        named = list(systems.items())
    elif isinstance(systems, (str, os.PathLike)):
        named = [(stem(systems), systems)]
    elif isinstance(systems, (Corpus, Segmentation, Mapping)):
        named = [("hypothesis", systems)]
    else:
        named = [(stem(path), path) for path in systems]
    if not named:
        raise ComparabilityError("no system given; name at least one hypothesis")
    found: dict[str, Source] = {}
    for name, value in named:
        if name in found:
            raise ComparabilityError(f"two systems are called {name!r}; name them apart: NAME=FILE")
        found[name] = read_source(value, name, format=format, strict=strict)
    return found


DEFAULT_METRICS = ("Pk", "WindowDiff", "B", "W-F1", "BOR", "Purity", "Coverage", "CovN", "CovD")
_NEED_A_DISTANCE = ("B", "W-F1")

M = TypeVar("M", bound=Metric)


def default_metrics(unit: str) -> list[str]:
    """Return the standard set; on a continuous unit without those that need a distance to be given."""
    return [name for name in DEFAULT_METRICS if unit not in CONTINUOUS_UNITS or name not in _NEED_A_DISTANCE]


def asked_metrics(metrics: Iterable[str | Metric] | str | Metric, profile: str) -> dict[str, Metric]:
    """Return the metrics by the text they were asked for with."""
    items = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    found: dict[str, Metric] = {}
    for item in items:
        if isinstance(item, str):
            found[item] = under_profile(item, profile)
        elif isinstance(item, Metric):
            found[str(item)] = item
        else:
            raise MetricError(f"{item!r} is no metric; give a name such as 'Pk' or 'WindowDiff(k=5)'")
    if not found:
        raise MetricError("no metric given; name at least one, such as 'Pk'")
    return found


def with_length_classes(metrics: Mapping[str, M], cut: int | str | None) -> dict[str, M]:
    """Add to each metric that knows length classes its short and its long part."""
    if cut is None:
        return dict(metrics)
    found: dict[str, M] = {}
    for name, metric in metrics.items():
        found[name] = metric
        if getattr(metric, "length", None) == "all":
            for length in ("short", "long"):
                options: dict[str, Any] = {"length": length, "cut": cut}
                found[f"{name} [{length}]"] = dataclasses.replace(metric, **options)
    if len(found) == len(metrics):
        raise MetricError(
            f"cut={cut!r}: none of the metrics knows length classes; ask for CovN, CovD or Boundary*"
        )
    return found
