# SPDX-License-Identifier: Apache-2.0
"""Downloads of datasets: only files whose licence allows it and whose hash is known, resumed after an interruption.

A download has a hidden name until its hash has been verified, so a file under its final name is always complete.
"""

from __future__ import annotations

import functools
import http.client
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import NamedTuple

from caesura.encoders.web import NoRedirection, server_timeout
from caesura.errors import FormatError, reason
from caesura.files import file_hash
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
    """Download a file into a folder unless it exists, and return "present", "downloaded" or "resumed"."""
    target = folder / file.name
    part = target.with_name(f".{target.name}.part")
    if target.exists():
        if file_hash(target) == file.sha256:
            return "present"
        raise FormatError("exists with different content; move it, or choose another folder with --to", target)
    try:
        resumed = part.exists() and part.stat().st_size > 0
        for attempt in range(_ATTEMPTS):
            try:
                _receive(file, part)
                break
            except (http.client.HTTPException, TimeoutError, ConnectionError) as error:
                if attempt + 1 == _ATTEMPTS:
                    there = part.stat().st_size if part.exists() else 0
                    raise FormatError(
                        f"the download was interrupted after {there} of {file.size} bytes ({reason(error)}); run the command "
                        f"again to resume it",
                        target,
                    ) from None
                resumed = True
                time.sleep(wait * 2**attempt)
        if file_hash(part) != file.sha256:
            part.unlink()
            raise FormatError(f"{file.url} sent a file with an unexpected SHA-256; nothing was kept", target)
        part.replace(target)
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
    return "resumed" if resumed else "downloaded"


def _receive(file: Download, part: Path) -> None:
    """Append the missing rest to a partial file; start over if the server sends the whole file."""
    there = part.stat().st_size if part.exists() else 0
    if there >= file.size:
        if file_hash(part) == file.sha256:
            return
        part.unlink()
        there = 0
    headers = {"User-Agent": "caesura", "Accept-Encoding": "identity"} | ({"Range": f"bytes={there}-"} if there else {})
    request = urllib.request.Request(file.url, headers=headers)  # noqa: S310  (the addresses are our own)
    opener = urllib.request.build_opener(NoRedirection)
    with opener.open(request, timeout=server_timeout()) as answer:
        begins = f"bytes {there}-"
        append = there > 0 and answer.status == 206 and answer.headers.get("Content-Range", "").startswith(begins)
        part.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab" if append else "wb") as out:
            size = there if append else 0
            while piece := answer.read1(_PIECE):
                size += len(piece)
                if size > file.size:
                    raise FormatError(f"{file.url} sends more than the expected {file.size} bytes; stopped", part)
                out.write(piece)
    if size < file.size:
        raise http.client.IncompleteRead(b"", file.size - size)
