# SPDX-License-Identifier: Apache-2.0
"""List the metrics, or define one."""

from __future__ import annotations

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, What
from caesura.cli._output import print_json, show

GROUP = "Score"


@click.command("metrics", cls=Command)
@click.argument("name", required=False, shell_complete=opt.complete_metrics)
@click.option("--profiles", cls=What, is_flag=True, help="List the profiles instead: the conventions of other tools.")
@opt.format_option
def command(name: str | None, profiles: bool, output_format: str) -> None:
    """List the metrics, or define NAME: meaning, formula, range, direction, parameters, source.

    \b
    caesura metrics
    caesura metrics WindowDiff
    caesura metrics --profiles
    """  # noqa: D301  (click wants the backspace itself)
    from caesura.metrics.describe import describe_metric, metric_table, profile_table

    if profiles:
        show(profile_table(), output_format)
    elif name is None:
        show(metric_table(), output_format)
    elif output_format == "json":
        print_json(describe_metric(name).as_dict())
    else:
        click.echo(describe_metric(name).text())
