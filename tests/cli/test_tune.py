"""``caesura tune``."""

from __future__ import annotations

import json

import pytest


def test_tune(run, docs, tmp_path):
    target = tmp_path / "tuned.json"
    call = ("tune", docs, "TextTiling", "--try", "window=1,2,3", "--try", "stop_words=none,english", "--held-out", docs)
    code, out, err = run(*call, "-o", target)
    assert (code, err) == (0, "")
    results = json.loads(target.read_text())
    assert results["question"] == "tune"
    assert len(results["tuning"]["tried"]) == 6
    best = next(one for one in results["tuning"]["tried"] if one["method"] == results["tuning"]["chosen"])
    assert results["tuning"]["held_out"] == best["score"]
    assert " ".join(out.split()).startswith(
        f"{results['tuning']['chosen']} is the best of 6 settings on 8 documents: Pk "
    )
    assert run("show", target).out == out
    assert "2 of 6 combinations" in run(*call, "--random", "2").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--try", "window"), "write a parameter and its values"),
        (("--try", "window=1", "--try", "window=2"), "is given twice"),
        (("--try", "window=x"), "window"),
        (("--try", "window=1", "-m", "Nope"), "Nope"),
    ],
)
def test_wrong_values_are_one_line(run, docs, words, message):
    code, _, err = run("tune", docs, "TextTiling", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
