# SPDX-License-Identifier: Apache-2.0
"""Write results as a page to look at."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files, Output
from caesura.cli._output import echo_note
from caesura.cli._overwriting import refuse_outputs
from caesura.cli._progress import progress_bar
from caesura.files import readable, stem

if TYPE_CHECKING:
    from caesura.evaluation.outcome import Corpora
    from caesura.results import Results

page_inputs = opt.several(
    click.argument("results_files", metavar="RESULTS...", nargs=-1, required=True, type=click.Path()),
    click.option(
        "--inputs",
        cls=Files,
        multiple=True,
        metavar="FILE",
        type=click.Path(),
        help="A file or folder that was measured, if it is no longer where it was; repeatable.",
    ),
)
GROUP = "Look"


def read_sections(paths: Iterable[str], inputs: Iterable[str]) -> dict[str, tuple[Results, Corpora]]:
    """Return results by name, each with the documents that are at hand; those that are not are noted."""
    from caesura.reports.page import find_inputs, with_document_scores
    from caesura.reports.page.inputs import SEARCHED
    from caesura.results import read_results

    sections: dict[str, tuple[Results, Corpora]] = {}
    for path in paths:
        results = read_results(path)
        found = find_inputs(results, inputs, Path(path).parent)
        sections[_free(readable(Path(path).name), sections)] = (with_document_scores(results, path), found)
        # The page does not say where on this machine; the person who makes it is told, and what to do.
        searched = f"{Path(path).parent.resolve()}, the folder of {path}; name the file with --inputs"
        for line in found.lacking:
            echo_note(line.replace(SEARCHED, searched))
    return sections


def _free(name: str, taken: Container[str]) -> str:
    """Return a name that no other section has."""
    place = 2
    free = name
    while free in taken:
        free, place = f"{name} ({place})", place + 1
    return free


@click.command("report", cls=Command)
@page_inputs
@opt.file_option("-o", "--output", what="Write the page to this file (HTML).", required=True)
@click.option(
    "--figures",
    cls=Output,
    metavar="DIR",
    type=click.Path(),
    help="Also write the figures (SVG, PNG, PDF), their data and the tables (CSV) here.",
)
@opt.title_option
@opt.force_option
def command(
    results_files: tuple[str, ...],
    output: str,
    inputs: tuple[str, ...],
    figures: str | None,
    title: str | None,
    force: bool,
) -> None:
    """Write RESULTS as one HTML page: the answer, tables, charts, and every document.

    The page opens from disk and loads nothing. Documents are read as they were scored, from the same files, from files of their
    names beside RESULTS, or from those named with --inputs, unless they have changed since.

    \b
    caesura compare gold.jsonl a.jsonl b.jsonl -o results.json
    caesura report results.json -o report.html
    caesura report dev.json test.json -o report.html --inputs data/gold.jsonl
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.files import write_together
    from caesura.reports.page import LARGE, page

    with progress_bar("preparing", "results") as progress:
        sections = read_sections(results_files, inputs)
        made = page(sections, title, progress).encode()
    folders = [Path(path).parent for path in results_files]
    beside = [
        str(folder / name)
        for folder, (results, _) in zip(folders, sections.values(), strict=True)
        for entry in results.inputs
        if entry.file
        for name in (entry.file, Path(entry.file).name)
    ]
    files = _figures(sections, figures)
    refuse_outputs(click.get_current_context(), *map(str, files), force=force, read=beside)
    write_together({**files, output: made})
    size = f"{len(made) / 1e6:.1f} MB"
    click.echo(f"{output}: {size}. Open it in a browser.")
    if len(made) > LARGE:
        echo_note(f"{output} has {size}; a browser may take seconds to open it")


def _figures(sections: Mapping[str, tuple[Results, Corpora]], folder: str | None) -> dict[str | Path, bytes]:
    """Return the figure of every section in three formats with its data, and the tables; some sections have only these."""
    from caesura.errors import ComparabilityError
    from caesura.reports import render
    from caesura.reports.figures import draw, figure_data, specification_of
    from caesura.results import csv_table, tables_of

    files: dict[str | Path, bytes] = {}
    if folder is None:
        return files
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, (results, _) in sections.items():
        place = Path(folder) / stem(name)
        for number, table in enumerate([csv_table(results), *tables_of(results)], start=1):
            files[f"{place}-{number}.csv"] = render(table, "csv").encode()
        try:
            files[f"{place}.csv"] = render(figure_data(specification_of(results)), "csv").encode()
            for kind in ("svg", "png", "pdf"):
                files[f"{place}.{kind}"] = draw(results, f"{place}.{kind}")
        except ComparabilityError as error:
            echo_note(str(error))
    return files
