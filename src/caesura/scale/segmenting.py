# SPDX-License-Identifier: Apache-2.0
"""Segmenting as work on shards: a shard is some documents of a corpus with the methods to segment them."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from caesura._version import __version__
from caesura.corpus import MADE_BY, Corpus, Document, drawing_places
from caesura.encoders.npz import parts_of
from caesura.errors import CaesuraError, SegmentationError, and_more
from caesura.files import write_atomically
from caesura.formats import load
from caesura.formats.jsonl import document_line
from caesura.scale.work import Work
from caesura.scorers import Encoding
from caesura.segmenters.base import Segmenter
from caesura.segmenters.run import Made, cut_documents, parse_methods, segmented

__all__ = ["Block", "Cuts", "Segmenting", "joined"]

DOCUMENTS, UNITS = 100, 10_000
"""The maximum number of documents of a shard, and of units."""


class Block(NamedTuple):
    """Documents of a corpus, their places among its ids (`drawing_places`), and the indices of the methods to segment them."""

    places: Sequence[int]
    documents: Sequence[Document]
    methods: tuple[int, ...]


class Cuts(NamedTuple):
    """The output of one method for a block, and a line for each document that it could not segment."""

    made: list[Made]
    failed: list[str]


@dataclasses.dataclass(frozen=True)
class Segmenting(Work[Block, list[Cuts]]):
    """Segment documents by methods; with a folder, the output of each for each block is kept there as JSON lines.

    Methods are sent as text. They segment a block one after another, so that its documents are encoded once. A method that needs
    the whole corpus (`Segmenter.at_once`) has one block: all documents.
    """

    texts: tuple[str, ...]
    encoding: Encoding
    seed: int = 0
    folder: str | None = None
    whole_text: bool = False

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the methods, which may not be picklable."""
        return type(self), (self.texts, self.encoding, self.seed, self.folder, self.whole_text)

    @functools.cached_property
    def methods(self) -> list[Segmenter]:
        """The methods."""
        return parse_methods(self.texts)

    @property
    def holds_encoder(self) -> bool:
        """Whether a method encodes."""
        return any(method.needs_vectors or method.encodes for method in self.methods)

    def shards(self, corpus: Corpus) -> list[Block]:
        """Return the blocks of a corpus."""
        rows = range(len(self.methods))
        alone = tuple(row for row in rows if not self.methods[row].at_once)
        whole = tuple(row for row in rows if self.methods[row].at_once)
        places = drawing_places(corpus.ids).tolist()
        blocks = [Block(places, list(corpus), whole)] if whole else []
        first = 0
        for part in parts_of(corpus, DOCUMENTS, UNITS) if alone else []:
            last = first + len(part.documents)
            blocks.append(Block(places[first:last], part.documents, alone))
            first = last
        return blocks

    def name(self, shard: Block) -> str:
        """Return the name of a shard: its first document and the number of others."""
        return f"document {shard.documents[0].id!r}{and_more(len(shard.documents))}"

    def found(self, shard: Block) -> list[Cuts] | None:
        """Return the kept output of a block, if it is complete for all methods and documents."""
        if self.folder is None:
            return None
        try:
            return [Cuts(self._read(path, shard), []) for path in self._paths(shard)]
        except CaesuraError:
            return None

    def do(self, shard: Block) -> list[Cuts]:
        """Segment a block by its methods."""
        corpus = Corpus(shard.documents)
        return [self._cuts(self.methods[place], corpus, shard) for place in shard.methods]

    def apart(
        self, shard: Block, do: Callable[[Sequence[Block]], list[list[Cuts] | CaesuraError]]
    ) -> list[Cuts] | None:
        """Segment a block document by document, each by one method, and return what its methods made."""
        alone = [Block([place], [document], ()) for place, document in zip(shard.places, shard.documents, strict=True)]
        whole = {row: Cuts([], []) for row in shard.methods}
        parts = [
            part._replace(methods=(row,)) for row in whole for part in ([shard] if self.methods[row].at_once else alone)
        ]
        for part, found in zip(parts, do(parts) if len(parts) > 1 else (), strict=False):
            cuts = Cuts([], [f"{self.name(part)}: {found}"]) if isinstance(found, CaesuraError) else found[0]
            whole[part.methods[0]].made.extend(cuts.made)
            whole[part.methods[0]].failed.extend(cuts.failed)
        return list(whole.values()) if len(parts) > 1 else None

    def keep(self, shard: Block, result: list[Cuts]) -> None:
        """Write the output of each method for a block; incomplete output is not kept, so that the next run retries it."""
        if self.folder is None:
            return
        for path, cuts in zip(self._paths(shard), result, strict=True):
            # What it means may depend on the other blocks.
            if not cuts.failed and all(len(one.readings) < 2 for one in cuts.made):
                write_atomically(path, b"".join(document_line(one.document) for one in cuts.made))

    def _cuts(self, method: Segmenter, corpus: Corpus, shard: Block) -> Cuts:
        """Segment a block by one method; if some documents fail, the others are segmented one by one."""
        try:
            return Cuts(self._cut(method, corpus, shard.places), [])
        except CaesuraError as error:
            whole = str(error)
        unopened = self.encoding.name is None and (method.needs_vectors or method.encodes)
        made: list[Made] = []
        failed: list[str] = []
        # A method that needs all documents, or an encoder that cannot be opened, fails on all of them.
        one_by_one = () if method.at_once or unopened else zip(shard.places, shard.documents, strict=True)
        for place, document in one_by_one:
            try:
                made += self._cut(method, Corpus([document]), [place])
            except CaesuraError as error:
                where = f"document {document.id!r}"
                failed.append(str(error) if where in str(error) else f"{where}: {error}")
        return Cuts(made, failed if made else [whole])

    def _cut(self, method: Segmenter, corpus: Corpus, places: Sequence[int]) -> list[Made]:
        return cut_documents(
            corpus, method, encoding=self.encoding, seed=self.seed, places=places, whole_text=self.whole_text
        )

    def _paths(self, shard: Block) -> list[Path]:
        """Return the files of a block, one for each method, named by a hash of the documents and the method."""
        digest = hashlib.sha256()
        for document in shard.documents:
            digest.update(document_line(document))
        encoder = self.encoding.source.fingerprint if self.holds_encoder else ""
        paths = []
        for place in shard.methods:
            facts = [self.texts[place], encoder, str(self.seed), str(list(shard.places)), __version__]
            facts += ["whole text"] if self.whole_text else []
            key = hashlib.sha256("\0".join([digest.hexdigest(), *facts]).encode()).hexdigest()
            paths.append(Path(self.folder or ".") / f"{key[:32]}.shard.jsonl")
        return paths

    @staticmethod
    def _read(path: Path, shard: Block) -> list[Made]:
        """Read the output of a method for a block; refuse an incomplete file."""
        corpus = load(path, "jsonl")
        if list(corpus.ids) != [document.id for document in shard.documents]:
            raise CaesuraError(f"{path} holds other documents")
        kinds = [document.extra.get(MADE_BY, {}).get("returns") for document in corpus]
        return [Made(each, None, {kind: each} if kind else {}) for kind, each in zip(kinds, corpus, strict=True)]


