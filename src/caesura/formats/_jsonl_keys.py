# SPDX-License-Identifier: Apache-2.0
"""The keys of the own JSONL format, the type of each, and which unknown key is likely a misspelt known one."""

from __future__ import annotations

import functools
import re
from typing import Any

import msgspec

__all__ = ["DECODERS", "OWN_KEYS", "SILENT", "near_miss", "type_fault"]

_TYPES: dict[str, Any] = {
    "id": str | int,
    "units": list[str],
    "n_units": int,
    "boundaries": list[int],
    "masses": list[int],
    "labels": list[str | int | float | bool | None],
    "unit": str,
    "speakers": list[str],
    "unit_times": list[tuple[float, float]],
    "annotations": dict[str, list[int]],
    "scores": list[float],
    "hierarchy": list[list[int]],
    "open_ended": bool,
    "segment_titles": Any,
}

DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    key: msgspec.json.Decoder(kind) for key, kind in _TYPES.items()
}
"""How the value of each known key is read."""

OWN_KEYS = frozenset({"units", "n_units", "boundaries", "masses"})
"""Keys by which a document of this format is recognised; no other JSON format uses them."""

SILENT = frozenset({"segment_titles", "text", "chunks", "chunk_spans"})
"""Known keys that no attribute of a document stands for: they are extra, but no cause for a warning."""

_SINGULARS = {"boundary": "boundaries", "mass": "masses", "bounds": "boundaries"}
_FAULT = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`(?: - at `\$?(?P<where>[^`]*)`)?")
_WORDS = {
    "int": "a whole number",
    "float": "a number with a fraction",
    "str": "a text",
    "array": "a list",
    "object": "an object",
    "bool": "true or false",
    "null": "null",
}


def type_fault(key: str, error: msgspec.DecodeError) -> str:
    """Return what is wrong with the value of a key, in words.

    >>> import msgspec
    >>> try:
    ...     DECODERS["masses"].decode(b"[6, 3.5]")
    ... except msgspec.DecodeError as error:
    ...     type_fault("masses", error)
    'masses[1] is a number with a fraction; it must be a whole number'
    """
    match = _FAULT.match(str(error))
    if match is None:
        return f"{key}: {str(error)[:1].lower()}{str(error)[1:]}"
    wanted = [_WORDS.get(word.strip(), word.strip()) for word in match["wanted"].split("|")]
    wanted = ["a number" if word == _WORDS["float"] else word for word in wanted]
    got = _WORDS.get(match["got"], match["got"])
    return f"{key}{match['where'] or ''} is {got}; it must be {' or '.join(wanted)}"


@functools.lru_cache(maxsize=4096)
def near_miss(key: str) -> str | None:
    """Return the known key that an unknown one was probably meant to be, or None.

    >>> near_miss("massses"), near_miss("nUnits"), near_miss("annotator"), near_miss("source_index")
    ('masses', 'n_units', None, None)
    """
    if key in _SINGULARS:
        return _SINGULARS[key]
    folded = _folded(key)
    distances: dict[str, int] = {}
    for known in DECODERS:
        wanted = _folded(known)
        # Short words have many neighbours that mean something else ("ids", "uid"), so they are allowed fewer slips.
        slips = 0 if len(known) <= 2 else 1 if len(known) <= 6 else 2
        if abs(len(folded) - len(wanted)) <= slips:
            distance = _distance(folded, wanted)
            if distance <= slips:
                distances[known] = distance
    return min(distances, key=distances.__getitem__, default=None)


def _folded(key: str) -> str:
    return re.sub(r"[\s_\-]", "", key).casefold()


def _distance(first: str, second: str) -> int:
    """Return how many letters must be added, dropped or changed to make one word the other."""
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(second, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != other))
    return row[-1]
