"""``caesura gate``: exit 1 when a score is too low or has dropped."""

from __future__ import annotations

import json

import pytest

import caesura as cz


def test_required_scores(run, files):
    gold, good, bad = files
    assert run("gate", gold, good, "-m", "W-F1", "--min", "W-F1=0.5").code == 0
    code, out, err = run("gate", gold, good, bad, "-m", "W-F1", "-m", "Pk", "--min", "W-F1=0.8", "--min", "Pk=0.9")
    assert code == 1
    assert out.startswith("Failed: 1 check of 4.\nbad, W-F1: is 0.")
    assert out.count("must be at least 0.8") == 1
    assert err == ""
    code, _, err = run("gate", gold, bad, "-m", "W-F1", "--min", "W-F1=0.8", "--format", "csv")
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("caesura: gate: bad, W-F1: is 0.")
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
    assert out.count("mine, W-F1: ") == 1
    assert err == ""
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


@pytest.fixture
def short(run, write, tmp_path):
    """Return the words of a gate on documents of one unit, on which Pk is not defined, then and now."""
    gold = write("short.jsonl", *({"id": f"d{number}", "n_units": 1, "boundaries": []} for number in range(4)))

    def words(metrics):
        last = tmp_path / "last.json"
        assert run("evaluate", gold, f"mine={gold}", "-m", metrics, "-o", last).code == 0
        return "gate", gold, f"mine={gold}", "-m", metrics, "--last", last

    return words


def test_a_gate_that_compared_nothing_has_not_passed(run, short, tmp_path):
    words = short("Pk,WindowDiff")
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"caesura: {tmp_path / 'last.json'}: no score can be compared with it")
    assert run(*words, "--min", "Pk=0.9").code == 2


def test_only_scores_that_were_compared_are_counted(run, short):
    code, out, err = run(*short("Pk,B,W-F1"))
    assert code == 0
    assert out.startswith("Passed: none of 2 scores is significantly worse than in last.json")
    assert "mine, Pk: not defined on the common documents, then or now; not compared" in err


def test_stored_results_that_compared_nothing_do_not_say_passed(run, files, tmp_path):
    gold, good, _ = files
    last, now = tmp_path / "last.json", tmp_path / "now.json"
    assert run("evaluate", gold, f"mine={good}", "-m", "Pk", "-o", last).code == 0
    assert run("gate", gold, f"mine={good}", "-m", "Pk", "--last", last, "-o", now).code == 0
    facts = json.loads(now.read_text())
    facts["gates"]["drops"][0]["drop"] = None
    now.write_text(json.dumps(facts))
    assert run("show", now).out.startswith("Nothing could be compared with last.json.\n")


def test_a_results_file_is_gated(run, tmp_path):
    texts = {f"d{n}": f"Cats sleep all day number{n}. They hunt mice. Rain fell in town{n}." for n in range(8)}
    gold = {key: [f"Rain fell in town{n}"] for n, key in enumerate(texts)}
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    for path, size in ((good, 200), (bad, 9)):
        chunks = {key: [text[at : at + size] for at in range(0, len(text), size)] for key, text in texts.items()}
        cz.spans(texts, gold, {"mine": chunks}, resamples=10).save(path)
    target = tmp_path / "gate.md"
    code, out, _ = run("gate", bad, "--min", "Inside=0.9", "--last", good, "--max-drop", "0.02", "--summary", target)
    assert code == 1
    assert out.startswith("Failed: ")
    text = target.read_text()
    assert text.startswith("## Gate failed\n")
    assert "### Since good.json" in text
    assert "### Worst documents" in text
    assert text.count("| mine |") >= 3
    assert run("gate", good, "--min", "Inside=0.3").code == 0
    code, _, err = run("gate", good, "--min", "Insider=0.3")
    assert (code, err.count("\n")) == (2, 1)
    assert "Inside" in err
    assert "is for scoring SYSTEMS" in run("gate", good, "--min", "Inside=0.3", "-m", "Pk").err
