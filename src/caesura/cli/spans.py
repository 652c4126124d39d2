# SPDX-License-Identifier: Apache-2.0
"""``caesura spans``: answers and citations against chunks."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli._options import force_option, missing_option, output_option, resamples_option, seed_option
from caesura.cli._output import format_option, named_files, refuse_existing, show_results, write_files

__all__ = ["command"]


@click.command("spans")
@click.argument("documents", metavar="DOCS", type=click.Path())
@click.argument("gold", metavar="SPANS", type=click.Path())
@click.argument("systems", metavar="CHUNKS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--spans-in",
    "counted",
    type=click.Choice(["character", "units"]),
    help="Set what the offsets of SPANS count if the file does not say [characters if DOCS has texts].",
)
@missing_option
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Quote this many of each chunker's worst spans.",
)
@resamples_option
@seed_option
@format_option
@output_option("Write the results file (JSON, counts beside it).")
@click.option("--latex", type=click.Path(dir_okay=False), help="Also write the table as LaTeX.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), help="Also write the table as CSV.")
@click.option("--from", "from_format", help="Set the format of DOCS [detected].")
@click.option("--chunks-from", "chunks_format", help="Set the format of CHUNKS [detected].")
@click.option("--strict", is_flag=True, help="Refuse unknown keys in files.")
@force_option
def command(
    documents: str,
    gold: str,
    systems: tuple[str, ...],
    counted: Any,
    missing: Any,
    worst: int,
    resamples: int,
    seed: int,
    output_format: str,
    output: str | None,
    latex: str | None,
    csv_file: str | None,
    from_format: str | None,
    chunks_format: str | None,
    strict: bool,
    force: bool,
) -> None:
    """Measure how many SPANS of DOCS each chunker cuts, how many chunks a span needs, and how much else they hold.

    SPANS are answers or citations, independent of any chunker: JSON lines {"id": "d1", "spans": [[0, 12], "or its words"]}.
    CHUNKS are the output of chunkers or any segmentation of DOCS; a file is named by its stem, or NAME=FILE.

    \b
    caesura spans docs.jsonl answers.jsonl fixed.jsonl semantic.jsonl
    caesura spans book.txt citations.jsonl chunks.json --format json
    caesura spans docs.jsonl answers.jsonl a.jsonl --spans-in units -o results.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.reports import render
    from caesura.results import counts_path, tables_of

    files = named_files(systems)
    beside = None if output is None else str(counts_path(output))
    refuse_existing(output, beside, latex, csv_file, force=force, inputs=[documents, gold, *files.values()])
    from caesura.evaluation.spans import spans

    report = spans(
        documents,
        gold,
        files,
        counted=counted,
        missing=missing,
        worst=worst,
        resamples=resamples,
        seed=seed,
        format=from_format,
        chunks_format=chunks_format,
        strict=strict,
    )
    results = report.results()
    table = tables_of(results)[0]
    if output is not None:
        report.save(output, results=results, overwrite=force)
    texts = {}
    if latex is not None:
        texts[latex] = render(table, "latex")
    if csv_file is not None:
        texts[csv_file] = render(table, "csv")
    write_files(texts)
    show_results(results, output_format)
