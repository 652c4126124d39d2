# SPDX-License-Identifier: Apache-2.0
"""A project folder at work: documents and people are added as events, and everybody has a link with a token of their own."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import os
import random
import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caesura.annotate.assigning import new_tasks
from caesura.annotate.checking import imported
from caesura.annotations import FILE, LEAD
from caesura.annotations.events import Event, EventStore, Given, Payload
from caesura.annotations.state import Contribution, Settings, Suggestion, Task, project_state
from caesura.corpus import BY_ANNOTATOR, Corpus, Document
from caesura.errors import CaesuraError, FormatError
from caesura.files import file_hash, system_name, write_atomically
from caesura.formats import faults, load, project_documents, save
from caesura.segmentation import UNSPECIFIED_UNIT, units_agree
from caesura.units.projection import project_corpus

__all__ = ["Project"]

_LONGEST_NAME = 64
_LARGEST_GUIDE = 1_000_000
_RANGE = re.compile(
    r"^\W*density\W+(\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(\d+(?:\.\d+)?)\s+per\s+100\b", re.IGNORECASE | re.MULTILINE
)


class Project:
    """A folder with documents, a guide and events, opened for writing.

    Parameters
    ----------
    folder : path
        The folder of the project; made if ``create`` is given.
    create : bool
        Whether a project that does not exist is made.
    options : mapping
        Settings of a new project: ``seed``, ``pilot``, ``each``, ``repeats``, ``levels``. They cannot be changed later:
        who annotates what follows from them.
    """

    def __init__(self, folder: str | Path, *, create: bool = False, options: Payload | None = None) -> None:
        self.folder = Path(folder)
        given = {name: value for name, value in (options or {}).items() if value is not None}
        if create:
            self._check_folder()
            (self.folder / "documents").mkdir(parents=True, exist_ok=True)
        self.store = EventStore(self.folder, create=create, write=True)
        try:
            with faults(self.folder):
                self.state = project_state(self.store.events())
            self._client, self._sequence = secrets.token_hex(8), 0
            if not self.state.settings.project:
                settings = Settings(project=secrets.token_hex(8), **given)
                self.record(self._lead("settings", msgspec.to_builtins(settings)))
            elif given:
                self._check_unchanged(given)
            self._secret, self._tokens = self._read_secret(), dict[tuple[str, str], str]()
        except BaseException:
            self.close()
            raise

    def _check_folder(self) -> None:
        """Raise if a new project would mix with other files."""
        if self.folder.exists() and not self.folder.is_dir():
            raise FormatError("is a file; name a folder for the project", self.folder)
        if self.folder.is_dir() and not (self.folder / FILE).exists():
            others = [
                each.name for each in self.folder.iterdir() if each.name not in ("guide.md", "documents", "secret")
            ]
            if others:
                raise FormatError(f"holds other files ({others[0]!r}); name a new folder for the project", self.folder)

    def _check_unchanged(self, given: Payload) -> None:
        for name, value in given.items():
            present = getattr(self.state.settings, name)
            if present != value:
                raise CaesuraError(
                    f"the project has {name} {present}, which cannot change now; leave --{name} out, or start a new project"
                )

    def _read_secret(self) -> bytes:
        """Return the key of all links, made at first; who deletes the file makes all links invalid."""
        place = self.folder / "secret"
        if not place.exists():
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(32))
        key = place.read_bytes().strip()
        if len(key) < 32:
            raise FormatError("is too short; delete it, and everybody gets a new link", place)
        return key

    def close(self) -> None:
        """Close the file of events."""
        self.store.close()

    def __enter__(self) -> Project:
        """Return the project."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file of events."""
        self.close()

    # Events

    def _lead(self, kind: str, payload: Payload, document: str = "", person: str = LEAD) -> Given:
        self._sequence += 1
        return Given(person, document, kind, payload, self._client, self._sequence)

    def record(self, *given: Given) -> None:
        """Commit events, and take in everything that is new."""
        for event in self.written(given):
            self.state.apply(event)

    def written(self, given: Sequence[Given]) -> list[Event]:
        """Commit events and return all that the state has not taken in yet, also those of another program."""
        if given:
            self.store.append(given)
        return self.store.events(after=self.state.number)

    # Documents and people

    def documents(self) -> dict[str, Document]:
        """Return the documents, which must be those that were added."""
        return {document.id: document for document in project_documents(self.folder, self.state)}

    def add_documents(self, path: str | Path, **reading: Any) -> tuple[int, int]:
        """Copy the documents of a file into the project, with what people already marked in them.

        Documents that are there already stay. Returns the number of new documents and of codings that were imported.
        Boundaries that belong to nobody, such as a gold standard, are not kept: nobody should see them. Boundaries in time, such
        as those of ELAN, go onto the document of the same id, whose units have times.
        """
        corpus = load(path, **reading)
        if not len(corpus):
            raise FormatError("holds no document", path)
        present = self.documents()
        if corpus.unit == "ms" and present:
            there = Corpus([present[key] for key in corpus.ids if key in present], name="the project")
            corpus, _ = project_corpus(corpus, "units", units_of=there)
        first = {self.state.name(person): person for person in self.state.people}
        new, codings, names = [], [], dict.fromkeys(self.state.people)
        for document in corpus:
            self._check_document(document, present.get(document.id), path)
            if document.id not in present:
                kept = {key: value for key, value in document.extra.items() if key not in BY_ANNOTATOR}
                new.append(
                    dataclasses.replace(
                        document, segmentation=None, annotations={}, scores=None, hierarchy=(), extra=kept
                    )
                )
            for name in document.annotations:
                person = first.get(name, name)
                names.setdefault(person)
                codings += self._imported(document, person, name)
        with faults(Path(path)):
            _check_unit(present.values(), new)
        added = [name for name in names if name not in self.state.people]
        self._check_names(added)
        events = [self._lead("people", {"names": added})] if added else []
        if new:
            events.append(self._copied(new, corpus, path))
        self.record(*events, *codings)
        return len(new), len(codings)

    def _check_document(self, document: Document, present: Document | None, path: str | Path) -> None:
        if document.units is None:
            first = "; add its transcript first, with times and under the same id" if document.unit == "ms" else ""
            raise FormatError(f"document {document.id!r} has no text; people cannot read it{first}", path)
        if document.n_units < 2:
            raise FormatError(f"document {document.id!r} has one unit only; there is no gap to mark", path)
        if present is not None and present.units != document.units:
            raise FormatError(f"document {document.id!r} is in the project with another text; give it another id", path)

    def _imported(self, document: Document, person: str, name: str) -> list[Given]:
        """Return the event of a coding from elsewhere; none if it is here, and an error if the person marked otherwise."""
        boundaries = document.annotations[name].boundaries
        known = self.state.codings.get((person, Task(document.id)))
        if known is not None:
            if known.imported and known.boundaries() == boundaries:
                return []
            raise CaesuraError(
                f"{person!r} has annotated {document.id!r} in this project; import it under another name, nothing was added"
            )
        return [self._lead("import", imported(document, name), document.id, person)]

    def _copied(self, documents: list[Document], corpus: Corpus, path: str | Path) -> Given:
        """Write the documents to a file of the project, and return the event that makes it part of it."""
        file = f"{len(self.state.contributions) + 1:03}.jsonl"
        copy = self.folder / "documents" / file
        save(Corpus(documents, name=str(path)), copy)
        origin = corpus.origin
        contribution = Contribution(
            file=file,
            sha256=file_hash(copy),
            units={document.id: document.n_units for document in documents},
            source=Path(path).name,
            source_sha256=origin.sha256 if origin else "",
            format=origin.format if origin else None,
        )
        return self._lead("documents", msgspec.to_builtins(contribution))

    def add_people(self, names: Iterable[str]) -> list[str]:
        """Add people who are not there yet, and return them."""
        known = {*self.state.people, *self.state.renamed.values()}
        new = [name for name in dict.fromkeys(names) if name not in known]
        self._check_names(new)
        if new:
            self.record(self._lead("people", {"names": new}))
        return new

    def rename(self, old: str, new: str) -> None:
        """Call somebody by another name from now on, wherever names are shown; marks, tasks and the link stay."""
        present = {self.state.name(person): person for person in self.state.people}
        if old not in present:
            raise CaesuraError(f"nobody is called {old!r}; there are {', '.join(present) or 'no people yet'}")
        self._check_names([new])
        self.record(self._lead("rename", {"person": present[old], "name": new}))

    def _check_names(self, names: Sequence[str]) -> None:
        folded = {name.casefold() for name in (*self.state.people, *self.state.renamed.values())}
        for name in names:
            if not name.strip() or name != name.strip() or len(name) > _LONGEST_NAME:
                raise CaesuraError(
                    f"{name[:80]!r} is no name: use 1 to {_LONGEST_NAME} characters without spaces around them"
                )
            if any(unicodedata.category(letter)[0] == "C" for letter in name):
                raise CaesuraError(f"the name {name!r} has a character that cannot be seen; leave it out")
            if name.casefold() in folded or name.casefold() == "lead":
                raise CaesuraError(
                    f"the name {name!r} is taken; people's names must differ in more than case, also from 'lead'"
                )
            folded.add(name.casefold())

    def assign(self) -> None:
        """Give everybody the documents that they lack."""
        pilot, tasks = new_tasks(self.state)
        if tasks:
            self.record(self._lead("tasks", {"pilot": pilot, "tasks": msgspec.to_builtins(tasks)}))

    def add_suggestions(self, path: str | Path, **reading: Any) -> tuple[int, int]:
        """Show the boundaries of a system in half of the documents, drawn by the seed; return how many, and of how many.

        The other half is what anchoring is measured against. Documents that somebody has begun keep what they had.
        """
        corpus, begun = load(path, **reading), {task.document for _, task in self.state.codings}
        known = {document for each in self.state.suggestions for document in each.boundaries}
        boundaries: dict[str, list[int]] = {}
        for document in corpus:
            if document.segmentation is None or document.id not in self.state.n_units:
                continue
            if document.n_units != self.state.n_units[document.id]:
                raise FormatError(f"document {document.id!r} has another number of units than in the project", path)
            if document.id not in begun | known:
                boundaries[document.id] = list(document.segmentation.boundaries)
        if not boundaries:
            raise FormatError("has boundaries for no document of the project that nobody has begun", path)
        drawn = sorted(boundaries)
        random.Random(f"{self.state.settings.seed} suggestions").shuffle(drawn)
        shown = drawn[: (len(drawn) + 1) // 2]
        suggestion = Suggestion(system_name(path), boundaries, sorted(shown))
        self.record(self._lead("suggestions", msgspec.to_builtins(suggestion)))
        return len(shown), len(boundaries)

    def add_guide(self, path: str | Path) -> None:
        """Copy the guide that everybody reads; its hash becomes an event, so that it is known who worked by which."""
        try:
            text = Path(path).read_bytes()
            text.decode()
        except OSError as error:
            raise FormatError(f"cannot be read ({error.strerror})", path) from None
        except UnicodeDecodeError:
            raise FormatError("is not UTF-8 text; save the guide as plain text or Markdown", path) from None
        if len(text) > _LARGEST_GUIDE:
            raise FormatError("is larger than 1 MB; a guide is read by people", path)
        write_atomically(self.folder / "guide.md", text)
        self.record(self._lead("guide", {"sha256": hashlib.sha256(text).hexdigest()}))

    def guide(self) -> str:
        """Return the guide, empty if there is none."""
        place = self.folder / "guide.md"
        return place.read_text("utf-8", "replace") if place.is_file() else ""

    def density_range(self) -> tuple[float, float] | None:
        """Return the boundaries per 100 units that the guide asks for, in a line such as "density: 3-8 per 100 units"."""
        found = _RANGE.search(self.guide())
        return (float(found[1]), float(found[2])) if found else None

    # Links

    def token(self, person: str, role: str = "annotator") -> str:
        """Return the token of a person in a role; of the lead for `LEAD`."""
        role = "lead" if person == LEAD else role
        if (role, person) not in self._tokens:
            word = f"{role}\0{person}".encode()
            self._tokens[role, person] = hmac.new(self._secret, word, "sha256").hexdigest()[:32]
        return self._tokens[role, person]

    def whose(self, token: str, role: str = "annotator") -> str | None:
        """Return whose token it is in a role, or None; in a time that does not tell how much of it is right."""
        found = None
        for person in (LEAD, *self.state.people):
            if hmac.compare_digest(self.token(person, role).encode(), token.encode()):
                found = person
        return found

    def links(self, address: str) -> dict[str, str]:
        """Return the link of the lead and of everybody who has something to annotate, by name."""
        working = [person for person in self.state.people if self.state.tasks.get(person)]
        people = {"lead": LEAD} | {self.state.name(person): person for person in working}
        return {name: f"{address}#{self.token(person)}" for name, person in people.items()}


def _check_unit(present: Iterable[Document], new: Iterable[Document]) -> None:
    """Raise if documents count another unit than those of the project, which no command could read."""
    known: str | None = None
    for document in (*present, *new):
        if known is not None and not units_agree(known, document.unit):
            raise FormatError(
                f"document {document.id!r} counts {document.unit!r}, but earlier ones count {known!r}; start another project for it"
            )
        known = document.unit if document.unit != UNSPECIFIED_UNIT else known
