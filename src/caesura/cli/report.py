# SPDX-License-Identifier: Apache-2.0
"""Write results as a page to look at."""

from __future__ import annotations

from pathlib import Path

import click

from caesura.cli._options import file_option, force_option
from caesura.cli._output import echo_note
from caesura.cli._overwriting import refuse_outputs
from caesura.cli._pages import read_sections

__all__ = ["command"]


@click.command("report")
@click.argument("results_files", metavar="RESULTS...", nargs=-1, required=True, type=click.Path())
@file_option("-o", "--output", what="Write the page to this file.", required=True)
@click.option(
    "--inputs",
    multiple=True,
    metavar="FILE",
    type=click.Path(),
    help="A file that was measured, if it is not beside RESULTS; repeatable.",
)
@click.option("--title", default="Caesura report", show_default=True, help="Title of the page.")
@force_option
def command(
    results_files: tuple[str, ...], output: str, inputs: tuple[str, ...], title: str, force: bool
) -> None:
    """Write RESULTS as one HTML page: the answer, tables, charts, and every document.

    The page opens from disk and loads nothing. Documents are shown if the files that were measured are beside RESULTS, or
    named with --inputs, and have not changed since.

    \b
    caesura compare gold.jsonl a.jsonl b.jsonl -o results.json
    caesura report results.json -o report.html
    caesura report dev.json test.json -o report.html --inputs data/gold.jsonl
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.files import write_atomically
    from caesura.reports.page import LARGE, page

    sections = read_sections(results_files, inputs)
    folders = [Path(path).parent for path in results_files]
    beside = [
        str(folder / Path(entry.file).name)
        for folder, (results, _) in zip(folders, sections.values(), strict=True)
        for entry in results.inputs
        if entry.file
    ]
    refuse_outputs(click.get_current_context(), force=force, read=beside)
    made = page(sections, title).encode()
    write_atomically(output, made)
    size = f"{len(made) / 1e6:.1f} MB"
    click.echo(f"{output}: {size}. Open it in a browser.")
    if len(made) > LARGE:
        echo_note(f"{output} has {size}; a browser may take seconds to open it")
