# SPDX-License-Identifier: Apache-2.0
"""``default``: a table of word vectors that comes with the library and needs only NumPy.

The table was distilled from all-MiniLM-L6-v2 by ``python -m studies.default_encoder``; ``docs/default-encoder.md`` describes how it
was made and how it compares with its teacher. It is for English.

The vector of a text is the sum of the rows of its word pieces, scaled to length 1. A row is ``codes * scale``; its length
is the weight of the piece, so there is no separate table of weights. A text without pieces (empty, or only white space
and control characters) gets the row of ``[CLS]``; a word that the vocabulary cannot spell gets the row of ``[UNK]``. So
every vector has length 1, and the cosine of any two is defined.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from caesura._version import DISTRIBUTION
from caesura.declare import Card
from caesura.encoders._model.tokens import VOCABULARY, WordPiece
from caesura.encoders._workers import Workers, processors
from caesura.encoders.base import ENCODERS, EncoderKind, Vectors, check_texts, fingerprint, unit_length
from caesura.errors import EncoderError

__all__ = ["TABLE", "Default", "StaticTable"]

TABLE = Path(__file__).parent / "tables" / "default.npz"
"""The table; ``default.json`` beside it documents its origin."""

_VERY_MANY = 50_000  # texts: they take about a second, and to start processes half of it
_AT_ONCE = 1 << 11  # pieces whose rows are in memory at a time; few enough for the processor's cache


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Default(EncoderKind):
    """The static table that comes with the library."""

    card: ClassVar[Card] = Card(
        title="a static table distilled from all-MiniLM-L6-v2, English, numpy only",
        citation="Reimers & Gurevych 2019, Sentence-BERT; Arora et al. 2017, SIF; Tulkens & van Dongen 2024, Model2Vec",
    )

    def load(self, *, allow_download: bool = False) -> StaticTable:
        """Check the table and open it."""
        try:
            content, vocabulary = TABLE.read_bytes(), VOCABULARY.read_bytes()
            pinned = json.loads(TABLE.with_suffix(".json").read_bytes())["sha256"]
        except (OSError, ValueError, KeyError) as error:
            raise EncoderError(f"{self.spec}: {TABLE} cannot be read ({error}); reinstall {DISTRIBUTION}") from None
        digest = hashlib.sha256(content).hexdigest()
        self.check_hash(digest, str(TABLE), pinned)
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                codes, scales, whole = (arrays[name] for name in ("codes", "scales", "words"))
        except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
            raise EncoderError(
                f"{self.spec}: {TABLE} is not a valid table ({error}); reinstall {DISTRIBUTION}"
            ) from None
        pieces = vocabulary.decode("utf-8").rstrip("\n").split("\n")
        words = whole.tobytes().decode("ascii").split()
        mark = fingerprint("default", table=digest, vocabulary=hashlib.sha256(vocabulary).hexdigest())
        return StaticTable(self.spec, mark, pieces, words, codes, scales)


class StaticTable:
    """One row per word piece and per whole word; a text is the sum of its rows, scaled to length 1.

    ``codes`` (rows, dim) times ``scales`` (rows,) are the rows, first those of the ``pieces`` of the vocabulary, then those
    of ``words``, which are not split into pieces.

    Examples
    --------
    >>> import numpy as np
    >>> table = StaticTable("toy", "toy-0", ["[UNK]", "[CLS]", "a", "b"], ["ab"],
    ...     np.array([[0, 1], [1, 1], [3, 0], [0, 2], [1, -1]], np.int8), np.array([1, 1, 1, 2, 1], np.float32))
    >>> print(table.encode(["a b", "ab", ""]).round(2))
    [[ 0.6   0.8 ]
     [ 0.71 -0.71]
     [ 0.71  0.71]]
    """

    normalized = True

    def __init__(
        self,
        name: str,
        fingerprint: str,
        pieces: Sequence[str],
        words: Sequence[str],
        codes: npt.NDArray[np.int8],
        scales: npt.NDArray[np.float32],
    ) -> None:
        rows = len(pieces) + len(words)
        if codes.dtype != np.int8 or codes.ndim != 2 or len(codes) != rows or scales.shape != (rows,):
            raise EncoderError(
                f"{name}: {rows} pieces and words, but codes {codes.dtype}{codes.shape} and scales {scales.shape}; "
                f"the table is damaged, reinstall {DISTRIBUTION}"
            )
        self.name = name
        self.fingerprint = fingerprint
        self.dim = int(codes.shape[1])
        self._codes, self._scales = codes, scales.astype(np.float32)
        self._pieces = WordPiece(pieces, whole={word: len(pieces) + place for place, word in enumerate(words)})
        self._empty = [list(pieces).index("[CLS]")]
        self._seen = 0
        self._workers: Workers | None = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 vector of length 1 per text, in order."""
        texts = check_texts(texts, self.name)
        vectors = np.empty((len(texts), self.dim), dtype=np.float32)
        numbers: list[int] = []
        starts: list[int] = []
        start = 0
        for place, text in enumerate(texts):
            starts.append(len(numbers))
            numbers += self._pieces.numbers(text) or self._empty
            if len(numbers) >= _AT_ONCE or place == len(texts) - 1:
                vectors[start : place + 1] = self._sums(numbers, starts)
                start, numbers, starts = place + 1, [], []
        return vectors

    def encode_many(self, batches: Sequence[list[str]]) -> Iterator[Vectors]:
        """Yield the vectors of batches of texts; once there were very many, in a process for each processor."""
        self._seen += sum(map(len, batches))
        number = processors()
        if self._workers is None and self._seen >= _VERY_MANY and number > 1 and self.name.startswith("default"):
            self._workers = Workers(self, number)
        yield from map(self.encode, batches) if self._workers is None else self._workers.map(batches)

    def _sums(self, numbers: list[int], starts: list[int]) -> Vectors:
        chosen = np.array(numbers)
        rows: Any = self._codes[chosen] * self._scales[chosen, None]
        # Each text is summed on its own, so its vector does not depend on the other texts.
        return unit_length(np.add.reduceat(rows, starts, axis=0))
