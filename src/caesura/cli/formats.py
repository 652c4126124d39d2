# SPDX-License-Identifier: Apache-2.0
"""List the file formats, or describe one with a sample."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command
from caesura.cli._output import list_or_describe

GROUP = "Files"


@click.command("formats", cls=Command)
@click.argument("name", required=False, shell_complete=opt.complete_names("caesura.formats", "FORMATS"))
@opt.format_option
def command(name: str | None, output_format: str) -> None:
    """List the file formats, or describe NAME: suffixes, options, columns or keys, and a sample.

    \b
    caesura formats
    caesura formats labels
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.formats import describe_format, format_table

    list_or_describe(name, output_format, format_table, describe_format)
