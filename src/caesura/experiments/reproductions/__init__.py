# SPDX-License-Identifier: Apache-2.0
"""Papers reproduced: their tables next to the published values.

Each paper is a package here, named ``paper_NUMBER``, whose ``reproduce(folder)`` returns a `Reproduction`; a new one is
found by its name. The data are read from ``reproduction`` below the folder that ``CAESURA_DATA`` names.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from pathlib import Path

from caesura.declare import nearest
from caesura.errors import DeclarationError, FormatError
from caesura.experiments.reproductions.report import Reproduction

__all__ = ["Reproduction", "data_folder", "papers", "reproduce"]

_PREFIX = "paper_"


def papers() -> dict[str, str]:
    """Return the papers that can be reproduced: number to title.

    >>> papers()["003"]
    'Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation'
    """
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name.startswith(_PREFIX))
    return {name.removeprefix(_PREFIX): importlib.import_module(f"{__name__}.{name}").TITLE for name in names}


def reproduce(number: str, folder: str | Path | None = None) -> Reproduction:
    """Reproduce the tables of a paper.

    Parameters
    ----------
    number : str
        One of `papers`.
    folder : path, optional
        The folder of the released data; ``reproduction`` below the folder that ``CAESURA_DATA`` names if not given.
    """
    known = papers()
    if number not in known:
        raise DeclarationError(f"no reproduction of paper {number!r}; {nearest(number, known)}")
    paper = importlib.import_module(f"{__name__}.{_PREFIX}{number}")
    reproduction: Reproduction = paper.reproduce(data_folder() if folder is None else Path(folder))
    return reproduction


def data_folder() -> Path:
    """Return the folder of the released data."""
    root = os.environ.get("CAESURA_DATA")
    if not root:
        raise FormatError(
            "the released data are not shipped; name their folder (--data FOLDER), or set CAESURA_DATA to the folder "
            "that holds it under the name reproduction"
        )
    return Path(root) / "reproduction"
