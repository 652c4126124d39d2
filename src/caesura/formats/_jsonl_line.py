# SPDX-License-Identifier: Apache-2.0
"""One line of Caesura's JSONL: its keys, from JSON to a `Document` with every fault of any spelling, and back."""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from caesura.corpus import BY_ANNOTATOR, DECISIONS, MADE_BY, READ_AS, Document
from caesura.errors import FormatError, SegmentationError
from caesura.formats._files import UTF16, faults
from caesura.formats._json import type_fault
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation
from caesura.strict_json import RepeatedKeyError, decode, refuse_repeated_keys

_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    key: msgspec.json.Decoder(kind)
    for key, kind in {
        "id": str | int,
        "units": tuple[str, ...],
        "n_units": int,
        "boundaries": list[int],
        "masses": list[int],
        "labels": list[str | int | float | bool | None],
        "unit": str,
        "speakers": tuple[str, ...],
        "unit_times": tuple[tuple[float, float], ...],
        "annotations": dict[str, list[int]],
        "scores": tuple[float, ...],
        "hierarchy": list[list[int]],
        "open_ended": bool,
        "segment_titles": Any,
    }.items()
}
"""The decoder of each known key."""

_NESTED = ("annotations", "segment_titles")
"""Known keys whose values may contain an object."""

OWN_KEYS = frozenset({"units", "n_units", "boundaries", "masses"})
"""Keys by which a document of this format is recognised; no other JSON format uses them."""

_SILENT = {
    "segment_titles",
    "text",
    "chunks",
    "chunk_source",
    "chunk_spans",
    "spans",
    "spans_in",
    "questions",
    "structure",
}
_SILENT |= {MADE_BY, READ_AS, DECISIONS, "drawn_from", *BY_ANNOTATOR}
"""Known keys without an attribute of their own: kept as extra, without a warning."""

_SINGULARS = {"boundary": "boundaries", "mass": "masses", "bounds": "boundaries"}
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_line(line: bytes, number: int, place: int | None = None) -> tuple[Document, list[str], list[object] | None]:
    """Return the document of a line, its unknown keys, and its labels if they alone give the segmentation.

    In a file without ids, ``place`` is the id.
    """
    with faults(line=number):
        try:
            raw = _OBJECT.decode(line)
            decoded: dict[str, Any] = {key: _value(key, value) for key, value in raw.items()}
            _refuse_repeated_keys(line, raw)
        except RepeatedKeyError as error:
            raise FormatError(str(error)) from None
        except msgspec.ValidationError as error:
            raise FormatError(f"{type_fault('the line', error)}: one document per line") from None
        except RecursionError:
            raise FormatError("is nested too deeply for a document; check its content") from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(syntax_fault(line, error)) from None
        if ("id" in decoded) == (place is not None):
            raise FormatError(
                'has no "id"; every document needs a unique one'
                if place is None
                else 'has an "id", but the first document has none; give it to every document, or to none'
            )
        name = str(decoded.pop("id", place))
        extra = {key: value for key, value in decoded.items() if key in _SILENT or key not in _DECODERS}
        try:
            document = _document(name, decoded, extra)
        except (FormatError, SegmentationError) as error:
            named = str(error).startswith("document ")
            raise FormatError(str(error) if named else f"document {name!r}: {error}") from None
    labels = None if decoded.keys() & {"boundaries", "masses"} else decoded.get("labels")
    return document, [key for key in extra if key not in _SILENT], labels


