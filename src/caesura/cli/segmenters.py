# SPDX-License-Identifier: Apache-2.0
"""List the segmenters, or define one."""

from __future__ import annotations

import inspect
import textwrap

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command
from caesura.cli._output import list_or_describe, parameter_lines
from caesura.declare import Declared
from caesura.scorers import SCORERS
from caesura.segmenters.base import SEGMENTERS
from caesura.segmenters.baselines import Baseline
from caesura.segmenters.others.spec import foreign_forms
from caesura.table import Column, Table

__all__ = ["GROUP", "command", "describe_segmenter", "segmenter_table"]

GROUP = "Segment and train"


@click.command("segmenters", cls=Command)
@click.argument("name", required=False, shell_complete=opt.complete_names("caesura.segmenters", "SEGMENTERS"))
@opt.format_option
def command(name: str | None, output_format: str) -> None:
    """List the segmenters, or define NAME: what it does, its parameters, its source.

    \b
    caesura segmenters
    caesura segmenters TextTiling
    """  # noqa: D301  (click wants the backspace itself)
    list_or_describe(name, output_format, segmenter_table, describe_segmenter)


def segmenter_table() -> Table:
    """Return every segmenter and scorer: its name, what it is, what it reads."""
    rows = []
    for cls in SEGMENTERS:
        reads = "nothing" if issubclass(cls, Baseline) else "vectors" if cls.needs_vectors is True else "text"
        made = cls()
        rows.append([cls.name(), cls.card.title + (" (oracle)" if made.oracle else ""), reads])
    for scorer in SCORERS:
        rows.append([scorer.name(), f"scorer: {scorer.card.title}", "vectors" if scorer.needs_vectors else "text"])
    notes = (
        "An oracle reads the number of boundaries from DOCS, as no system in use can.",
        "A scorer is used in ScoreThenSelect(scorer='…', selector='…').",
        f"Systems of others: {', '.join(foreign_forms())}.",
    )
    columns = [Column("segmenter"), Column("what", width=44), Column("reads")]
    return Table(columns, sorted(rows, key=lambda row: row[2] == "nothing"), notes)


def describe_segmenter(name: str) -> str:
    """Return what a segmenter or scorer does, and its parameters, as plain text."""
    found: type[Declared] = (
        SCORERS.lookup(name)[0] if name in SCORERS and name not in SEGMENTERS else SEGMENTERS.lookup(name)[0]
    )
    lines = [f"{found.name()}: {found.card.title}", ""]
    text = inspect.cleandoc(found.__doc__ or "").partition("\nExamples\n")[0].replace("``", "")
    lines += [_wrapped(text.strip()), ""]
    if found.card.citation:
        lines += [f"Source  {found.card.citation}", ""]
    return "\n".join(lines + parameter_lines(found, 78)).rstrip()


def _wrapped(text: str) -> str:
    """Return paragraphs wrapped for a terminal; a heading keeps the line below it."""
    paragraphs = []
    for paragraph in text.split("\n\n"):
        heading, line, rest = paragraph.partition("\n---")
        body = rest.partition("\n")[2] if line else paragraph
        filled = textwrap.fill(" ".join(body.split()), 80, break_on_hyphens=False)
        paragraphs.append(f"{heading}\n{'-' * len(heading)}\n{filled}" if line else filled)
    return "\n\n".join(paragraphs)
