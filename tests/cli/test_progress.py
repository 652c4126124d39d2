"""Long work says its size before it begins."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["evaluate", "--skill"], "200 random placements of {} boundaries (documents: 30, systems: 2)"),
        (["evaluate", "--verdict"], "200 random placements of {} boundaries"),
        (["compare"], "9,999 permutations of 30 documents for each of 1 pairs of systems and 1 metrics"),
        (["compare"], "200 random placements of {} boundaries"),
    ],
)
def test_long_work_says_its_size(run, files, monkeypatch, words, says):
    gold, good, bad = files
    command = [words[0], gold, good, bad, "-m", "B", *words[1:]]
    assert "takes a while" not in run(*command).err
    monkeypatch.setattr("caesura.cli._progress.LONG", 10)
    import caesura

    boundaries = sum(len(caesura.load(file).flat.pos) for file in (good, bad))
    assert f"caesura: note: this takes a while: {says.format(f'{boundaries:,}')}" in run(*command).err
