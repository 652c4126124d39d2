# SPDX-License-Identifier: Apache-2.0
"""Print a stored results file."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command
from caesura.cli._output import Outputs, show
from caesura.files import stem

GROUP = "Look"


@click.command("show", cls=Command)
@click.argument("results_files", metavar="RESULTS...", nargs=-1, required=True, type=click.Path())
@opt.format_option
@click.option("--latex", is_flag=True, help="Short for --format latex.")
@opt.full_option
@opt.figure_option("Draw the results")
@opt.force_option
def command(
    results_files: tuple[str, ...], output_format: str, latex: bool, full: bool, figure: str | None, force: bool
) -> None:
    """Print RESULTS as the command that wrote it did.

    Several files, such as one per corpus, are printed as one table of their scores.

    \b
    caesura evaluate gold.jsonl a.jsonl b.jsonl -o results.json
    caesura show results.json
    caesura show news.json talks.json --latex
    caesura show results.json --figure scores.svg
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.errors import FormatError
    from caesura.results import joined_table, read_results

    target = "latex" if latex else output_format
    read = {path: read_results(path) for path in results_files}
    if len(read) > 1:
        if full or figure is not None:
            what = "--full prints the tables" if full else "--figure draws the results"
            raise click.UsageError(f"{what} of one file; leave out the others")
        show(joined_table({stem(path): results for path, results in read.items()}, target), target)
        return
    for path, results in read.items():
        try:
            Outputs(target, None, force=force, full=full, figure=figure).finish(results)
        except FormatError as error:
            raise FormatError(str(error), path) from None
