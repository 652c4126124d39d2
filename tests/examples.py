"""The example files of the documentation, for the tests that run it."""

from __future__ import annotations

import functools
from pathlib import Path

from caesura.demo import example_files

__all__ = ["examples_once", "write_example_files"]

examples_once = functools.cache(example_files)
"""The files by name; making them takes a second."""


def write_example_files(folder: Path) -> None:
    """Write every example file into a folder."""
    for name, data in examples_once().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
