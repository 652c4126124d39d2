# SPDX-License-Identifier: Apache-2.0
"""Downloads of datasets: only files whose licence allows it and whose hash is known, resumed after an interruption.

A download has a hidden name until its hash has been verified, so a file under its final name is always complete.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.client
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from caesura.encoders.web import OPENER, server_timeout
from caesura.errors import FormatError, reason
from caesura.files import file_hash, lock
from caesura.strict_json import decode

__all__ = ["Download", "Offer", "fetch", "offers"]

_ATTEMPTS = 3
_PIECE = 1 << 16


class Download(NamedTuple):
    """A file that may be downloaded: its address, its name below the folder, its SHA-256, and its size in bytes."""

    url: str
    name: str
    sha256: str
    size: int


class Offer(NamedTuple):
    """The downloadable part of a dataset: a description, and the files."""

    what: str
    files: tuple[Download, ...]


@functools.cache
def offers() -> dict[str, Offer]:
    """Return the downloadable files by dataset."""
    listed = decode(Path(__file__).with_name("downloads.json").read_bytes())
    return {
        name: Offer(
            offer["what"],
            tuple(
                Download(offer["base"] + path, path, sha256, size) for path, (sha256, size) in offer["files"].items()
            ),
        )
        for name, offer in listed.items()
    }


def fetch(file: Download, folder: Path, *, wait: float = 1.0) -> str:
    """Download a file into a folder unless it exists, and return "present", "downloaded" or "resumed".

    Of several processes that fetch the same file one downloads it, and the others wait for it.
    """
    target = folder / file.name
    if _is_present(file, target):
        return "present"
    try:
        with _partial(target.with_name(f".{target.name}.part")) as out:
            # Another process may have fetched it while this one waited.
            return "present" if _is_present(file, target) else _fetched(file, out, target, wait)
    except urllib.error.HTTPError as error:
        error.close()
        raise FormatError(f"{file.url} answers {error.code} {error.reason}; download it by hand", target) from None
    except urllib.error.URLError as error:
        raise FormatError(
            f"{file.url} cannot be reached ({error.reason}); if there is no network, download the file elsewhere and put it here",
            target,
        ) from None
    except OSError as error:
        raise FormatError(
            f"cannot be written ({error.strerror or error}); check the folder and the disk", target
        ) from None


def _is_present(file: Download, target: Path) -> bool:
    if target.exists() and file_hash(target) != file.sha256:
        raise FormatError("exists with different content; move it, or choose another folder with --to", target)
    return target.exists()


@contextlib.contextmanager
def _partial(path: Path) -> Iterator[IO[bytes]]:
    """Open a partial file that no other process uses, and remove it if it stays empty, with the folders made for it."""
    made = [folder for folder in path.parents if not folder.exists()]
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    linked = FormatError("is a link, which may lead to another file, or no regular file; remove it", path)
    while True:
        if path.is_symlink() or path.is_fifo():
            raise linked
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, flags, 0o666)
        except FileNotFoundError:  # another process has just removed the folder
            continue
        with os.fdopen(descriptor, "r+b") as out:
            if os.fstat(descriptor).st_nlink > 1:
                raise linked
            lock(descriptor)
            if not _is_at(path, out):
                continue  # another process has moved it to its place, or thrown it away
            try:
                yield out
            finally:
                if not out.closed and _is_at(path, out) and not out.seek(0, os.SEEK_END):
                    with contextlib.suppress(OSError):  # on Windows open, or not empty
                        path.unlink()
                        for folder in made:
                            folder.rmdir()
            return


def _is_at(path: Path, out: IO[bytes]) -> bool:
    """Return whether an open file still has a path."""
    try:
        return os.path.samestat(os.fstat(out.fileno()), path.lstat())
    except FileNotFoundError:
        return False


def _fetched(file: Download, out: IO[bytes], target: Path, wait: float) -> str:
    """Download a file by way of an open partial file, and return "downloaded" or "resumed"."""
    resumed = out.seek(0, os.SEEK_END) > 0
    for attempt in range(_ATTEMPTS):
        try:
            _receive(file, out)
            break
        except (http.client.HTTPException, TimeoutError, ConnectionError) as error:
            if attempt + 1 == _ATTEMPTS:
                raise FormatError(
                    f"the download was interrupted after {out.tell()} of {file.size} bytes ({reason(error)}); run the command "
                    f"again to resume it",
                    target,
                ) from None
            resumed = True
            time.sleep(wait * 2**attempt)
    if not _is_whole(file, out):
        _emptied(out)
        raise FormatError(f"{file.url} sent a file with an unexpected SHA-256; nothing was kept", target)
    if sys.platform == "win32":
        out.close()
    target.with_name(f".{target.name}.part").replace(target)
    return "resumed" if resumed else "downloaded"


def _is_whole(file: Download, out: IO[bytes]) -> bool:
    out.flush()
    out.seek(0)
    return hashlib.file_digest(out, "sha256").hexdigest() == file.sha256  # type: ignore[arg-type]


def _receive(file: Download, out: IO[bytes]) -> None:
    """Append the missing rest to a partial file; start over if the server sends the whole file."""
    there = out.seek(0, os.SEEK_END)
    if there >= file.size:
        if _is_whole(file, out):
            return
        there = _emptied(out)
    headers = {"User-Agent": "caesura", "Accept-Encoding": "identity"} | ({"Range": f"bytes={there}-"} if there else {})
    request = urllib.request.Request(file.url, headers=headers)  # noqa: S310  (the addresses are our own)
    try:
        answer = OPENER.open(request, timeout=server_timeout())
    except urllib.error.HTTPError as error:
        if error.code != 416 or not there:
            raise
        error.close()  # the server has no such rest, so this is the beginning of another file
        _emptied(out)
        _receive(file, out)
        return
    with answer:
        begins = f"bytes {there}-"
        append = there > 0 and answer.status == 206 and answer.headers.get("Content-Range", "").startswith(begins)
        size = there if append else _emptied(out)
        while piece := answer.read1(_PIECE):
            size += len(piece)
            if size > file.size:
                _emptied(out)
                raise FormatError(f"{file.url} sends more than the expected {file.size} bytes; nothing was kept")
            out.write(piece)
    if size < file.size:
        raise http.client.IncompleteRead(b"", file.size - size)


def _emptied(out: IO[bytes]) -> int:
    """Throw away what a file has, and return its size."""
    out.seek(0)
    return out.truncate()
