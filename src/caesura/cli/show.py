# SPDX-License-Identifier: Apache-2.0
"""Print a stored results file."""

from __future__ import annotations

import click

from caesura.cli._options import format_option, full_option
from caesura.cli._output import show_results

__all__ = ["command"]


@click.command("show")
@click.argument("results_file", metavar="RESULTS", type=click.Path())
@format_option
@full_option
def command(results_file: str, output_format: str, full: bool) -> None:
    """Print RESULTS as the command that wrote it did.

    \b
    caesura evaluate gold.jsonl a.jsonl b.jsonl -o results.json
    caesura show results.json
    caesura show results.json --format latex
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.errors import FormatError
    from caesura.results import read_results

    results = read_results(results_file)
    try:
        show_results(results, output_format, full=full)
    except FormatError as error:
        raise FormatError(str(error), results_file) from None
