# SPDX-License-Identifier: Apache-2.0
"""List the segmenters, or define one."""

from __future__ import annotations

import click

from caesura.cli._options import format_option
from caesura.cli._output import show

__all__ = ["command"]


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the segmenters that begin so, for the shell."""
    from caesura.segmenters import SEGMENTERS

    return [name for name in SEGMENTERS.names() if name.startswith(incomplete)]


@click.command("segmenters")
@click.argument("name", required=False, shell_complete=_complete)
@format_option
def command(name: str | None, output_format: str) -> None:
    """List the segmenters, or define NAME: what it does, its parameters, its source.

    \b
    caesura segmenters
    caesura segmenters TextTiling
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.segmenters.describe import describe_segmenter, segmenter_table

    if name is None:
        show(segmenter_table(), output_format)
    else:
        click.echo(describe_segmenter(name))
