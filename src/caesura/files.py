# SPDX-License-Identifier: Apache-2.0
"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from caesura.errors import FormatError

__all__ = ["write_atomically", "write_together"]


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    write_together({path: data})


def write_together(files: Mapping[str | Path, bytes]) -> None:
    """Write files whole, and all of them or none: to temporary files beside them, then renamed."""
    staged: list[tuple[Path, Path]] = []
    target = Path()
    try:
        for path, data in files.items():
            target = Path(path)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
            staged.append((Path(name), target))
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            # mkstemp makes private files; a result is as readable as any other file of the user.
            umask = os.umask(0)
            os.umask(umask)
            Path(name).chmod(0o666 & ~umask)
        for temporary, target in staged:
            temporary.replace(target)
    except OSError as error:
        raise FormatError(
            f"cannot be written ({error.strerror or error}); check the folder and the disk", target
        ) from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
