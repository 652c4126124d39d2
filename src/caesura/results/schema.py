# SPDX-License-Identifier: Apache-2.0
"""The whole results file: one schema for every question."""

from __future__ import annotations

import importlib
from typing import Any, Literal

import msgspec

from caesura.results.agree.facts import AgreementFacts, SupportCorrelation
from caesura.results.base import CountsFile, Input, MetricFacts, Number, Resampling, Score, Section
from caesura.results.calibrate.facts import Calibration
from caesura.results.check.facts import CheckFacts
from caesura.results.cohesion.facts import CohesionFacts
from caesura.results.compare.facts import Comparison, Slices, Standing
from caesura.results.correlate.facts import CorrelationFacts
from caesura.results.costs import Cost
from caesura.results.evaluate.facts import Axis, Chapters, ExtraFacts, Levels, ReferenceRow, Regimes, RunFacts
from caesura.results.evaluate.verdict import Verdict
from caesura.results.gate.facts import Gates
from caesura.results.reproduce.facts import Cell, ReproductionFacts
from caesura.results.select.facts import Stream
from caesura.results.shards import ShardFacts
from caesura.results.spans.facts import SpanFacts
from caesura.results.sweep.facts import Sweep
from caesura.results.train.facts import TrainingFacts
from caesura.results.tune.facts import TuningFacts
from caesura.results.validate.facts import Validity
from caesura.table import as_html

__all__ = ["SCHEMA", "Question", "Results", "json_schema"]

SCHEMA = "caesura.results/2"

Question = Literal[
    "evaluate", "compare", "gate", "agree", "cohesion", "sweep", "validate", "spans", "reproduce", "select", "calibrate",
    "correlate", "tune", "train", "check",
]  # fmt: skip
"""The command whose question the results answer; it decides which tables are shown, and in which order."""


class Results(Section):
    """A whole results file.

    ``systems`` maps system to metric (as it was requested) to `Score`; ``per_document`` maps system to metric to one
    score per entry of ``documents``. ``verdicts`` maps system to the verdict of the corpus, ``document_verdicts`` system
    to document id to verdict. Parts that were not requested are None. ``standings`` maps metric to
    the best system, if all systems were compared. ``cells`` are the numbers of a paper that ``reproduction`` is about. ``notes`` are the lines below the first table.
    ``resampling`` has the settings of intervals and comparisons; comparisons with other settings have
    ``comparison_resampling``.
    """

    schema: str = SCHEMA
    question: Question = "evaluate"
    caesura: str = ""
    profile: str = "caesura"
    against: str = "boundaries"
    unit: str = ""
    seed: int | None = None
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    inputs: list[Input] = msgspec.field(default_factory=list)
    metrics: dict[str, MetricFacts] = msgspec.field(default_factory=dict)
    systems: dict[str, dict[str, Score]] = msgspec.field(default_factory=dict)
    documents: list[str] | None = None
    per_document: dict[str, dict[str, list[Number]]] | None = None
    resampling: Resampling | None = None
    comparison_resampling: Resampling | None = None
    comparisons: list[Comparison] | None = None
    standings: dict[str, Standing] | None = None
    verdicts: dict[str, Verdict] | None = None
    document_verdicts: dict[str, dict[str, Verdict]] | None = None
    regimes: Regimes | None = None
    extra: dict[str, ExtraFacts] | None = None
    chapters: Chapters | None = None
    levels: Levels | None = None
    references: list[ReferenceRow] | None = None
    axis: Axis | None = None
    runs: dict[str, RunFacts] | None = None
    difficulty: Number = None
    support_correlations: dict[str, SupportCorrelation] | None = None
    gates: Gates | None = None
    agreement: AgreementFacts | None = None
    cohesion: CohesionFacts | None = None
    spans: SpanFacts | None = None
    sweep: Sweep | None = None
    validity: Validity | None = None
    reproduction: ReproductionFacts | None = None
    cells: list[Cell] | None = None
    stream: Stream | None = None
    calibration: Calibration | None = None
    correlation: CorrelationFacts | None = None
    check: CheckFacts | None = None
    costs: dict[str, Cost] | None = None
    slices: Slices | None = None
    tuning: TuningFacts | None = None
    training: TrainingFacts | None = None
    shards: ShardFacts | None = None
    counts: CountsFile | None = None
    notes: list[str] = msgspec.field(default_factory=list)

    def __repr__(self) -> str:
        """Return a summary in one line; `tables_of` and `answer_of` show the content."""
        return f"<Results of {self.question}: {len(self.systems)} systems, {len(self.metrics)} metrics>"

    def _repr_html_(self) -> str:
        """Return the answer and the small table for a notebook."""
        made = importlib.import_module("caesura.results.tables")  # which imports this module
        return as_html(made.answer_of(self), made.brief_of(self).tables)


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of a results file; infinity is the string "inf" or "-inf"."""
    schema: dict[str, Any] = msgspec.json.schema(Results)
    _allow_infinity(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **schema}


def _allow_infinity(part: object) -> None:
    """Let numbers that may be infinite also be one of two strings."""
    if isinstance(part, dict):
        if part.pop("x-infinity", False):
            part["anyOf"] = [{"type": part.pop("type")}, {"enum": ["inf", "-inf"]}]
        for key, value in part.items():
            part[key] = list(value) if isinstance(value, tuple) else value  # a JSON default is a list
            _allow_infinity(value)
    elif isinstance(part, list):
        for value in part:
            _allow_infinity(value)
