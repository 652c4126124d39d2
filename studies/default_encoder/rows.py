"""The table before it is fitted: teacher vectors of single pieces and words, weighted by how rare they are."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.encoders._model.tokens import WordPiece

__all__ = ["EMPTY", "UNKNOWN", "Vocabulary", "probabilities", "rarity"]

Floats = npt.NDArray[np.float32]

UNKNOWN, EMPTY = "[UNK]", "[CLS]"
"""The only special pieces that get a row: for words that cannot be spelled, and for texts without a word."""

_MARK = 0.02
"""The probability that a punctuation mark starts from; the list of frequencies knows only words."""


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The word pieces of the teacher, and frequent words that they would take apart."""

    pieces: list[str]
    words: list[str]

    def __len__(self) -> int:
        return len(self.pieces) + len(self.words)

    @property
    def cut(self) -> WordPiece:
        """The way to the numbers of the rows."""
        return WordPiece(self.pieces, whole={word: len(self.pieces) + n for n, word in enumerate(self.words)})

    @property
    def used(self) -> npt.NDArray[np.int64]:
        """The rows that a text can reach."""
        special = [
            number
            for number, piece in enumerate(self.pieces)
            if piece.startswith("[") and piece.endswith("]") and len(piece) > 2 and piece not in (UNKNOWN, EMPTY)
        ]
        return np.setdiff1d(np.arange(len(self)), special)

    @classmethod
    def choose(cls, pieces: list[str], counts: dict[str, int], most: int) -> Vocabulary:
        """Take the most frequent plain words that are no piece themselves."""
        known = set(pieces)
        split = (word for word in counts if word not in known and word.isascii() and word.isalnum())
        return cls(pieces, [word for _, word in zip(range(most), split, strict=False)])


def probabilities(vocabulary: Vocabulary, counts: dict[str, int]) -> npt.NDArray[np.float64]:
    """Return how often each row is used in running text, from the counts of words."""
    totals = np.zeros(len(vocabulary))
    cut = vocabulary.cut
    for word, count in counts.items():
        for number in cut.numbers(word):
            totals[number] += count
    share = totals / totals.sum()
    for number, piece in enumerate(vocabulary.pieces):
        if len(piece) == 1 and piece.isascii() and not piece.isalnum():
            share[number] = max(share[number], _MARK)
    return share


def rarity(share: npt.NDArray[np.float64], a: float) -> npt.NDArray[np.float64]:
    """Return the smooth inverse frequency ``a / (a + p)`` of Arora et al. 2017."""
    weights: npt.NDArray[np.float64] = a / (a + share)
    return weights
