# SPDX-License-Identifier: Apache-2.0
"""The conventions under which a pair can be scored: whose they are, and which profile and parameters make them.

A convention holds no formula. It names a profile (`caesura.metrics.profiles`) and parameters of the metrics, so
whatever is counted under it is counted by the metric itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, cast

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
    """One way to count, with its name.

    Attributes
    ----------
    name : str
        What a table calls it.
    about : str
        Who counts so.
    profile : str
        The profile in force.
    options : mapping
        Parameters set besides; a metric that lacks one of them does not know the convention.
    by : {"macro", "micro"} or None
        How documents are put together; None for the metric's own way.
    metrics : tuple of str
        The only metrics it speaks of; empty for all that take its options.
    remarks : mapping
        Metric name to what must be said of it here besides the numbers.
    always : bool
        Whether it is shown even where its rules are the default ones.
    """

    name: str
    about: str
    _: dataclasses.KW_ONLY
    profile: str = "caesura"
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    by: Aggregation | None = None
    metrics: tuple[str, ...] = ()
    remarks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    always: bool = False

    @property
    def swap(self) -> bool:
        """Whether reference and hypothesis are exchanged."""
        return profile(self.profile).swap

    def apply(self, text: str) -> PairwiseMetric | None:
        """Return the metric that a text names as this convention has it, or None if it says nothing of it."""
        plain = METRICS.parse(text)
        if not (self._names(plain) and self._takes(plain)):
            return None
        text = str(dataclasses.replace(plain, **self.options))
        return cast(PairwiseMetric, under_profile(text, self.profile))

    def _names(self, metric: PairwiseMetric) -> bool:
        chosen = profile(self.profile)
        if chosen.name == "caesura" or metric.name() in chosen.parameters:
            return True
        # Exchanging the sides says nothing new of a metric that treats them alike.
        return chosen.swap and not metric.facts().symmetric

    def _takes(self, metric: PairwiseMetric) -> bool:
        if self.metrics and metric.name() not in self.metrics:
            return False
        known = {p.name: p.choices for p in parameters(metric)}
        return all(
            name in known and (not known[name] or v in known[name]) for name, v in self.options.items()
        )


CAESURA = Convention("Caesura", "the default here, which the others are compared with")

_WINDOWS = ("Pk", "WindowDiff")
_NLTK_WINDOW_DIFF = {"WindowDiff": "NLTK's windowdiff has no default k: it is given that of NLTK's pk here"}

CONVENTIONS = (
    Convention("segeval", "segeval 2.0.11 on masses", profile="segeval", always=True),
    Convention("Lamprier edges", "Lamprier et al. 2007", options={"edge": "lamprier"}),
    Convention(
        "segeval, Lamprier edges",
        "segeval with lamprier_et_al_2007_fix=True",
        profile="segeval",
        options={"edge": "lamprier"},
    ),
    Convention(
        "NLTK, gap string",
        "nltk.metrics.segmentation on n-1 characters",
        profile="nltk",
        remarks=_NLTK_WINDOW_DIFF,
    ),
    Convention(
        "NLTK, gap string, same k",
        "NLTK on n-1 characters, given Caesura's k",
        metrics=_WINDOWS,
        always=True,
        remarks=dict.fromkeys(_WINDOWS, "given the same k, NLTK counts the same windows"),
    ),
    Convention(
        "NLTK, unit string ending 0",
        "NLTK on n characters, the last one 0",
        profile="nltk",
        options={"string": "units"},
        remarks=_NLTK_WINDOW_DIFF,
    ),
    Convention(
        "NLTK, unit string ending 1",
        "NLTK on n characters, the last one 1",
        profile="nltk",
        options={"string": "units_closed"},
        remarks=_NLTK_WINDOW_DIFF,
    ),
    Convention("NLTK, same k, weighted", "NLTK's windowdiff with weighted=True", options={"weighted": True}),
    Convention("SuperDialseg", "SuperDialseg's evaluation on n labels", profile="superdialseg", always=True),
    Convention(
        "Episodic",
        "released code of the W-F1 paper: k rounded down",
        metrics=_WINDOWS,
        options={"rounding": "floor"},
    ),
    Convention(
        "HAPS, one reference",
        "HAPS' rule for k: rounded down, no minimum",
        metrics=_WINDOWS,
        options={"rounding": "floor", "min_k": 0},
    ),
    Convention(
        "HAPS, many references",
        "HAPS' rule for k: half up, no minimum",
        metrics=_WINDOWS,
        options={"rounding": "half_up", "min_k": 0},
    ),
    Convention("interior windows", "code of WinPR's author", options={"edge": "interior"}),
    Convention("Episodic", "released code of the W-F1 paper", profile="as_run"),
    Convention(
        "Episodic, one to one", "released code of the W-F1 paper", options={"matching": "as_run_one_to_one"}
    ),
    Convention("one to one", "W-F1 paper, Appendix G; mir_eval", options={"matching": "one_to_one"}),
    Convention("coverage", "W-F1 paper, Appendix A", options={"matching": "coverage"}),
    Convention("empty side counts 1", "pyannote.metrics; Episodic one to one", options={"empty": "vacuous"}),
    Convention("gamma reached", "a coverage of exactly gamma is enough", options={"strict": False}),
    Convention("swapped", "reference and hypothesis exchanged", profile="swapped", always=True),
    Convention("macro", "mean over documents", by="macro"),
    Convention("micro", "summed counts of all documents; koomri/text-segmentation pools Pk so", by="micro"),
)
"""Every convention, in the order of the tables."""


def conventions_of(text: str, n_documents: int) -> Iterator[tuple[Convention, PairwiseMetric]]:
    """Yield the conventions that say something of a metric, each with the metric as it has it."""
    plain = METRICS.parse(text)
    seen = set()
    for convention in CONVENTIONS:
        metric = convention.apply(text)
        if metric is None or (convention.name, metric) in seen:
            continue
        if convention.by is not None:
            pooling_matters = (
                n_documents > 1 and plain.card.additive and convention.by != plain.card.aggregation
            )
            if not pooling_matters:
                continue
        elif metric == plain and not convention.always:
            continue
        seen.add((convention.name, metric))
        yield convention, metric


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a metric counts under a convention.

    Attributes
    ----------
    convention : Convention
        Whose rules.
    metric : PairwiseMetric
        With the parameters in force.
    pairs : Pairs
        The documents, exchanged if the convention says so.
    request : Request
        Which counts.
    table : float64[D, columns]
        All columns of the request.
    aggregate : Aggregate
        The score.
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
    def counts(self) -> Floats:
        """The counts that the metric reads."""
        return self.table[:, self.metric.places(self.request)]

    def has(self, name: str) -> bool:
        """Say whether the counts have a column."""
        return name in self.request.columns

    def column(self, name: str) -> Floats:
        """Return a column of the counts, one number per document."""
        return self.table[:, self.request.columns.index(name)]

    def total(self, name: str) -> int:
        """Return the sum of one of the metric's own columns."""
        return int(self.counts[:, self.metric.columns.index(name)].sum())

    def range_of(self, name: str) -> tuple[int, int]:
        """Return the least and the greatest number of a column."""
        values = self.column(name)
        return int(values.min()), int(values.max())


class Counter:
    """Counts metrics under conventions; equal requests are counted once.

    Parameters
    ----------
    pairs : Pairs
        The documents.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._sides = {False: pairs, True: pairs.swapped()}
        self._tables: dict[tuple[bool, Request], Floats] = {}

    def count(self, convention: Convention, metric: PairwiseMetric) -> Outcome:
        """Return what a metric counts under a convention."""
        pairs = self._sides[convention.swap]
        request = metric.request(pairs.unit)
        key = (convention.swap, request)
        if key not in self._tables:
            self._tables[key] = request.count(pairs)
        table = self._tables[key]
        how = convention.by or metric.card.aggregation
        with np.errstate(invalid="ignore"):  # infinite scores (BOR) among those summed
            found = aggregate(metric, table[:, metric.places(request)], how)
        return Outcome(convention, metric, pairs, request, table, found)
