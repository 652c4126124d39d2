# SPDX-License-Identifier: Apache-2.0
"""Convert between formats, and move boundaries to other units."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, What
from caesura.cli._output import counted
from caesura.cli._overwriting import OutputFile

GROUP = "Files"


@click.command("convert", cls=Command)
@click.argument("source", metavar="IN", type=click.Path(path_type=str))
@click.argument("target", metavar="OUT", type=OutputFile())
@click.option(
    "--from", "source_format", cls=Files, metavar="FORMAT", help="Format of IN, such as bits(marks='last') [detected]."
)
@click.option("--dataset", cls=Files, metavar="NAME", help="IN holds the original files of this dataset.")
@click.option("--to", "target_format", cls=Files, metavar="FORMAT", help="Format of OUT [from its suffix].")
@click.option(
    "--project",
    "onto",
    cls=What,
    type=click.Choice(["ms", "units", "character"]),
    help="Project boundaries onto milliseconds, units, or characters of the concatenated texts.",
)
@click.option(
    "--onto",
    "units_file",
    cls=Files,
    metavar="FILE",
    help="With --project units: file that gives the positions of the units.",
)
@click.option(
    "--rule",
    type=click.Choice(["nearest", "next", "previous"]),
    default="nearest",
    show_default=True,
    help="With --project units: which gap a boundary between two gaps moves to.",
)
@opt.duration_option
@opt.durations_option
@opt.columns_option
@opt.force_option
@opt.strict_option
def command(
    source: str,
    target: str,
    source_format: str | None,
    dataset: str | None,
    target_format: str | None,
    onto: str | None,
    units_file: str | None,
    rule: str,
    duration: str | None,
    durations: str | None,
    force: bool,
    strict: bool,
) -> None:
    """Convert IN to OUT: another format, or boundaries on other units.

    \b
    caesura convert annotations.json annotations.jsonl
    caesura convert --from "bits(marks='last')" --to masses a.txt a.masses
    caesura convert --project units --onto show.srt chapters.json chapters.jsonl
    caesura convert --dataset Chroma chroma chroma.jsonl

    IN may be a directory with one document per file. Formats are detected from suffix and content.
    """  # noqa: D301  (click wants the backspace itself)
    from typing import Any, cast

    from caesura.evaluation.inputs import Source
    from caesura.evaluation.matching import lasting
    from caesura.formats import load, save
    from caesura.units.projection import project_corpus, summary

    if units_file is not None and onto != "units":
        raise click.UsageError("--onto needs --project units")
    corpus = opt.read_documents(source, dataset, source_format, strict=strict)
    corpus = lasting({"": Source(corpus, source)}, duration, durations)[""].corpus
    said = ""
    if onto is not None:
        units_of = None if units_file is None else load(units_file, strict=strict)
        corpus, projections = project_corpus(corpus, cast(Any, onto), units_of=units_of, rule=cast(Any, rule))
        said = f"; {summary(projections)}"
    save(corpus, target, target_format, overwrite=force)
    click.echo(f"{target}: {counted(corpus)} written{said}")
