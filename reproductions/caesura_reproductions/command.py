# SPDX-License-Identifier: Apache-2.0
"""Reproduce a paper's tables next to the published values."""

from __future__ import annotations

import click

from caesura.cli._help import Command
from caesura.cli._options import output_options
from caesura.cli._output import Outputs, refuse_given, show

__all__ = ["command"]


@click.command("reproduce", cls=Command, short_help="Reproduce a paper's tables next to the published values.")
@click.argument("paper", required=False)
@click.argument("item", required=False)
@click.option("--list", "listed", is_flag=True, help="List the items of PAPER, or of every paper.")
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="Read data that are not shipped from this folder [the folder that CAESURA_DATA names].",
)
@click.option(
    "--model",
    type=click.Path(file_okay=False, exists=True),
    help="Also score this scorer that caesura train saved, in T8 to T12 of paper 003, beside print.",
)
@click.option("--unmatched", is_flag=True, help="Report only what differs from print.")
@output_options(figure="Draw what the paper draws, or ours against print")
def command(
    paper: str | None,
    item: str | None,
    listed: bool,
    data: str | None,
    model: str | None,
    unmatched: bool,
    outputs: Outputs,
) -> None:
    """Reproduce the tables and figures of PAPER, or one ITEM of it, next to the published values.

    PAPER is a number or author and year, ITEM a table or figure such as T4 or Fig3. Every number is exact (it has every
    printed digit), within sampling, equal in shape, different or unavailable. The exit code is 1 if a number that can be
    exact is not. Items that need no data are computed without any.

    \b
    caesura reproduce --list
    caesura reproduce bouchekif2016
    caesura reproduce 003 T4 --data DIR --format json
    caesura reproduce 003 T12 --data DIR --model FOLDER
    caesura reproduce 004 --unmatched -o 004.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura_reproductions import run

    if paper is None or listed:
        from caesura.table import Column, Table

        refuse_given(("data", "model", "unmatched", "output", "figure", "report"), "needs PAPER, and no --list")
        heads = [Column("paper"), Column("alias"), Column("item"), Column("what", width=34), Column("needs", width=22)]
        rows = run.listed(paper)
        table = Table(
            heads, rows, notes=[f"{number} is also {alias}" for number, alias in dict(row[:2] for row in rows).items()]
        )
        # Columns for people fit 80 characters.
        show(table.at([0, 2, 3, 4]) if outputs.output_format == "table" else table, outputs.output_format)
        return
    reproduction = run.reproduce(paper, item, data, model)
    outputs.finish(reproduction.results(unmatched=unmatched))
    if not reproduction.matched:
        click.get_current_context().exit(1)
