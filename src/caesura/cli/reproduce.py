# SPDX-License-Identifier: Apache-2.0
"""``caesura reproduce``: the numbers of a paper made again, beside what it prints."""

from __future__ import annotations

import click

from caesura.cli._output import format_option, print_json, refuse_existing, show_all, write_text

__all__ = ["command"]


@click.command("reproduce")
@click.argument("paper", required=False)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The folder of the released data [reproduction below the folder that CAESURA_DATA names].",
)
@click.option("--unmatched", is_flag=True, help="Show only what is not matched.")
@format_option
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Also write everything as JSON.")
@click.option("--force", is_flag=True, help="Overwrite an output that exists.")
def command(
    paper: str | None, data: str | None, unmatched: bool, output_format: str, output: str | None, force: bool
) -> None:
    """Make the numbers of PAPER again and lay them beside what it prints; without PAPER, list the papers.

    Two readings stand side by side: as_run is what the released code does, paper what the paper says. Exit code 1 says
    that something which should come out does not.

    \b
    caesura reproduce
    caesura reproduce 003
    caesura reproduce 003 --format json -o 003.json
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.experiments.reproductions import papers, reproduce

    if paper is None:
        _list(papers(), output_format)
        return
    refuse_existing(output, force=force)
    made = reproduce(paper, data)
    if output is not None:
        import msgspec

        write_text(output, msgspec.json.format(msgspec.json.encode(made.to_dict()), indent=2).decode() + "\n")
    shown = made.unmatched() if unmatched else made
    if output_format == "json":
        print_json(shown.to_dict())
    else:
        show_all(shown.tables(), output_format)
    if not made.matched:
        click.get_current_context().exit(1)


def _list(known: dict[str, str], output_format: str) -> None:
    from caesura.table import Column, Table

    table = Table([Column("paper"), Column("title")], [[number, title] for number, title in known.items()])
    show_all([table], output_format)
