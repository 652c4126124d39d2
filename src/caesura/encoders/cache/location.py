# SPDX-License-Identifier: Apache-2.0
"""The location and the size limit of the cache."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from caesura.errors import EncoderError

__all__ = ["DEFAULT_LIMIT", "cache_folder", "cache_limit"]

DEFAULT_LIMIT = 2 << 30
"""The default limit in bytes of vectors."""


def cache_folder() -> Path:
    """Return the folder of the cache: ``CAESURA_CACHE``, or the system's folder for caches."""
    named = os.environ.get("CAESURA_CACHE")
    if named:
        return Path(named).expanduser()
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "caesura"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "caesura" / "Cache"
    # The XDG specification requires relative paths to be ignored.
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (given if given.is_absolute() else home / ".cache") / "caesura"


def cache_limit() -> int:
    """Return the size limit in bytes: ``CAESURA_CACHE_LIMIT`` (``500MB``, ``2GB``), or 2 GiB."""
    text = os.environ.get("CAESURA_CACHE_LIMIT", "")
    if not text:
        return DEFAULT_LIMIT
    number = text.upper().removesuffix("B").strip()
    factor = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}.get(number[-1:], 1)
    digits = number[:-1] if factor > 1 else number
    if not digits.strip().isdecimal():
        raise EncoderError(f"CAESURA_CACHE_LIMIT is {text!r}; write a number of bytes, or a size such as 500MB or 2GB")
    return int(digits) * factor
