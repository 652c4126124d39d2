# SPDX-License-Identifier: Apache-2.0
"""Published numbers that can be reproduced without a model, with their digits as printed.

Source: M. Coen, When F1 Fails (preprint), Tables 3, 4, 5, 9 and 12; the base table of Table 6 and the counts of the
external methods as released with the paper (github mhcoen/episodic at cbce38e3, Apache-2.0).
"""

from __future__ import annotations

__all__ = [
    "GOLD_COUNTS",
    "REGIMES",
    "RELEASED_COUNTS",
    "TABLE_3",
    "TABLE_4",
    "TABLE_4_COUNTED",
    "TABLE_6_BASE",
]

Row = tuple[str, str]

TABLE_3: dict[Row, dict[str, str]] = {
    ("DialSeg711", "No-boundary"): {"W-F1": "0.000", "BOR": "0.00", "Purity": "0.438", "Coverage": "1.000"},
    ("DialSeg711", "Every-N"): {"W-F1": "0.639", "BOR": "0.97", "Purity": "0.812", "Coverage": "0.823"},
    ("DialSeg711", "Random"): {"W-F1": "0.528", "BOR": "1.00", "Purity": "0.839", "Coverage": "0.833"},
    ("TIAGE", "No-boundary"): {"W-F1": "0.140", "BOR": "0.00", "Purity": "0.541", "Coverage": "1.000"},
    ("TIAGE", "Every-N"): {"W-F1": "0.610", "BOR": "0.97", "Purity": "0.849", "Coverage": "0.774"},
    ("TIAGE", "Random"): {"W-F1": "0.664", "BOR": "1.00", "Purity": "0.873", "Coverage": "0.869"},
}
"""Dataset and baseline to column to digits; Every-N has N = 4 and N = 3."""

TABLE_4: dict[Row, dict[str, str]] = {
    ("DialSeg711", "Random"): {
        "W-F1": "0.267", "BOR": "0.55", "F1": "0.098", "Purity": "0.711", "Coverage": "0.890",
    },
    ("DialSeg711", "Oracle-Periodic"): {
        "W-F1": "0.483", "BOR": "1.00", "F1": "0.211", "Purity": "0.806", "Coverage": "0.809",
    },
    ("TIAGE", "Random"): {
        "W-F1": "0.256", "BOR": "0.33", "F1": "0.121", "Purity": "0.697", "Coverage": "0.921",
    },
    ("TIAGE", "Oracle-Periodic"): {
        "W-F1": "0.620", "BOR": "1.00", "F1": "0.300", "Purity": "0.832", "Coverage": "0.838",
    },
}  # fmt: skip
"""Rows that need no model."""

TABLE_4_COUNTED: dict[Row, dict[str, str]] = {
    ("DialSeg711", "TextTiling"): {"BOR": "1.88", "F1": "0.550"},
    ("DialSeg711", "CSM"): {"BOR": "0.64", "F1": "0.373"},
    ("TIAGE", "TextTiling"): {"BOR": "2.04", "F1": "0.445"},
    ("TIAGE", "CSM"): {"BOR": "3.97", "F1": "0.346"},
}
"""Rows of models, of which BOR and F1 follow from the released counts."""

RELEASED_COUNTS = {
    "DialSeg711": "dialseg_711",
    "TIAGE": "tiage",
    "TextTiling": "TextTiling",
    "CSM": "CSM (NSP)",
}
"""How the released counts name datasets and methods."""

REGIMES: dict[Row, str] = {
    ("DialSeg711", "TextTiling"): "Aggressive",
    ("DialSeg711", "CSM"): "Conservative",
    ("DialSeg711", "Random"): "Conservative",
    ("DialSeg711", "Oracle-Periodic"): "Balanced",
    ("TIAGE", "TextTiling"): "Aggressive",
    ("TIAGE", "CSM"): "Aggressive",
    ("TIAGE", "Random"): "Conservative",
    ("TIAGE", "Oracle-Periodic"): "Balanced",
}
"""Table 5: dataset and method to density regime."""

TABLE_6_BASE: dict[Row, dict[str, str]] = {
    ("DialSeg711", "Even"): {
        "F1": "0.211", "W-F1": "0.481", "BOR": "1.00", "Purity": "0.806", "Coverage": "0.809",
    },
    ("TIAGE", "Even"): {
        "F1": "0.276", "W-F1": "0.633", "BOR": "1.00", "Purity": "0.824", "Coverage": "0.826",
    },
}  # fmt: skip
"""Released with the paper, not printed in it."""

GOLD_COUNTS = {"DialSeg711": "2042", "TIAGE": "207"}
"""Boundaries of the gold in Tables 9 and 12."""
