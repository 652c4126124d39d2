# SPDX-License-Identifier: Apache-2.0
"""What commands share: format options, and files beside the printed table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from caesura.table import Table

__all__ = ["format_option", "print_json", "refuse_existing", "show", "show_all", "write_text"]

F = TypeVar("F", bound=Callable[..., Any])


def format_option(function: F) -> F:
    """Add ``--format``."""
    add: Callable[[F], F] = click.option(
        "--format",
        "output_format",
        type=click.Choice(["table", "json", "csv", "markdown", "latex"]),
        default="table",
        show_default=True,
        help="How to print.",
    )
    return add(function)


def show(table: Table, output_format: str) -> None:
    """Print a table; coloured and bold on a terminal, plain text into a pipe, a list of rows as JSON."""
    from caesura.reports import render

    if output_format == "json":
        titles = [column.title for column in table.columns]
        print_json([dict(zip(titles, row, strict=True)) for row in table.rows])
        return
    if output_format == "table" and sys.stdout.isatty():
        from caesura.reports.terminal import print_table

        print_table(table)
        return
    click.echo(render(table, output_format), nl=False)  # type: ignore[arg-type]


def show_all(tables: Iterable[Table], output_format: str) -> None:
    """Print tables under each other, a line apart."""
    for place, table in enumerate(tables):
        if place:
            click.echo()
        show(table, output_format)


def print_json(value: Any) -> None:
    """Print plain data as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def refuse_existing(*paths: str | None, force: bool) -> None:
    """Refuse, before any work is done, outputs that are there already."""
    from caesura.errors import FormatError, OutputExistsError

    for path in paths:
        if path is None:
            continue
        if Path(path).exists() and not force:
            raise OutputExistsError(f"{path} exists; write to another file, or overwrite it with --force")
        if not Path(path).absolute().parent.is_dir():
            raise FormatError("cannot be written: its folder does not exist; make it first", path)


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    from caesura.results import write_atomically

    write_atomically(path, text.encode())
