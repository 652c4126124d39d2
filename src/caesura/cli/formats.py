# SPDX-License-Identifier: Apache-2.0
"""List the file formats, or describe one with a sample."""

from __future__ import annotations

import click

from caesura.cli._options import format_option
from caesura.cli._output import show

__all__ = ["command"]


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the formats that begin so, for the shell."""
    from caesura.formats import FORMATS

    return [name for name in FORMATS.names() if name.startswith(incomplete)]


@click.command("formats")
@click.argument("name", required=False, shell_complete=_complete)
@format_option
def command(name: str | None, output_format: str) -> None:
    """List the file formats, or describe NAME: suffixes, options, columns or keys, and a sample.

    \b
    caesura formats
    caesura formats labels
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.formats import describe_format, format_table

    if name is None:
        show(format_table(), output_format)
    else:
        click.echo(describe_format(name))
