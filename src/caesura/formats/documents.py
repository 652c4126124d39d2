# SPDX-License-Identifier: Apache-2.0
"""Markdown, HTML and reStructuredText, and folders of them: what engineers split into chunks."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import readable, stem, suffix
from caesura.formats._base import FORMATS, Sample
from caesura.formats._files import faults, head, notice, plural, read_text
from caesura.formats._structure import KINDS, STRUCTURE, structured
from caesura.formats.text import Text, sentences
from caesura.segmentation import Segmentation

__all__ = ["Documents"]

_PLAIN = ".txt"
_SPLIT = ("paragraph", "quote")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Documents(Text):
    """Markdown (CommonMark with tables), HTML and reStructuredText: a document per file, or a folder of such files.

    A heading, a block of code, a table and an item of a list are each one unit; paragraphs and quotes are split into
    sentences, or are units themselves with ``by='paragraph'``. ``extra["structure"]`` lists the blocks as ``{"kind",
    "start", "end"}``, with the ``level`` of headings and items and the ``title`` of headings. Offsets refer to
    ``extra["text"]``: the file itself, with newlines as line ends, or of HTML the visible text without tags, in which only
    white space separates blocks, lines and cells. Front matter and comments are no units.

    With ``level=2`` a segment begins with every heading of level 1 or 2; headings without text between them begin one
    segment together. Without ``level`` there are no boundaries. ``headings='drop'`` leaves headings out of the units, so
    that a segmenter does not see them.

    A folder is read with its subfolders if it holds such files, besides plain ``.txt``; a document is named after its path in the folder
    without suffix. Other files are left out, with a note that counts them.
    """

    by: str = param("sentence", "the unit of the text", choices=("sentence", "paragraph"))
    kind: str | None = param(
        None, "what the text is written in [by suffix]", choices=(*sorted(set(KINDS.values())), "text")
    )
    level: int | None = param(None, "boundaries before headings of at most this level [none]", minimum=1, maximum=6)
    headings: str = param("keep", "whether headings are units", choices=("keep", "drop"))

    card: ClassVar[Card] = Card(title="Markdown, HTML, reStructuredText: files and folders")
    suffixes: ClassVar[tuple[str, ...]] = tuple(KINDS)
    sample: ClassVar[Sample] = {"documents": None}

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the suffix is one of these, and no other format of the suffix fits; or a folder holds documents."""
        if path.is_dir():
            return _holds_documents(path)
        others = [other for other in FORMATS if other is not cls and suffix(path) in other.suffixes]
        return suffix(path) in cls.suffixes and b"\0" not in head and not any(o.sniff(head, path) for o in others)

    def parts(self, path: Path) -> list[Path]:
        """Return the files with documents: the file itself, or those of a folder and its subfolders."""
        return [file for file in _files(path) if suffix(file) in (*KINDS, _PLAIN)] if path.is_dir() else [path]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file or a folder; see `Format.read`."""
        if path.is_dir():
            return self._read_folder(path, strict)
        if self.kind is None and suffix(path) in KINDS:
            return dataclasses.replace(self, kind=KINDS[suffix(path)]).read(path, strict=strict)
        return super().read(path, strict=strict)

    def document(self, name: str, text: str) -> Document:
        """Return a text as a document with the given id; without ``kind``, the suffix of the id tells it."""
        kind = self.kind or KINDS.get(suffix(name))
        if kind is None:
            raise FormatError("does not say what it is written in; name it, such as documents(kind='markdown')")
        text, blocks = structured(text, kind)
        units: list[str] = []
        starts, titles, fresh = [0], [""], True
        for block in blocks:
            begins = block.kind == "heading" and block.level <= (self.level or 0)
            if begins and not fresh:
                starts.append(len(units))
                titles.append("")
            if begins:
                titles[-1] = block.title
            if block.kind != "heading" or self.headings == "keep":
                fresh = begins
                body = text[block.start : block.end]
                split = self.by == "sentence" and block.kind in _SPLIT
                units += sentences(body, self.language).units if split else [body]
            fresh = fresh or begins
        if not units:
            raise FormatError("contains no text; check its content")
        gaps = [start for start in starts[1:] if start < len(units)]
        extra = {"text": text, STRUCTURE: msgspec.to_builtins(blocks)}
        if self.level is not None:
            extra["segment_titles"] = titles[: len(gaps) + 1]
        return Document(
            id=name,
            n_units=len(units),
            segmentation=None if self.level is None else Segmentation(len(units), gaps, unit=self.by),
            unit=self.by,
            units=tuple(units),
            extra=extra,
        )

    def _read_folder(self, path: Path, strict: bool) -> Corpus:
        """Read the documents of a folder; one that cannot be read costs itself only."""
        files = {file: file.relative_to(path) for file in self.parts(path)}
        names = {file: readable((inner.parent / stem(inner)).as_posix()) for file, inner in files.items()}
        often = Counter(names.values())
        documents: list[Document] = []
        faulty: list[FormatError] = []
        for file, inner in files.items():
            try:
                with faults(file):
                    if suffix(file) == _PLAIN and not Text.sniff(head(file), file):
                        raise FormatError("does not look like plain text")
                    reader = dataclasses.replace(self, kind=KINDS.get(suffix(file), "text"))
                    name = names[file] if often[names[file]] == 1 else readable(inner.as_posix())
                    documents.append(reader.document(name, read_text(file)))
            except FormatError as error:
                if strict:
                    raise
                faulty.append(error)
        others = Counter(suffix(file) or "no suffix" for file in _files(path) if file not in files)
        if not documents:
            raise faulty[0] if faulty else FormatError("holds no document; give .md, .html, .rst or .txt files")
        remarks = [f"{plural(len(faulty), 'document', 'documents')} left out, the first: {faulty[0]}"] if faulty else []
        if others:
            kinds = ", ".join(f"{count} {kind}" for kind, count in others.most_common(4))
            remarks.insert(0, f"{plural(others.total(), 'file', 'files')} of other kinds left out ({kinds})")
        if remarks:
            notice("; ".join(remarks), path)
        return Corpus(documents, name=str(path))


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of a folder and its subfolders in order, without hidden ones."""
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _holds_documents(path: Path) -> bool:
    """Return whether a folder holds documents: mostly such files where any file of a format is, or plain text in folders only.

    Plain text in the folder itself is read file by file, each in the format that its content tells.
    """
    foreign = {ending for cls in FORMATS for ending in cls.suffixes} - {*KINDS, _PLAIN}
    plain = set()
    for folder, files in itertools.groupby(_files(path), lambda file: file.parent):
        known = [file for file in files if suffix(file) in (*KINDS, *foreign, _PLAIN)]
        prose = {file for file in known if suffix(file) == _PLAIN and Text.sniff(head(file), file)}
        own = [file for file in known if suffix(file) in KINDS]
        plain |= {folder} if prose else set()
        if len(own) + len(prose) < len(known) or own:
            return bool(own) and 2 * (len(own) + len(prose)) > len(known)
    return bool(plain) and path not in plain
