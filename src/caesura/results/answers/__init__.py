# SPDX-License-Identifier: Apache-2.0
"""From results to sentences: one file per question, each with ``answer(results)``."""

from __future__ import annotations

import importlib
import importlib.util

from caesura.results.schema import Results
from caesura.results.tables import damaged
from caesura.table import one_line

__all__ = ["answer_of"]


def answer_of(results: Results) -> tuple[str, ...]:
    """Return what the results say, in two to five sentences, each an entry; nothing if their question has no answer file.

    Sentences are made when they are shown, and are not part of the results file: the numbers there are the only truth.

    Raises
    ------
    FormatError
        If parts of the results are missing or do not fit together, as in a file that was edited by hand.
    """
    name = f"{__name__}.{results.question}"
    if importlib.util.find_spec(name) is None:
        return ()
    try:
        sentences: tuple[str, ...] = importlib.import_module(name).answer(results)
    except (LookupError, StopIteration, TypeError, ValueError) as error:
        raise damaged(results) from error
    return tuple(one_line(sentence) for sentence in sentences)
