# SPDX-License-Identifier: Apache-2.0
"""Calibrated probabilities from boundary logits: a temperature fitted on a reference, saved, and applied."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import msgspec
import numpy as np

from caesura._version import __version__
from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.against import chosen_source, one_reference
from caesura.evaluation.agree.support import votes_at_gaps
from caesura.evaluation.inputs import CorpusLike, Source, read_source
from caesura.evaluation.matching import Match, matched
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Outcome
from caesura.results import Number, Results, as_text, number
from caesura.results.calibrate import facts as schema
from caesura.statistics.calibration import Temperature, fit_temperature, reliability
from caesura.strict_json import RepeatedKeyError, decode
from caesura.tuning.select import scores_beside

__all__ = ["TEMPERATURE_SCHEMA", "Calibration", "calibrate", "calibrated", "read_temperature"]

TEMPERATURE_SCHEMA = "caesura.temperature/1"
_LARGEST = 1 << 20


class _TemperatureFile(msgspec.Struct, kw_only=True):
    """A saved temperature, with a description of the data it was fitted on."""

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
class Calibration(Outcome):
    """A temperature and its effect; ``unit_interval`` says whether all logits lie within [0, 1], as probabilities do."""

    reference: Source
    logits: Source
    temperature: Temperature
    facts: schema.Calibration
    unit_interval: bool
    against: str = "boundaries"

    @property
    def documents(self) -> int:
        """The number of documents it was fitted on."""
        return self.facts.documents

    @property
    def before(self) -> schema.Reliability:
        """The reliability of sigmoid(z)."""
        return self.facts.before

    @property
    def after(self) -> schema.Reliability:
        """The reliability of sigmoid(z / T)."""
        return self.facts.after

    def notes(self) -> list[str]:
        """Return warnings: that there is no optimum, or that the scores look like probabilities."""
        notes, t = [], self.temperature
        if not t.interior:
            notes.append(f"no temperature is best ({t.reason}); the bound {t.value:.3g} is used instead")
        if self.unit_interval:
            notes.append(
                "all scores lie within [0, 1], but a temperature is for logits; convert probabilities p to log(p / (1 - p))"
            )
        return [f"{self.facts.scorer}: {note}" for note in notes]

    def results(self) -> Results:
        """Return the temperature, and the reliability before and after, as typed data."""
        return Results(
            question="calibrate",
            caesura=__version__,
            against=self.against,
            unit=self.reference.corpus.unit,
            environment=environment(),
            inputs=[self.reference.as_input("reference"), self.logits.as_input("scorer")],
            calibration=self.facts,
            notes=self.notes(),
        )

    def encode(self) -> bytes:
        """Return the temperature as JSON, for `read_temperature`."""
        f = self.facts
        file = _TemperatureFile(
            caesura=__version__, temperature=f.temperature, interior=f.interior, reason=f.reason, nll_before=f.before.nll,
            nll_after=f.after.nll, ece_before=f.before.ece, ece_after=f.after.ece, scorer=f.scorer, documents=f.documents,
            gaps=f.gaps, boundaries=f.boundaries,
        )  # fmt: skip
        return (as_text(file) + "\n").encode()


def calibrate(
    reference: CorpusLike,
    logits: CorpusLike,
    *,
    bins: int = 10,
    name: str = "logits",
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    match: Match = "id",
    against: str = "boundaries",
) -> Calibration:
    """Fit a temperature to the boundary logits of a scorer.

    Parameters
    ----------
    reference : path, Corpus, or mapping of id to Segmentation
        The gold segmentations.
    logits : path or Corpus
        Documents with one logit per gap, under ``scores``.
    bins : int
        Bins of the reliability table.
    name : str
        The name of the scorer.
    format : str, optional
        The format of the files; detected if not given.
    columns : str, optional
        What columns and keys are for (`caesura.load`).
    marks : str, optional
        What labels of 0 and 1, bits or spans mark, such as ``"first"`` (`caesura.load`).
    strict : bool
        Refuse unknown keys in files.
    match : {"id", "order"}
        How to match the documents of the two files, as in `caesura.evaluate`.
    against : str
        Which boundaries count as true: ``"boundaries"``, ``"consensus=0.5"`` or ``"annotator=NAME"``; ``"annotators"`` fits the share of
        annotators who marked each gap.

    Examples
    --------
    >>> from caesura.corpus import Document
    >>> from caesura.segmentation import Segmentation
    >>> scored = Corpus([Document(id="d", n_units=5, scores=(3.0, -3.0, 3.0, -3.0))])
    >>> found = calibrate({"d": Segmentation(5, (1,))}, scored)  # sigmoid(3 / T) = 3/4
    >>> round(found.temperature.value, 3), round(found.before.ece, 3), round(found.after.ece, 3)
    (2.731, 0.25, 0.25)
    """
    gold = read_source(reference, "reference", format=format, columns=columns, marks=marks, strict=strict)
    read = {name: read_source(logits, name, format=format, columns=columns, marks=marks, strict=strict)}
    soft = against == "annotators"
    if not soft:
        one_reference(against, "a probability is fitted to one, or to all annotators (annotators)")
    # The consensus of any share has the documents that have annotators.
    gold = chosen_source(gold, "consensus=0" if soft else against)
    source, scored = gold.corpus, matched(read, gold.corpus, match)[name]
    flat = scores_beside(source, scored.corpus, name)
    if not len(flat.scores):
        raise ComparabilityError(f"{name!r} has no gap to calibrate on; give documents of at least two units")
    labels = np.zeros(len(flat.scores))
    row = np.repeat(np.arange(len(source)), np.diff(source.flat.ptr))
    labels[flat.ptr[row] + source.flat.pos - 1] = 1
    if soft:
        labels = np.concatenate(votes_at_gaps(Panel.from_corpus(source)))
    fitted = fit_temperature(flat.scores, labels)
    plain = Temperature(1.0, math.nan, math.nan, True)
    before, after = (reliability(t.apply(flat.scores), labels, bins) for t in (plain, fitted))
    before.nll, after.nll = number(fitted.nll_before), number(fitted.nll_after)
    facts = schema.Calibration(
        scorer=name, temperature=fitted.value, interior=fitted.interior, reason=fitted.reason, documents=len(source), gaps=len(labels),
        boundaries=int((labels > 0).sum()), before=before, after=after,
    )  # fmt: skip
    unit_interval = bool((flat.scores >= 0).all() and (flat.scores <= 1).all())
    return Calibration(gold, scored, fitted, facts, unit_interval, against)


def calibrated(corpus: Corpus, temperature: Temperature) -> Corpus:
    """Return documents with probabilities sigmoid(z / T) for their logits.

    >>> from caesura.corpus import Document
    >>> calibrated(Corpus([Document(id="d", n_units=2, scores=(0.0,))]), Temperature(2.0, 0, 0, True))["d"].scores
    (0.5,)
    """
    documents = []
    for document in corpus:
        if document.scores is None:
            raise ComparabilityError(
                f"document {document.id!r} has no scores; give one logit per gap under the key 'scores'"
            )
        probabilities = tuple(temperature.apply(document.scores).tolist())
        documents.append(dataclasses.replace(document, scores=probabilities))
    return corpus.replaced(documents)


def read_temperature(path: str | Path) -> Temperature:
    """Read a saved temperature."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", path) from None
    try:
        saved = decode(data, _TemperatureFile)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, error.line) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not a temperature; caesura calibrate -o FILE writes one", path) from None
    if saved.schema != TEMPERATURE_SCHEMA:
        raise FormatError(f"has the schema {saved.schema!r}, this version reads {TEMPERATURE_SCHEMA!r}", path)
    if not (math.isfinite(saved.temperature) and saved.temperature > 0):
        raise FormatError(f"has the temperature {saved.temperature}; it must be above 0", path)
    return Temperature(saved.temperature, math.nan, math.nan, saved.interior, saved.reason)
