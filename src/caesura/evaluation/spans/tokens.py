# SPDX-License-Identifier: Apache-2.0
"""Where the tokens of a model begin in a text, by the library ``tokenizers``."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from caesura.errors import ComparabilityError, FormatError, MissingExtraError
from caesura.evaluation.spans.page import Ints, Page

__all__ = ["Starts", "token_starts", "tokenizer_of"]

_FILE = "tokenizer.json"

Starts = Callable[[Page], Ints]


def tokenizer_of(name: str | os.PathLike[str]) -> tuple[str, Starts]:
    """Return the short name of a tokenizer, and the function that says where its tokens begin in the text of a page.

    ``name`` is a ``tokenizer.json``, a folder that holds one, or the name of a model in the cache of Hugging Face on this machine;
    nothing is downloaded.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("a tokenizer", "onnx") from None
    path = _found(os.fspath(name))
    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # the library raises plain exceptions
        raise FormatError(
            f"is not a valid tokenizer ({' '.join(str(error).split())}); download it again", path
        ) from None

    def starts(page: Page) -> Ints:
        try:
            # A lone surrogate, which the library does not accept, becomes one other character.
            text = (page.text or "").encode("utf-8", "replace").decode()
            offsets = tokenizer.encode(text, add_special_tokens=False).offsets
        except Exception as error:
            raise ComparabilityError(
                f"document {page.document.id!r}: the tokenizer {path.name} fails ({' '.join(str(error).split())})"
            ) from None
        # Several tokens of one character begin at the same place.
        return np.array([start for start, _ in offsets], dtype=np.int64)

    return path.parent.name if path.name == _FILE else path.stem, functools.cache(starts)


def _found(name: str) -> Path:
    path = Path(name)
    if path.is_dir():
        path = path / _FILE
    if path.is_file():
        return path
    try:
        from huggingface_hub import try_to_load_from_cache

        cached = try_to_load_from_cache(name, _FILE)
    except (ImportError, ValueError):
        cached = None
    if isinstance(cached, str):
        return Path(cached)
    raise FormatError(
        f"{name}: there is no such tokenizer here; give the {_FILE} of the model, or the folder that holds it"
    )


def token_starts(tokenizer: Starts | None, page: Page) -> Ints:
    """Return where tokens begin in the text of a page: those of a tokenizer, else words, else units."""
    return page.words if tokenizer is None or page.text is None else tokenizer(page)
