"""``caesura gate``: exit 1 when a score is too low or has dropped."""

from __future__ import annotations

import json


def test_required_scores(run, files):
    gold, good, bad = files
    assert run("gate", gold, good, "-m", "W-F1", "--min", "W-F1=0.5").code == 0
    code, out, err = run("gate", gold, good, bad, "-m", "W-F1", "-m", "Pk", "--min", "W-F1=0.8", "--min", "Pk=0.9")
    assert code == 1
    assert "W-F1" in out
    assert err.count("\n") == 1
    assert err.startswith("caesura: gate: bad, W-F1: is 0.")
    assert "must be at least 0.8" in err
    code, _, err = run("gate", gold, good, "-m", "W-F1", "--min", "Nonsense=0.5")
    assert code == 2
    assert err.count("\n") == 1


def test_a_drop_fails_only_if_it_is_significant(run, files, tmp_path):
    gold, good, bad = files
    last = tmp_path / "last.json"
    assert run("evaluate", gold, f"mine={good}", "-m", "W-F1", "-o", last).code == 0
    since = ("-m", "W-F1", "--last", last, "--max-drop")
    assert run("gate", gold, f"mine={good}", *since, "0.02").code == 0
    code, out, err = run("gate", gold, f"mine={bad}", *since, "0.02")
    assert code == 1
    assert "Since last.json" in out
    assert "caesura: gate: mine, W-F1" in err
    assert run("gate", gold, f"mine={bad}", *since, "0.9").code == 0
    code, _, err = run("gate", gold, good, "-m", "W-F1", "--last", gold)
    assert code == 2
    assert err.count("\n") == 1


def test_limits_and_breaches_are_stored(run, files, tmp_path):
    gold, _, bad = files
    target = tmp_path / "r.json"
    assert run("gate", gold, bad, "-m", "W-F1", "--min", "W-F1=0.9", "-o", target).code == 1
    gates = json.loads(target.read_text())["gates"]
    assert gates["limits"] == {"W-F1": 0.9}
    assert [breach["system"] for breach in gates["breaches"]] == ["bad"]
    assert run("show", target).out == run("gate", gold, bad, "-m", "W-F1", "--min", "W-F1=0.9").out


def test_nothing_to_check(run, files):
    code, _, err = run("gate", *files)
    assert (code, err.count("\n")) == (2, 1)
    assert "--min" in err
    assert "needs --last" in run("gate", *files, "--min", "W-F1=0", "--alpha", "0.1").err
