# SPDX-License-Identifier: Apache-2.0
"""Count the answers or citations that each chunker cuts."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files
from caesura.cli._output import Outputs

GROUP = "Chunks"


@click.command("spans", cls=Command)
@click.argument("documents", metavar="DOCS", type=click.Path())
@click.argument("gold", metavar="SPANS", type=click.Path())
@opt.systems_argument(metavar="CHUNKS...")
@click.option(
    "--spans-in",
    "counted",
    cls=Files,
    type=click.Choice(["character", "units"]),
    help="What the offsets of SPANS count if the file does not say [characters if DOCS has texts].",
)
@opt.retrieving_options
@click.option("--clock/--no-clock", default=True, help="Add chunks of each chunker's mean length that ignore the text.")
@opt.missing_option
@opt.match_option
@opt.number_option("--worst", "Quote this many of each chunker's worst spans.", default=3, minimum=0)
@opt.slice_option
@opt.resamples_option
@opt.seed_option
@click.option("--from", "format", cls=Files, metavar="FORMAT", help="Format of DOCS [detected].")
@click.option("--chunks-from", "chunks_format", cls=Files, metavar="FORMAT", help="Format of CHUNKS [detected].")
@opt.strict_option
@opt.output_options(counts=True, figure=None)
def command(
    documents: str, gold: str, systems: dict[str, str], field: str | None, outputs: Outputs, **call: Any
) -> None:
    """Measure how many SPANS of DOCS each chunker cuts, and how much of them a budget of retrieved tokens holds.

    SPANS are answers or citations, independent of any chunker: JSON lines {"id": "d1", "spans": [[0, 12], "or its words"]}.
    The word structure in place of SPANS: code, tables, items of lists, and headings with their first line. With questions, {"doc_id": "d1", "question": "…", "answer": "its words"} or a table with such columns, --retrieve tells which
    chunker retrieves more of the answers with the same number of tokens. CHUNKS are the output of chunkers or any segmentation of
    DOCS; a file is named by its stem, or NAME=FILE.

    \b
    caesura spans docs.jsonl questions.csv a.jsonl b.jsonl --retrieve bm25
    caesura spans docs.jsonl answers.jsonl fixed.jsonl semantic.jsonl
    caesura spans book.txt citations.jsonl chunks.json --format json
    caesura spans docs.jsonl answers.jsonl a.jsonl --spans-in units -o r.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.evaluation.spans import spans

    report = spans(documents, gold, systems, **call)
    if field is not None:
        report.slices(field, resamples=call["resamples"], seed=call["seed"])
    outputs.finish(report.results(), report)
