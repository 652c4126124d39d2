# SPDX-License-Identifier: Apache-2.0
"""Bring dialogues into one form: all turns, or one speaker's."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, Output, What
from caesura.cli._output import show
from caesura.cli._overwriting import OutputFile

GROUP = "Files"


@click.command("canonicalize", cls=Command)
@click.argument("path", metavar="PATH", type=click.Path())
@click.option(
    "--dataset",
    cls=Files,
    metavar="NAME",
    help="PATH holds the original files of this dataset [PATH is a file of a format].",
)
@click.option(
    "--members",
    cls=What,
    default="all",
    show_default=True,
    metavar="WHICH",
    help="Keep all turns, even ones, even+last, or those of a speaker, such as user.",
)
@click.option("--as-run", is_flag=True, help="Write what the released code of the paper makes of them.")
@click.option("-o", "--output", cls=Output, metavar="FILE", type=OutputFile(), help="Write the documents to this file.")
@opt.force_option
@click.option("--from", "source_format", cls=Files, metavar="FORMAT", help="Format of PATH [detected].")
@opt.strict_option
@opt.format_option
def command(
    path: str,
    dataset: str | None,
    members: str,
    as_run: bool,
    output: str | None,
    force: bool,
    source_format: str | None,
    strict: bool,
    output_format: str,
) -> None:
    """Bring the dialogues of PATH into canonical form, and count what each rule makes of them.

    The rules are those of Appendix D of paper 003: blank turns are dropped, and a boundary lies between two turns with
    different labels. A boundary before a turn that is not kept moves to the next one that is. The last row counts as the
    released code of the paper does, which loses the boundary that leaves the first topic.

    \b
    caesura canonicalize tiage --dataset TIAGE -o tiage.jsonl
    caesura canonicalize tiage --dataset TIAGE --members even+last --as-run
    caesura canonicalize dialogues.jsonl --members user -o user-turns.jsonl
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.datasets.canonical import canonical
    from caesura.formats import save
    from caesura.table import Column, Table

    made = canonical(opt.read_documents(path, dataset, source_format, strict=strict), members=members, as_run=as_run)
    notes = list(made.notes)
    if output is not None:
        save(made.corpus, output, overwrite=force)
        chosen = made.readings[-1] if as_run else made.readings[-2]
        notes.append(f"{output}: {chosen.rule} written")
    columns = [Column("rule"), Column("documents"), Column("units"), Column("boundaries")]
    show(Table(columns, [list(reading) for reading in made.readings], notes), output_format)
