# SPDX-License-Identifier: Apache-2.0
"""Boundary logits made into probabilities that can be believed: a temperature fitted on a reference, saved, applied."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.inputs import CorpusLike, read_source
from caesura.results import Number, as_number
from caesura.statistics.calibration import Reliability, Temperature, fit_temperature, reliability
from caesura.table import Column, Table, Value
from caesura.tuning.selection import scores_beside

__all__ = ["TEMPERATURE_SCHEMA", "Calibration", "calibrate", "calibrated", "read_temperature"]

TEMPERATURE_SCHEMA = "caesura.temperature/1"
_LARGEST = 1 << 20


class _TemperatureFile(msgspec.Struct, kw_only=True):
    """A saved temperature, with what it was fitted on."""

    schema: str = TEMPERATURE_SCHEMA
    caesura: str = ""
    temperature: float
    interior: bool
    reason: str | None = None
    nll_before: Number = None
    nll_after: Number = None
    ece_before: Number = None
    ece_after: Number = None
    scorer: str = ""
    documents: int = 0
    gaps: int = 0
    boundaries: int = 0


@dataclasses.dataclass(frozen=True)
class Calibration:
    """A temperature and what it changes.

    Attributes
    ----------
    temperature : Temperature
        Whether there is one, and which.
    before, after : Reliability
        Said and found probabilities of sigmoid(z) and of sigmoid(z / T).
    scorer : str
        Whose logits.
    documents, gaps, boundaries : int
        What it was fitted on.
    unit_interval : bool
        Whether all logits lie within [0, 1], as probabilities do.
    """

    temperature: Temperature
    before: Reliability
    after: Reliability
    scorer: str
    documents: int
    gaps: int
    boundaries: int
    unit_interval: bool

    def notes(self) -> list[str]:
        """Return what must be said: that there is no optimum, or that the scores look like something else."""
        found = []
        if not self.temperature.interior:
            found.append(
                f"{self.scorer}: no temperature is best ({self.temperature.reason}); the bound "
                f"{self.temperature.value:.3g} stands in for it"
            )
        if self.unit_interval:
            found.append(
                f"{self.scorer}: all scores lie within [0, 1]; a temperature is for logits, of probabilities p give "
                "log(p / (1 - p))"
            )
        return found

    def tables(self) -> list[Table]:
        """Return the temperature with its effect, and the reliability before and after."""
        t = self.temperature
        rows: list[list[Value]] = [
            ["before", 1.0, t.nll_before, self.before.ece],
            ["after", t.value, t.nll_after, self.after.ece],
        ]
        columns = [Column("", None), Column("temperature"), Column("NLL", "lower"), Column("ECE", "lower")]
        note = (
            f"{self.documents} documents, {self.gaps} gaps, {self.boundaries} boundaries; NLL: mean negative "
            "log-likelihood, ECE: mean distance of said and found probability over the bins"
        )
        summary = Table(columns, rows, notes=[note], title=f"Calibration of {self.scorer}")
        bins: list[list[Value]] = [
            [f"{a.low:g}..{a.high:g}", a.count, a.confidence, a.accuracy, b.count, b.confidence, b.accuracy]
            for a, b in zip(self.before.bins, self.after.bins, strict=True)
        ]
        titles = ("probability", "gaps before", "said", "found", "gaps after", "said", "found")
        return [summary, Table([Column(title) for title in titles], bins, title="Reliability")]

    def encode(self) -> bytes:
        """Return the temperature as JSON, for `read_temperature`."""
        t = self.temperature
        file = _TemperatureFile(
            caesura=__version__,
            temperature=t.value,
            interior=t.interior,
            reason=t.reason,
            nll_before=as_number(t.nll_before),
            nll_after=as_number(t.nll_after),
            ece_before=as_number(self.before.ece),
            ece_after=as_number(self.after.ece),
            scorer=self.scorer,
            documents=self.documents,
            gaps=self.gaps,
            boundaries=self.boundaries,
        )
        return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        plain: dict[str, object] = msgspec.json.decode(self.encode())
        for name, found in (("before", self.before), ("after", self.after)):
            plain[name] = [
                {
                    "low": b.low,
                    "high": b.high,
                    "count": b.count,
                    "confidence": as_number(b.confidence),
                    "accuracy": as_number(b.accuracy),
                }
                for b in found.bins
            ]
        return plain


def calibrate(
    reference: CorpusLike,
    logits: CorpusLike,
    *,
    bins: int = 10,
    name: str = "logits",
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
) -> Calibration:
    """Fit a temperature to the boundary logits of a scorer.

    Parameters
    ----------
    reference : path, Corpus, or mapping of id to Segmentation
        Where boundaries are.
    logits : path or Corpus
        Documents with one logit per gap, under ``scores``.
    bins : int
        Of the reliability table.
    name : str
        What the scorer is called.
    format : str, optional
        The format of the files; detected if not given.
    strict : bool
        Refuse unknown keys in files.

    Examples
    --------
    >>> from caesura.corpus import Document
    >>> from caesura.segmentation import Segmentation
    >>> scored = Corpus([Document(id="d", n_units=5, scores=(3.0, -3.0, 3.0, -3.0))])
    >>> found = calibrate({"d": Segmentation(5, (1,))}, scored)  # sigmoid(3 / T) = 3/4
    >>> round(found.temperature.value, 3), round(found.before.ece, 3), round(found.after.ece, 3)
    (2.731, 0.25, 0.25)
    """
    source = read_source(reference, "reference", format=format, strict=strict).corpus
    flat = scores_beside(source, read_source(logits, name, format=format, strict=strict).corpus, name)
    if not len(flat.scores):
        raise ComparabilityError(f"{name!r} has no gap to calibrate on; give documents of two units or more")
    labels = np.zeros(len(flat.scores))
    row = np.repeat(np.arange(len(source)), np.diff(source.flat.ptr))
    labels[flat.ptr[row] + source.flat.pos - 1] = 1
    fitted = fit_temperature(flat.scores, labels)
    plain = Temperature(1.0, math.nan, math.nan, True)
    return Calibration(
        fitted,
        reliability(plain.apply(flat.scores), labels, bins),
        reliability(fitted.apply(flat.scores), labels, bins),
        name,
        len(source),
        len(labels),
        int(labels.sum()),
        bool((flat.scores >= 0).all() and (flat.scores <= 1).all()),
    )


def calibrated(corpus: Corpus, temperature: Temperature) -> Corpus:
    """Return documents with probabilities sigmoid(z / T) for their logits.

    >>> from caesura.corpus import Document
    >>> calibrated(Corpus([Document(id="d", n_units=2, scores=(0.0,))]), Temperature(2.0, 0, 0, True))["d"].scores
    (0.5,)
    """
    found = []
    for document in corpus:
        if document.scores is None:
            raise ComparabilityError(
                f"document {document.id!r} has no scores; give one logit per gap under the key 'scores'"
            )
        found.append(dataclasses.replace(document, scores=tuple(temperature.apply(document.scores).tolist())))
    return Corpus(found, name=corpus.name, ids_are_given=corpus.ids_are_given)


def read_temperature(path: str | Path) -> Temperature:
    """Read a saved temperature."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", path) from None
    try:
        saved = msgspec.json.decode(data, type=_TemperatureFile)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise FormatError("is no temperature; caesura calibrate -o FILE writes one", path) from None
    if saved.schema != TEMPERATURE_SCHEMA:
        raise FormatError(f"has the schema {saved.schema!r}, this version reads {TEMPERATURE_SCHEMA!r}", path)
    if not (math.isfinite(saved.temperature) and saved.temperature > 0):
        raise FormatError(f"has the temperature {saved.temperature}; it must be above 0", path)
    return Temperature(saved.temperature, math.nan, math.nan, saved.interior, saved.reason)
