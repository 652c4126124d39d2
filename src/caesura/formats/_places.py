# SPDX-License-Identifier: Apache-2.0
"""Inputs that are not one local file: patterns of file names, and addresses that fsspec opens."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import ModuleType

from caesura.errors import FormatError, MissingExtraError, reason
from caesura.files import is_address, split_text
from caesura.formats._files import library

_PATTERN = re.compile(r"[*?\[]")


def is_elsewhere(path: str | os.PathLike[str]) -> bool:
    """Return whether a text is an address, or a pattern that is not itself the name of a file.

    >>> [is_elsewhere(text) for text in ("s3://bucket/gold.parquet", "no/such/*.jsonl", "gold.jsonl")]
    [True, True, False]
    """
    text = split_text(path)[0]
    return bool(is_address(text) or (_PATTERN.search(text) and not os.path.lexists(text)))


def expanded(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that a pattern matches, sorted, each with the pattern's format; without a pattern, the path."""
    text, own = split_text(path)
    if not is_elsewhere(text) or not _PATTERN.search(text):
        return [os.fspath(path)]
    if is_address(text):
        with _faults(text):
            system, inside = _fsspec().core.url_to_fs(text)
            matches = sorted(system.unstrip_protocol(each) for each in system.glob(inside))
    else:
        matches = sorted(each for each in glob.glob(text, recursive=True) if Path(each).is_file())  # noqa: PTH207
    if not matches:
        raise FormatError("no file matches; check the pattern, and quote it so that the shell does not expand it", text)
    return [each if own is None else f"{each}::{own}" for each in matches]


@contextlib.contextmanager
def fetched(address: str) -> Iterator[Path]:
    """Copy the file at an address to a temporary file of the same name, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="caesura-") as folder:
        target = Path(folder) / (PurePosixPath(address.partition("?")[0]).name or "file")
        with _faults(address), _fsspec().open(address, "rb", compression=None) as remote, target.open("wb") as local:
            shutil.copyfileobj(remote, local, 1 << 20)
        try:
            yield target
        except FormatError as error:
            # Name the address in errors, not the temporary copy.
            if error.path != str(target):
                raise
            message = str(error).partition(" ")[2]
            raise FormatError(message, address, error.line) from None


def _fsspec() -> ModuleType:
    return library("fsspec", "reading addresses such as s3://", "parquet")


@contextlib.contextmanager
def _faults(address: str) -> Iterator[None]:
    """Report an error of a file system, which may be of any class, in one line."""
    try:
        yield
    except (FormatError, MissingExtraError):
        raise
    except FileNotFoundError:
        raise FormatError("there is no such file; check the address", address) from None
    except PermissionError as error:
        raise FormatError(
            f"cannot be read: access is denied ({reason(error)}); check your credentials", address
        ) from None
    except ImportError as error:
        raise FormatError(f"cannot be opened: {reason(error)}", address) from None
    except Exception as error:
        raise FormatError(f"cannot be read ({reason(error)}); check the address", address) from None
