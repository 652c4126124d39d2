# SPDX-License-Identifier: Apache-2.0
"""Show the help of a command."""

from __future__ import annotations

import click

from caesura.cli._help import Command

GROUP = "Look"


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    root = ctx.find_root()
    names = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    return [name for name in names if name.startswith(incomplete)]


@click.command("help", cls=Command)
@click.argument("name", metavar="[COMMAND]", required=False, shell_complete=_complete)
def command(name: str | None) -> None:
    """Show the help of COMMAND, or the list of commands: the same as caesura COMMAND --help.

    \b
    caesura help
    caesura help evaluate
    """  # noqa: D301  (click wants the backspace itself)
    root = click.get_current_context().find_root()
    if name is None or not isinstance(root.command, click.Group):
        click.echo(root.get_help())
        return
    _, found, _ = root.command.resolve_command(root, [name])
    if found is not None:
        click.echo(found.get_help(click.Context(found, parent=root, info_name=name)))
