# SPDX-License-Identifier: Apache-2.0
"""The folder of corpora: a variable that is empty or names no folder is as none, and the latter is told in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.datasets.folders import data_folder
from caesura.errors import CaesuraWarning, FormatError


def test_the_folder_of_corpora(monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    assert data_folder() is None
    monkeypatch.setenv("CAESURA_DATA", "")
    assert data_folder() is None
    assert data_folder("") is None
    monkeypatch.setenv("CAESURA_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    for name in ("nowhere", "file"):
        monkeypatch.setenv("CAESURA_DATA", str(tmp_path / name))
        with pytest.warns(CaesuraWarning, match=f"{name}', which is not a folder, so it is ignored; set it"):
            assert data_folder() is None
        assert data_folder(tmp_path) == tmp_path  # a given folder needs no variable
        with pytest.raises(FormatError, match=f"{name}.*no such folder; name the folder of the data"):
            data_folder(tmp_path / name)
