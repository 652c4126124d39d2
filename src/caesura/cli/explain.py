# SPDX-License-Identifier: Apache-2.0
"""Score one pair under every convention; say why scores differ."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import click

from caesura.cli import _options as opt
from caesura.cli._evaluating import length
from caesura.cli._help import Command, What
from caesura.cli._output import print_json, show

if TYPE_CHECKING:
    from caesura.segmentation import Segmentation

GROUP = "Score"

# Lengths of segments written on the command line: 6-3-4, 6,3,4 or "6 3 4"; one number alone is one segment.
_MASSES = re.compile(r"\s*\d+(?:(?:\s*[-,]\s*|\s+)\d+)*\s*\Z")


@click.command("explain", cls=Command)
@click.argument("reference")
@click.argument("hypothesis")
@click.option("--document", cls=What, metavar="ID", help="Explain only this document.")
@opt.metric_option("Explain this metric, such as Pk or 'WindowDiff(k=5)'; repeatable.")
@click.option(
    "--gamma",
    type=float,
    default=0.85,
    show_default=True,
    help="Share of a segment that must be covered, both ways, to be retrieved.",
)
@click.option(
    "--near",
    metavar="LENGTH",
    callback=length,
    help="Draw boundaries within this distance as near misses [1 unit; 10s on time].",
)
@opt.missing_option
@opt.match_option
@opt.duration_option
@opt.durations_option
@opt.format_option
@opt.number_option("--width", "Width of the drawings in columns [the terminal's, at most 100].", minimum=40)
@opt.reading_options
def command(
    reference: str, hypothesis: str, metrics: list[str] | None, output_format: str, width: int | None, **call: Any
) -> None:
    """Score HYPOTHESIS against REFERENCE under every known convention, and say why the numbers differ.

    Both are files, or segment lengths written directly, such as 6-3-4. The drawings show where the errors are: the
    segments to scale, each position of the window, and what became of each segment.

    \b
    caesura explain 6-3-4 4-4-5
    caesura explain gold.jsonl a.jsonl
    caesura explain gold.jsonl a.jsonl --document d17 -m Pk -m W-F1
    caesura explain gold.jsonl a.jsonl --format csv > conventions.csv
    """  # noqa: D301  (\b is click's sign for lines to be left as they are)
    from caesura.evaluation.explain.run import explain

    explanation = explain(_segmentation_or_path(reference), _segmentation_or_path(hypothesis), metrics, **call)
    columns = width or _terminal_width()
    if output_format == "table":
        from caesura.evaluation.explain.text import explanation_text

        click.echo(explanation_text(explanation, columns))
    elif output_format == "json":
        print_json(explanation.to_dict(columns))
    else:
        show(explanation.table(), output_format)


def _segmentation_or_path(text: str) -> Segmentation | str:
    """Return a segmentation written as lengths, unless there is a file of that name."""
    if os.path.lexists(text) or not _MASSES.match(text):
        return text
    from caesura.segmentation import Segmentation

    return Segmentation.from_masses(int(number) for number in re.findall(r"\d+", text))


def _terminal_width() -> int:
    """Return the columns to draw in: those of the terminal, but no more than are easily read."""
    import shutil

    return min(max(shutil.get_terminal_size().columns, 40), 100)
