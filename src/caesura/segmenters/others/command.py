# SPDX-License-Identifier: Apache-2.0
"""``command:./segment.sh --fast``: a program that reads documents and writes boundaries."""

from __future__ import annotations

import codecs
import contextlib
import dataclasses
import os
import shlex
import signal
import subprocess  # the user names the program
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.encoders.web import seconds_of
from caesura.errors import CaesuraError, CaesuraWarning, ComparabilityError, DeclarationError, SegmentationError
from caesura.files import last_format
from caesura.formats import load
from caesura.formats.jsonl import document_line
from caesura.limits import CONTENT
from caesura.scorers import Encoding, Features
from caesura.segmenters.base import Cut, as_document
from caesura.segmenters.others.base import Foreign
from caesura.units.projection import Projection, project_corpus
from caesura.units.text import chunks_of, text_of

__all__ = ["Command"]

_TIMEOUT = "CAESURA_COMMAND_TIMEOUT"
_ATTEMPTS = 2
_QUOTED = 200


class Command(Foreign):
    """A program on this machine, started without a shell.

    It reads all documents from standard input, one JSON line each (``id``, ``units``, ``speakers``, ``unit_times``; never
    their boundaries), and writes any format that Caesura reads to standard output; ``::FORMAT`` at the end of the command
    names the format. Documents are matched by id, or by order if the format has none. If it fails, it is started once more.
    """

    family = "command"
    form = "command:PROGRAM ARGUMENTS"
    at_once: ClassVar[bool] = True
    card = Card(title="a program that reads JSON lines and writes boundaries")

    def __post_init__(self) -> None:
        command, own = last_format(self.target)
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise DeclarationError(f"{self}: cannot be read ({error}); check the quotes") from None
        if not words:
            raise DeclarationError(f"{self}: no program is named; write command:./segment.sh --fast")
        object.__setattr__(self, "_words", words)
        object.__setattr__(self, "_format", own)

    def cut(self, features: Features) -> Cut:
        """Segment one document, as a corpus of its own."""
        return self.cut_corpus(Corpus([features.document]), features.seed, features.encoding)[0]

    def segment_corpus(self, corpus: Corpus, seed: int, encoding: Encoding) -> Corpus:
        """Return the documents with the boundaries and the chunks that the program writes."""
        cuts = self.cut_corpus(corpus, seed, encoding)
        documents = [as_document(cut, document) for cut, document in zip(cuts, corpus, strict=True)]
        return Corpus(documents, name=self.label, ids_are_given=corpus.ids_are_given)

    def cut_corpus(self, corpus: Corpus, seed: int, encoding: Encoding) -> list[Cut]:
        """Return what the program writes for each document."""
        failure, timeout = "", seconds_of(_TIMEOUT, 600.0, DeclarationError)
        for _ in range(_ATTEMPTS):
            with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
                out = Path(folder) / "output"
                failed = self._run(corpus, Path(folder), out, timeout)
                if failed is None:
                    return self._read(out, corpus)
                failure = failed
        raise SegmentationError(f"{self}: started twice, but it {failure}")

    def _run(self, corpus: Corpus, folder: Path, out: Path, timeout: float) -> str | None:
        """Run the program; return what went wrong."""
        given = folder / "documents.jsonl"
        given.write_bytes(b"".join(document_line(_bare(document)) for document in corpus))
        words: list[str] = self.__dict__["_words"]
        with given.open("rb") as stdin, out.open("wb") as stdout, (folder / "stderr").open("wb+") as stderr:
            process: subprocess.Popen[bytes] | None = None
            try:
                try:
                    with _without_signals():
                        process = subprocess.Popen(  # noqa: S603  (the user names the program)
                            words, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
                        )
                except (OSError, ValueError) as error:
                    why = getattr(error, "strerror", None) or error
                    raise SegmentationError(f"{self} cannot be started ({why}); check its name") from None
                stopped = _wait(process, out, timeout)
            finally:
                if process is not None:
                    _kill(process)
            stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - (1 << 14)))
            lines = [line.strip() for line in stderr.read().decode("utf-8", "replace").splitlines() if line.strip()]
            said = f" and said {lines[-1][:_QUOTED]!r}" if lines else ""
        if stopped:
            return stopped + said
        code = process.returncode
        how = f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"
        return f"{how}{said}; repair it" if code else None

    def _read(self, out: Path, corpus: Corpus) -> list[Cut]:
        """Return what the program wrote, on the documents it was given."""
        named: str | None = self.__dict__["_format"]
        try:
            if not out.stat().st_size:
                raise SegmentationError(f"{self} wrote nothing; it must write boundaries to standard output")
            # Own lines and chunks are found by their content; everything else that has one suffix only must be named.
            with out.open("rb") as stream:
                json = stream.read(1 << 12).removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")
            place = out if named else out.rename(out.with_suffix(".jsonl" if json else ".txt"))
            found = _with_ids(load(place, named), corpus, self.label)
            chunks: dict[str, Mapping[str, Any]] = {}
            moved: dict[str, Projection] = {}
            if found.unit == "character" and corpus.unit != "character":
                given = {document.id: chunks_of(document) for document in found}
                found, costs = project_corpus(found, "units", units_of=corpus)
                moved = dict(zip(found.ids, costs, strict=True))
                chunks = {name: _with_texts(row, corpus[name], moved[name]) for name, row in given.items()}
            return [
                _taken(document, found[document.id], chunks.get(document.id, {}), moved.get(document.id))
                for document in corpus
            ]
        except SegmentationError:
            raise
        except CaesuraError as error:
            why = str(error).replace(f"{out.parent}{os.sep}", "")
            raise SegmentationError(f"{self}: its output cannot be read: {why}") from None


