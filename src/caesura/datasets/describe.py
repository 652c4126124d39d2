# SPDX-License-Identifier: Apache-2.0
"""Descriptions of datasets from their declarations, for the command line and the docs."""

from __future__ import annotations

import inspect
import textwrap

from caesura.datasets.base import DATASETS, Dataset
from caesura.datasets.download import offers
from caesura.declare import parameters
from caesura.table import Column, Table, Value

__all__ = ["dataset_list", "dataset_table", "describe_dataset"]

_WIDTH = 80


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


def dataset_list() -> Table:
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


def describe_dataset(name: str) -> str:
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
    options = [
        textwrap.fill(
            f"{p.name}={preset.get(p.name, p.default)!r}: {p.help}"
            + (f" ({', '.join(map(repr, p.choices))})" if p.choices else ""),
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="      ",
            break_on_hyphens=False,
        )
        for p in parameters(cls)
    ]
    if options:
        parts.append("\n".join(["Parameters", *options]))
    return "\n\n".join(parts)
