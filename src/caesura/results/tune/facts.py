# SPDX-License-Identifier: Apache-2.0
"""Results of tuning the parameters of a segmenter."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["Candidate", "TuningFacts"]


class Candidate(Section):
    """One setting: the method, its score on the development documents, and in how many folds it was chosen."""

    method: str
    score: Number
    folds: int = 0


class TuningFacts(Section):
    """The settings tried, and the score of the chosen one on documents that were not used to choose it.

    ``chosen`` is the best on the ``documents`` of development. ``cross_validated`` is the score of all documents, each
    segmented by the setting that is best without its fold. ``held_out`` is the score of the chosen setting on the documents
    of another file. ``method`` and ``tries`` record the request: the method as given, and the values of each parameter.
    """

    metric: str
    tried: list[Candidate]
    possible: int
    chosen: str
    documents: int
    folds: int
    cross_validated: Number = None
    held_out: Number = None
    held_out_documents: int | None = None
    method: str = ""
    tries: dict[str, list[str]] = {}  # noqa: RUF012  (a struct copies it)
