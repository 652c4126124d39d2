# SPDX-License-Identifier: Apache-2.0
"""The lengths of recordings: a table or JSON of id and length, media files, transcripts, or chapters that know their end."""

from __future__ import annotations

import csv
import importlib
import os
import re
import wave
from collections.abc import Mapping
from pathlib import Path

from caesura.errors import CaesuraError, FormatError, MetricError
from caesura.files import stem, suffix
from caesura.formats._detect import load
from caesura.formats._files import faults, notice, plural, read_text
from caesura.formats._json import read_json
from caesura.formats._tables import delimiter_of
from caesura.formats._timed import is_time, time_in_ms
from caesura.units.quantity import duration_in_ms

_TABLES = (".csv", ".tsv", ".txt")
_LENGTHS = re.compile(r"(?:.*_)?(?:duration|length|seconds)(?:_.*)?\Z")
_MEDIA = (".mp3", ".m4a", ".m4b", ".mp4", ".aac", ".flac", ".ogg", ".opus")


def length_in_ms(value: object, what: str) -> int:
    """Return a length given in seconds, as a clock time, or with a unit such as ``'90min'``.

    >>> length_in_ms(90, "it"), length_in_ms("1:30", "it"), length_in_ms("1.5min", "it")
    (90000, 90000, 90000)
    """
    try:
        length = duration_in_ms(value) if isinstance(value, str) and not is_time(value) else time_in_ms(value, what)
    except MetricError:
        length = 0
    if length < 1:
        raise FormatError(f"{what} is {value!r}; write seconds, or a time such as '1:02:30' or '90min'")
    return length


def read_durations(path: str | os.PathLike[str]) -> dict[str, int]:
    """Return the lengths of recordings in milliseconds by id.

    Parameters
    ----------
    path : path-like
        A table of id and length, a JSON object of them, any file whose documents have times, or a folder of media files (wav;
        others if mutagen is installed), transcripts or chapters, each named as its recording.
    """
    place = Path(path)
    if not place.is_dir():
        return _of_file(place)
    found: dict[str, int] = {}
    unread: list[str] = []
    for file in sorted(entry for entry in place.iterdir() if entry.is_file() and not entry.name.startswith(".")):
        try:
            found.update(_of_file(file))
        except CaesuraError as error:
            unread.append(str(error))
    if not found:
        raise FormatError(f"contains no file with a length{f'; the first: {unread[0]}' if unread else ''}", place)
    if unread:
        notice(f"{plural(len(unread), 'file', 'files')} without a length ignored; the first: {unread[0]}", place)
    return found


def _of_file(path: Path) -> dict[str, int]:
    kind = suffix(path)
    if kind == ".wav" or kind in _MEDIA:
        return {stem(path): _media(path, kind)}
    known: Mapping[str, object] | None = None
    if kind == ".json":
        known = _object(path)
    elif kind in _TABLES:
        known = _table(path)
    if known is not None:
        with faults(path):
            return {key: length_in_ms(value, f"the length of {key!r}") for key, value in known.items()}
    ends: dict[str, int] = {}
    for document in load(path):
        if document.unit_times:
            ends[document.id] = round(max(end for _, end in document.unit_times) * 1000)
        elif document.unit == "ms" and not document.open_ended:
            ends[document.id] = document.n_units
    if not ends:
        raise FormatError("no document has times or a length; give a table or JSON of id and length", path)
    return ends


def _object(path: Path) -> dict[str, object] | None:
    """Return the lengths of an object of id to length, or to an object with a duration; None if it is something else."""
    content = read_json(path, object)
    if not isinstance(content, dict):
        return None
    values = {str(key): value.get("duration") if isinstance(value, dict) else value for key, value in content.items()}
    fits = all(isinstance(v, (int, float, str)) and not isinstance(v, bool) for v in values.values())
    return values if fits and "duration" not in values else None


def _table(path: Path) -> dict[str, object] | None:
    """Return the lengths of a table of two columns, or of the columns of ids and lengths; None if it is something else."""
    lines = [line for line in read_text(path).split("\n") if line.strip()]
    rows = list(csv.reader(lines, delimiter=delimiter_of(lines[0])))
    names = [name.strip().casefold().replace(" ", "_") for name in rows[0]]
    place = next((at for at, name in enumerate(names) if at and _LENGTHS.match(name)), None)
    bare = len(names) == 2 and place is None and is_time(rows[0][1]) and not is_time(rows[0][0])
    if (place is None and not bare) or any(len(row) != len(names) for row in rows):
        return None
    return {row[0].strip(): row[place or 1].strip() for row in (rows if bare else rows[1:])}


def _media(path: Path, kind: str) -> int:
    """Return the length of a media file."""
    try:
        if kind == ".wav":
            with wave.open(str(path)) as sound:
                return time_in_ms(sound.getnframes() / sound.getframerate(), "the length")
        info = importlib.import_module("mutagen").File(path)
        return time_in_ms(info.info.length, "the length")
    except ImportError:
        raise FormatError(
            "its length is read by mutagen (pip install mutagen); or give a table of id and length", path
        ) from None
    except Exception:  # whatever a library says of a damaged file
        raise FormatError("is not a media file whose length can be read; give a table of id and length", path) from None
