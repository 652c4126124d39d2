"""Studies: what was measured once, with its script, its numbers, its page and its figure."""

from __future__ import annotations

from pathlib import Path


def corpora_folder() -> Path:
    """Return the folder that ``CAESURA_DATA`` names, or end the program with a line that says so."""
    from caesura.datasets.folders import data_folder

    folder = data_folder()
    if folder is None:
        raise SystemExit("set CAESURA_DATA to the folder of the corpora")
    return folder
