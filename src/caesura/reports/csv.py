# SPDX-License-Identifier: Apache-2.0
"""CSV for programs: full precision, no marks, no notes."""

from __future__ import annotations

import csv
import io
import math
import re

from caesura.errors import visible
from caesura.table import Table, Value

__all__ = ["render"]

_FORMULA_STARTS = ("=", "+", "-", "@")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def render(table: Table) -> str:
    """Return the table as CSV with a header line, the two ends of an interval in columns of their own."""
    table = table.for_programs()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_text(column.title) for column in table.columns])
    for row in table.rows:
        writer.writerow([_value(value) for value in row])
    return out.getvalue()


def _value(value: Value) -> str | float | int:
    if value is None or isinstance(value, tuple):
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    """Quote formulas of spreadsheets and escape terminal control characters, since ids come from outside.

    A number kept as it was printed, such as "-0.05", is no formula.
    """
    text = visible(text)
    return "'" + text if text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text) else text
