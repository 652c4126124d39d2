# SPDX-License-Identifier: Apache-2.0
"""From a corpus to the vectors of its units: each distinct text is encoded once, and cached batch by batch."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.encoders._precomputed import Precomputed
from caesura.encoders._spec import source
from caesura.encoders.base import Encoder, Vectors, check_texts, check_vectors, text_hash
from caesura.encoders.cache.database import probe_of
from caesura.encoders.cache.store import Cache
from caesura.errors import EncoderError
from caesura.foreign import foreign_code

__all__ = ["Progress", "embed", "encode_texts"]

Progress = Callable[[int, int], None]
"""Called with the number of encoded texts and the number of all texts."""

_BATCH = 128  # texts encoded, cached and reported together; the most that a killed run loses


def embed(
    corpus: Corpus,
    encoder: str | Encoder | Precomputed,
    *,
    cache: Cache | bool | None = False,
    progress: Progress | None = None,
    allow_download: bool = False,
) -> dict[str, Vectors]:
    """Return the vectors of every document: id to a float32 array with one row per unit, in the order of the corpus.

    Parameters
    ----------
    corpus : Corpus
        Documents with text; with a file of vectors, text is not needed.
    encoder : str, Encoder or Precomputed
        The encoder, or a file of vectors.
    cache : Cache, bool or None
        Where to keep vectors between runs; True for the default location. None for the default location unless the
        encoder is ``default``, which is faster than the cache. Vectors read from a file are not cached.
    progress : callable, optional
        Called at the start and after each batch; cached texts count as encoded.
    allow_download : bool
        Whether weights that are not on this machine may be downloaded.

    Raises
    ------
    EncoderError
        If vectors are missing, have the wrong number or dimension, or are not finite.
    """
    found = source(encoder, allow_download=allow_download)
    if isinstance(found, Precomputed):
        return found.over(corpus)
    texts = {d.id: _texts(d, found.name) for d in corpus}
    flat = list(itertools.chain.from_iterable(texts.values()))
    if cache is None:
        cache = found.name != "default"
    if isinstance(cache, Cache):
        rows, places = encode_texts(flat, found, cache, progress)
    else:
        with Cache() if cache else contextlib.nullcontext() as usual:
            rows, places = encode_texts(flat, found, usual, progress)
    return {key: rows[[places[text] for text in of]] for key, of in texts.items()}


def encode_texts(
    texts: Sequence[str], encoder: Encoder, cache: Cache | None = None, progress: Progress | None = None
) -> tuple[Vectors, dict[str, int]]:
    """Encode each distinct text once; return one row per distinct text, and the row of each text."""
    distinct = list(dict.fromkeys(check_texts(texts, encoder.name)))
    places = {text: row for row, text in enumerate(distinct)}
    rows = np.empty((len(distinct), encoder.dim), dtype=np.float32)
    keys = [text_hash(text) for text in distinct]
    probe = None if cache is None else probe_of(encoder)
    kept = {} if cache is None else cache.get(encoder.fingerprint, encoder.dim, keys, probe)
    missing = [row for row, key in enumerate(keys) if key not in kept]
    for row, key in enumerate(keys):
        if key in kept:
            rows[row] = kept[key]
    done = len(distinct) - len(missing)
    if progress is not None:
        progress(done, len(distinct))
    # Texts of similar length are encoded together, so that little is wasted on padding.
    missing.sort(key=lambda row: len(distinct[row]))
    batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]
    for batch, vectors in zip(
        batches, _encoded(encoder, [[distinct[row] for row in batch] for batch in batches]), strict=True
    ):
        rows[batch] = vectors
        if cache is not None:
            fresh = {keys[row]: vector for row, vector in zip(batch, vectors, strict=True)}
            cache.put(encoder.fingerprint, encoder.name, encoder.dim, fresh, probe)
        done += len(batch)
        if progress is not None:
            progress(done, len(distinct))
    return rows, places


def _encoded(encoder: Encoder, batches: list[list[str]]) -> Iterator[Vectors]:
    """Yield the vectors of batches; an encoder that takes many at once (``encode_many``) gets them so."""
    many: Callable[[list[list[str]]], Iterator[Vectors]] | None = getattr(encoder, "encode_many", None)
    made = map(encoder.encode, batches) if many is None else many(batches)
    for texts in batches:
        with foreign_code(f"{encoder.name} fails on texts such as {texts[0][:60]!r}", "repair the encoder"):
            vectors = next(made)
        yield check_vectors(vectors, len(texts), encoder.dim, encoder.name)


def _texts(document: Document, name: str) -> tuple[str, ...]:
    if document.units is None:
        raise EncoderError(
            f"document {document.id!r} has no text, which the encoder {name} requires; add 'units', or give vectors (npz:FILE)"
        )
    return document.units
