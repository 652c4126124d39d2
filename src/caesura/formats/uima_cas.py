# SPDX-License-Identifier: Apache-2.0
"""UIMA CAS, as XMI or as JSON: texts, and annotations with offsets in UTF-16 code units.

What is read of a CAS, its views and the spans of each type, stands in the file itself; its type system is not needed.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Mapping
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats._annotators import is_project
from caesura.formats._base import FORMATS, Sample
from caesura.formats._files import positions, read_text, unzipping
from caesura.formats._json import json_line, read_json, top_keys
from caesura.formats._spans import TEXT_UNITS, Layout, Span, SpanFormat, Tally, layout, trimmed
from caesura.formats._xml import elements, refuse_dangers
from caesura.formats.webanno import choose_layer

__all__ = ["UimaCas"]

_STRUCTURES = "%FEATURE_STRUCTURES"
_VIEWS = "%VIEWS"
_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_UNITS = ("sentence", "token", *TEXT_UNITS)
_JSON_KEYS = frozenset({"%TYPES", "%FEATURE_STRUCTURES", "%VIEWS"})
_XMI = "http://www.omg.org/XMI"


@FORMATS.register("xmi")
@dataclasses.dataclass(frozen=True)
class UimaCas(SpanFormat):
    """UIMA CAS, as exported by INCEpTION and related tools: one document of one annotator per file.

    XMI is read by itself or from a zip archive; a ``TypeSystem.xml`` beside it is not needed. JSON (``%TYPES``,
    ``%FEATURE_STRUCTURES``) is supported from version 0.4 on. The units are the annotated sentences or tokens, or, with ``unit='line'``, ``'paragraph'`` or ``'character'``, those of the text
    itself. The layer of the segments is chosen as for WebAnno TSV, among the layers with annotations. XML with a document
    type declaration is refused, since it can make a small file expand into a large one.
    """

    card: ClassVar[Card] = Card(
        title="UIMA CAS: XMI, or JSON (INCEpTION)",
        citation="Apache UIMA, XMI CAS Serialization Reference; UIMA CAS JSON 0.4.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".xmi", ".json", ".zip")
    sample: ClassVar[Sample] = {"uima_cas": (2, 1)}
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units", "segmentation"})

    unit: str = param("sentence", "the unit", choices=_UNITS)  # type: ignore[misc]
    layer: str | None = param(None, "the annotation type that holds the segments")
    view: str = param("_InitialView", "the view to read")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file is XMI, JSON with the keys of a CAS, or an archive that is not a project."""
        if suffix(path) == ".zip":
            return not is_project(path)
        return _XMI.encode() in head[:2000] or bool(top_keys(head) & _JSON_KEYS)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        text, spans = self._view(_cas(path))
        places = self._layout(text, spans)
        tally = Tally()
        layer = choose_layer(sorted(spans), self.layer, tally)
        marked = [trimmed(span, text) for span in spans[layer]] if layer is not None else []
        return self.one_document(path, marked, places, tally, strict)

    def _view(self, cas: _Cas) -> tuple[str, dict[str, list[Span]]]:
        """Return the text of the view, and its annotations by type."""
        sofa = next((one for one in cas.structures if one.view == self.view), None)
        if sofa is None:
            raise FormatError(f"has no view {self.view!r}; name another with view='…'")
        text = sofa.text
        if not isinstance(text, str) or not text.strip():
            raise FormatError(f"the view {self.view!r} has no text; name another with view='…'")
        # Offsets count UTF-16 code units, of which a character outside the basic plane has two.
        starts = [0, *accumulate(1 + (letter > "\uffff") for letter in text)]
        members = set(cas.members.get(sofa.id, ()))
        found: dict[str, list[Span]] = {}
        for one in cas.structures:
            if one.id in members and type(one.begin) is int and type(one.end) is int:
                span = Span(bisect.bisect_left(starts, one.begin), bisect.bisect_left(starts, one.end))
                found.setdefault(one.type, []).append(span)
        return text, found

    def _layout(self, text: str, found: dict[str, list[Span]]) -> Layout:
        name = f"{_DKPRO}{self.unit.capitalize()}"
        if name not in found and self.unit in TEXT_UNITS:
            return layout(text, self.unit)
        spans = sorted(trimmed(span, text) for span in found.get(name, ()))
        spans = [span for span in spans if span.end > span.start]
        if not spans:
            raise FormatError(f"has no annotated {self.unit}; read lines with unit='line'")
        for before, after in pairwise(spans):
            if after.start < before.end:
                what = f"the {self.unit} at {after.start} overlaps the previous one, but units must not overlap"
                raise FormatError(f"{what}; read lines with unit='line'")
        return Layout(self.unit, spans, tuple(text[start:end] for start, end in spans))


class _Structure(NamedTuple):
    """A feature structure: an annotation of the text ``sofa``, or with the name of its ``view`` such a text.

    ``place`` is its line, or its position in the list of structures.
    """

    id: str
    type: str
    place: int
    sofa: object = None
    begin: object = None
    end: object = None
    view: object = None
    text: object = None


class _Cas(NamedTuple):
    """The feature structures of a file, and the ids of those that belong to each text, by the id of the text."""

    structures: list[_Structure]
    members: Mapping[str, list[str]]


