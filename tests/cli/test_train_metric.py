"""``caesura train --metric``, and ``model:FOLDER`` as a metric."""

from __future__ import annotations

import caesura as cz
from caesura.datasets.bundled import bundled


def test_weights_are_trained_shown_and_used(run, tmp_path):
    chats = bundled("tiage")
    files = []
    for name, ids in (("a", chats.ids[:10]), ("b", chats.ids[10:20])):
        files.append(tmp_path / f"{name}.jsonl")
        cz.save(chats.subset(ids), files[-1])
    folder = tmp_path / "w"
    done = run("train", *files, "--metric", "-o", folder)
    assert done.code == 0, done.err
    assert "blind, shuffled units" in done.out
    assert f"-m model:{folder}" in done.out
    shown = run("cohesion", files[0], "-m", f"model:{folder}", "--null", "none", "--no-check", "--full")
    assert shown.code == 0, shown.err
    assert "Weakest boundaries by" in shown.out
    wrong = run("train", *files, "--metric", "--scorer", "WindowHead", "-o", folder, "--force")
    assert wrong.code == 2
    assert "leave them out" in wrong.err
    again = run("train", *files, "--metric", "-o", folder)
    assert again.code == 2
    (folder / "metric.json").write_text("{}")
    broken = run("cohesion", files[0], "-m", f"model:{folder}")
    assert broken.code == 2
    assert broken.err.count("\n") == 1
