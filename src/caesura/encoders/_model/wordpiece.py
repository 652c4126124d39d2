# SPDX-License-Identifier: Apache-2.0
"""WordPiece tokenization of the uncased BERT models, without a tokenizer library.

A text is cleaned (control characters are removed, white space becomes spaces, Chinese characters are separated), its
accents and capitals are removed, it is split at spaces and around punctuation, and every word is split from the left into
the longest pieces of the vocabulary; pieces inside a word begin with ``##``.

It differs from the Hugging Face tokenizer in one point, on purpose: a special token in a text (``[SEP]``) is read as
its characters.

References
----------
Devlin et al. 2019, BERT; Wu et al. 2016, Google's neural machine translation system, section 4.1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

__all__ = ["WordPiece", "words"]

_LONGEST_WORD = 100  # in characters; a longer word is unknown, as in BERT
_MOST_REMEMBERED = 1 << 17  # words; bounds the memory

_ASCII_WORD = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROL = {code: None for code in (*range(32), 127) if chr(code) not in "\t\n\r"}
_CHINESE = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class _Cleaning(dict[int, str]):
    """The replacement of a character before accents are split off; computed on first use."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in "\t\n\r":
            clean = " "
        elif code in (0, 0xFFFD) or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
            clean = ""
        elif character.isspace():
            clean = " "
        elif any(first <= code <= last for first, last in _CHINESE):
            clean = f" {character} "
        else:
            clean = character
        self[code] = clean
        return clean


class _Lowering(dict[int, str]):
    """The replacement of a character after accents are split off: accents are removed, punctuation is separated.

    Characters are lowered one at a time, because lowering a whole text gives Greek words another final sigma than BERT.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category == "Mn":
            low = ""
        elif category.startswith("P") or character in "$+<=>^`|~":  # BERT counts all ASCII symbols as punctuation
            low = f" {character} "
        else:
            low = character.lower()
        self[code] = low
        return low


_CLEANING = _Cleaning()
_LOWERING = _Lowering()


def words(text: str) -> list[str]:
    """Return the words and punctuation marks of a text in lower case and without accents.

    Examples
    --------
    >>> words("Café, s'il vous plaît!")
    ['cafe', ',', 's', "'", 'il', 'vous', 'plait', '!']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.translate(_ASCII_CONTROL).lower())
    return unicodedata.normalize("NFD", text.translate(_CLEANING)).translate(_LOWERING).split()


class WordPiece:
    """Maps words to ids of pieces, longest piece first; the id of a piece is its position in the vocabulary.

    A word that cannot be split gets the id of ``[UNK]``. The words of ``whole`` are not split and have ids of their own.

    Examples
    --------
    >>> cut = WordPiece(["[UNK]", "un", "##kind", "##ness", "."])
    >>> cut.numbers("Unkindness. Sun")
    [1, 2, 3, 4, 0]
    """

    def __init__(self, pieces: Sequence[str], whole: Mapping[str, int] | None = None) -> None:
        self._number = {piece: number for number, piece in enumerate(pieces)}
        self._unknown = (self._number["[UNK]"],)
        self._whole = {word: (number,) for word, number in (whole or {}).items()}
        self._known: dict[str, tuple[int, ...]] = dict(self._whole)

    def numbers(self, text: str) -> list[int]:
        """Return the ids of the pieces of a text, in order."""
        known = self._known
        found: list[int] = []
        for word in words(text):
            pieces = known.get(word)
            found.extend(self._remember(word) if pieces is None else pieces)
        return found

    def _remember(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _MOST_REMEMBERED + len(self._whole):
            self._known = dict(self._whole)
        pieces = self._known[word] = self._split(word)
        return pieces

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return self._unknown
        found = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._number.get(mark + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return self._unknown
        return tuple(found)
