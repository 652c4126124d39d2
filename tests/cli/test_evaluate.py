"""``caesura evaluate``, from outside: what is printed, what is written, what is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

GOLD = ({"id": "d1", "masses": [6, 3, 4]}, {"id": "d2", "n_units": 13, "boundaries": [6, 9]})
A = ({"id": "d1", "masses": [4, 4, 5]}, {"id": "d2", "masses": [6, 3, 4]})


@pytest.fixture
def files(write):
    return write("gold.jsonl", *GOLD), write("a.jsonl", *A), write("b.jsonl", *GOLD)


def test_json_has_the_promised_shape(run, files):
    code, out, err = run("evaluate", *files, "-m", "Pk", "-m", "B", "--format", "json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    # d1: 6 of 11 windows wrong, d2: none; macro mean of 6/11 and 0.
    assert result["systems"]["a"]["Pk"]["score"] == pytest.approx(3 / 11, abs=1e-12)
    assert result["systems"]["b"]["B"]["score"] == 1.0
    assert set(result["systems"]["a"]["Pk"]) >= {"score", "aggregation", "documents", "undefined", "signature"}
    assert result["systems"]["a"]["Pk"]["aggregation"] == "macro"
    assert result["systems"]["a"]["Pk"]["documents"] == 2


def test_keys_are_the_metrics_as_given(run, files):
    out = run("evaluate", *files[:2], "-m", "W-F1", "-m", "WD(k=3)", "--format", "json").out
    assert list(json.loads(out)["systems"]["a"]) == ["W-F1", "WD(k=3)"]


def test_no_score_is_marked_without_a_test(run, files):
    out = run("evaluate", *files, "-m", "Pk", "-m", "B").out
    rows = {line.split()[0]: line for line in out.splitlines() if line[:2] in ("a ", "b ") and "|" not in line}
    assert set(rows) == {"a", "b"}
    assert "*" not in rows["a"] + rows["b"]
    assert "marked:" not in out
    assert "Pk|k:auto=2|agg:macro|docs:2" in out


@pytest.mark.parametrize("target", ["csv", "markdown", "latex"])
def test_other_formats(run, files, target):
    code, out, _ = run("evaluate", *files, "-m", "Pk", "--format", target)
    assert code == 0
    if target == "csv":
        rows = list(csv.DictReader(io.StringIO(out)))
        assert float(rows[0]["Pk"]) == pytest.approx(3 / 11, abs=1e-15)
    elif target == "markdown":
        assert "| b | 0.000 |" in out
    else:
        assert r"b & 0.000" in out


def test_files_beside_the_printed_table(run, files, tmp_path):
    tex, comma, results = tmp_path / "t.tex", tmp_path / "t.csv", tmp_path / "r.json"
    code, _, err = run("evaluate", *files, "-m", "Pk", "--latex", tex, "--csv", comma, "-o", results)
    assert (code, err) == (0, "")
    assert r"\toprule" in tex.read_text()
    assert comma.read_text().startswith("system,Pk,Pk chance,Pk chance error,Pk clock,BOR\n")
    assert json.loads(results.read_text())["counts"]["file"] == "r.counts.npz"
    assert (tmp_path / "r.counts.npz").exists()
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


@pytest.mark.parametrize("option", ["-o", "--latex", "--csv", "--segments"])
def test_existing_output_is_refused(run, files, tmp_path, option):
    target = tmp_path / "there.json"
    target.write_text("precious")
    code, out, err = run("evaluate", *files, "-m", "Pk", option, target)
    assert (code, out) == (2, "")
    assert "exists" in err
    assert "--force" in err
    assert err.count("\n") == 1
    assert target.read_text() == "precious"
    assert run("evaluate", *files, "-m", "Pk", option, target, "--force").code == 0
    assert target.read_text() != "precious"


def test_output_into_a_missing_folder_is_refused_before_the_work(run, files, tmp_path):
    code, _, err = run("evaluate", *files, "-o", tmp_path / "no" / "r.json")
    assert code == 2
    assert "folder does not exist" in err


def test_per_document(run, files):
    rows = list(
        csv.DictReader(io.StringIO(run("evaluate", *files[:2], "-m", "Pk", "--per-document", "--format", "csv").out))
    )
    assert [(row["document"], round(float(row["Pk"]), 3)) for row in rows] == [("d1", 0.545), ("d2", 0.0)]
    result = json.loads(run("evaluate", *files[:2], "-m", "Pk", "--per-document", "--format", "json").out)
    assert result["documents"] == ["d1", "d2"]
    assert result["per_document"]["a"]["Pk"][1] == 0.0


def test_by_micro(run, write):
    gold = write("g.jsonl", {"id": "x", "masses": [2, 2]}, {"id": "y", "masses": [10, 10]})
    hyp = write("h.jsonl", {"id": "x", "masses": [2, 2]}, {"id": "y", "masses": [20]})
    scores = {}
    for by in ("macro", "micro"):
        out = run("evaluate", gold, hyp, "-m", "Pk", "--by", by, "--format", "json").out
        scores[by] = json.loads(out)["systems"]["h"]["Pk"]["score"]
    # x: k = max(2, 1) = 2, 2 windows, no error; y: k = 5, 15 windows, 5 errors.
    assert scores["macro"] == pytest.approx((0 + 5 / 15) / 2)
    assert scores["micro"] == pytest.approx(5 / 17)


def test_a_profile_scores_what_its_program_prints(run, files):
    out = run("evaluate", *files[:2], "--profile", "superdialseg", "--format", "json").out
    scores = {name: part["score"] for name, part in json.loads(out)["systems"]["a"].items()}
    # d1: F1 0, Pk and WindowDiff 6 of 12; d2 is right.
    assert scores == pytest.approx({"Pk": 0.25, "WindowDiff": 0.25, "F1": 0.5, "Score": 0.625, "MAE": 0.0})
    assert "Score" in run("evaluate", *files[:2], "--profile", "superdialseg").out
    code, out, _ = run("gate", *files[:2], "--profile", "superdialseg", "--min", "B=0.1", "--min", "Score=0.6")
    assert code == 0
    assert "Score" in run("metrics", "--profiles").out
    code, _, err = run("evaluate", *files[:2], "--profile", "superdialseg", "--by", "micro")
    assert (code, err.count("\n")) == (2, 1)
    assert "MAE: the counts of documents do not add" in err


def test_profile(run, files):
    out = run("evaluate", *files[:2], "-m", "Pk", "--profile", "nltk", "--format", "json").out
    score = json.loads(out)["systems"]["a"]["Pk"]
    assert score["score"] == pytest.approx(0.4 / 2)
    assert "profile:nltk" in score["signature"]


def test_named_systems_and_name_clashes(run, write, files, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    twin = folder / "a.jsonl"
    twin.write_text(files[2].read_text())
    code, _, err = run("evaluate", files[0], files[1], twin, "-m", "Pk")
    assert code == 2
    assert "two systems are called 'a'" in err
    out = run("evaluate", files[0], files[1], f"twin={twin}", "-m", "Pk", "--format", "json").out
    assert list(json.loads(out)["systems"]) == ["a", "twin"]


def test_cut_breaks_segments_down(run, files):
    out = run("evaluate", *files[:2], "-m", "CovN", "--cut", "5", "--format", "json").out
    scores = json.loads(out)["systems"]["a"]
    assert list(scores) == ["CovN", "CovN [short]", "CovN [long]"]
    assert "length:short" in scores["CovN [short]"]["signature"]


def test_segments_file(run, files, tmp_path):
    target = tmp_path / "segments.csv"
    assert run("evaluate", *files[:2], "-m", "CovN", "--segments", target).code == 0
    rows = list(csv.DictReader(target.open()))
    assert len(rows) == 6
    assert {row["outcome"] for row in rows if row["document"] == "d2"} == {"retrieved"}


GOOD = '{"id": "d1", "masses": [6, 3, 4]}'
BAD_FILES = {
    "float masses": ('{"id": "d1", "masses": [6.0, 3, 4]}', ":1:"),
    "unsorted": ('{"id": "d1", "n_units": 13, "boundaries": [9, 6]}', ":1:"),
    "twice": ('{"id": "d1", "n_units": 13, "boundaries": [6, 6]}', ":1:"),
    "out of range": ('{"id": "d1", "n_units": 13, "boundaries": [13]}', ":1:"),
    "misspelt key": ('{"id": "d1", "massses": [6, 3, 4]}', "masses"),
    "truncated": (GOOD + '\n{"id": "d2", "mas', ":2:"),
    "empty": ("", "no document"),
    "binary": ("\x00\x01\x02\xff", ""),
    "duplicate": (GOOD + "\n" + GOOD, "'d1'"),
    "unequal": ('{"id": "d1", "masses": [6, 3, 5]}', "13 units"),
    "extra": (GOOD + '\n{"id": "zz", "masses": [3]}', "'zz'"),
    "missing": ('{"id": "other", "masses": [13]}', "'other'"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_one_line_and_exit_2(run, write, tmp_path, case):
    text, hint = BAD_FILES[case]
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(text.encode("latin-1"))
    target = tmp_path / "out.json"
    code, out, err = run("evaluate", write("g.jsonl", GOOD), bad, "-m", "Pk", "-o", target)
    assert (code, out) == (2, "")
    assert err.startswith("caesura: ")
    assert err.count("\n") == 1
    assert hint in err
    assert not target.exists()


@pytest.mark.parametrize(
    ("metric", "hint"),
    [
        ("Pkk", "did you mean Pk"),
        ("Pk(kk=2)", "unknown parameter 'kk'"),
        ("Pk(k=0)", "k is 0"),
        ("Pk(k=13)", "longest document has 13 units"),
        ("Pk(k=open('x'))", "must be a number or a quoted word"),
        ("WindowDiff(edge='lampier')", "must be one of"),
        ("BoundaryF1(tolerance='10s')", "length in time"),
        ("", "no metric given"),
    ],
)
def test_bad_metrics_are_one_line_and_exit_2(run, files, metric, hint):
    code, out, err = run("evaluate", *files, "-m", metric)
    assert (code, out) == (2, "")
    assert hint in err
    assert err.count("\n") == 1


def test_missing_documents_are_an_error_unless_skipped_and_then_counted(run, write, files):
    short = write("short.jsonl", A[0])
    code, _, err = run("evaluate", files[0], short, "-m", "Pk")
    assert code == 2
    assert "'d2'" in err
    assert "--missing skip" in err
    out = run("evaluate", files[0], short, files[2], "-m", "Pk", "--missing", "skip", "--format", "json").out
    result = json.loads(out)
    assert result["systems"]["short"]["Pk"]["documents"] == 1
    # Both systems are scored on the same documents.
    assert result["systems"]["b"]["Pk"]["documents"] == 1
    assert [entry["missing"] for entry in result["inputs"]] == [0, 1, 0]
    assert "missing:1" in result["systems"]["short"]["Pk"]["signature"]


def test_undefined_documents_are_counted(run, write):
    gold = write("g.jsonl", {"id": "one", "n_units": 1, "boundaries": []}, {"id": "two", "masses": [6, 3, 4]})
    out = run("evaluate", gold, gold, "-m", "Pk", "--format", "json").out
    score = json.loads(out)["systems"]["g"]["Pk"]
    assert (score["documents"], score["undefined"]) == (1, 1)
    assert "1 of 2 documents undefined" in run("evaluate", gold, gold, "-m", "Pk").out


def test_nothing_defined_is_null_with_a_reason(run, write):
    gold = write("g.jsonl", {"id": "one", "n_units": 1, "boundaries": []})
    score = json.loads(run("evaluate", gold, gold, "-m", "Pk", "--format", "json").out)["systems"]["g"]["Pk"]
    assert score["score"] is None
    assert "not longer than the window" in score["reason"]


def test_infinity_is_a_word(run, write):
    gold = write("g.jsonl", {"id": "x", "n_units": 9, "boundaries": []})
    hyp = write("h.jsonl", {"id": "x", "n_units": 9, "boundaries": [3]})
    assert (
        json.loads(run("evaluate", gold, hyp, "-m", "BOR", "--format", "json").out)["systems"]["h"]["BOR"]["score"]
        == "inf"
    )


def test_usage_errors(run, files):
    assert run("evaluate", files[0]).code == 2
    assert run("nonsense").code == 2
    assert run("evaluate", *files, "--by", "median").code == 2


def test_a_chapter_list_against_a_chapter_file(run, tmp_path):
    show = tmp_path / "show.vtt"
    show.write_text(
        "WEBVTT\nKind: chapters\n\n00:00:00.000 --> 00:01:00.000\nIntro\n\n"
        "00:01:00.000 --> 00:03:30.000\nNews\n\n00:03:30.000 --> 00:05:00.000\nWeather\n"
    )
    auto = tmp_path / "auto.json"
    chapters = [{"startTime": 0, "title": "a"}, {"startTime": 64, "title": "b"}, {"startTime": 210, "title": "c"}]
    auto.write_text(json.dumps({"version": "1.2.0", "chapters": chapters}))
    code, out, err = run("evaluate", show, auto, "-m", "CovD", "-m", "BoundaryF1(tolerance='10s')", "--format", "json")
    assert code == 0, err
    scores = json.loads(out)["systems"]["auto"]
    assert scores["BoundaryF1(tolerance='10s')"]["score"] == 1.0
    assert scores["CovD"]["score"] == 1.0
    assert "unit:ms" in scores["CovD"]["signature"]


def test_default_metrics_on_time(run, tmp_path, write):
    gold = write("g.jsonl", {"id": "s", "unit": "ms", "masses": [60000, 90000]})
    code, out, _ = run("evaluate", gold, gold)
    assert code == 0
    assert "W-F1" not in out
    assert "F1 (10s) ↑  chance" in out
    assert "Pk|k:auto=37.5s|" in out  # half of 75 seconds, the mean segment
    code, _, err = run("evaluate", gold, gold, "-m", "W-F1")
    assert code == 2
    assert "tolerance='10s'" in err


def test_a_real_process_without_utf8(files, tmp_path):
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-m", "caesura", "evaluate", *map(str, files)], capture_output=True, env=env, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Pk" in done.stdout


def test_a_reader_that_has_seen_enough(files):
    script = (
        f"{sys.executable} -m caesura evaluate {files[0]} {files[1]} --per-document | true; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "0"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_debug_shows_the_traceback(files):
    done = subprocess.run(
        [sys.executable, "-m", "caesura", "--debug", "evaluate", str(files[0]), "none.jsonl"], capture_output=True
    )
    assert b"Traceback" in done.stderr


def test_results_do_not_depend_on_where_the_files_are(run, write, files, tmp_path, monkeypatch):
    elsewhere = json.loads(run("evaluate", *files, "--format", "json").out)
    monkeypatch.chdir(tmp_path)
    text = run("evaluate", *files, "--format", "json").out
    assert str(tmp_path) not in text
    here = json.loads(text)
    assert here["inputs"][0]["file"] == "gold.jsonl"
    for entry, other in zip(here["inputs"], elsewhere["inputs"], strict=True):
        assert not Path(other["file"]).is_absolute()
        assert Path(other.pop("file")).resolve().name == entry.pop("file")
    assert here == elsewhere


def test_verdicts_that_nobody_asked_for_are_left_out_where_they_take_long(run, files, monkeypatch):
    gold, good, _ = files
    assert "chance  clock" in run("evaluate", gold, good, "-m", "B").out
    monkeypatch.setattr("caesura.cli._evaluating._MANY_BOUNDARIES", 3)
    assert "clock" not in run("evaluate", gold, good, "-m", "B").out
    assert "chance  clock" in run("evaluate", gold, good, "-m", "B", "--verdict").out
