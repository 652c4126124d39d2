# SPDX-License-Identifier: Apache-2.0
"""The table of a stream report: one row per document, the summary below."""

from __future__ import annotations

import msgspec

from caesura.results.base import Number, required
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["csv_table", "tables"]


def csv_table(results: Results) -> Table:
    """Return one row per document."""
    return tables(results)[1]


def tables(results: Results) -> list[Table]:
    """Return the summary, and the table of the documents as detail."""
    stream = required(results.stream)
    rows: list[list[Value]] = [
        [
            d.id, len(d.commits), _mean(d.delays), _mean([abs(error) for error in d.rate_error]), d.score_regret,
            d.score, d.static_score,
        ]
        for d in stream.documents
    ]  # fmt: skip
    label = stream.metric or "score"
    titles = (
        "document", "boundaries", "mean delay", "rate error", "score regret", label, f"{label}, static",
    )  # fmt: skip
    with_reference = stream.metric is not None
    counted: dict[str, Number] = {
        name: value
        for name, value in msgspec.structs.asdict(stream.summary).items()
        if with_reference or name not in ("score", "static_score", "regret")
    }
    columns = [Column(name.replace("_", " "), digits=1 if name.startswith("delay") else 3) for name in counted]
    notes = ["static: the best gaps of the whole document, as many as the stream committed"]
    return [
        Table(columns, [list(counted.values())], notes=notes, title=stream.selector),
        Table(columns_of(*titles), rows, notes=notes, title="Documents", detail=True),
    ]


def _mean(values: list[int] | list[float]) -> Number:
    return sum(values) / len(values) if values else None
