# SPDX-License-Identifier: Apache-2.0
"""Print a stored results file."""

from __future__ import annotations

import click

from caesura.cli._options import format_option
from caesura.cli._output import show_results

__all__ = ["command"]


@click.command("show")
@click.argument("results_file", metavar="RESULTS", type=click.Path())
@format_option
def command(results_file: str, output_format: str) -> None:
    """Print RESULTS as the command that wrote it did.

    \b
    caesura evaluate gold.jsonl a.jsonl b.jsonl -o results.json
    caesura show results.json
    caesura show results.json --format latex
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.errors import FormatError
    from caesura.results import read_results, tables_of

    results = read_results(results_file)
    try:
        # Made once before anything is printed: a file that was edited by hand may be readable, but not fit together.
        tables = [str(table) for table in tables_of(results)]
    except (LookupError, StopIteration, ValueError):
        tables = []
    if not tables:
        raise FormatError(
            f"is a damaged results file: the parts of question {results.question!r} are missing or do not fit together; "
            "run the command again",
            results_file,
        )
    show_results(results, output_format)
