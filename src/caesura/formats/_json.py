# SPDX-License-Identifier: Apache-2.0
"""JSON files: their top-level keys, their content as a given type, and the line of any part."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from caesura.errors import FormatError
from caesura.formats._files import UTF16, line_at, read_bytes, read_raw_text
from caesura.strict_json import STRING, RepeatedKeyError, decode, key_of

T = TypeVar("T")

_TOKEN = re.compile(rf"(?P<text>{STRING})(?P<colon>\s*:)?|(?P<open>[{{\[])|(?P<close>[}}\]])".encode(), re.DOTALL)
_STRING = re.compile(STRING.encode(), re.DOTALL)
_LONG = 200
_PIECE = re.compile(rf'{STRING}|[{{}}\[\],:]|[^\s{{}}\[\],:"]+'.encode(), re.DOTALL)
_BYTE = re.compile(r"\(byte (?P<place>[0-9]+)\)")
_WHERE = re.compile(r" - at `\$(?P<steps>[^`]*)`")
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<place>[0-9]+)\]")
_LACKING = re.compile(r"Object missing required field `(?P<key>[^`]+)`")
_FAULT = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`(?: - at `\$?(?P<where>[^`]*)`)?")
_WORDS = {
    "int": "an integer",
    "float": "a number with a fraction",
    "str": "a string",
    "array": "a list",
    "object": "an object",
    "bool": "true or false",
    "null": "null",
}


def top_keys(head: bytes, level: int = 1) -> frozenset[str]:
    """Return the keys of the outermost object that occur in the first bytes of a file, or those on a deeper level.

    >>> sorted(top_keys(b'{"version": "1.2", "chapters": [{"title": "x'))
    ['chapters', 'version']
    """
    if not head.lstrip().startswith(b"{"):
        return frozenset()
    keys: set[str] = set()
    depth = 0
    for token in _TOKEN.finditer(head):
        depth += (token["open"] is not None) - (token["close"] is not None)
        if depth == level and token["colon"] is not None:
            keys.add(key_of(token["text"]))
    return frozenset(keys)


def abridged(head: bytes) -> bytes:
    """Return JSON with long strings replaced, so that the keys behind a long text come early.

    >>> abridged(b'{"text": "' + b"word " * 99 + b'", "label": []}')
    b'{"text": "...", "label": []}'
    """
    return _STRING.sub(lambda match: match[0] if len(match[0]) < _LONG else b'"..."', head)


def json_bytes(path: Path) -> bytes:
    """Return the content of a JSON file in UTF-8; refuse an empty or binary file."""
    data = read_bytes(path)
    if data.startswith(UTF16):
        data = read_raw_text(path).encode()
    if not data.strip():
        raise FormatError("the file is empty; it holds no document", path)
    if b"\0" in data:
        raise FormatError("is a binary file, not JSON; check its content", path)
    return data


def read_json(path: Path, kind: type[T]) -> T:
    """Return the content of a JSON file as a given type; errors name the line."""
    return decoded(json_bytes(path), path, kind)


def decoded(data: bytes, path: Path, kind: type[T]) -> T:
    """Return what `json_bytes` has read as a given type; errors name the line."""
    try:
        return decode(data, kind)
    except RecursionError:
        raise FormatError("is nested too deeply; check its content", path) from None
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, error.line) from None
    except msgspec.ValidationError as error:
        message, line = _type_fault(error, data)
        try:
            # A wrong type is reported before a syntax error further down, which matters more.
            msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as worse:
            message, line = syntax_fault(worse, data)
        except RecursionError:
            message, line = "is nested too deeply; check its content", None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message, line = syntax_fault(error, data)
    raise FormatError(message, path, line)


def listed(data: bytes, path: Path) -> list[tuple[int, bytes]]:
    """Return the items of a JSON list, each with the number of its first line."""
    place, number = 0, 1
    found = []
    for item in map(bytes, decoded(data, path, list[msgspec.Raw])):
        begin = data.index(item, place)
        number += data.count(b"\n", place, begin)
        found.append((number, item))
        place, number = begin + len(item), number + item.count(b"\n")
    return found


def json_object(line: str, remedy: str) -> dict[str, object]:
    """Return the JSON object on a line of a file; ``remedy`` is the advice if it is not an object."""
    try:
        return decode(line.encode("utf-8"), dict[str, Any])
    except RepeatedKeyError as error:
        raise FormatError(str(error)) from None
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise FormatError(f"the line is not a JSON object; {remedy}") from None


def json_file(content: object) -> bytes:
    """Return the bytes of an indented JSON file."""
    try:
        text = msgspec.json.encode(content)
    except ValueError as error:
        raise FormatError(f"a string cannot be written as JSON: {error}") from None
    return msgspec.json.format(text, indent=1) + b"\n"


def json_line(path: Path, *place: str | int) -> int | None:
    """Return the first line of a part of a JSON file, or of the innermost existing part around it.

    Keys and list positions lead to the part: ``"chapters", 3, "startTime"``. The file is read a second time for this, but
    only to report an error.
    """
    return _line_of(json_bytes(path), place)


def _line_of(data: bytes, place: tuple[str | int, ...]) -> int | None:
    # Each frame is an open object with its current key (None before the first), or an open list with its current position.
    frames: list[tuple[bool, str | int | None]] = []
    found, deepest = 0, -1
    for piece in _PIECE.finditer(data):
        text = piece[0]
        if text in (b"}", b"]") and frames:
            frames.pop()
        elif text == b"," and frames:
            is_object, at = frames[-1]
            frames[-1] = (is_object, at + 1 if isinstance(at, int) else None)
        elif frames and frames[-1] == (True, None):
            frames[-1] = (True, key_of(text))
        elif text != b":":
            here = tuple(at for _, at in frames)
            if len(here) > deepest and here == place[: len(here)]:
                found, deepest = piece.start(), len(here)
            if deepest == len(place):
                break
            if text in (b"{", b"["):
                frames.append((text == b"{", None if text == b"{" else 0))
    return line_at(data, found)


def _type_fault(error: msgspec.ValidationError, data: bytes) -> tuple[str, int | None]:
    where = _WHERE.search(str(error))
    steps = where["steps"] if where else ""
    # A step such as [...] means any key, so the part behind it cannot be located.
    known = steps.partition("[...]")[0]
    place = tuple(match["key"] or int(match["place"]) for match in _STEP.finditer(known))
    lacking = _LACKING.match(str(error))
    if lacking is not None:
        message = f"the value{steps} has no {lacking['key']!r}; add it"
    else:
        message = type_fault("the value", error)
    return message.replace("the value.", "", 1), _line_of(data, place)


def type_fault(key: str, error: msgspec.DecodeError) -> str:
    """Describe what is wrong with the value of a key.

    >>> import msgspec
    >>> try:
    ...     msgspec.json.decode(b"[6, 3.5]", type=list[int])
    ... except msgspec.DecodeError as error:
    ...     type_fault("masses", error)
    'masses[1] is a number with a fraction; it must be an integer'
    """
    match = _FAULT.match(str(error))
    if match is None:
        return f"{key}: {str(error)[:1].lower()}{str(error)[1:]}"
    wanted = [_WORDS.get(word.strip(), word.strip()) for word in match["wanted"].split("|")]
    wanted = ["a number" if word == _WORDS["float"] else word for word in wanted]
    got = _WORDS.get(match["got"], match["got"])
    return f"{key}{match['where'] or ''} is {got}; it must be {' or '.join(wanted)}"


def syntax_fault(error: Exception, data: bytes) -> tuple[str, int | None]:
    """Return what is wrong with a file that is not JSON, and the line."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        byte = f"byte 0x{data[fault.start]:02x} is not UTF-8"
        return f"{byte}; save the file as UTF-8", line_at(data, fault.start)
    place = _BYTE.search(str(error))
    if place is None:
        return "the JSON is truncated; write the file again", line_at(data, len(data.rstrip()))
    for word in (b"NaN", b"Infinity", b"-Infinity"):
        if data.startswith(word, int(place["place"])):
            return f"is not valid JSON: {word.decode()} is not allowed; omit the value", line_at(
                data, int(place["place"])
            )
    reason = _BYTE.sub("", str(error)).partition(":")[2].strip() or "syntax error"
    at = int(place["place"])
    column = at - max(data.rfind(end, 0, at) for end in (b"\n", b"\r"))
    return f"is not valid JSON ({reason} at column {column}); write the file again", line_at(data, at)
