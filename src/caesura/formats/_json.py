# SPDX-License-Identifier: Apache-2.0
"""JSON files that hold one object: which keys it has, and its value in a given type."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from caesura.errors import FormatError
from caesura.formats._files import read_bytes
from caesura.formats._jsonl_keys import type_fault

__all__ = ["read_json", "top_keys"]

T = TypeVar("T")

_TOKEN = re.compile(
    rb'"(?P<text>(?:[^"\\]|\\.)*)"(?P<colon>\s*:)?|(?P<open>[{\[])|(?P<close>[}\]])', re.DOTALL
)


def top_keys(head: bytes) -> frozenset[str]:
    """Return the keys of the outermost object that stand in the first bytes of a file.

    >>> sorted(top_keys(b'{"version": "1.2", "chapters": [{"title": "x'))
    ['chapters', 'version']
    """
    if not head.lstrip().startswith(b"{"):
        return frozenset()
    keys: set[str] = set()
    depth = 0
    for token in _TOKEN.finditer(head):
        depth += (token["open"] is not None) - (token["close"] is not None)
        if depth == 1 and token["colon"] is not None:
            keys.add(token["text"].decode("utf-8", "replace"))
    return frozenset(keys)


def read_json(path: Path, kind: type[T]) -> T:
    """Return the content of a JSON file in a type; whatever it is not, is said."""
    data = read_bytes(path)
    if not data.strip():
        raise FormatError("the file is empty; it holds no document", path)
    if b"\0" in data:
        raise FormatError("is a binary file, not JSON; check what it holds", path)
    try:
        return msgspec.json.decode(data, type=kind)
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8; save the file as UTF-8", path) from None
    except RecursionError:
        raise FormatError("is nested too deeply", path) from None
    except msgspec.ValidationError as error:
        raise FormatError(_lower(type_fault("the value", error)), path) from None
    except msgspec.DecodeError as error:
        raise FormatError(f"is no JSON ({_lower(str(error))}); write it again", path) from None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if not text.startswith("JSON") else text
