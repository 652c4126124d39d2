# SPDX-License-Identifier: Apache-2.0
"""Files with one record, with a list of records, or with one record per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats import json_bytes, read_json
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["each_line", "each_record"]

T = TypeVar("T")

_LINE_END = re.compile(rb"\r\n|\r|\n")


def each_record(file: Path, kind: type[T]) -> Iterator[tuple[int | None, T]]:
    """Yield the records of a file: a single one without a number, those of a list or of lines numbered from 0."""
    if suffix(file) in (".jsonl", ".ndjson"):
        yield from ((number, record) for number, (_, record) in enumerate(each_line(file, kind)))
    elif json_bytes(file).lstrip().startswith(b"["):
        listed: type[list[T]] = list[kind]  # type: ignore[valid-type]
        yield from enumerate(read_json(file, listed))
    else:
        yield None, read_json(file, kind)


def each_line(file: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Yield the records of a file with one per line, and their lines."""
    # Line ends inside JSON strings are escaped, so every CR ends a line too.
    for number, line in enumerate(_LINE_END.split(json_bytes(file)), start=1):
        if not line.strip():
            continue
        try:
            yield number, decode(line, kind)
        except RepeatedKeyError as error:
            raise FormatError(str(error), line=number) from None
        except msgspec.ValidationError as error:
            raise FormatError(f"the record is not as expected: {error}", line=number) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = " ".join(str(error).split())
            raise FormatError(f"is not valid JSON ({reason}); download the file again", line=number) from None
