# SPDX-License-Identifier: Apache-2.0
"""The exception tree of Caesura.

::

    CaesuraError                      base class of all errors below
      +-- SegmentationError           ValueError    an invalid segmentation: unsorted, out of range, ...
      +-- FormatError                 ValueError    a file that cannot be read or written (file, line)
      +-- DeclarationError            ValueError    an unknown name or invalid parameter of a registered class
      |     +-- MetricError                         ... of a metric, or an operation it does not support
      +-- ComparabilityError          ValueError    inputs that must not be compared (lengths, units, documents)
      +-- EncoderError                ValueError    an encoder, weights, a server or vectors that are unusable
      +-- OutputExistsError           FileExistsError   an output file that exists already
      +-- MissingExtraError           ImportError   an optional part that is not installed

    CaesuraWarning                    UserWarning   a decision made for the caller, reported once

A message is one line: what is wrong with which values, where, and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

__all__ = [
    "CaesuraError",
    "CaesuraWarning",
    "ComparabilityError",
    "DeclarationError",
    "EncoderError",
    "FormatError",
    "MetricError",
    "MissingExtraError",
    "OutputExistsError",
    "SegmentationError",
    "and_more",
    "reason",
]


class CaesuraError(Exception):
    """Base class of all errors that Caesura raises on purpose."""


class SegmentationError(CaesuraError, ValueError):
    """An invalid segmentation."""


class FormatError(CaesuraError, ValueError):
    """A file that cannot be read or written.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    path : path-like, optional
        The file.
    line : int, optional
        The line, counted from 1.
    """

    def __init__(
        self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        shown = "" if path is None else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(path))
        where = "" if path is None else f"{shown}:" if line is None else f"{shown}:{line}:"
        super().__init__(f"{where} {message}".strip())


class DeclarationError(CaesuraError, ValueError):
    """An unknown name, an unknown parameter, or an invalid value of a parameter."""


class MetricError(DeclarationError):
    """An unknown metric, or an operation it does not support."""


class ComparabilityError(CaesuraError, ValueError):
    """Inputs that must not be compared: different lengths, units or documents."""


class EncoderError(CaesuraError, ValueError):
    """An encoder, its weights, a server or vectors that are unusable."""


class OutputExistsError(CaesuraError, FileExistsError):
    """An output file that exists already and must not be overwritten."""


class MissingExtraError(CaesuraError, ImportError):
    """An optional dependency that is not installed; the message names the extra to install."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional dependency that is not installed; run: pip install 'caesura[{extra}]'"
        )


class CaesuraWarning(UserWarning):
    """A decision made for the caller, reported once."""


def and_more(count: int, sentence: bool = False) -> str:
    """Return how many more offenders there are than the one that is named."""
    if count <= 1:
        return ""
    return f"; {count - 1} more documents are wrong" if sentence else f" (and {count - 1} more)"


def reason(error: Exception) -> str:
    """Return the class and the message of another library's error in one line, to be quoted in ours."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300].rstrip(": ")
