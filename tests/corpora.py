"""Corpora that are not shipped, in the folder that CAESURA_DATA names: tests that need one are skipped where it is not there.

An empty variable, or one that names no folder, is as none: `conftest` removes it, so that programs under test see none either.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_NAMED = os.environ.get("CAESURA_DATA", "")

FOLDER = Path(_NAMED).resolve() if _NAMED and Path(_NAMED).is_dir() else None
"""The folder of corpora, or None."""


def corpus_file(name: str) -> Path:
    """Return the path of a file or folder, such as "choi/original"; without corpora there is nothing at it."""
    return (FOLDER or Path("no-corpora")) / name


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip a test unless these files or folders are there; without a name, unless there is a folder of corpora."""
    if FOLDER is None:
        return pytest.mark.skip(f"needs {', '.join(names) or 'corpora'}; CAESURA_DATA names no folder")
    lacking = [name for name in names if not corpus_file(name).exists()]
    return pytest.mark.skipif(bool(lacking), reason=f"the folder of CAESURA_DATA has no {', '.join(lacking)}")
