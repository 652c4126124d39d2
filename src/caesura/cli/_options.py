# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have, said once: same names, same words, same meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from caesura.cli._output import complete_metrics

__all__ = [
    "encoding_options",
    "force_option",
    "metric_option",
    "missing_option",
    "moved_options",
    "output_option",
    "reading_options",
    "resamples_option",
    "seed_option",
]

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


def metric_option(what: str) -> Callable[[F], F]:
    """Add ``-m``, with what it says."""
    return click.option(
        "-m", "--metric", "metrics", multiple=True, shell_complete=complete_metrics, help=what
    )


def resamples_option(function: F) -> F:
    """Add ``--resamples``."""
    add: Decorator[F] = click.option(
        "--resamples",
        type=click.IntRange(min=1),
        default=1000,
        show_default=True,
        help="Bootstrap resamples of the documents.",
    )
    return add(function)


def seed_option(function: F) -> F:
    """Add ``--seed``."""
    add: Decorator[F] = click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Random seed.",
    )
    return add(function)


def missing_option(function: F) -> F:
    """Add ``--missing``."""
    add: Decorator[F] = click.option(
        "--missing",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="What to do when a system lacks a document.",
    )
    return add(function)


def encoding_options(function: F) -> F:
    """Add ``--no-cache`` and ``--allow-download``."""
    cache: Decorator[F] = click.option(
        "--no-cache", is_flag=True, help="Neither read nor write the cache of vectors."
    )
    download: Decorator[F] = click.option(
        "--allow-download", is_flag=True, help="Allow an encoder to download weights."
    )
    return cache(download(function))


def reading_options(function: F) -> F:
    """Add ``--from`` and ``--strict``."""
    from_format: Decorator[F] = click.option(
        "--from", "from_format", help="Format of all input files [detected]."
    )
    strict: Decorator[F] = click.option("--strict", is_flag=True, help="Refuse unknown keys in files.")
    return from_format(strict(function))


def moved_options(moved: Mapping[str, str]) -> Callable[[F], F]:
    """Refuse options that have moved, naming what to use instead."""

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            option = param.opts[0]
            raise click.UsageError(f"{option} is gone; use {moved[option]}")

    def add(function: F) -> F:
        for option in moved:
            hidden = click.option(
                option,
                f"moved_{option.strip('-').replace('-', '_')}",
                hidden=True,
                help=f"Gone; use {moved[option]}.",
                expose_value=False,
                callback=refuse,
                is_flag=False,
                flag_value="",
                default=None,
            )
            function = hidden(function)
        return function

    return add


def output_option(what: str) -> Callable[[F], F]:
    """Add ``-o``, with what it writes."""
    return click.option("-o", "--output", type=click.Path(dir_okay=False), help=what)


def force_option(function: F) -> F:
    """Add ``--force``."""
    add: Decorator[F] = click.option("--force", is_flag=True, help="Overwrite existing outputs.")
    return add(function)
