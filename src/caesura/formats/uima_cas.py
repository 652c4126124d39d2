# SPDX-License-Identifier: Apache-2.0
"""UIMA CAS, as XMI with a type system or as JSON, read with dkpro-cassis."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats._annotators import is_project
from caesura.formats._base import FORMATS, Sample
from caesura.formats._files import faults, library, positions, read_text, unzipping
from caesura.formats._json import json_line, read_json, top_keys
from caesura.formats._spans import TEXT_UNITS, Layout, Span, SpanFormat, Tally, layout, trimmed
from caesura.formats._xml import elements, refuse_dangers
from caesura.formats.webanno import choose_layer

__all__ = ["UimaCas"]

_STRUCTURES = "%FEATURE_STRUCTURES"
_VIEWS = "%VIEWS"
_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_UNITS = ("sentence", "token", *TEXT_UNITS)
_TYPE_SYSTEM = ("TypeSystem.xml", "typesystem.xml")
_JSON_KEYS = frozenset({"%TYPES", "%FEATURE_STRUCTURES", "%VIEWS"})
_XMI = "http://www.omg.org/XMI"


@FORMATS.register("xmi")
@dataclasses.dataclass(frozen=True)
class UimaCas(SpanFormat):
    """UIMA CAS, as exported by INCEpTION and related tools: one document of one annotator per file.

    XMI requires its ``TypeSystem.xml``, in the same folder, in the one above, or at ``typesystem`` (relative to the file).
    A zip archive contains both. JSON (``%TYPES``, ``%FEATURE_STRUCTURES``) is supported from version 0.4 on. The units are
    the annotated sentences or tokens, or, with ``unit='line'``, ``'paragraph'`` or ``'character'``, those of the text
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
    typesystem: str | None = param(None, "the type system file, relative to the folder of the XMI")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file is XMI, JSON with the keys of a CAS, or an archive that is not a project."""
        if suffix(path) == ".zip":
            return not is_project(path)
        return _XMI.encode() in head[:2000] or bool(top_keys(head) & _JSON_KEYS)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        text, spans, places = self._content(self._loaded(path))
        tally = Tally()
        layer = choose_layer(sorted(spans), self.layer, tally)
        marked = [trimmed(span, text) for span in spans[layer]] if layer is not None else []
        return self.one_document(path, marked, places, tally, strict)

    def _loaded(self, path: Path) -> Any:
        """Return the CAS of a file."""
        if path.name.lower().endswith(".zip"):
            return _from_xmi(*_unzipped(path))
        text = read_text(path)
        if text.lstrip().startswith("{"):
            if not top_keys(text[: 1 << 16].encode("utf-8", "replace")) & _JSON_KEYS:
                what = 'is not a UIMA CAS: it has no "%TYPES" and "%FEATURE_STRUCTURES"'
                raise FormatError(f"{what}; check that it is the right file")
            _check_json(path)
            return _cassis("load_cas_from_json", text)
        xmi = _Part(text, path)
        _refuse_dangers(xmi, _XMI)
        return _from_xmi(xmi, self._typesystem(path))

    def _typesystem(self, path: Path) -> _Part:
        if self.typesystem is not None:
            named = path.parent / self.typesystem
            return _Part(read_text(named), named)
        for folder in (path.parent, path.parent.parent):
            for name in _TYPE_SYSTEM:
                if (folder / name).is_file():
                    return _Part(read_text(folder / name), folder / name)
        raise FormatError("XMI requires a TypeSystem.xml, and there is none next to it; name it with typesystem='…'")

    def _content(self, cas: Any) -> tuple[str, dict[str, list[Span]], Layout]:
        """Return the text of a CAS, its annotations by type, and its units."""
        try:
            view = cas.get_view(self.view)
            text = view.sofa_string
            found: dict[str, list[Span]] = {}
            for annotation in view.select_all_annotations():
                found.setdefault(annotation.type.name, []).append(Span(annotation.begin, annotation.end))
        except Exception:
            raise FormatError(f"has no readable view {self.view!r}; name another with view='…'") from None
        if not isinstance(text, str) or not text.strip():
            raise FormatError(f"the view {self.view!r} has no text; name another with view='…'")
        for name, spans in found.items():
            for start, end in spans:
                if type(start) is not int or type(end) is not int or not 0 <= start <= end <= len(text):
                    what = f"an annotation of {name!r} spans {start} to {end}"
                    raise FormatError(f"{what}, but the text has {len(text)} characters; export the file again")
        return text, found, self._layout(text, found)

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


class _Part(NamedTuple):
    """XML with its file, and the part of the file for messages."""

    text: str
    path: Path
    where: str = ""


def _from_xmi(xmi: _Part, typesystem: _Part) -> Any:
    _refuse_dangers(xmi, _XMI)
    with faults(typesystem.path):
        _refuse_dangers(typesystem, "typeSystemDescription")
    _check_xmi(xmi.text, xmi.where)
    with faults(typesystem.path):
        elements(typesystem.text, typesystem.where)
        types = _cassis("load_typesystem", typesystem.text)
    return _cassis("load_cas_from_xmi", xmi.text, typesystem=types, lenient=True)


def _cassis(function: str, text: str, **options: Any) -> Any:
    """Call a function of the library; any error is a fault of the file."""
    cassis = library("cassis", "reading UIMA CAS", "annotation")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(cassis, function)(text, **options)
    except Exception:
        raise FormatError("cannot be read as UIMA CAS; export the file again") from None


def _refuse_dangers(part: _Part, root: str) -> None:
    """Refuse dangerous XML before any parser runs."""
    if root not in part.text:
        raise FormatError(f"{part.where}is not a UIMA CAS: it does not contain {root}; check that it is the right file")
    refuse_dangers(part.text, "a CAS does")


def _unzipped(path: Path) -> tuple[_Part, _Part]:
    """Return the XMI and the type system of an archive."""
    with unzipping(path) as (archive, member):
        names = archive.namelist()
        xmi = [name for name in names if name.lower().endswith(".xmi")]
        types = [name for name in names if name.rpartition("/")[2] in _TYPE_SYSTEM]
        if len(xmi) != 1 or len(types) != 1:
            what = f"contains {len(xmi)} XMI files and {len(types)} TypeSystem.xml"
            raise FormatError(f"{what}; it must contain one of each, so unpack it")
        return _decoded(member(xmi[0]), xmi[0], path), _decoded(member(types[0]), types[0], path)


def _decoded(data: bytes, name: str, path: Path) -> _Part:
    where = f"{name[:60]!r} in it"
    try:
        return _Part(data.decode("utf-8-sig"), path, f"{where}: ")
    except UnicodeDecodeError:
        raise FormatError(f"{where} is not UTF-8; save it as UTF-8") from None


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


def _check_xmi(text: str, where: str = "") -> None:
    """Refuse XMI that is not well-formed or has invalid annotations; ``where`` names the part of the file."""
    structures: list[_Structure] = []
    for tag, attributes, line, _ in elements(text, where):
        sofa, sofa_string = attributes.get("sofa"), attributes.get("sofaString")
        begin, end = _whole(attributes.get("begin")), _whole(attributes.get("end"))
        members = attributes.get("members", "").split() if tag.endswith(":View") else ()
        name = attributes.get("xmi:id", "")
        structures.append(_Structure(name, tag, sofa, begin, end, sofa_string, line, members))
    _check(structures, where)


def _check_json(path: Path) -> None:
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
        annotation = f"an annotation of {one.type[-60:]!r}"
        if one.id and one.id in seen:
            what = f"the id {one.id[:30]!r} appears twice"
        elif lacking := [member for member in one.members if member not in ids]:
            what = f"the view refers to {lacking[0][:30]!r}, which does not exist"
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


def _whole(text: str | None) -> int | str | None:
    """Return an attribute as an integer if it is one."""
    if text is None:
        return None
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else text[:20]
