# SPDX-License-Identifier: Apache-2.0
"""ELAN annotation files: a tier of annotations with times."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError, MissingExtraError
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import read_text, utf8
from caesura.formats._tiers import TIER, choose_tier, labelled
from caesura.formats._timed import Chapter, chapters_corpus, chapters_of, milliseconds

__all__ = ["ELAN"]

_DECLARED = re.compile(r"""\s*<\?xml[^>]*?encoding\s*=\s*["'](?P<encoding>[^"']*)["']""")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class ELAN(Format):
    """ELAN annotation files (EAF): the annotations of one tier are the segments, in milliseconds.

    The tier is the only one with times of its own, or the one called topics, segments or chapters, or the one that
    ``tier`` names. Annotations without text are passed over, unless none has any. The document lasts at least to the
    last time in the file; ELAN does not write how long the recording is. A file with a document type declaration is refused:
    ELAN writes none, and it is a way to make a small file expand into a large one.
    """

    card: ClassVar[Card] = Card(
        title="ELAN annotation files",
        citation="Max Planck Institute for Psycholinguistics, EAF format, version 3.0.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".eaf",)
    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "n_units", "unit", "segment_titles"})

    tier: str | None = param(None, "the tier that holds the segments")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Say whether the root element is ELAN's."""
        return b"<ANNOTATION_DOCUMENT" in head[:2000]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; `Format.read` says how."""
        eaf = _parsed(_checked(read_text(path), path), path)
        names = [name for name, tier in eaf.tiers.items() if tier[0]]
        chosen = choose_tier(names, self.tier, path)
        intervals: list[Chapter] = []
        for start_slot, end_slot, text, *_ in eaf.tiers[chosen][0].values():
            start, end = eaf.timeslots.get(start_slot), eaf.timeslots.get(end_slot)
            if start is None or end is None:
                raise FormatError(f"an annotation of tier {chosen!r} has no time; align it in ELAN", path)
            intervals.append(Chapter(_ms(start, path), _ms(end, path), text))
        times = [_ms(time, path) for time in eaf.timeslots.values() if time is not None]
        return chapters_corpus(path, labelled(sorted(intervals)), end=max(times), exact=False, strict=strict)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the file."""
        pympi = _library("writing ELAN")
        (document,) = corpus
        eaf = pympi.Eaf(author="")
        name = self.tier or TIER
        eaf.add_tier(name)
        if name != "default":
            eaf.remove_tier("default")
        for chapter in chapters_of(document, needs_end=True):
            utf8(chapter.title)
            eaf.add_annotation(name, chapter.start, chapter.end, chapter.title)
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "made.eaf"
            eaf.to_file(str(target))
            yield target.read_bytes()


def _library(what: str) -> Any:
    try:
        import pympi
    except ImportError:
        raise MissingExtraError(what, "transcripts") from None
    return pympi


def _checked(text: str, path: Path) -> str:
    """Refuse what makes XML dangerous, before any parser sees it."""
    if "<ANNOTATION_DOCUMENT" not in text:
        raise FormatError("is no ELAN file: it has no ANNOTATION_DOCUMENT", path)
    if re.search(r"<!(?:DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise FormatError("declares a document type or entities, which ELAN files do not have; refused", path)
    declared = _DECLARED.match(text)
    if declared is not None and declared["encoding"].casefold() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        # In another encoding the check above could be passed by what a parser would still understand.
        raise FormatError(f"is declared to be in {declared['encoding'][:20]!r}; save it as UTF-8", path)
    return text


def _parsed(text: str, path: Path) -> Any:
    pympi = _library("reading ELAN")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.eaf"
        copy.write_bytes(text.encode("utf-8"))
        try:
            return pympi.Eaf(str(copy), suppress_version_warning=True)
        except Exception as error:
            shown = " ".join(f"{type(error).__name__}: {error}".split())[:120]
            raise FormatError(f"cannot be read as ELAN ({shown})", path) from None


def _ms(time: int, path: Path) -> int:
    return milliseconds(time / 1000, "a time", path)
