# SPDX-License-Identifier: Apache-2.0
"""Answers of language models, kept on disk beside the vectors: a document is asked about once."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from caesura.encoders.cache.location import cache_folder
from caesura.files import writing
from caesura.strict_json import decode

__all__ = ["answer_key", "clear_answers", "count_answers", "keep_answer", "kept_answer"]


def _folder() -> Path:
    return cache_folder() / "answers"


def answer_key(*parts: object) -> str:
    """Return the key of an answer, which depends on everything that was asked."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def kept_answer(key: str) -> list[int] | None:
    """Return the boundaries that were kept under a key; what is damaged counts as absent."""
    try:
        return decode((_folder() / f"{key}.json").read_bytes(), list[int])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def keep_answer(key: str, boundaries: list[int]) -> None:
    """Keep boundaries under a key; a folder that cannot be written keeps nothing."""
    with contextlib.suppress(OSError):
        _folder().mkdir(parents=True, exist_ok=True)
        with writing(_folder() / f"{key}.json") as stream:
            stream.write(msgspec.json.encode(boundaries))


def _files() -> list[Path]:
    return sorted(_folder().glob("*.json"))


def count_answers() -> int:
    """Return how many answers are kept."""
    return len(_files())


def clear_answers() -> int:
    """Drop all answers, and return their number."""
    files = _files()
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink()
    return len(files)