def _bare(document: Document) -> Document:
    """Return a document without its boundaries, which no system may see."""
    return Document(
        id=document.id, n_units=document.n_units, unit=document.unit, units=document.units,
        speakers=document.speakers, unit_times=document.unit_times,
    )  # fmt: skip


def _with_ids(found: Corpus, corpus: Corpus, label: str) -> Corpus:
    """Return documents under the ids of those that were given; by order if the output has no ids of its own."""
    if found.ids_are_given:
        missing = [name for name in corpus.ids if name not in found]
        if missing:
            raise ComparabilityError(f"document {missing[0]!r} is not in it; write every document")
        others = [name for name in found.ids if name not in corpus]
        if others:
            note = (
                f"{label}: {', '.join(map(repr, others[:3]))} ({len(others)} in all) were never given to it; left out"
            )
            warnings.warn(CaesuraWarning(note), stacklevel=2)
        return found
    if len(found) != len(corpus):
        raise ComparabilityError(f"{len(corpus)} documents were given, and it has {len(found)}; write every document")
    renamed = [dataclasses.replace(document, id=name) for document, name in zip(found, corpus.ids, strict=True)]
    return Corpus(renamed, name=found.name)


def _with_texts(chunks: dict[str, Any], document: Document, moved: Projection) -> dict[str, Any]:
    """Return chunks with their texts, if a program wrote only offsets."""
    if not chunks or "chunks" in chunks or moved.alignment is None:
        return chunks
    text = text_of(document).text
    return {**chunks, "chunks": [text[start:end] for start, end in moved.alignment.spans]}


def _taken(document: Document, found: Document, chunks: Mapping[str, Any], moved: Projection | None) -> Cut:
    """Return what a program wrote for a document."""
    if found.segmentation is None:
        raise ComparabilityError(f"document {document.id!r} has no boundaries in it; write them")
    if found.n_units != document.n_units:
        raise ComparabilityError(
            f"document {document.id!r} has {found.n_units} units in it, but {document.n_units} were given; write a place "
            "for each unit"
        )
    cut = Cut.of(found)
    return Cut(
        cut.segmentation.with_unit(document.unit), cut.scores,
        tuple(level.with_unit(document.unit) for level in cut.hierarchy), moved, chunks,
    )  # fmt: skip


def _wait(process: subprocess.Popen[bytes], out: Path, timeout: float) -> str | None:
    """Wait for a program; return why it was stopped, or None if it ended by itself."""
    until, most, pause = time.monotonic() + timeout, CONTENT.value, 0.005
    while time.monotonic() < until:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(pause)
            return None
        if out.stat().st_size > most:
            return "was stopped, because it wrote more than a file may hold"
        pause = min(2 * pause, 0.2)
    return f"did not end within {timeout:g} s ({_TIMEOUT} sets another time)"


@contextlib.contextmanager
def _without_signals() -> Iterator[None]:
    """Raise what signals raise after the block only: within it, it would leave a program running that nobody knows yet."""
    came: list[int] = []
    names = ("SIGINT", "SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    known = [number for name in names if (number := getattr(signal, name, None)) is not None]
    before = {number: handler for number in known if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program, and whatever it started that runs still, also in the background."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)  # its group has its number, also when the program itself has ended
        else:  # pragma: no cover - Windows
            process.kill()
    process.wait()
