# SPDX-License-Identifier: Apache-2.0
"""The keys of Caesura's JSONL: their types, and the known key that an unknown one may misspell."""

from __future__ import annotations

import functools
import re
from typing import Any

import msgspec

__all__ = ["DECODERS", "FLAT", "OWN_KEYS", "SILENT", "near_miss", "type_fault"]

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

DECODERS: dict[str, msgspec.json.Decoder[Any]] = {key: msgspec.json.Decoder(kind) for key, kind in _TYPES.items()}
"""The decoder of each known key."""

FLAT = DECODERS.keys() - {"annotations", "segment_titles"}
"""Known keys whose values contain no object."""

OWN_KEYS = frozenset({"units", "n_units", "boundaries", "masses"})
"""Keys by which a document of this format is recognised; no other JSON format uses them."""

SILENT = frozenset(
    {
        "segment_titles",
        "text",
        "chunks",
        "chunk_source",
        "chunk_spans",
        "made_by",
        "read_as",
        "drawn_from",
        "spans",
        "spans_in",
    }
)
"""Known keys without an attribute of their own: kept as extra, without a warning."""

_SINGULARS = {"boundary": "boundaries", "mass": "masses", "bounds": "boundaries"}
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


def type_fault(key: str, error: msgspec.DecodeError) -> str:
    """Describe what is wrong with the value of a key.

    >>> import msgspec
    >>> try:
    ...     DECODERS["masses"].decode(b"[6, 3.5]")
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


@functools.lru_cache(maxsize=4096)
def near_miss(key: str) -> str | None:
    """Return the known key that an unknown one probably misspells, or None.

    >>> near_miss("massses"), near_miss("nUnits"), near_miss("annotator"), near_miss("source_index")
    ('masses', 'n_units', None, None)
    """
    if key in _SINGULARS:
        return _SINGULARS[key]
    folded = _folded(key)
    distances: dict[str, int] = {}
    for known in DECODERS:
        wanted = _folded(known)
        # Short keys have many neighbours that mean something else ("ids", "uid"), so fewer edits are allowed.
        edits = 0 if len(known) <= 2 else 1 if len(known) <= 6 else 2
        if abs(len(folded) - len(wanted)) <= edits:
            distance = _distance(folded, wanted)
            if distance <= edits:
                distances[known] = distance
    return min(distances, key=distances.__getitem__, default=None)


def _folded(key: str) -> str:
    return re.sub(r"[\s_\-]", "", key).casefold()


def _distance(first: str, second: str) -> int:
    """Return the edit distance of two words."""
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(second, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != other))
    return row[-1]
