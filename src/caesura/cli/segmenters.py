# SPDX-License-Identifier: Apache-2.0
"""List the segmenters, or define one."""

from __future__ import annotations

import click

from caesura.cli._help import Command
from caesura.cli._listing import complete_names, list_or_describe
from caesura.cli._options import format_option

__all__ = ["GROUP", "command"]

GROUP = "Segment and train"


@click.command("segmenters", cls=Command)
@click.argument("name", required=False, shell_complete=complete_names("caesura.segmenters", "SEGMENTERS"))
@format_option
def command(name: str | None, output_format: str) -> None:
    """List the segmenters, or define NAME: what it does, its parameters, its source.

    \b
    caesura segmenters
    caesura segmenters TextTiling
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.segmenters.describe import describe_segmenter, segmenter_table

    list_or_describe(name, output_format, segmenter_table, describe_segmenter)
