# SPDX-License-Identifier: Apache-2.0
"""The parts of every results file: inputs, metrics, and scores with their recipes."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec

from caesura.corpus import Change
from caesura.table import badness

__all__ = [
    "FEW",
    "Among", "CountsFile", "Direction", "EncoderFacts", "Ends", "Input", "MetricFacts", "Null", "Number", "Resampling", "Score",
    "Section", "Skill", "as_float", "as_number", "number", "required",
]  # fmt: skip

FEW = 10
"""Below this number of documents, intervals carry a note."""

T = TypeVar("T")
Number = Annotated[float, msgspec.Meta(extra_json_schema={"x-infinity": True})] | None
"""A number of the results file: None if undefined; infinity is written as the string "inf"."""


class Ends(NamedTuple):
    """The lower and the upper end of an interval; None if undefined.

    >>> 0.2 in Ends(0.1, 0.3), 0.2 in Ends(None, None)
    (True, False)
    """

    low: Number
    high: Number

    @property
    def defined(self) -> bool:
        """Whether both ends are known."""
        return self.low is not None and self.high is not None

    def __contains__(self, value: object) -> bool:
        """Return whether a number lies in the interval."""
        return (
            isinstance(value, (int, float))
            and self.low is not None
            and self.high is not None
            and self.low <= value <= self.high
        )


Direction = Literal["higher", "lower", "target"]


def number(value: float | None) -> Number:
    """Return a float as stored in results.

    >>> number(float("nan")), number(float("inf")), number(0.5)
    (None, inf, 0.5)
    """
    return None if value is None or math.isnan(value) else float(value)


def as_number(value: float) -> float | str | None:
    """Return a float as plain JSON data: None if undefined, "inf" if infinite.

    >>> as_number(float("nan")), as_number(float("inf")), as_number(0.5)
    (None, 'inf', 0.5)
    """
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def as_float(value: Number) -> float:
    """Return a number of the results as a float, NaN if undefined."""
    return math.nan if value is None else value


def required(part: T | None) -> T:
    """Return a part of the results; raise LookupError if it is missing, as in a file that was edited by hand."""
    if part is None:
        raise LookupError("a part of the results is missing")
    return part


class Section(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of every part of the results: fields by name, unknown ones refused."""


class Input(Section):
    """One input: its role and name, its size and unit, and how to read it again exactly as it was read.

    ``file`` is the path of the file, folder or pattern from the folder of the results file on, ``sha256`` the hash of what
    was read (of several ``files``, the hash of their hashes), ``format`` its format with the options, and ``changes`` what
    was done since. ``assumed`` records an assumption of the reader, such as documents matched by order. ``made_by`` says
    by which method and with which vectors the boundaries were made, as far as the file tells.
    """

    role: str
    name: str
    documents: int
    unit: str
    file: str | None = None
    sha256: str | None = None
    missing: int = 0
    assumed: dict[str, str] | None = None
    format: str | None = None
    files: tuple[str, ...] | None = None
    changes: tuple[Change, ...] | None = None
    made_by: dict[str, str] | None = None


class MetricFacts(Section):
    """The facts of a metric that its scores need, and where its counts are stored."""

    metric: str
    title: str
    direction: Direction
    perfect: Number
    bounds: Ends
    request: str
    columns: list[str]

    @property
    def target(self) -> float:
        """The perfect score, 1 if there is none."""
        return 1.0 if self.perfect is None else self.perfect

    def badness(self, score: Number) -> float:
        """Return how bad a score is, NaN if it is undefined; the minimum is the best."""
        return badness(as_float(score), self.direction, self.target)


class EncoderFacts(Section):
    """Name, fingerprint and dimension of an encoder; scores of different fingerprints cannot be compared."""

    name: str
    fingerprint: str
    dim: int


class Resampling(Section):
    """How intervals and tests were drawn: resamples of the documents, permutations, seed and level.

    With 0 resamples nothing was drawn: they are normal intervals and tests, from the moments of the documents. ``unit`` is what
    was drawn: "questions" of `caesura.spans` in place of documents.
    """

    resamples: int
    seed: int
    level: float = 0.95
    permutations: int | None = None
    unit: Literal["documents", "questions"] = "documents"


class Skill(Section):
    """A score relative to chance at the same density.

    ``expected`` is the expectation E of the score when as many boundaries are placed at random in each document;
    ``skill`` is (score - E) / (perfect - E). ``exact`` says whether E has a closed form; otherwise it, or
    the part of it that has none, is the mean of ``draws`` placements with standard error ``error``.
    """

    expected: Number
    skill: Number
    exact: bool
    error: Number
    draws: int
    seed: int
    signature: str


class Blind(Section):
    """Scores of as many boundaries that are placed without reading the text.

    ``chance`` is the expectation of random ones, with its standard ``error``; ``clock`` the score of evenly spaced ones, the better
    of one period for all documents and of as many in each document as the system has. ``bor`` is the density: boundaries per
    boundary of the reference, of all documents.
    """

    chance: Number
    error: Number
    clock: Number
    bor: Number
    signature: str


class Null(Section):
    """A score among random segmentations that share a property (``kind``) with the system's.

    ``score`` is over the ``documents`` that are finite in every draw, ``mean`` and ``sd`` are of the same score over the
    draws, ``z`` is the number of standard deviations by which the score is better than the mean. ``mean_z`` and
    ``mean_percentile`` are means over the documents that have them (``z_documents``, ``percentile_documents``).
    """

    kind: str
    score: Number
    mean: Number
    sd: Number
    z: Number
    documents: int
    mean_z: Number
    z_documents: int
    mean_percentile: Number
    percentile_documents: int
    aggregation: str
    draws: int
    seed: int
    signature: str
    per_document_z: list[Number] | None = None
    per_document_percentile: list[Number] | None = None


class Among(Section):
    """A score relative to the annotators themselves.

    ``best`` and ``worst`` are means over documents of the score against the annotator the system agrees with most and
    least; ``people`` is what an annotator scores against the rest, each left out in turn; ``rank`` is the mean rank the
    system would have among the annotators of a document, out of ``of``; ``beats`` is the share of annotators it beats.
    """

    best: Number
    worst: Number
    people: Number
    rank: Number
    of: Number
    beats: Number


class Score(Section):
    """One number with its recipe.

    ``score`` is None if undefined, and ``reason`` says why. ``documents`` were aggregated; ``undefined`` were
    left out because the metric is not defined on them, ``dropped`` because another system of the same table lacks them or
    is not defined on them. ``interval``, ``skill``, ``blind``, ``nulls`` (by kind), ``among`` and ``parts`` are there if requested.
    """

    score: Number
    aggregation: str
    documents: int
    undefined: int = 0
    dropped: int = 0
    reason: str | None = None
    signature: str = ""
    short_signature: str = ""
    interval: Ends | None = None
    skill: Skill | None = None
    blind: Blind | None = None
    nulls: dict[str, Null] | None = None
    among: Among | None = None
    parts: dict[str, Number] | None = None


class CountsFile(Section):
    """The counts stored next to the results: file name, hash, and the columns of each request."""

    file: str
    sha256: str
    requests: dict[str, list[str]]
