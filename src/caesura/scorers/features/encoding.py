# SPDX-License-Identifier: Apache-2.0
"""The encoder of a run: opened on first use, and shared by all systems, so that all see the same vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from caesura.corpus import Corpus, Document
from caesura.encoders import Cache, Encoder, Precomputed, embed, source
from caesura.encoders.base import Vectors
from caesura.errors import EncoderError

__all__ = ["Encoding"]


class Encoding:
    """One encoder, and the vectors of the documents it was prepared for.

    Parameters
    ----------
    encoder : str, Encoder or Precomputed
        The encoder, or a file of vectors, as in `caesura.encoders.embed`.
    cache : Cache, bool or None
        Where to keep vectors between runs, as in `caesura.encoders.embed`.
    allow_download : bool
        Whether weights may be downloaded.
    progress : callable, optional
        Called while documents are encoded.
    """

    def __init__(
        self,
        encoder: str | Encoder | Precomputed = "default",
        *,
        cache: Cache | bool | None = None,
        allow_download: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._encoder, self._cache = encoder, cache
        self._allow_download, self._progress = allow_download, progress
        self._vectors: dict[str, Vectors] = {}
        self._units: dict[str, tuple[str, ...] | None] = {}
        self._corpus: Corpus | None = None
        self._expected: str | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the name of the encoder only; the other process opens it on first use."""
        fingerprint = self.source.fingerprint if "source" in vars(self) else self._expected
        return _arrived, (self._encoder, self._cache, self._allow_download, fingerprint)

    @functools.cached_property
    def source(self) -> Encoder | Precomputed:
        """The opened encoder or file of vectors."""
        opened = source(self._encoder, allow_download=self._allow_download)
        if self._expected not in (None, opened.fingerprint):
            raise EncoderError(
                f"{opened.name} differs on this machine ({opened.fingerprint}) from where the run began "
                f"({self._expected}); install the same weights on all machines"
            )
        return opened

    @property
    def cache(self) -> Cache | bool | None:
        """Where vectors are kept between runs."""
        return self._cache

    @property
    def name(self) -> str | None:
        """The name and fingerprint of the encoder, or None if nothing was encoded."""
        return f"{self.source.name} {self.source.fingerprint}" if "source" in vars(self) else None

    @property
    def caching(self) -> bool:
        """Whether anything may be kept on disk."""
        return self._cache is not False

    def prepare(self, corpus: Corpus) -> None:
        """Encode all documents of a corpus at once, each distinct text once."""
        self._vectors = embed(corpus, self.source, cache=self._cache, progress=self._progress)
        self._units = {document.id: document.units for document in corpus}
        self._corpus = corpus

    def prepared_for(self, corpus: Corpus) -> bool:
        """Return whether the vectors of this corpus object are prepared."""
        return self._corpus is corpus

    def vectors(self, document: Document) -> Vectors:
        """Return the vectors of a document, one row per unit."""
        if document.id in self._vectors and self._units[document.id] == document.units:
            return self._vectors[document.id]
        return embed(Corpus([document]), self.source, cache=self._cache)[document.id]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode any texts, such as the windows of a chunker."""
        if isinstance(self.source, Precomputed):
            raise EncoderError(
                f"{self.source.name} holds the vectors of units, but other texts must be encoded; name an encoder"
            )
        document = Document(id="texts", n_units=len(texts), units=tuple(texts))
        return embed(Corpus([document]), self.source, cache=self._cache)[document.id]


def _arrived(
    encoder: str | Encoder | Precomputed, cache: Cache | bool | None, allow_download: bool, expected: str | None
) -> Encoding:
    """Recreate the encoding of another process."""
    encoding = Encoding(encoder, cache=cache, allow_download=allow_download)
    encoding._expected = expected
    return encoding
