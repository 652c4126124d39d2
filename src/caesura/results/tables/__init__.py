# SPDX-License-Identifier: Apache-2.0
"""From results to tables: one file per question, each with ``tables(results)``."""

from __future__ import annotations

import importlib

from caesura.errors import FormatError
from caesura.results.schema import Results
from caesura.table import Table

__all__ = ["damaged", "tables_of"]

_FILES = {"compare": "evaluate", "gate": "evaluate"}


def damaged(results: Results) -> FormatError:
    """Return the error for results whose parts are missing or do not fit together."""
    return FormatError(
        f"is a damaged results file: the parts of question {results.question!r} are missing or do not fit together; "
        "run the command again"
    )


def tables_of(results: Results, target: str = "table") -> list[Table]:
    """Return every table of the results, in the order in which the command prints them; ``detail`` only with ``--full``.

    A question may have other tables for programs (``target="csv"``): its file then also has ``csv_tables``.

    Raises
    ------
    FormatError
        If parts of the results are missing or do not fit together, as in a file that was edited by hand.
    """
    file = importlib.import_module(f"caesura.results.tables.{_FILES.get(results.question, results.question)}")
    make = getattr(file, "csv_tables", file.tables) if target == "csv" else file.tables
    tables: list[Table] = []
    fault: Exception | None = None
    try:
        tables = make(results)
    except (LookupError, StopIteration, ValueError) as error:
        fault = error
    if not tables:
        raise damaged(results) from fault
    return tables
