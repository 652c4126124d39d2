# SPDX-License-Identifier: Apache-2.0
"""Every failure that Caesura reports, drawn as a tree.

::

    CaesuraError                      everything below; catch this to catch all
      +-- SegmentationError           ValueError    a segmentation that cannot be: unsorted, out of range, ...
      +-- FormatError                 ValueError    a file that cannot be read or written (file, line)
      +-- DeclarationError            ValueError    an unknown name or parameter of a registered thing
      |     +-- MetricError                         ... of a metric, or a metric asked for what it cannot do
      +-- ComparabilityError          ValueError    two things that must not be compared (lengths, units, documents)
      +-- EncoderError                ValueError    an encoder, weights, a server or vectors that cannot be used
      +-- OutputExistsError           FileExistsError   an output that is there already
      +-- MissingExtraError           ImportError   an optional part that is not installed

    CaesuraWarning                    UserWarning   something was decided for the caller and is said once

A message is one sentence: what is wrong, with the values; where; what to do.
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
    """Base of all errors raised on purpose by Caesura."""


class SegmentationError(CaesuraError, ValueError):
    """A segmentation that cannot be."""


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
    """An unknown name, an unknown parameter, or a parameter out of range."""


class MetricError(DeclarationError):
    """A metric that does not exist, or is asked for what it cannot do."""


class ComparabilityError(CaesuraError, ValueError):
    """Two things that must not be compared: other lengths, other units, other documents."""


class EncoderError(CaesuraError, ValueError):
    """An encoder, its weights, a server or vectors that cannot be used."""


class OutputExistsError(CaesuraError, FileExistsError):
    """An output that is there already and may not be overwritten."""


class MissingExtraError(CaesuraError, ImportError):
    """An optional part that is not installed; the message says what to install."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional part that is not installed; run: pip install 'caesura[{extra}]'"
        )


class CaesuraWarning(UserWarning):
    """Something was decided for the caller and is said once."""


def and_more(count: int, sentence: bool = False) -> str:
    """Say how many offenders there are beyond the one that is named."""
    if count <= 1:
        return ""
    return f"; {count - 1} more documents are wrong" if sentence else f" (and {count - 1} more)"


def reason(error: Exception) -> str:
    """Return the class and the message of another library's error in one line, to be quoted in ours."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300].rstrip(": ")
