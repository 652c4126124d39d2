# SPDX-License-Identifier: Apache-2.0
"""From text to the token ids of a model: by WordPiece, or by the tokenizers library for other models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from caesura.encoders._model.folder import Settings
from caesura.encoders._model.wordpiece import WordPiece
from caesura.errors import EncoderError, MissingExtraError

__all__ = ["VOCABULARY", "Tokens", "bert_tokens", "folder_tokens", "library_tokens"]

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
