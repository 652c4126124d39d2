# SPDX-License-Identifier: Apache-2.0
"""List datasets, describe or download one, or find duplicates."""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from pathlib import Path

import click

from caesura.cli import _options as opt
from caesura.cli._help import Command, Files
from caesura.cli._output import list_or_describe, parameter_lines, show
from caesura.datasets.base import DATASETS, Dataset
from caesura.datasets.download import fetch, offers
from caesura.datasets.duplicates import duplicate_table
from caesura.datasets.folders import data_folder
from caesura.errors import FormatError
from caesura.table import Column, Table, Value

__all__ = ["GROUP", "command", "dataset_table"]

_WIDTH = 80
GROUP = "Files"
_GET, _CHECK = "get", "check"


@click.command("datasets", cls=Command)
@click.argument(
    "name",
    metavar="[NAME | get NAME | check PATH]",
    required=False,
    shell_complete=opt.complete_names("caesura.datasets", "DATASETS", _GET, _CHECK),
)
@click.argument("target", metavar="", required=False)
@click.option(
    "--to", "folder", metavar="DIR", help="With get: the folder for the files [NAME below CAESURA_DATA, or here]."
)
@click.option("--dataset", cls=Files, metavar="NAME", help="With check: PATH holds the original files of this dataset.")
@click.option("--from", "source_format", cls=Files, metavar="FORMAT", help="With check: format of PATH [detected].")
@opt.strict_option
@opt.format_option
def command(
    name: str | None,
    target: str | None,
    folder: str | None,
    dataset: str | None,
    source_format: str | None,
    strict: bool,
    output_format: str,
) -> None:
    """List the published datasets that can be read in their original files, or describe NAME.

    get NAME downloads a dataset where its licence allows it, checks the hash of every file, and resumes what was
    interrupted. check PATH looks for documents that occur twice, and for segments that occur twice in a document:
    resampling treats documents as independent, and nobody can see the boundary between two equal segments.

    \b
    caesura datasets
    caesura datasets QMSum
    caesura datasets get Wiki50 --to wiki50
    caesura datasets check superseg --dataset SuperDialseg
    """  # noqa: D301  (click wants the backspace itself)
    if folder is not None and name != _GET:
        raise click.UsageError("--to needs get NAME")
    if dataset is not None and name != _CHECK:
        raise click.UsageError("--dataset needs check PATH")
    if source_format is not None and name != _CHECK:
        raise click.UsageError("--from needs check PATH")
    if name in (_GET, _CHECK):
        if target is None:
            raise click.UsageError(f"{name} needs {'a dataset' if name == _GET else 'a file or a folder'}")
        if name == _GET:
            _get(target, folder)
        else:
            show(duplicate_table(opt.read_documents(target, dataset, source_format, strict=strict)), output_format)
        return
    if target is not None:
        raise click.UsageError(f"{target!r} is not expected; say get {target}, or check {target}")
    table = _dataset_list if output_format == "table" else dataset_table
    list_or_describe(name, output_format, table, _describe_dataset)


def _get(name: str, folder: str | None) -> None:
    cls, _ = DATASETS.lookup(name)
    offer = offers().get(cls.name())
    if offer is None:
        raise FormatError(
            f"{cls.name()} has to be downloaded by hand, from {cls.card.source} (licence: {cls.card.licence}); put into one "
            f"folder {cls.card.files}"
        )
    place = Path(folder) if folder else (data_folder() or Path()) / cls.name()
    done = Counter(fetch(file, place) for file in offer.files)
    counted = ", ".join(f"{count} {how}" for how, count in done.items())
    click.echo(f"{place}: {offer.what or 'complete'}; {counted}; licence: {cls.card.licence}")


def dataset_table() -> Table:
    """Return one row per dataset with one column per fact, for other programs and the docs."""
    titles = ("dataset", "what", "serves", "unit", "boundary", "licence", "source", "files", "download", "checked")
    rows: list[list[Value]] = [
        [
            cls.name(),
            cls.card.title,
            cls.card.serves,
            cls.card.unit,
            cls.card.boundary,
            cls.card.licence,
            cls.card.source,
            cls.card.files,
            _download(cls),
            "original files" if cls.card.checked else "documentation",
        ]
        for cls in DATASETS
    ]
    return Table([Column(title) for title in titles], rows)


def _dataset_list() -> Table:
    """Return one row per dataset for the terminal."""
    rows: list[list[Value]] = [
        [
            cls.name() + ("" if cls.card.checked else "*"),
            f"{cls.card.title}. Licence: {cls.card.licence}. Use: {cls.card.serves}. Source: {cls.card.source}."
            + (f" Download: {found}." if (found := _download(cls)) != "no" else ""),
        ]
        for cls in DATASETS
    ]
    notes = [
        "Put the files into any folder, or leave them in their archive; caesura datasets NAME lists them.",
        "* implemented from its documentation; not tested with the original files.",
    ]
    return Table([Column("dataset"), Column("what", width=64)], rows, notes)


def _download(cls: type[Dataset]) -> str:
    offer = offers().get(cls.name())
    return "no" if offer is None else offer.what or "all"


def _describe_dataset(name: str) -> str:
    """Return the description of a dataset as plain text: source, files and parameters."""
    cls, preset = DATASETS.lookup(name)
    card = cls.card
    text = inspect.cleandoc(cls.__doc__ or "").replace("``", "")
    paragraphs = [textwrap.fill(" ".join(part.split()), _WIDTH) for part in text.split("\n\n")]
    offer = offers().get(cls.name())
    facts = {
        "source": card.source,
        "licence": card.licence,
        "serves": card.serves,
        "unit": card.unit,
        "boundary": card.boundary,
        "files": f"{card.files}, in one folder or an archive (.zip, .tar.gz)",
        "download": "by hand, from the source"
        if offer is None
        else f"caesura datasets get {cls.name()}" + (f" ({offer.what})" if offer.what else ""),
        "paper": card.citation,
    }
    if not card.checked:
        facts["note"] = "implemented from its documentation; not tested with the original files"
    lines = [
        textwrap.fill(f"{key.ljust(10)}{value}", _WIDTH, subsequent_indent=" " * 10, break_on_hyphens=False)
        for key, value in facts.items()
    ]
    parts = [textwrap.fill(f"{cls.name()}: {card.title}", _WIDTH), "\n\n".join(paragraphs), "\n".join(lines)]
    parts.append("\n".join(parameter_lines(cls, _WIDTH, preset)))
    return "\n\n".join(filter(None, parts))
