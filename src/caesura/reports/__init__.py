# SPDX-License-Identifier: Apache-2.0
"""Renderers, one per target: each turns a `Table` into text."""

from __future__ import annotations

import importlib
from typing import Literal

from caesura.table import Table

__all__ = ["FORMATS", "TableFormat", "render"]

TableFormat = Literal["table", "csv", "markdown", "latex"]
FORMATS: tuple[TableFormat, ...] = ("table", "csv", "markdown", "latex")


def render(table: Table, target: TableFormat) -> str:
    """Return a table as text for a target: ``table`` (plain), ``csv``, ``markdown`` or ``latex``."""
    if target == "table":
        return str(table) + "\n"
    text: str = importlib.import_module(f"caesura.reports.{target}").render(table)
    return text
