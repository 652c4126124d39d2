# SPDX-License-Identifier: Apache-2.0
"""Other names for annotators and documents, which tools such as Label Studio only number."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from caesura.errors import FormatError
from caesura.strict_json import decode

__all__ = ["NamesLike", "read_names"]

Names = dict[str, str]
NamesLike = Mapping[str, str] | Mapping[str, Mapping[str, str]] | str | Path


def read_names(names: NamesLike) -> tuple[Names, Names]:
    """Return the new names of annotators and of documents, by their old names.

    >>> read_names({"1": "Anna"}), read_names({"documents": {"7": "interview"}})
    (({'1': 'Anna'}, {}), ({}, {'7': 'interview'}))
    """
    where, given = None, names
    if isinstance(names, (str, Path)):
        where = names
        try:
            given = decode(Path(names).read_bytes())
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise FormatError(f"is not JSON: {error}", where) from None
    with contextlib.suppress(msgspec.ValidationError):
        return msgspec.convert(given, Names), {}
    with contextlib.suppress(msgspec.ValidationError):
        both = msgspec.convert(given, dict[Literal["annotators", "documents"], Names])
        return both.get("annotators", {}), both.get("documents", {})
    raise FormatError(
        'names are {"old": "new"} for annotators, or {"annotators": {"old": "new"}, "documents": {"old": "new"}}',
        where,
    )
