# SPDX-License-Identifier: Apache-2.0
"""From text to the token ids of a model: by WordPiece, or by the tokenizers library for other models.

WordPiece, of the uncased BERT models, needs no library: a text is cleaned (control characters are removed, white space becomes
spaces, Chinese characters are separated), its accents and capitals are removed, it is split at spaces and around punctuation,
and every word is split from the left into the longest pieces of the vocabulary; pieces inside a word begin with ``##``. It
differs from the Hugging Face tokenizer in one point, on purpose: a special token in a text (``[SEP]``) is read as its characters.

References
----------
Devlin et al. 2019, BERT; Wu et al. 2016, Google's neural machine translation system, section 4.1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from caesura.encoders._model.folder import Settings
from caesura.errors import EncoderError, MissingExtraError

__all__ = ["VOCABULARY", "Tokens", "WordPiece", "bert_tokens", "folder_tokens", "library_tokens", "words"]

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
Tokens = Callable[[str], Sequence[int]]
"""Maps a text to its token ids, special tokens included, truncated to the maximum length."""
VOCABULARY = Path(__file__).parent.parent / "tables" / "vocab.txt"
"""The 30,522 word pieces of the uncased English BERT, which all-MiniLM-L6-v2 uses."""
_LARGEST = 1 << 26


def folder_tokens(folder: Path, settings: Settings, who: str) -> tuple[Tokens, Path]:
    """Return the tokenizer of a model, and its file.

    A ``vocab.txt`` that is known to be uncased is preferred, because it needs no library.
    """
    library, vocabulary = folder / "tokenizer.json", folder / "vocab.txt"
    own = vocabulary.is_file() and settings.uncased is not False
    if own and (settings.uncased or not library.is_file()):
        return bert_tokens(vocabulary, settings.max_length, settings.ends), vocabulary
    if library.is_file():
        return library_tokens(library, settings.max_length, who), library
    if vocabulary.is_file():
        raise EncoderError(f"{who}: a cased vocab.txt is not supported; add tokenizer.json to {folder}")
    raise EncoderError(f"{who}: {folder} contains neither tokenizer.json nor vocab.txt; add one")


def bert_tokens(vocabulary: Path, max_length: int, ends: tuple[str, str] = ("[CLS]", "[SEP]")) -> Tokens:
    """Return the tokenizer of an uncased BERT with this vocabulary: ``[CLS] … [SEP]``, or other tokens at both ends."""
    try:
        if vocabulary.stat().st_size > _LARGEST:
            raise EncoderError(f"{vocabulary} is too large for a vocabulary; it must have one word piece per line")
        pieces = vocabulary.read_text(encoding="utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EncoderError(f"{vocabulary}: cannot be read ({error}); check the file") from None
    missing = [token for token in ("[UNK]", *ends) if token not in pieces]
    if missing:
        raise EncoderError(f"{vocabulary} has no {missing[0]}, so it is not a BERT vocabulary; check the file")
    cut = WordPiece(pieces)
    first, last = map(pieces.index, ends)
    return lambda text: [first, *cut.numbers(text)[: max_length - 2], last]


def library_tokens(path: Path, max_length: int, who: str) -> Tokens:
    """Return the tokenizer of a ``tokenizer.json``, read by the library ``tokenizers``."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError(who, "onnx") from None
    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length)
    except Exception as error:  # the library raises plain exceptions
        raise EncoderError(f"{path} is not a valid tokenizer ({error}); download it again") from None

    def tokens(text: str) -> Sequence[int]:
        # The library does not accept a lone surrogate.
        ids: Sequence[int] = tokenizer.encode(text.encode("utf-8", "replace").decode()).ids
        return ids

    return tokens


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
