# SPDX-License-Identifier: Apache-2.0
"""JSON from outside, decoded into a given type, and refused if an object repeats a key.

Decoders silently keep the last of two equal keys, which would lose the other value. Every reader of JSON therefore
decodes here.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar, overload

import msgspec

__all__ = ["STRING", "RepeatedKeyError", "decode", "key_of", "refuse_repeated_keys"]

T = TypeVar("T")

STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
"""A string, or the rest of the text if it is not closed: repeated searches for its end would take quadratic time."""

_PIECE = re.compile(rf"{STRING}|[{{}}\[\],]".encode(), re.DOTALL)


class RepeatedKeyError(msgspec.ValidationError):
    """An object that repeats a key; ``line`` is the line of the second."""

    def __init__(self, key: str, line: int) -> None:
        self.line = line
        super().__init__(f"the key {key!r} appears twice in one object; keep one")


@overload
def decode(data: bytes) -> Any: ...
@overload
def decode(data: bytes, kind: type[T], *, strict: bool = ...) -> T: ...
def decode(data: bytes, kind: Any = Any, *, strict: bool = True) -> Any:
    """Return JSON as a given type.

    Raise `RepeatedKeyError` if an object has the same key twice, and ``msgspec.DecodeError``, ``UnicodeDecodeError`` or
    ``RecursionError`` if it is not valid JSON of that type.
    """
    found = msgspec.json.decode(data, type=kind, strict=strict)
    refuse_repeated_keys(data)
    return found


def refuse_repeated_keys(data: bytes | msgspec.Raw) -> None:
    r"""Raise if an object in valid JSON repeats a key, however the key is escaped.

    >>> refuse_repeated_keys(b'[{"a": 1, "b": {"a": 2}}, {"a": 3}]')
    >>> refuse_repeated_keys(b'{"a": 1,\n "\\u0061": 2}')
    Traceback (most recent call last):
    caesura.strict_json.RepeatedKeyError: the key 'a' appears twice in one object; keep one
    """
    text = bytes(data)
    if b"{" not in text:
        return
    try:
        _DECODER.decode(text.decode("utf-8"))
    except _Twice:
        raise _located(text) from None
    except json.JSONDecodeError as error:
        # msgspec checks values that the type omits less strictly.
        raise msgspec.DecodeError(f"JSON is malformed: {error.msg.lower()} (byte {error.pos})") from None


class _Twice(Exception):
    """A repeated key, raised inside the decoder, which knows neither key nor line."""


def _object(pairs: list[tuple[str, object]]) -> None:
    """Check the keys of an object and discard it."""
    if len(dict(pairs)) != len(pairs):
        raise _Twice


# Numbers are discarded, and `int` would refuse one with many digits.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=len, parse_float=len, strict=False)


def _located(data: bytes) -> RepeatedKeyError:
    keys: list[set[str] | None] = []
    before = b""
    for piece in _PIECE.finditer(data):
        text = piece[0]
        if text in (b"{", b"["):
            keys.append(set() if text == b"{" else None)
        elif text in (b"}", b"]"):
            keys.pop()
        elif before in (b"{", b",") and (seen := keys[-1]) is not None:
            key = key_of(text)
            if key in seen:
                return RepeatedKeyError(key, len(re.findall(rb"\r\n|\n|\r", data[: piece.start()])) + 1)
            seen.add(key)
        before = text
    raise AssertionError("no key is repeated")


def key_of(text: bytes) -> str:
    """Return the key that a quoted and escaped string denotes."""
    shown = text.decode("utf-8", "replace")
    try:
        return str(json.loads(shown, strict=False))
    except ValueError:
        return shown
