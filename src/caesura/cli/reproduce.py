# SPDX-License-Identifier: Apache-2.0
"""Reproduce a paper's tables next to the published values."""

from __future__ import annotations

import click

from caesura.cli._options import output_options
from caesura.cli._output import Outputs, refuse_given, show

__all__ = ["command"]


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="Read the released data from this folder [reproduction below the folder that CAESURA_DATA names].",
)
@click.option("--unmatched", is_flag=True, help="Report only what is not matched.")
@output_options(figure=None)
def command(paper: str | None, data: str | None, unmatched: bool, outputs: Outputs) -> None:
    """Reproduce the tables of PAPER next to the published values; without PAPER, list the papers.

    Two readings are compared: as_run follows the released code, paper follows the definitions in the paper. The exit code
    is 1 if a value that should match as_run does not.

    \b
    caesura reproduce
    caesura reproduce 003
    caesura reproduce 003 --unmatched -o 003.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.experiments.reproductions import papers, reproduce

    if paper is None:
        from caesura.table import Column, Table

        refuse_given(("data", "unmatched", "output"), "needs PAPER; caesura reproduce lists the papers")
        rows = [[number, title] for number, title in papers().items()]
        show(Table([Column("paper"), Column("title")], rows), outputs.format)
        return
    reproduction = reproduce(paper, data)
    outputs.finish(reproduction.results(unmatched=unmatched))
    if not reproduction.matched:
        click.get_current_context().exit(1)
