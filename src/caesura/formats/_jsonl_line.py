# SPDX-License-Identifier: Apache-2.0
"""One line of Caesura's JSONL: from JSON to a `Document`, with the line in every error."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any, TypeVar

import msgspec

from caesura.corpus import Document
from caesura.errors import FormatError, SegmentationError
from caesura.formats._files import UTF16, faults
from caesura.formats._jsonl_keys import DECODERS, FLAT, SILENT, near_miss, type_fault
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation
from caesura.strict_json import RepeatedKeyError, refuse_repeated_keys

__all__ = ["read_line", "sole_labels", "syntax_fault"]

T = TypeVar("T")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_line(line: bytes, number: int, place: int | None = None) -> tuple[Document, list[str]]:
    """Return the document of a line and its unknown keys; in a file without ids, ``place`` is the id."""
    with faults(line=number):
        try:
            raw = _OBJECT.decode(line)
            decoded = {key: _value(key, value) for key, value in raw.items()}
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
        extra = {key: value for key, value in decoded.items() if key in SILENT or key not in DECODERS}
        try:
            document = _document(name, decoded, extra)
        except (FormatError, SegmentationError) as error:
            named = str(error).startswith("document ")
            raise FormatError(str(error) if named else f"document {name!r}: {error}") from None
    return document, [key for key in extra if key not in SILENT]


def sole_labels(line: bytes) -> list[object] | None:
    """Return the labels of a document whose segmentation they alone give."""
    if b'"labels"' not in line:
        return None
    values = _OBJECT.decode(line)
    if "labels" not in values or values.keys() & {"boundaries", "masses"}:
        return None
    labels: list[Any] = msgspec.json.decode(values["labels"])
    return labels


def _refuse_repeated_keys(line: bytes, raw: dict[str, msgspec.Raw]) -> None:
    """Refuse a line that repeats a key; only a line that may do so is decoded again."""
    within = {key: bytes(value) for key, value in raw.items()}
    # Every key is followed by a colon, so a line with more colons than its keys and values has lost a key.
    colons = len(raw) + sum(text.count(b":") for text in within.values())
    if colons != line.count(b":") or any(":" in key for key in raw):
        refuse_repeated_keys(line)
    for key, text in within.items():
        if key not in FLAT:
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
    if key not in DECODERS and (meant := near_miss(key)) is not None:
        raise FormatError(f'unknown key {json.dumps(key, ensure_ascii=False)}; write "{meant}"')
    try:
        return DECODERS[key].decode(raw) if key in DECODERS else msgspec.json.decode(raw)
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
        units=_tuple(values.get("units")),
        speakers=_tuple(values.get("speakers")),
        unit_times=_times(values.get("unit_times")),
        annotations={
            name: _inner(f"annotator {name!r}", n_units, gaps, unit)
            for name, gaps in values.get("annotations", {}).items()
        },
        scores=_tuple(values.get("scores")),
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
            what = f"{first} and {key} give different boundaries"
            raise FormatError(f"{what}; give only one of them, or make them agree")
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


def _times(times: list[tuple[float, float]] | None) -> tuple[tuple[float, float], ...] | None:
    for place, (start, end) in enumerate(times or ()):
        if not (math.isfinite(start) and math.isfinite(end) and 0 <= start <= end):
            raise FormatError(
                f"unit_times[{place}] is [{start}, {end}]; it must be [start, end] in seconds with 0 <= start <= end"
            )
    return _tuple(times)


def _tuple(values: list[T] | None) -> tuple[T, ...] | None:
    return None if values is None else tuple(values)
