# SPDX-License-Identifier: Apache-2.0
"""``caesura evaluate``: systems against a reference."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

import click

from caesura.cli._output import format_option, refuse_existing, show, write_text

__all__ = ["command"]


@click.command("evaluate")
@click.argument("reference", type=click.Path())
@click.argument("systems", nargs=-1, required=True)
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="A metric, such as Pk or 'WindowDiff(k=5)'; repeatable."
)
@click.option(
    "--profile",
    default="caesura",
    show_default=True,
    help="Whose conventions hold; metrics --profiles lists them.",
)
@click.option(
    "--reference",
    "against",
    default="boundaries",
    show_default=True,
    help="What of REFERENCE counts: boundaries, annotators, consensus=0.5 or annotator=NAME.",
)
@click.option(
    "--by", type=click.Choice(["macro", "micro"]), help="How documents are put together [each metric's own]."
)
@click.option(
    "--missing",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="When a system lacks a document.",
)
@click.option("--cut", help="Also score segments shorter and not shorter than this, such as 30 or 30s.")
@click.option("--per-document", is_flag=True, help="One row per system and document.")
@format_option
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), help="Write the results file (JSON, counts beside it)."
)
@click.option("--latex", type=click.Path(dir_okay=False), help="Also write the table as LaTeX.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), help="Also write the table as CSV.")
@click.option(
    "--segments",
    type=click.Path(dir_okay=False),
    help="Also write one CSV row per reference segment: length, speakers, words, outcome.",
)
@click.option("--from", "from_format", help="The format of all files [detected].")
@click.option("--strict", is_flag=True, help="Refuse unknown keys in files.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Threads that count; the numbers are the same.",
)
@click.option("--force", is_flag=True, help="Overwrite outputs that exist.")
def command(
    reference: str,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    profile: str,
    against: str,
    by: str | None,
    missing: str,
    cut: str | None,
    per_document: bool,
    output_format: str,
    output: str | None,
    latex: str | None,
    csv_file: str | None,
    segments: str | None,
    from_format: str | None,
    strict: bool,
    threads: int,
    force: bool,
) -> None:
    """Measure SYSTEMS against REFERENCE.

    A system is a file, named by its stem, or NAME=FILE. Without -m a standard set is scored.

    \b
    caesura evaluate gold.jsonl a.jsonl b.jsonl -m Pk -m B -m W-F1
    caesura evaluate show.vtt auto.json -m CovD -m "BoundaryF1(tolerance='10s')"
    caesura evaluate gold.jsonl base=old.jsonl new.jsonl -o results.json --latex table.tex
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.results import as_text, counts_path

    if segments is not None and against == "annotators":
        raise click.UsageError("--segments needs one reference; leave out --reference annotators")
    beside = None if output is None else str(counts_path(output))
    refuse_existing(output, beside, latex, csv_file, segments, force=force)
    from caesura.evaluation import evaluate

    evaluation = evaluate(
        reference,
        _named(systems),
        list(metrics) or None,
        against=against,
        by=cast("Literal['macro', 'micro'] | None", by),
        profile=profile,
        missing=cast("Literal['error', 'skip']", missing),
        cut=_number_or_text(cut),
        threads=threads,
        format=from_format,
        strict=strict,
    )
    table = evaluation.document_table() if per_document else evaluation.table()
    for path, target in ((latex, "latex"), (csv_file, "csv")):
        if path is not None:
            from caesura.reports import render

            write_text(path, render(table, target))  # type: ignore[arg-type]
    if segments is not None:
        from caesura.evaluation import Evaluation
        from caesura.evaluation.segments import segment_tables
        from caesura.reports import render

        write_text(segments, render(segment_tables(cast("Evaluation", evaluation)), "csv"))
    if output is not None:
        evaluation.to_json(output, per_document=per_document, overwrite=force)
    if output_format == "json":
        click.echo(as_text(evaluation.results(per_document=per_document)))
    elif per_document or against != "annotators":
        show(table, output_format)
    else:
        for place, part in enumerate(evaluation.tables()):
            if place:
                click.echo()
            show(part, output_format)


def _named(systems: tuple[str, ...]) -> dict[str, str]:
    """Return the systems by name: NAME=FILE, or a file's stem."""
    from caesura.errors import ComparabilityError
    from caesura.evaluation.inputs import file_stem

    found: dict[str, str] = {}
    for text in systems:
        name, equals, path = text.partition("=")
        if not equals or not name or Path(text).exists():
            name, path = file_stem(text), text
        if name in found:
            raise ComparabilityError(f"two systems are called {name!r}; name them apart: NAME=FILE")
        found[name] = path
    return found


def _number_or_text(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text