def _cas(path: Path) -> _Cas:
    if path.name.lower().endswith(".zip"):
        return _from_xmi(*_unzipped(path))
    text = read_text(path)
    if not text.lstrip().startswith("{"):
        return _from_xmi(text)
    if not top_keys(text[: 1 << 16].encode("utf-8", "replace")) & _JSON_KEYS:
        what = 'is not a UIMA CAS: it has no "%TYPES" and "%FEATURE_STRUCTURES"'
        raise FormatError(f"{what}; check that it is the right file")
    return _from_json(path)


def _unzipped(path: Path) -> tuple[str, str]:
    """Return the XMI of an archive, and its name for messages."""
    with unzipping(path) as (archive, member):
        names = [name for name in archive.namelist() if name.lower().endswith(".xmi")]
        if len(names) != 1:
            raise FormatError(f"contains {len(names)} XMI files; it must contain one, so unpack it")
        where = f"{names[0][:60]!r} in it"
        try:
            return member(names[0]).decode("utf-8-sig"), f"{where}: "
        except UnicodeDecodeError:
            raise FormatError(f"{where} is not UTF-8; save it as UTF-8") from None


def _from_xmi(text: str, where: str = "") -> _Cas:
    """Return what XMI holds; ``where`` names the part of the file."""
    if _XMI not in text:
        raise FormatError(f"{where}is not a UIMA CAS: it does not contain {_XMI}; check that it is the right file")
    refuse_dangers(text, "a CAS does")
    structures: list[_Structure] = []
    members: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    root, *inner = elements(text, where)
    for tag, attributes, line, _ in inner:
        prefix, _, name = tag.rpartition(":")
        declared = {**root.attributes, **attributes}.get(f"xmlns:{prefix}", "")
        package = declared.removeprefix("http:///").removesuffix(".ecore")
        sofa = attributes.get("sofa")
        if tag.endswith(":View") and sofa is not None:
            members[sofa] = attributes.get("members", "").split()
            places[sofa] = line
        else:
            shown = f"{package.replace('/', '.')}.{name}" if package else tag
            begin, end = (_whole(attributes.get(key)) for key in ("begin", "end"))
            view, string = attributes.get("sofaID"), attributes.get("sofaString")
            structures.append(_Structure(attributes.get("xmi:id", ""), shown, line, sofa, begin, end, view, string))
    return _checked(_Cas(structures, members), places, where)


def _from_json(path: Path) -> _Cas:
    content = read_json(path, dict[str, Any])
    listed = content.get(_STRUCTURES, [])
    if not isinstance(listed, list):
        line = json_line(path, _STRUCTURES)
        raise FormatError(f"{_STRUCTURES} is not a list; export the file again", line=line)
    structures: list[_Structure] = []
    with positions(lambda place: json_line(path, _STRUCTURES, place)):
        for place, entry in enumerate(listed):
            if not isinstance(entry, dict) or "%TYPE" not in entry or "%ID" not in entry:
                what = f'entry {place + 1} of {_STRUCTURES} has no "%ID" and "%TYPE"'
                raise FormatError(f"{what}; export the file again", line=place)
            values = (entry.get(key) for key in ("@sofa", "begin", "end", "sofaID", "sofaString"))
            structures.append(_Structure(str(entry["%ID"]), str(entry["%TYPE"]), place, *values))
        _checked(_Cas(structures, {}), {})
    members: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    views = content.get(_VIEWS)
    for name, view in views.items() if isinstance(views, dict) else ():
        listed = view.get("%MEMBERS") if isinstance(view, dict) else None
        if isinstance(listed, list):
            sofa = str(view.get("%SOFA"))
            members[sofa] = [str(member) for member in listed]
            places[sofa] = json_line(path, _VIEWS, name, "%MEMBERS") or 1
    return _checked(_Cas(structures, members), places)


def _checked(cas: _Cas, views: Mapping[str, int], where: str = "") -> _Cas:
    """Refuse ids that appear twice, references to nothing, and annotations outside the text; ``views`` are lines."""
    lengths = {
        one.id: len(one.text.encode("utf-16-le", "surrogatepass")) // 2
        for one in cas.structures
        if isinstance(one.text, str)
    }
    ids = {one.id for one in cas.structures}
    seen: set[str] = set()
    for one in cas.structures:
        what = None
        annotation = f"an annotation of {one.type[-60:]!r}"
        if one.id and one.id in seen:
            what = f"the id {one.id[:30]!r} appears twice"
        elif one.sofa is not None and one.begin is not None and str(one.sofa) not in ids:
            what = f"{annotation} refers to the text {str(one.sofa)[:30]!r}, which does not exist"
        elif one.sofa is not None and not (one.begin is None and one.end is None):
            length = lengths.get(str(one.sofa))
            begin, end = one.begin, one.end
            if not (type(begin) is int and type(end) is int and 0 <= begin <= end):
                what = f"{annotation} spans {begin} to {end}"
            elif length is not None and end > length:
                what = f"{annotation} spans {begin} to {end}, but the text has {length} characters"
        if what is not None:
            raise FormatError(f"{where}{what}; export the file again", line=one.place)
        seen.add(one.id)
    for sofa, members in cas.members.items():
        if lacking := [member for member in members if member not in ids]:
            what = f"the view refers to {lacking[0][:30]!r}, which does not exist; export the file again"
            raise FormatError(f"{where}{what}", line=views[sofa])
    return cas


def _whole(text: str | None) -> int | str | None:
    """Return an attribute as an integer if it is one."""
    if text is None:
        return None
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else text[:20]
