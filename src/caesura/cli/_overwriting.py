# SPDX-License-Identifier: Apache-2.0
"""What an output may replace: regular files, with --force, and never a file that the same run reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click


class OutputFile(click.Path):
    """The type of a parameter that names a file to write; with ``counts``, another one is written beside it.

    With ``folder`` it may name a folder for several files, which the command itself has to name to `refuse_outputs`.
    """

    def __init__(self, *, counts: bool = False, folder: bool = False) -> None:
        super().__init__(dir_okay=folder, path_type=str)
        self.counts, self.folder = counts, folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse a name that is empty, as of a variable of the shell that is not set."""
        if value == "":
            self.fail("the name is empty; give the path of a file", param, ctx)
        return super().convert(value, param, ctx)


def refuse_outputs(context: click.Context, *paths: str, force: bool, read: Iterable[str] = ()) -> None:
    """Refuse, before any work is done, outputs that cannot be written, exist already, are inputs or are one file.

    The outputs are those of the parameters, and ``paths``; ``read`` are inputs that no parameter names. Every other value on the
    command line that leads to a file or a folder counts as an input, so that no command has to list its own.
    """
    from caesura.errors import FormatError, OutputExistsError
    from caesura.files import check_output

    outputs = [*_outputs(context), *paths]
    # A file in the place of a folder cannot be written to; that it is an input is said first.
    folders = [path for path in _outputs(context, folder=True) if os.path.lexists(path) and not Path(path).is_dir()]
    inputs = [*read, *_inputs(context)] if folders or any(map(os.path.lexists, outputs)) else []
    for path in folders:
        if any(_same(path, source) or _inside(path, source) for source in inputs):
            raise OutputExistsError(f"{path} is an input; write to another file")
    for place, path in enumerate(outputs):
        if any(_same(path, other) for other in outputs[:place]):
            raise OutputExistsError(f"{path} is named for two outputs; write to two files")
        for source in inputs:
            if _same(path, source) or _inside(path, source):
                where = "is an input" if _same(path, source) else f"is in {source}, which is an input"
                raise OutputExistsError(f"{path} {where}; write to another file")
        check_output(path, overwrite=force)
        if not Path(path).absolute().parent.is_dir():
            raise FormatError("cannot be written: its folder does not exist; make it first", path)


def _outputs(context: click.Context, *, folder: bool = False) -> Iterator[str]:
    """Yield the files that will be written, or the folders for several of them."""
    from caesura.results import counts_path

    for parameter in context.command.params:
        path = context.params.get(parameter.name or "")
        if isinstance(parameter.type, OutputFile) and path is not None and parameter.type.folder == folder:
            yield path
            if parameter.type.counts:
                yield str(counts_path(path))


def _inputs(context: click.Context) -> Iterator[str]:
    """Yield the files and folders that are read, or may be."""
    from caesura.encoders.cache.database import cache_folder
    from caesura.results import counts_path

    yield str(cache_folder())
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if isinstance(parameter.type, OutputFile) or source is None or source.name != "COMMANDLINE":
            continue
        for text in _texts(context.params.get(parameter.name or "")):
            for path in _paths(text):
                yield path
                yield str(counts_path(path))


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings of a parameter: one, several, or by name."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for text in value.values() if isinstance(text, str))
    elif isinstance(value, (list, tuple)):
        yield from (text for text in value if isinstance(text, str))


def _paths(text: str) -> set[str]:
    """Return what exists of the paths that a text may hold: FILE, FILE::FORMAT, NAME=FILE, KIND:FILE#KEY@sha256:PIN."""
    plain = text.partition("@sha256:")[0]
    heads = {text, plain, plain.partition("::")[0]}
    tails = heads | {head.partition(mark)[2] for head in heads for mark in "=:"}
    every = tails | {tail.rpartition("#")[0] for tail in tails}
    return {path for path in every if path.strip() and os.path.exists(path)}  # noqa: PTH110  (False for any name)


def _same(first: str, second: str) -> bool:
    """Return whether two paths lead to one file, also by links."""
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):
        return os.path.realpath(first) == os.path.realpath(second)


def _inside(path: str, folder: str) -> bool:
    """Return whether an existing file lies in a folder, or in one below it."""
    if not os.path.lexists(path) or not os.path.isdir(folder):  # noqa: PTH112
        return False
    return Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents
