# SPDX-License-Identifier: Apache-2.0
"""The explorer as files: page, modules and data blocks in a folder that any web server can serve."""

from __future__ import annotations

from pathlib import Path

import msgspec

from caesura.errors import OutputExistsError
from caesura.files import write_together
from caesura.reports.page import PageData
from caesura.reports.page.html import asset, assets, served_document

__all__ = ["write_bundle"]


def write_bundle(data: PageData, folder: str | Path, *, title: str) -> int:
    """Write the page, its modules and its data to an empty or new folder, and return the number of files.

    Raises
    ------
    OutputExistsError
        If the folder is not empty.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OutputExistsError(f"{target} exists and is not an empty folder; name another one")
    for part in (target / "assets", target / "data"):
        part.mkdir(parents=True, exist_ok=True)
    modules: dict[str | Path, bytes] = {target / "assets" / name: asset(name).encode() for name in assets()}
    write_together(modules)
    written = len(modules)
    for name, place, number in data.names():
        write_together({target / "data" / name: msgspec.json.encode(data.block(place, number))})
        written += 1
    # The page is written last, so that its presence means that the folder is complete.
    write_together({target / "data" / "index": msgspec.json.encode(data.index())})
    write_together({target / "index.html": served_document(title, "data/").encode()})
    return written + 2
