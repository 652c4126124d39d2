# SPDX-License-Identifier: Apache-2.0
"""Tables of a calibration: the temperature with its effect, and the reliability before and after."""

from __future__ import annotations

from caesura.results.base import required
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["tables"]


def tables(results: Results) -> list[Table]:
    """Return the effect of the temperature, and the reliability bin by bin."""
    c = required(results.calibration)
    effect: list[list[Value]] = [
        ["before", 1.0, c.before.nll, c.before.ece],
        ["after", c.temperature, c.after.nll, c.after.ece],
    ]
    columns = [*columns_of("logits", "temperature"), Column("NLL", "lower"), Column("ECE", "lower")]
    notes = [
        "NLL: mean negative log-likelihood; ECE: mean distance between predicted and observed probability over the bins"
    ]
    bins: list[list[Value]] = [
        [f"{a.low:g}..{a.high:g}", a.count, a.confidence, a.accuracy, b.count, b.confidence, b.accuracy]
        for a, b in zip(c.before.bins, c.after.bins, strict=True)
    ]
    titles = (
        "probability", "gaps before", "predicted", "observed", "gaps after", "predicted", "observed",
    )  # fmt: skip
    return [
        Table(columns, effect, notes=notes, title=f"Calibration of {c.scorer}", marked=frozenset()),
        Table(columns_of(*titles), bins, title="Reliability", detail=True),
    ]