def decoded_lines(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the JSON value of every line that is not blank, with its number."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, decode(line)
        except RepeatedKeyError as error:
            raise FormatError(str(error), line=number) from None
        except RecursionError:
            raise FormatError("is nested too deeply; check its content", line=number) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(syntax_fault(line, error), line=number) from None


def _refuse_repeated_keys(line: bytes, raw: dict[str, msgspec.Raw]) -> None:
    """Refuse a line that repeats a key; only a line that may do so is decoded again."""
    within = {key: bytes(value) for key, value in raw.items()}
    # Every key is followed by a colon, so a line with more colons than its keys and values has lost a key.
    colons = len(raw) + sum(text.count(b":") for text in within.values())
    if colons != line.count(b":") or any(":" in key for key in raw):
        refuse_repeated_keys(line)
    for key, text in within.items():
        if key in _NESTED or key not in _DECODERS:
            refuse_repeated_keys(text)


def syntax_fault(line: bytes, error: Exception) -> str:
    """Return what is wrong with a line that is not JSON."""
    if line.startswith(UTF16):
        return "is in UTF-16; save the file as UTF-8"
    if b"\0" in line:
        return "is a binary file, not JSONL; check its content"
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as fault:
        return f"byte 0x{line[fault.start]:02x} at position {fault.start + 1} is not UTF-8; save the file as UTF-8"
    if not text.lstrip().startswith("{"):
        return f"is not a JSON object: it begins with {text.strip()[:12]!r}; JSONL has one {{...}} per line"
    if "truncated" in str(error):
        return "the JSON of the line is truncated; write each document on one line"
    for word in ("NaN", "Infinity"):
        if word in text:
            return f"is not valid JSON: {word} is not allowed; omit the value"
    return f"is not valid JSON ({_reason(text, error)}); write one object per line"


def _reason(text: str, error: Exception) -> str:
    """Return the syntax error as reported by Python's parser: by column, not by byte."""
    try:
        json.loads(text)
    except json.JSONDecodeError as fault:
        return f"{fault.msg.lower()} at column {fault.colno}"
    except (RecursionError, ValueError):
        pass
    return str(error)


def _value(key: str, raw: msgspec.Raw) -> object:
    if key not in _DECODERS and (meant := near_miss(key)) is not None:
        raise FormatError(f'unknown key {json.dumps(key, ensure_ascii=False)}; write "{meant}"')
    try:
        return _DECODERS[key].decode(raw) if key in _DECODERS else msgspec.json.decode(raw)
    except RecursionError:
        raise FormatError(f"{key} is nested too deeply; check its content") from None
    except msgspec.ValidationError as error:
        raise FormatError(type_fault(key, error)) from None
    except msgspec.DecodeError as error:
        raise FormatError(f"{key} is not valid JSON ({error}); write it again") from None


def _document(document_id: str, values: dict[str, Any], extra: dict[str, Any]) -> Document:
    unit = values.get("unit", UNSPECIFIED_UNIT)
    lengths: dict[str, int] = {}
    if "units" in values:
        lengths["units"] = len(values["units"])
    if "n_units" in values:
        lengths["n_units"] = values["n_units"]
    spelt: dict[str, Segmentation] = {}
    if "masses" in values:
        spelt["masses"] = Segmentation.from_masses(values["masses"], unit=unit)
    if "labels" in values:
        labels = [(type(label) is bool, label) for label in values["labels"]]
        spelt["labels"] = Segmentation.from_labels(labels, unit=unit)
    lengths.update({key: value.n_units for key, value in spelt.items()})
    if not lengths and isinstance(extra.get("text"), str):
        raise FormatError(
            "has a text that is not split; give its units as a list, or add ::text to the file name to split it into sentences"
        )
    n_units = _agreed_length(lengths)
    if "boundaries" in values:
        spelt["boundaries"] = Segmentation(n_units, values["boundaries"], unit=unit)
    return Document(
        id=document_id,
        n_units=n_units,
        segmentation=_agreed(spelt),
        unit=unit,
        units=values.get("units"),
        speakers=values.get("speakers"),
        unit_times=_times(values.get("unit_times")),
        annotations={
            name: _inner(f"annotator {name!r}", n_units, gaps, unit)
            for name, gaps in values.get("annotations", {}).items()
        },
        scores=values.get("scores"),
        hierarchy=_hierarchy(values.get("hierarchy", []), n_units, unit),
        open_ended=values.get("open_ended", False),
        extra=extra,
    )


def _agreed_length(lengths: dict[str, int]) -> int:
    if not lengths:
        raise FormatError(
            "has no length; give n_units, units, masses or labels, or the texts of its segments as chunks"
        )
    (first, wanted), *others = lengths.items()
    for key, length in others:
        if length != wanted:
            raise FormatError(f"{first} gives {wanted} units, but {key} gives {length}; they must agree")
    return Segmentation(wanted).n_units


def _agreed(spelt: dict[str, Segmentation]) -> Segmentation | None:
    if not spelt:
        return None
    (first, wanted), *others = spelt.items()
    for key, segmentation in others:
        if segmentation != wanted:
            raise FormatError(f"{first} and {key} give different boundaries; give only one of them, or make them agree")
    return wanted


def _inner(name: str, n_units: int, gaps: list[int], unit: str) -> Segmentation:
    try:
        return Segmentation(n_units, gaps, unit=unit)
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from None


def _hierarchy(levels: list[list[int]], n_units: int, unit: str) -> tuple[Segmentation, ...]:
    hierarchy = tuple(
        _inner(f"level {place} of hierarchy", n_units, gaps, unit) for place, gaps in enumerate(levels, start=1)
    )
    for place, (coarse, fine) in enumerate(itertools.pairwise(hierarchy), start=1):
        lacking = sorted(set(coarse.boundaries) - set(fine.boundaries))
        if lacking:
            what = f"boundary {lacking[0]} of level {place} of hierarchy is not in level {place + 1}"
            raise FormatError(f"{what}; order levels from coarse to fine, each containing the previous one")
    return hierarchy


def _times(times: tuple[tuple[float, float], ...] | None) -> tuple[tuple[float, float], ...] | None:
    for place, (start, end) in enumerate(times or ()):
        if not (math.isfinite(start) and math.isfinite(end) and 0 <= start <= end):
            raise FormatError(
                f"unit_times[{place}] is [{start}, {end}]; it must be [start, end] in seconds with 0 <= start <= end"
            )
    return times


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
    for known in _DECODERS:
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


def document_line(document: Document) -> bytes:
    """Return a document as one line of the format, with its newline."""
    try:
        return msgspec.json.encode(_fields(document)) + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"document {document.id!r} cannot be written as JSON: {error}") from None


def _fields(document: Document) -> dict[str, object]:
    fields: dict[str, object] = {"id": document.id}
    if document.unit != UNSPECIFIED_UNIT:
        fields["unit"] = document.unit
    if document.units is None:
        fields["n_units"] = document.n_units
    else:
        fields["units"] = document.units
    if document.segmentation is not None:
        fields["boundaries"] = document.segmentation.boundaries
    for key in ("speakers", "unit_times", "scores"):
        if getattr(document, key) is not None:
            fields[key] = getattr(document, key)
    if document.scores is not None and not all(map(math.isfinite, document.scores)):
        raise FormatError(f"document {document.id!r}: a score is not finite, which JSON cannot hold; remove the scores")
    if document.annotations:
        fields["annotations"] = {name: value.boundaries for name, value in document.annotations.items()}
    if document.hierarchy:
        fields["hierarchy"] = [level.boundaries for level in document.hierarchy]
    if document.open_ended:
        fields["open_ended"] = True
    for key, value in document.extra.items():
        if key not in _SILENT and (key in _DECODERS or near_miss(key)):
            raise FormatError(f"document {document.id!r}: the extra key {key!r} is or resembles a known key; rename it")
        fields[key] = value
    return fields