def joined(
    work: Segmenting, corpus: Corpus, blocks: Sequence[Block], results: Sequence[list[Cuts] | CaesuraError]
) -> Iterator[tuple[Segmenter, Corpus | CaesuraError, list[str]]]:
    """Yield each method with the documents it segmented, in the order of the corpus, and a line for each that failed.

    A method that segmented none comes with its first error.
    """
    for place, method in enumerate(work.methods):
        made: list[Made] = []
        failed: list[str] = []
        first: str | None = None
        for block, result in zip(blocks, results, strict=True):
            if place not in block.methods:
                continue
            lost = [f"{work.name(block)}: {result}"] if isinstance(result, CaesuraError) else []
            cuts = Cuts([], lost) if isinstance(result, CaesuraError) else result[block.methods.index(place)]
            made += cuts.made
            named = cuts.made or lost or (cuts.failed[:1] and cuts.failed[0].startswith("document "))
            failed += cuts.failed if named else [f"{work.name(block)}: {line}" for line in cuts.failed]
            first = first or next(iter(cuts.failed), None)
        if made or not failed:
            given = corpus.ids_are_given
            try:
                yield method, segmented(method, made, ids_are_given=given, whole_text=work.whole_text), failed
            except SegmentationError as error:  # its outputs cannot be read
                yield method, error, []
        else:
            yield method, CaesuraError(first or ""), []
