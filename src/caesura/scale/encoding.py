# SPDX-License-Identifier: Apache-2.0
"""Encoding as work on shards: parts of a folder of vectors, which a measurement reads like a file of vectors."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from caesura.corpus import Corpus
from caesura.encoders import Encoder, Precomputed
from caesura.encoders.base import Vectors
from caesura.encoders.npz import EncodedPart, Part, PartWriter, VectorFolder, encode_part, parts_of
from caesura.errors import EncoderError
from caesura.scale.work import Work
from caesura.scorers import Encoding

__all__ = ["EncodedVectors", "PartsEncoding", "opened"]


def opened(encoding: Encoding) -> Encoder:
    """Return the encoder of a run; refuse a file of vectors, which cannot encode."""
    if isinstance(encoding.source, Precomputed):
        raise EncoderError(
            f"{encoding.source.name} holds vectors, which need no encoding; name an encoder, such as default"
        )
    return encoding.source


@dataclasses.dataclass(frozen=True)
class PartsEncoding(Work[Part, EncodedPart]):
    """Encode parts of a corpus into a folder; complete parts are skipped."""

    encoding: Encoding
    writer: PartWriter

    @classmethod
    def into(cls, folder: str | Path, encoding: Encoding, *, overwrite: bool = False) -> PartsEncoding:
        """Return the work of encoding into a folder."""
        return cls(encoding, PartWriter(Path(folder), opened(encoding), overwrite=overwrite))

    @property
    def holds_encoder(self) -> bool:
        """Whether an encoder is opened: always."""
        return True

    def shards(self, corpus: Corpus, **limits: int) -> list[Part]:
        """Return the parts of a corpus, after preparing the folder for them."""
        parts = parts_of(corpus, **limits)
        self.writer.make_room(len(parts))
        return parts

    def name(self, shard: Part) -> str:
        """Return the number of the part, and its first document."""
        return f"part {shard.place} (from document {shard.documents[0].id!r})"

    def found(self, shard: Part) -> EncodedPart | None:
        """Return an empty result for a complete part; its vectors stay in the folder."""
        return EncodedPart({}, []) if self.writer.is_whole(shard) else None

    def do(self, shard: Part) -> EncodedPart:
        """Encode a part."""
        return encode_part(shard, opened(self.encoding), self.encoding.cache)

    def keep(self, shard: Part, result: EncodedPart) -> None:
        """Write a part and release its vectors."""
        self.writer.write(shard, result)
        result.vectors.clear()


class EncodedVectors(Precomputed):
    """Vectors that an engine computes on demand, under the name and fingerprint of the encoder.

    The folder has one subfolder per corpus, named by its content; ``run`` does the work and returns a line for each failure.
    """

    def __init__(
        self, encoding: Encoding, folder: str | Path, run: Callable[[PartsEncoding, Sequence[Part]], list[str]]
    ) -> None:
        encoder = opened(encoding)
        self.name, self.fingerprint, self.dim = encoder.name, encoder.fingerprint, encoder.dim
        self._encoding, self._folder, self._run = encoding, Path(folder), run

    def over(self, corpus: Corpus) -> dict[str, Vectors]:
        """Return the vectors of the documents of a corpus that could be encoded, by id."""
        work, parts = PartsEncoding.into(self._folder, self._encoding), parts_of(corpus)
        content = hashlib.sha256("".join(map(work.writer.key, parts)).encode()).hexdigest()
        place = self._folder / f"vectors-{content[:32]}"
        place.mkdir(exist_ok=True)
        failed = self._run(PartsEncoding.into(place, self._encoding), parts)
        if failed and not any(place.glob("*.json")):
            raise EncoderError(failed[0])
        arrays = VectorFolder(place)
        known = set(arrays.names())
        some = corpus.subset([key for key in corpus.ids if key in known])
        return Precomputed(self.name, self.fingerprint, arrays).over(some)
