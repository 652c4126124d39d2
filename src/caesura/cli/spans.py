# SPDX-License-Identifier: Apache-2.0
"""``caesura spans``: answers and citations against chunks."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli._output import format_option, named_files, refuse_existing, show_all, write_files

__all__ = ["command"]


@click.command("spans")
@click.argument("documents", metavar="DOCS", type=click.Path())
@click.argument("gold", metavar="SPANS", type=click.Path())
@click.argument("systems", metavar="CHUNKS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--spans-in",
    "counted",
    type=click.Choice(["character", "units"]),
    help="What offsets of SPANS count, where the file does not say [characters if DOCS has texts].",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="When a chunker lacks a document that has spans.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Quote so many of each chunker's worst spans.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Bootstrap resamples of the documents.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all draws.")
@format_option
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the results file (JSON).")
@click.option("--latex", type=click.Path(dir_okay=False), help="Also write the table as LaTeX.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), help="Also write the table as CSV.")
@click.option("--from", "from_format", help="The format of DOCS [detected].")
@click.option("--chunks-from", "chunks_format", help="The format of CHUNKS [detected].")
@click.option("--strict", is_flag=True, help="Refuse unknown keys in files.")
@click.option("--force", is_flag=True, help="Overwrite outputs that exist.")
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
    """Ask how many SPANS of DOCS each chunker cuts, how many chunks a span needs, and how much else they hold.

    SPANS are answers or citations, which depend on no chunker: JSON lines {"id": "d1", "spans": [[0, 12], "or its words"]}.
    CHUNKS are chunkers' output or any segmentation of DOCS; a file is named by its stem, or NAME=FILE.

    \b
    caesura spans docs.jsonl answers.jsonl fixed.jsonl semantic.jsonl
    caesura spans book.txt citations.jsonl chunks.json --format json
    caesura spans docs.jsonl answers.jsonl a.jsonl --spans-in units -o results.json
    """  # noqa: D301  (click wants the backspace itself)
    files = named_files(systems)
    refuse_existing(output, latex, csv_file, force=force, inputs=[documents, gold, *files.values()])
    from caesura.evaluation.spans import spans
    from caesura.reports import render
    from caesura.results import as_text

    found = spans(
        documents,
        gold,
        files,
        counted=counted,
        missing=missing,
        resamples=resamples,
        seed=seed,
        format=from_format,
        chunks_format=chunks_format,
        strict=strict,
    )
    texts = {}
    if latex is not None:
        texts[latex] = render(found.table(), "latex")
    if csv_file is not None:
        texts[csv_file] = render(found.table(), "csv")
    if output is not None:
        found.to_json(output, worst=worst, overwrite=force)
    write_files(texts)
    if output_format == "json":
        click.echo(as_text(found.results(worst)))
    else:
        show_all(found.tables(worst), output_format)
