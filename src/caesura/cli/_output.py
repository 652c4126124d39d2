# SPDX-License-Identifier: Apache-2.0
"""What commands share: format options, and files beside the printed table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from caesura.results import Results
    from caesura.table import Table

__all__ = [
    "complete_metrics",
    "complete_profiles",
    "format_option",
    "named_files",
    "print_json",
    "refuse_existing",
    "refuse_given",
    "show",
    "show_all",
    "show_results",
    "vector_files",
    "write_files",
    "write_text",
]

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
    text = render(table, output_format)  # type: ignore[arg-type]
    if sys.stdout.isatty():
        # A file keeps every sign; a terminal would obey some of them.
        text = "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
    click.echo(text, nl=False)


def show_all(tables: Iterable[Table], output_format: str) -> None:
    """Print tables under each other, a line apart."""
    for place, table in enumerate(tables):
        if place:
            click.echo()
        show(table, output_format)


def show_results(results: Results, output_format: str) -> None:
    """Print results: every table, or the whole as JSON. What is printed depends on nothing but the results."""
    from caesura.results import as_text, tables_of

    if output_format == "json":
        click.echo(as_text(results))
    else:
        show_all(tables_of(results, output_format), output_format)


def print_json(value: Any) -> None:
    """Print plain data as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def refuse_existing(*paths: str | None, force: bool, inputs: Iterable[str] = ()) -> None:
    """Refuse, before any work is done, outputs that are there already, that are inputs, or that are one file."""
    from caesura.errors import FormatError, OutputExistsError
    from caesura.files import check_output

    outputs = [path for path in paths if path is not None]
    read = {Path(path).resolve() for path in inputs}
    for place, path in enumerate(outputs):
        if Path(path).resolve() in read:
            raise OutputExistsError(f"{path} is an input; write to another file")
        if Path(path).resolve() in {Path(other).resolve() for other in outputs[:place]}:
            raise OutputExistsError(f"{path} is named for two outputs; write to two files")
        check_output(path, overwrite=force)
        if not Path(path).absolute().parent.is_dir():
            raise FormatError("cannot be written: its folder does not exist; make it first", path)


def vector_files(*specs: str | None) -> list[str]:
    """Return the files of vectors that encoder specs name, so that no output overwrites one."""
    found = []
    for spec in specs:
        kind, _, rest = (spec or "").partition(":")
        if kind in ("npz", "npy", "safetensors") and rest:
            found += [rest, rest.rpartition("#")[0] or rest]
    return found


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that were given and would not be used; a silent option is a wrong result."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is not None and source.name == "COMMANDLINE":
            raise click.UsageError(f"{max(parameter.opts, key=len)} {why}")


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    write_files({path: text})


def write_files(texts: Mapping[str, str]) -> None:
    """Write files whole, and all of them or none."""
    from caesura.files import write_together

    write_together({path: text.encode() for path, text in texts.items()})


def named_files(systems: tuple[str, ...]) -> dict[str, str]:
    """Return the systems by name: NAME=FILE, or a file's stem."""
    from caesura.errors import ComparabilityError
    from caesura.files import stem

    found: dict[str, str] = {}
    for text in systems:
        name, equals, path = text.partition("=")
        if not equals or not name or Path(text).exists():
            name, path = stem(text), text
        if name in found:
            raise ComparabilityError(f"two systems are called {name!r}; name them apart: NAME=FILE")
        found[name] = path
    return found


def complete_metrics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the metrics and aliases that begin so, for the shell."""
    from caesura.metrics import families

    names = [name for family in families() for name in (*family.names(), *family.aliases())]
    return [name for name in names if name.startswith(incomplete)]


def complete_profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the profiles that begin so, for the shell."""
    from caesura.metrics.profiles import PROFILES

    return [name for name in PROFILES if name.startswith(incomplete)]
