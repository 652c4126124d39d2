# SPDX-License-Identifier: Apache-2.0
"""The results file: the only interface between measurement and presentation.

`Results` is the whole file, typed; every question has its section. `read_results` and `write_results` read and write it,
`caesura.results.tables` turns it into tables and sentences. Nothing here depends on a metric.
"""

from caesura.results.base import (
    Among,
    Blind,
    Ends,
    Input,
    MetricFacts,
    Null,
    Number,
    Resampling,
    Score,
    Skill,
    as_float,
    as_number,
    number,
)
from caesura.results.compare.facts import AtEqualDensity, Comparison, Standing
from caesura.results.schema import SCHEMA, Results, json_schema
from caesura.results.store import (
    CountTables,
    DamagedCountsError,
    as_text,
    counts_path,
    read_counts,
    read_results,
    seen_from,
    stored_counts,
    write_results,
)
from caesura.results.tables import answer_of, brief_of, csv_table, joined_table, paper_tables, tables_of

__all__ = [
    "SCHEMA", "Among", "AtEqualDensity", "Blind", "Comparison", "CountTables", "DamagedCountsError", "Ends", "Input",
    "MetricFacts", "Null", "Number", "Resampling", "Results", "Score", "Skill", "Standing", "answer_of", "as_float",
    "as_number", "as_text", "brief_of", "counts_path", "csv_table", "joined_table", "json_schema", "number", "paper_tables",
    "read_counts", "read_results", "seen_from", "stored_counts", "tables_of", "write_results",
]  # fmt: skip
