# SPDX-License-Identifier: Apache-2.0
"""Descriptions of formats: suffixes, options, the data they keep, and a sample."""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path

from caesura.declare import parameters
from caesura.formats._base import FORMATS, Format
from caesura.table import Column, Table

_SAMPLES = Path(__file__).parent / "samples"


def format_table() -> Table:
    """Return one row per format."""
    rows = [
        [cls.name(), " ".join(cls.suffixes), "read, write" if cls.writable else "read", cls.card.title]
        for cls in sorted(FORMATS, key=lambda cls: cls.name())
    ]
    columns = [Column("format"), Column("suffixes", width=20), Column("can"), Column("what", width=25)]
    return Table(columns, [list(row) for row in rows], ["caesura formats NAME describes one, with a sample."])


def sample_of(name: str) -> Path | None:
    """Return the sample of a format: a file, or a folder; None if a package added the format without one."""
    return next((path for path in sorted(_SAMPLES.glob(f"{name}*")) if path.stem == name), None)


def describe_format(name: str, width: int = 80) -> str:
    """Return the description of a format, with its options and a sample."""
    cls = type(FORMATS.parse(name))
    parts = [
        textwrap.fill(f"{cls.name()}: {cls.card.title}", width),
        "\n".join(_facts(cls, width)),
        "\n\n".join(_prose(cls, width)),
    ]
    options = parameters(cls)
    if options:
        lines = [f"  {option.name}={option.default!r}" for option in options]
        indent = max(map(len, lines)) + 3
        described = [
            textwrap.fill(
                f"{line.ljust(indent)}{option.help}{_choices(option.choices)}", width, subsequent_indent=" " * indent
            )
            for line, option in zip(lines, options, strict=True)
        ]
        parts.append("\n".join(["Options", *described]))
    sample = sample_of(cls.name())
    if sample is not None:
        parts.append(f"Sample\n{textwrap.indent(_content(sample), '  ', lambda line: True)}")
    return "\n\n".join(part for part in parts if part.strip())


def _facts(cls: type[Format], width: int) -> list[str]:
    documents = "several documents per file" if cls.many else "one document per file"
    facts = {
        "suffixes": " ".join(cls.suffixes) or "none",
        "can": f"{'read and written' if cls.writable else 'read'}; {documents}",
        "keeps": ", ".join(sorted(cls.keeps)),
    }
    return [textwrap.fill(f"{key.ljust(10)}{value}", width, subsequent_indent=" " * 10) for key, value in facts.items()]


def _prose(cls: type[Format], width: int) -> list[str]:
    paragraphs = inspect.cleandoc(cls.__doc__ or "").replace("``", "").split("\n\n")
    return [textwrap.fill(" ".join(paragraph.split()), width) for paragraph in paragraphs]


def _choices(choices: tuple[object, ...]) -> str:
    return f" ({', '.join(map(repr, choices))})" if choices else ""


def _content(sample: Path) -> str:
    if sample.is_file():
        return sample.read_text(encoding="utf-8").rstrip("\n")
    files = sorted(path for path in sample.rglob("*") if path.is_file())
    return "\n".join(
        f"{path.relative_to(sample).as_posix()}: {path.read_text(encoding='utf-8').strip()}" for path in files
    )
