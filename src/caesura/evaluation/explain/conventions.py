# SPDX-License-Identifier: Apache-2.0
"""The conventions under which a pair can be scored: their origin, profile and parameters, and the counts under them.

A convention has no formula. It consists of a profile (`caesura.metrics.profiles`) and parameters of the metrics, so
that the metrics themselves do all counting.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import cast

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import parameters
from caesura.evaluation.aggregate import Aggregate, aggregate
from caesura.metrics import METRICS
from caesura.metrics.base import Aggregation, Floats, PairwiseMetric, Request
from caesura.metrics.profiles import profile, under_profile

__all__ = ["CAESURA", "CONVENTIONS", "Convention", "Counter", "Outcome", "conventions_of"]


@dataclasses.dataclass(frozen=True)
class Convention:
    """One way to count: a profile, additional parameters, an aggregation.

    ``about`` names the tool or paper that counts this way. ``options`` are parameters on top of the profile; the convention does
    not apply to a metric that lacks one of them, nor, if ``metrics`` names some, to any other. ``by`` is the aggregation,
    None for the metric's default. ``remarks`` maps the name of a metric to a note on it. A convention that is ``always``
    shown appears even where its rules are the default ones.
    """

    name: str
    about: str
    profile: str = "caesura"
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)
    _: dataclasses.KW_ONLY
    by: Aggregation | None = None
    metrics: tuple[str, ...] = ()
    remarks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    always: bool = False

    @property
    def swap(self) -> bool:
        """Whether reference and hypothesis are exchanged."""
        return profile(self.profile).swap

    def apply(self, text: str) -> PairwiseMetric | None:
        """Return the named metric under this convention, or None if the convention does not apply to it."""
        plain = METRICS.parse(text)
        if not (self._concerns(plain) and self._has_options(plain)):
            return None
        text = str(dataclasses.replace(plain, **self.options))
        return cast(PairwiseMetric, under_profile(text, self.profile))

    def _concerns(self, metric: PairwiseMetric) -> bool:
        if self.metrics and metric.name() not in self.metrics:
            return False
        if self.profile == "caesura" or metric.name() in profile(self.profile).parameters:
            return True
        # Exchanging the sides has no effect on a symmetric metric.
        return self.swap and not metric.facts().symmetric

    def _has_options(self, metric: PairwiseMetric) -> bool:
        choices = {p.name: p.choices for p in parameters(metric)}
        return all(name in choices and value in (choices[name] or [value]) for name, value in self.options.items())


CAESURA = Convention("Caesura", "the default here, which the others are compared with")
_WINDOWS = ("Pk", "WindowDiff")
_NO_DEFAULT_K = {"WindowDiff": "NLTK's windowdiff has no default k: it is given that of NLTK's pk here"}
CONVENTIONS = (
    Convention("segeval", "segeval 2.0.11 on masses", "segeval", always=True),
    Convention("segeval, default call", "segeval's precision(cm) and recall(cm) without classification=1", "segeval", {"classes": "all"}),
    Convention("Lamprier edges", "Lamprier et al. 2007", options={"edge": "lamprier"}),
    Convention("segeval, Lamprier edges", "segeval with lamprier_et_al_2007_fix=True", "segeval", {"edge": "lamprier"}),
    Convention("NLTK, gap string", "nltk.metrics.segmentation on n-1 characters", "nltk", remarks=_NO_DEFAULT_K),
    Convention(
        "NLTK, gap string, same k", "NLTK on n-1 characters, given Caesura's k", metrics=_WINDOWS, always=True,
        remarks=dict.fromkeys(_WINDOWS, "given the same k, NLTK counts the same windows"),
    ),
    Convention("NLTK, unit string ending 0", "NLTK on n characters, the last one 0", "nltk", {"string": "units"}, remarks=_NO_DEFAULT_K),
    Convention("NLTK, unit string ending 1", "NLTK on n characters, the last one 1", "nltk", {"string": "units_closed"}, remarks=_NO_DEFAULT_K),
    Convention("NLTK, same k, weighted", "NLTK's windowdiff with weighted=True", options={"weighted": True}),
    Convention(
        "SuperDialseg", "SuperDialseg's released evaluation on n labels, the last one 0", "superdialseg",
        metrics=(*_WINDOWS, "DialogueScore"), always=True,
    ),
    Convention(
        "Episodic", "released code of the W-F1 paper: k rounded down, a quarter of a document without boundaries",
        options={"rounding": "floor", "k_from": "two_segments", "short": "no_error"}, metrics=_WINDOWS,
    ),
    Convention("HAPS, one reference", "HAPS' rule for k: rounded down, no minimum", options={"rounding": "floor", "min_k": 0}, metrics=_WINDOWS),
    Convention("HAPS, many references", "HAPS' rule for k: half up, no minimum", options={"rounding": "half_up", "min_k": 0}, metrics=_WINDOWS),
    Convention("interior windows", "code of WinPR's author", options={"edge": "interior"}),
    Convention("Episodic", "released code of the W-F1 paper", "as_run"),
    Convention(
        "Episodic, one to one", "released code of the W-F1 paper", options={"matching": "as_run_one_to_one", "empty": "vacuous"},
    ),
    Convention("one to one", "W-F1 paper, Appendix G; mir_eval", options={"matching": "one_to_one"}),
    Convention("coverage", "W-F1 paper, Appendix A", options={"matching": "coverage"}),
    Convention("empty side counts 1", "pyannote.metrics; Episodic one to one", options={"empty": "vacuous"}),
    Convention("no boundary counts 0", "scikit-learn with zero_division=0; SuperDialseg", options={"empty": "always_zero"}),
    Convention("gamma reached", "a coverage of exactly gamma is enough", options={"strict": False}),
    Convention("swapped", "reference and hypothesis exchanged", "swapped", always=True),
    Convention("macro", "mean over documents", by="macro"),
    Convention("micro", "summed counts of all documents; koomri/text-segmentation pools Pk so", by="micro"),
)  # fmt: skip
"""Every convention, in the order of the tables."""


def conventions_of(text: str, n_documents: int) -> Iterator[tuple[Convention, PairwiseMetric]]:
    """Yield the conventions that apply to a metric, each with the metric under it."""
    plain = METRICS.parse(text)
    seen = set()
    for convention in CONVENTIONS:
        metric = convention.apply(text)
        if metric is None or (convention.name, metric) in seen:
            continue
        if convention.by is not None:
            applies = n_documents > 1 and plain.card.additive and convention.by != plain.facts().aggregation
        else:
            applies = metric != plain or convention.always
        if applies:
            seen.add((convention.name, metric))
            yield convention, metric


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The counts and the score of a metric, with the parameters in force, under a convention.

    ``pairs`` are the documents, with the sides exchanged if the convention does so; ``table`` holds all columns of the
    ``request``, one row per document.
    """

    convention: Convention
    metric: PairwiseMetric
    pairs: Pairs
    request: Request
    table: Floats
    aggregate: Aggregate

    @property
    def score(self) -> float:
        """The score of all documents."""
        return self.aggregate.score

    @property
    def single(self) -> bool:
        """Whether there is only one document."""
        return len(self.table) == 1

    @property
    def counts(self) -> Floats:
        """The columns that the metric reads."""
        return self.table[:, self.metric.places(self.request)]

    def has(self, name: str) -> bool:
        """Return whether the counts have a column."""
        return name in self.request.columns

    def column(self, name: str) -> Floats:
        """Return a column of the counts, one number per document."""
        return self.table[:, self.request.columns.index(name)]

    def total(self, name: str) -> int:
        """Return the sum of one of the metric's own columns."""
        return int(self.counts[:, self.metric.columns.index(name)].sum())

    def range_of(self, name: str) -> tuple[int, int]:
        """Return the minimum and maximum of a column."""
        values = self.column(name)
        return int(values.min()), int(values.max())


class Counter:
    """Count metrics on the same documents under conventions; equal requests are counted once."""

    def __init__(self, pairs: Pairs) -> None:
        self._sides = {False: pairs, True: pairs.swapped()}
        self._tables: dict[tuple[bool, Request], Floats] = {}

    def count(self, convention: Convention, metric: PairwiseMetric) -> Outcome:
        """Return the counts and the score of a metric under a convention."""
        pairs = self._sides[convention.swap]
        request = metric.request(pairs.unit)
        key = (convention.swap, request)
        if key not in self._tables:
            self._tables[key] = request.count(pairs)
        table = self._tables[key]
        how = convention.by or metric.facts().aggregation
        with np.errstate(invalid="ignore"):  # infinite scores (BOR) among those summed
            score = aggregate(metric, table[:, metric.places(request)], how)
        return Outcome(convention, metric, pairs, request, table, score)
