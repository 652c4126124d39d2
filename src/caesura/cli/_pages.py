# SPDX-License-Identifier: Apache-2.0
"""What ``report`` and ``explore`` share: from results files to the sections of a page."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli._help import Files
from caesura.cli._options import several
from caesura.cli._output import echo_note

if TYPE_CHECKING:
    from caesura.evaluation.outcome import Corpora
    from caesura.results import Results

__all__ = ["page_inputs", "read_sections"]

page_inputs = several(
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


def read_sections(paths: Iterable[str], inputs: Iterable[str]) -> dict[str, tuple[Results, Corpora]]:
    """Return results by name, each with the documents that are at hand; those that are not are noted."""
    from caesura.reports.page import find_inputs, with_document_scores
    from caesura.reports.page.inputs import SEARCHED
    from caesura.results import read_results

    sections: dict[str, tuple[Results, Corpora]] = {}
    for path in paths:
        results = read_results(path)
        found = find_inputs(results, inputs, Path(path).parent)
        sections[_free(Path(path).name, sections)] = (with_document_scores(results, path), found)
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
