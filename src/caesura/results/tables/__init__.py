# SPDX-License-Identifier: Apache-2.0
"""From results to tables: one file per question, each with ``tables(results)``."""

from __future__ import annotations

import importlib

from caesura.results.schema import Results
from caesura.table import Table

__all__ = ["tables_of"]

_FILES = {"compare": "evaluate", "gate": "evaluate"}


def tables_of(results: Results, target: str = "table") -> list[Table]:
    """Return every table of the results, in the order in which the command prints them.

    A question may have other tables for programs (``target="csv"``): its file then also has ``csv_tables``.
    """
    file = importlib.import_module(f"caesura.results.tables.{_FILES.get(results.question, results.question)}")
    make = getattr(file, "csv_tables", file.tables) if target == "csv" else file.tables
    tables: list[Table] = make(results)
    return tables
