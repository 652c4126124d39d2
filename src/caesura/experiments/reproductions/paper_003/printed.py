# SPDX-License-Identifier: Apache-2.0
"""Published numbers that can be reproduced without a model, with their digits as printed.

Source: M. Coen, When F1 Fails (preprint), Tables 3, 4, 5, 9 and 12; the base table of Table 6 and the counts of the
external methods as released with the paper (github mhcoen/episodic at cbce38e3, Apache-2.0).
"""

from __future__ import annotations

__all__ = [
    "GOLD_COUNTS", "RELEASED_COUNTS", "TABLE_3", "TABLE_4", "TABLE_4_COUNTED", "TABLE_5", "TABLE_6_BASE", "Row",
]  # fmt: skip

Row = tuple[str, str]
"""Dataset and method."""


def _table(columns: str, rows: dict[Row, str]) -> dict[Row, dict[str, str]]:
    """Return row to column to digits."""
    return {row: dict(zip(columns.split(), digits.split(), strict=True)) for row, digits in rows.items()}


TABLE_3 = _table(
    "W-F1 BOR Purity Coverage",
    {
        ("DialSeg711", "No-boundary"): "0.000 0.00 0.438 1.000",
        ("DialSeg711", "Every-N"): "0.639 0.97 0.812 0.823",
        ("DialSeg711", "Random"): "0.528 1.00 0.839 0.833",
        ("TIAGE", "No-boundary"): "0.140 0.00 0.541 1.000",
        ("TIAGE", "Every-N"): "0.610 0.97 0.849 0.774",
        ("TIAGE", "Random"): "0.664 1.00 0.873 0.869",
    },
)
"""Every-N has N = 4 and N = 3."""

TABLE_4 = _table(
    "W-F1 BOR F1 Purity Coverage",
    {
        ("DialSeg711", "Random"): "0.267 0.55 0.098 0.711 0.890",
        ("DialSeg711", "Oracle-Periodic"): "0.483 1.00 0.211 0.806 0.809",
        ("TIAGE", "Random"): "0.256 0.33 0.121 0.697 0.921",
        ("TIAGE", "Oracle-Periodic"): "0.620 1.00 0.300 0.832 0.838",
    },
)
"""Rows that need no model."""

TABLE_4_COUNTED = _table(
    "BOR F1",
    {
        ("DialSeg711", "TextTiling"): "1.88 0.550",
        ("DialSeg711", "CSM"): "0.64 0.373",
        ("TIAGE", "TextTiling"): "2.04 0.445",
        ("TIAGE", "CSM"): "3.97 0.346",
    },
)
"""Rows of models, of which BOR and F1 follow from the released counts."""

RELEASED_COUNTS = {
    "DialSeg711": "dialseg_711",
    "TIAGE": "tiage",
    "TextTiling": "TextTiling",
    "CSM": "CSM (NSP)",
}
"""How the released counts name datasets and methods."""

TABLE_5: dict[Row, str] = {
    ("DialSeg711", "TextTiling"): "Aggressive",
    ("DialSeg711", "CSM"): "Conservative",
    ("DialSeg711", "Random"): "Conservative",
    ("DialSeg711", "Oracle-Periodic"): "Balanced",
    ("TIAGE", "TextTiling"): "Aggressive",
    ("TIAGE", "CSM"): "Aggressive",
    ("TIAGE", "Random"): "Conservative",
    ("TIAGE", "Oracle-Periodic"): "Balanced",
}
"""Density regimes."""

TABLE_6_BASE = _table(
    "F1 W-F1 BOR Purity Coverage",
    {
        ("DialSeg711", "Even"): "0.211 0.481 1.00 0.806 0.809",
        ("TIAGE", "Even"): "0.276 0.633 1.00 0.824 0.826",
    },
)
"""Released with the paper, not printed in it."""

GOLD_COUNTS = {"DialSeg711": "2042", "TIAGE": "207"}
"""Boundaries of the gold in Tables 9 and 12."""
