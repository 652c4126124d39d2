# SPDX-License-Identifier: Apache-2.0
"""``--columns``: what the columns of tables are for, whatever the other files of a command are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from caesura.cli._help import Files

__all__ = ["columns_option", "with_columns"]


def columns_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--columns``, which becomes part of the name of every table that a command reads."""

    @functools.wraps(function)
    def command(columns: str | None, **given: Any) -> Any:
        if columns is not None:
            names = {p.name for p in click.get_current_context().command.params if isinstance(p, click.Argument)}
            files = {name: given[name] for name in names - {"target"} if name in given}
            spec = given.get("format") or given.get("source_format")
            said = {name: with_columns(value, columns, spec) for name, value in files.items()}
            if said == files:
                raise click.UsageError("--columns is for tables (CSV, TSV), and no file is one; leave it out")
            given |= said
        return function(**given)

    return click.option(
        "--columns",
        cls=Files,
        metavar="ROLE=NAME,...",
        help="What the columns of CSV and TSV files are for, such as doc=dial_id,label=topic.",
    )(command)


def with_columns(value: Any, columns: str, spec: str | None) -> Any:
    """Return a file, or files by name, with the columns in the format of each table."""
    if isinstance(value, dict):
        return {name: with_columns(file, columns, spec) for name, file in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(with_columns(file, columns, spec) for file in value)
    if not isinstance(value, str):
        return value
    import dataclasses

    from caesura.files import split_format, suffix
    from caesura.formats import FORMATS

    path, own = split_format(value)
    named = FORMATS.parse(own or spec or "labels")
    if named.name() != "labels" or suffix(path) not in named.suffixes:
        return value
    options: dict[str, Any] = {"columns": columns}
    return f"{path}::{dataclasses.replace(named, **options)}"
