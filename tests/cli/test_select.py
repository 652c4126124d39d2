"""``caesura select``: files, streams, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCORED = {"id": "d1", "n_units": 6, "scores": [0.1, 0.7, 0.9, 0.2, 0.6]}


@pytest.mark.parametrize(
    ("options", "boundaries"),
    [
        (["--threshold", "0.5"], [2, 3, 5]),
        (["--threshold", "0.5", "--min-gap", "2"], [3, 5]),
        (["--top-k", "1"], [3]),
        (["--per-100", "34"], [2, 3]),
        (["--selector", "LocalMaximaSelector()"], [3, 5]),
        (["--adaptive", "--rate", "0.2"], [2, 3, 5]),
    ],
)
def test_files(run, write, options, boundaries):
    code, out, err = run("select", write("s.jsonl", SCORED), *options)
    assert code == 0
    # Three of five gaps are far more than a fifth.
    assert ("0.600 of the gaps became boundaries, not the --rate of 0.2" in err) == ("--adaptive" in options)
    assert err.count("\n") == ("--adaptive" in options)
    line = json.loads(out)
    assert (line["id"], line["n_units"]) == ("d1", 6)
    assert line["boundaries"] == boundaries


def test_output_file_can_be_evaluated(run, write, tmp_path):
    target = tmp_path / "system.jsonl"
    scored = write("s.jsonl", SCORED)
    assert run("select", scored, "--threshold", "0.8", "-o", target).code == 0
    gold = write("gold.jsonl", {"id": "d1", "n_units": 6, "boundaries": [3]})
    out = run("evaluate", gold, target, "-m", "F1", "--format", "json").out
    assert json.loads(out)["systems"]["system"]["F1"]["score"] == 1.0
    code, _, err = run("select", scored, "--threshold", "0.8", "-o", target)
    assert code == 2
    assert "--force" in err


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ([], "give exactly one of --threshold"),
        (["--threshold", "0.5", "--top-k", "2"], "give exactly one of --threshold"),
        (["--adaptive"], "--rate"),
        (["--selector", "StaticSelektor()"], "did you mean StaticSelector"),
        (["--per-100", "90", "--min-gap", "4"], "document 'd1': the density requires 5 boundaries"),
    ],
)
def test_bad_usage(run, write, options, hint):
    code, _, err = run("select", write("s.jsonl", SCORED), *options)
    assert code == 2
    assert hint in err
    assert err.count("\n") == 1


def test_documents_without_scores_or_with_the_wrong_number(run, write):
    code, _, err = run("select", write("n.jsonl", {"id": "x", "n_units": 3, "boundaries": []}), "--threshold", "0.5")
    assert code == 2
    assert "document 'x' has no scores" in err
    code, _, err = run("select", write("w.jsonl", {"id": "x", "n_units": 3, "scores": [0.1]}), "--threshold", "0.5")
    assert code == 2
    assert "one per gap" in err


def test_without_a_file_only_a_stream(run):
    code, _, err = run("select", "--threshold", "0.5")
    assert code == 2
    assert "--adaptive" in err


def stream(text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "caesura", "select", "--adaptive", "--rate", "0.2", "--min-gap", "2"]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def test_each_commit_is_printed_at_once():
    command = [sys.executable, "-u", "-m", "caesura", "select", "--adaptive", "--rate", "0.2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("0.9\n")
        process.stdin.flush()
        # Nothing more is sent: the line can only come if it was printed before the stream ended.
        assert process.stdout.readline() == "1\t1\n"
        process.stdin.close()
        assert process.wait() == 0


def test_a_stream_that_ends_in_the_middle_of_a_line():
    done = stream("0.9\n0.1\n0.")
    assert done.returncode == 0
    assert done.stdout == "1\t1\n"
    assert "line 3" in done.stderr


def test_a_line_that_is_no_score():
    done = stream("0.9\nhello\n")
    assert done.returncode == 2
    assert "standard input:2: 'hello' is not a score" in done.stderr
    for bad in ("nan", "inf"):
        done = stream(f"{bad}\n")
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


def test_stream_report(run, write):
    scored = write("s.jsonl", SCORED)
    gold = write("gold.jsonl", {"id": "d1", "n_units": 6, "boundaries": [3]})
    code, out, err = run(
        "select", scored, "--adaptive", "--rate", "0.2", "--stream-report", "--reference", gold, "--format", "json"
    )
    assert (code, err) == (0, "")
    report = json.loads(out)["stream"]
    assert report["summary"]["boundaries"] >= 1
    assert report["metric"] == "W-F1"
    assert run("select", scored, "--adaptive", "--rate", "0.2", "--stream-report").code == 0
    assert run("select", scored, "--threshold", "0.2", "--stream-report").code == 2


def test_the_results_file_shows_what_was_printed(run, write, tmp_path, shown):
    scored = write("s.jsonl", SCORED)
    gold = write("gold.jsonl", {"id": "d1", "n_units": 6, "boundaries": [3]})
    results = tmp_path / "r.json"
    command = ["select", scored, "--adaptive", "--rate", "0.2", "--stream-report", "--results", results]
    for more in ([], ["--reference", gold]):
        out = run(*command, *more, "--force").out
        assert shown(results, "table") == out
    assert "exists" in run(*command).err
    inputs = json.loads(results.read_text())["inputs"]
    assert [(source["role"], source["file"]) for source in inputs] == [
        ("scores", "s.jsonl"),
        ("reference", "gold.jsonl"),
    ]


ADAPTIVE = ["--adaptive", "--rate", "0.1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--selector", "LocalMaximaSelector()", "--min-gap", "2"], "--min-gap is not used with --selector"),
        (["--selector", "LocalMaximaSelector()", "--min-gap", "1"], "--min-gap is not used with --selector"),
        (["--threshold", "0.4", "--rate", "0.1"], "--rate needs --adaptive"),
        (["--top-k", "3", "--horizon", "5"], "--horizon needs --adaptive"),
        (["--top-k", "3", "--horizon", "50"], "--horizon needs --adaptive"),
        (["--selector", "AdaptiveSelector()", "--rate", "0.1"], "--rate needs --adaptive"),
        (["--threshold", "0.4", "--format", "csv"], "--format needs --stream-report"),
        ([*ADAPTIVE, "--results", "r.json"], "--results needs --stream-report"),
        ([*ADAPTIVE, "--stream-report", "-o", "st.json"], "--output cannot be combined with --stream-report"),
    ],
)
def test_options_that_would_not_be_used(run, write, tmp_path, monkeypatch, options, message):
    scored = write("s.jsonl", SCORED)
    monkeypatch.chdir(tmp_path)
    code, out, err = run("select", scored, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [scored]


@pytest.mark.parametrize("option", [["--min-gap", "2"], ["--rate", "0.1"], ["--horizon", "5"]])
def test_a_policy_takes_no_other_option(run, write, option):
    saved = {"schema": "caesura.policy/1", "selector": "StaticSelector(threshold=0.5)"}
    command = ["select", write("s.jsonl", SCORED), "--policy", write("policy.json", saved)]
    assert json.loads(run(*command).out)["boundaries"] == [2, 3, 5]
    code, out, err = run(*command, *option)
    assert (code, out) == (2, "")
    assert option[0] in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "x.jsonl"], "--output cannot be used with a stream"),
        (["--stream-report"], "--stream-report needs a file of SCORES"),
        (["--from", "jsonl"], "--from is the format of a file of SCORES"),
    ],
)
def test_options_that_a_stream_would_not_use(run, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("select", *ADAPTIVE, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="closes standard input as a POSIX shell does")
def test_a_closed_standard_input():
    command = [sys.executable, "-m", "caesura", "select", *ADAPTIVE]
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input is closed" in done.stderr
    assert done.stderr.count("\n") == 1
