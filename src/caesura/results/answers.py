# SPDX-License-Identifier: Apache-2.0
"""Conversion of results to sentences: ``answer(results)`` of the question's folder."""

from __future__ import annotations

import importlib
import importlib.util

from caesura.results.schema import Results
from caesura.results.tables import damaged
from caesura.table import one_line

__all__ = ["answer_of"]


def answer_of(results: Results) -> tuple[str, ...]:
    """Return the answer of results as two to five sentences; empty if their question has no answer module.

    Sentences are generated for display and are not part of the results file, whose numbers are the only source.

    Raises
    ------
    FormatError
        If parts of the results are missing or do not fit together, as in a file that was edited by hand.
    """
    name = f"caesura.results.{results.question}.answer"
    if importlib.util.find_spec(name) is None:
        return ()
    try:
        sentences: tuple[str, ...] = importlib.import_module(name).answer(results)
    except (LookupError, StopIteration, TypeError, ValueError) as error:
        raise damaged(results) from error
    return tuple(one_line(sentence) for sentence in sentences)
