# SPDX-License-Identifier: Apache-2.0
"""What commands that list declared things share: the completion of names, and a table of all or a text about one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from caesura.cli._output import show

if TYPE_CHECKING:
    from caesura.table import Table

__all__ = ["complete_names", "list_or_describe"]

Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def complete_names(module: str, registry: str, *words: str) -> Complete:
    """Return what completes a word in the shell: the names of a registry, imported when they are asked for, and other words."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        names = getattr(importlib.import_module(module), registry).names()
        return [name for name in (*names, *words) if name.casefold().startswith(incomplete.casefold())]

    return complete


def list_or_describe(
    name: str | None, output_format: str, table: Callable[[], Table], describe: Callable[[str], str]
) -> None:
    """Print the table of all, or the text about the one that is named."""
    if name is None:
        show(table(), output_format)
    else:
        click.echo(describe(name))
