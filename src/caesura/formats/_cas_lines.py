# SPDX-License-Identifier: Apache-2.0
"""The lines of the annotations of a UIMA CAS, and faults that the library reports without a line or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from caesura.errors import FormatError
from caesura.formats._files import positions
from caesura.formats._json import json_line, read_json
from caesura.formats._xml import elements

__all__ = ["check_json", "check_xmi"]

_STRUCTURES = "%FEATURE_STRUCTURES"
_VIEWS = "%VIEWS"


class _Structure(NamedTuple):
    """A feature structure as stored in the file; ``place`` is its line, or its position in the list of structures."""

    id: str
    type: str
    sofa: object
    begin: object
    end: object
    text: object
    place: int
    members: Sequence[str] = ()


def check_xmi(text: str, where: str = "") -> None:
    """Refuse XMI that is not well-formed or has invalid annotations; ``where`` names the part of the file."""
    structures: list[_Structure] = []
    for tag, attributes, line, _ in elements(text, where):
        sofa, sofa_string = attributes.get("sofa"), attributes.get("sofaString")
        begin, end = _whole(attributes.get("begin")), _whole(attributes.get("end"))
        members = attributes.get("members", "").split() if tag.endswith(":View") else ()
        name = attributes.get("xmi:id", "")
        structures.append(_Structure(name, tag, sofa, begin, end, sofa_string, line, members))
    _check(structures, where)


def check_json(path: Path) -> None:
    """Refuse a JSON CAS that is not valid JSON or has invalid annotations."""
    content = read_json(path, dict[str, Any])
    structures = content.get(_STRUCTURES, [])
    if isinstance(structures, Mapping):
        return
    if not isinstance(structures, list):
        line = json_line(path, _STRUCTURES)
        raise FormatError(f"{_STRUCTURES} is not a list; export the file again", line=line)
    found: list[_Structure] = []
    with positions(lambda place: json_line(path, _STRUCTURES, place)):
        for place, entry in enumerate(structures):
            if not isinstance(entry, dict) or "%TYPE" not in entry or "%ID" not in entry:
                what = f'entry {place + 1} of {_STRUCTURES} has no "%ID" and "%TYPE"'
                raise FormatError(f"{what}; export the file again", line=place)
            sofa, begin, end, text = (entry.get(key) for key in ("@sofa", "begin", "end", "sofaString"))
            found.append(_Structure(str(entry["%ID"]), str(entry["%TYPE"]), sofa, begin, end, text, place))
        _check(found)
    ids = {one.id for one in found}
    views = content.get(_VIEWS)
    for name, view in views.items() if isinstance(views, dict) else ():
        members = view.get("%MEMBERS") if isinstance(view, dict) else None
        for place, member in enumerate(members if isinstance(members, list) else ()):
            if str(member) not in ids:
                what = f"the view refers to {str(member)[:30]!r}, which does not exist; export the file again"
                raise FormatError(what, line=json_line(path, _VIEWS, name, "%MEMBERS", place))


def _check(structures: Sequence[_Structure], where: str = "") -> None:
    """Refuse ids that appear twice, references to nothing, and annotations outside the text."""
    # Offsets count UTF-16 code units of two bytes.
    lengths = {
        one.id: len(one.text.encode("utf-16-le", "surrogatepass")) // 2
        for one in structures
        if isinstance(one.text, str)
    }
    ids = {one.id for one in structures}
    seen: set[str] = set()
    for one in structures:
        what = None
        if one.id and one.id in seen:
            what = f"the id {one.id[:30]!r} appears twice"
        elif lacking := [member for member in one.members if member not in ids]:
            what = f"the view refers to {lacking[0][:30]!r}, which does not exist"
        elif one.sofa is not None and one.begin is not None and str(one.sofa) not in ids:
            what = (
                f"an annotation of {one.type[-60:]!r} refers to the text {str(one.sofa)[:30]!r}, which does not exist"
            )
        elif one.sofa is not None and not (one.begin is None and one.end is None):
            length = lengths.get(str(one.sofa))
            begin, end = one.begin, one.end
            if not (type(begin) is int and type(end) is int and 0 <= begin <= end):
                what = f"an annotation of {one.type[-60:]!r} spans {begin} to {end}"
            elif length is not None and end > length:
                what = (
                    f"an annotation of {one.type[-60:]!r} spans {begin} to {end}, but the text has {length} characters"
                )
        if what is not None:
            raise FormatError(f"{where}{what}; export the file again", line=one.place)
        seen.add(one.id)


def _whole(text: str | None) -> int | str | None:
    """Return an attribute as an integer if it is one."""
    if text is None:
        return None
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else text[:20]
