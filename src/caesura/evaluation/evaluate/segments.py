# SPDX-License-Identifier: Apache-2.0
"""Tables of segments, to study which properties of a segment affect its retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairing, pair
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.evaluate.sources import titles_of
from caesura.evaluation.explain.outcomes import GAMMA, batch_outcomes
from caesura.metrics.pairwise.title_score import titles_alike
from caesura.table import Column, Table, Value

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["segment_table", "segment_tables"]

_COLUMNS = (
    "document", "number", "start", "end", "length", "speakers", "words", "partner", "coverage", "partner_coverage",
    "harmonic", "title", "partner_title", "titles_alike", "outcome", "retrieved",
)  # fmt: skip


def segment_table(reference: Corpus, hypothesis: Corpus, gamma: float = GAMMA) -> Table:
    """Return one row per segment of the reference, with its properties and its retrieval, by this ``gamma``.

    The columns are ``document``; ``number`` from 1; ``start``, ``end`` (its units are start+1 .. end); ``length`` in units;
    ``speakers``, the number of different speakers in it, and ``words`` of its text, None if the document of the reference has
    none; ``partner``, the number of the hypothesis segment that covers most of it; ``coverage`` of the segment by its partner,
    ``partner_coverage`` the other way, ``harmonic`` of both; ``title`` of the segment and ``partner_title``, and ``titles_alike`` (ROUGE-L
    from 0 to 1), None without titles: its mean over retrieved segments says how well right segments are titled; ``outcome`` in words (see
    `caesura.evaluation.explain.outcomes`); ``retrieved`` 1 or 0.
    """
    return Table(
        [Column(title) for title in _COLUMNS], _rows(reference, hypothesis, pair(reference, hypothesis), gamma)
    )


def segment_tables(evaluation: Evaluation) -> Table:
    """Return the concatenated segment tables of all systems of an evaluation, with the system as the first column.

    Gamma is that of the first metric of the evaluation that has one.
    """
    reference = evaluation.reference.corpus
    gamma = next((m.gamma for m in evaluation.metrics.values() if hasattr(m, "gamma")), GAMMA)
    evaluated = set(evaluation.documents)
    rows: list[Sequence[Value]] = []
    for name, source in evaluation.systems.items():
        pairing = pair(reference, source.corpus, name=name, missing="skip")
        if len(pairing.rows) != len(evaluated):
            places = [place for place, row in enumerate(pairing.rows.tolist()) if reference.ids[row] in evaluated]
            pairing = pairing.take(np.array(places, dtype=np.int64))
        rows += [[name, *row] for row in _rows(reference, source.corpus, pairing, gamma)]
    return Table([Column("system"), *(Column(title) for title in _COLUMNS)], rows)


def _rows(reference: Corpus, hypothesis: Corpus, pairing: Pairing, gamma: float) -> list[list[Value]]:
    ours, _ = batch_outcomes(pairing.pairs, gamma)
    ids = [reference.ids[row] for row in pairing.rows.tolist()]
    starts, ends = ours.start.tolist(), ours.end.tolist()
    speakers: list[Value] = []
    words: list[Value] = []
    stops = np.searchsorted(ours.document, np.arange(len(ids) + 1)).tolist()
    for key, first, last in zip(ids, stops[:-1], stops[1:], strict=True):
        document = reference[key]
        spans = list(zip(starts[first:last], ends[first:last], strict=True))
        people = document.speakers
        speakers += [None if people is None else len(set(people[start:end])) for start, end in spans]
        words += _words(document, spans)
    titles = _titles(reference, pairing.rows), _titles(hypothesis, pairing.columns)
    named, partners = (
        [
            _title(of[document], number)
            for document, number in zip(ours.document.tolist(), numbers.tolist(), strict=True)
        ]
        for of, numbers in zip(titles, (ours.number, ours.partner), strict=True)
    )
    alike = [titles_alike(a, b) if a and b else None for a, b in zip(named, partners, strict=True)]
    columns = (
        [ids[d] for d in ours.document.tolist()], ours.number.tolist(), starts, ends, ours.length.tolist(), speakers, words,
        ours.partner.tolist(), ours.coverage.tolist(), ours.partner_coverage.tolist(), ours.harmonic.tolist(), named, partners, alike, ours.words(),
        (ours.outcome == 0).astype(int).tolist(),
    )  # fmt: skip
    return [list(row) for row in zip(*columns, strict=True)]


def _titles(corpus: Corpus, rows: Ints) -> list[list[str]]:
    """Return the titles of documents; none of all if one has titles that do not fit its segments."""
    try:
        return titles_of(corpus, rows, "segments")
    except ComparabilityError:
        return [[] for _ in rows]


def _title(titles: Sequence[str], number: int) -> str | None:
    """Return the title of a segment, counted from 1; None if there is none."""
    return titles[number - 1] or None if 0 < number <= len(titles) else None


def _words(document: Document, spans: Sequence[tuple[int, int]]) -> list[Value]:
    """Return the number of words in each span, split at white space."""
    if document.units is None:
        return [None] * len(spans)
    total = list(accumulate((len(text.split()) for text in document.units), initial=0))
    # An open-ended document may be longer in the comparison than its text.
    return [total[min(end, len(total) - 1)] - total[min(start, len(total) - 1)] for start, end in spans]
