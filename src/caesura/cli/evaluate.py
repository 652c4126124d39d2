# SPDX-License-Identifier: Apache-2.0
"""``caesura evaluate``: systems against a reference."""

from __future__ import annotations

from typing import Any

import click

from caesura.cli._extras import Asked, add, breaches, with_gates
from caesura.cli._options import (
    force_option,
    metric_option,
    missing_option,
    output_option,
    reading_options,
    resamples_option,
    seed_option,
)
from caesura.cli._output import (
    complete_profiles,
    format_option,
    named_files,
    print_json,
    refuse_existing,
    refuse_given,
    show,
    show_all,
    write_files,
)

__all__ = ["command"]

_NOT_WITH_LEVELS = (
    "against", "cut", "baselines", "ci", "comparing", "skill", "verdict", "verdict_lines", "gates", "last", "max_drop",
    "alpha", "per_document", "output", "latex", "csv_file", "segments",
)  # fmt: skip


@click.command("evaluate")
@click.argument("reference", type=click.Path())
@click.argument("systems", nargs=-1, required=True, type=click.Path())
@metric_option("A metric, such as Pk or 'WindowDiff(k=5)'; repeatable.")
@click.option(
    "--profile",
    shell_complete=complete_profiles,
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
    "--pseudo-reference",
    "pseudo",
    is_flag=True,
    help="REFERENCE was made by a program, for want of gold; every number is marked so.",
)
@click.option(
    "--by", type=click.Choice(["macro", "micro"]), help="How documents are put together [each metric's own]."
)
@missing_option
@click.option("--cut", help="Also score segments shorter and not shorter than this, such as 30 or 30s.")
@click.option("--baselines", help="Also score baselines, such as none,every,random_density.")
@click.option("--ci", is_flag=True, help="Add a bootstrap interval to every score.")
@click.option(
    "--compare",
    "comparing",
    is_flag=True,
    help="Compare the systems: difference, interval, tests, density and placement.",
)
@click.option("--skill", is_flag=True, help="Show each score beside chance at the same density.")
@click.option(
    "--verdict",
    is_flag=True,
    help="Say in words what the scores of each system mean; of each document with --per-document.",
)
@click.option(
    "--verdict-lines",
    help="Move the lines of the verdict [low_bor=0.8,high_bor=1.2,percentile=95,placements=200].",
)
@click.option("--levels", is_flag=True, help="Score against each level of a hierarchical reference instead.")
@click.option(
    "--gate",
    "gates",
    multiple=True,
    help="Exit 1 unless METRIC=VALUE is reached by every system; repeatable.",
)
@click.option(
    "--against", "last", type=click.Path(), help="An earlier results file; exit 1 on a significant drop."
)
@click.option(
    "--max-drop",
    type=float,
    default=0.0,
    show_default=True,
    help="With --against: how much worse a score may be.",
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="With --against: the level of the test."
)
@resamples_option
@seed_option
@click.option("--per-document", is_flag=True, help="One row per system and document.")
@format_option
@output_option("Write the results file (JSON, counts beside it).")
@click.option("--latex", type=click.Path(dir_okay=False), help="Also write the table as LaTeX.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), help="Also write the table as CSV.")
@click.option(
    "--segments",
    type=click.Path(dir_okay=False),
    help="Also write one CSV row per reference segment: length, speakers, words, outcome.",
)
@reading_options
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Threads that count; the numbers are the same.",
)
@force_option
def command(
    reference: str,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    profile: str,
    against: str,
    pseudo: bool,
    by: str | None,
    missing: str,
    cut: str | None,
    baselines: str | None,
    ci: bool,
    comparing: bool,
    skill: bool,
    verdict: bool,
    verdict_lines: str | None,
    levels: bool,
    gates: tuple[str, ...],
    last: str | None,
    max_drop: float,
    alpha: float,
    resamples: int,
    seed: int,
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
    caesura evaluate gold.jsonl a.jsonl b.jsonl --compare --baselines every,random_density --verdict
    caesura evaluate gold.jsonl new.jsonl --gate W-F1=0.60 --against last.json --max-drop 0.02
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.reports import render
    from caesura.results import as_text, counts_path
    from caesura.table import one_line

    asked = Asked(ci, comparing, skill, verdict, resamples, seed, per_document, verdict_lines)
    if pseudo:
        if against != "boundaries" or verdict or gates or last is not None or levels:
            raise click.UsageError(
                "--reference, --verdict, --gate, --against and --levels need gold; leave out --pseudo-reference"
            )
        against = "pseudo"
    if against == "annotators":
        if segments is not None:
            raise click.UsageError("--segments needs one reference; leave out --reference annotators")
        if asked.anything() or gates or last is not None:
            raise click.UsageError(
                "--ci, --compare, --skill, --verdict and gates need one reference; leave out --reference annotators"
            )
    if levels:
        refuse_given(_NOT_WITH_LEVELS, "does not go with --levels; leave out one of them")
    if verdict_lines is not None and not (verdict or comparing):
        raise click.UsageError("--verdict-lines belongs to --verdict")
    if last is None:
        refuse_given(("max_drop", "alpha"), "belongs to --against")
    beside = None if output is None else str(counts_path(output))
    files = named_files(systems)
    refuse_existing(
        output, beside, latex, csv_file, segments, force=force, inputs=[reference, *files.values()]
    )
    from caesura.evaluation import Evaluation, evaluate

    options: dict[str, Any] = {
        "by": by,
        "profile": profile,
        "missing": missing,
        "threads": threads,
        "format": from_format,
        "strict": strict,
    }
    if levels:
        _show_levels(reference, files, metrics, options, output_format)
        return
    evaluation = evaluate(
        reference,
        files,
        with_gates(metrics, gates) or None,
        against=against,
        cut=_number_or_text(cut),
        baselines=baselines or (),
        seed=seed,
        **options,
    )
    results = evaluation.results(per_document=per_document)
    tables = [evaluation.document_table()] if per_document else evaluation.tables()
    failed: list[str] = []
    texts: dict[str, str] = {}
    if isinstance(evaluation, Evaluation):
        tables = [*tables, *(evaluation.marked(table) for table in add(evaluation, asked, results))]
        failed, notes = (
            breaches(evaluation, gates, last, max_drop, alpha, seed) if gates or last else ([], [])
        )
        results.breaches = failed if gates or last else None
        for note in notes:
            click.echo(f"caesura: note: {one_line(note)}", err=True)
        if segments is not None:
            from caesura.evaluation.reference.segments import segment_tables

            texts[segments] = render(segment_tables(evaluation), "csv")
    if latex is not None:
        texts[latex] = render(tables[0], "latex")
    if csv_file is not None:
        texts[csv_file] = render(tables[0], "csv")
    if output is not None:
        evaluation.to_json(output, results=results, overwrite=force)
    write_files(texts)
    if output_format == "json":
        click.echo(as_text(results))
    else:
        show_all(tables, output_format)
    for breach in failed:
        click.echo(f"caesura: gate: {one_line(breach)}", err=True)
    if failed:
        click.get_current_context().exit(1)


def _show_levels(
    reference: str,
    files: dict[str, str],
    metrics: tuple[str, ...],
    options: dict[str, Any],
    output_format: str,
) -> None:
    """Print the scores against each level of a hierarchical reference."""
    from caesura.evaluation.reference.levels import evaluate_levels

    found = evaluate_levels(reference, files, list(metrics) or None, **options)
    if output_format == "json":
        print_json(found.as_dict())
    else:
        show(found.table(), output_format)


def _number_or_text(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text
