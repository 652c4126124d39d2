"""One bad line, file or span costs itself with ``--missing skip``, counted and listed; without it, one line names the option."""

from __future__ import annotations

import json

import pytest

import caesura as cz

OPTION = "or leave out and count what cannot be read with missing='skip' (--missing skip)"


def document(number, at=5):
    units = [f"Sentence {place} of {number} is here." for place in range(10)]
    return {"id": f"d{number}", "units": units, "boundaries": [at]}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Return a current folder with gold, and a system of the same documents of which two lines are bad."""
    monkeypatch.chdir(tmp_path)
    gold = [json.dumps(document(number)) for number in range(6)]
    (tmp_path / "gold.jsonl").write_text("\n".join(gold) + "\n")
    bad = [json.dumps(document(number, 4)) for number in range(6)]
    (tmp_path / "rest.jsonl").write_text("\n".join(bad[:2] + bad[3:4] + bad[5:]) + "\n")
    bad[2], bad[4] = bad[2][:40], json.dumps(document(4, 50))
    (tmp_path / "bad.jsonl").write_text("\n".join(bad) + "\n")
    lean = [json.dumps({"id": f"d{n}", "n_units": 10, "boundaries": [40 if n == 3 else 4]}) for n in range(6)]
    (tmp_path / "lean.jsonl").write_text("\n".join(lean) + "\n")
    return tmp_path


@pytest.mark.parametrize(("file", "line"), [("bad.jsonl", 3), ("lean.jsonl", 4)])
@pytest.mark.parametrize("role", ["reference", "system"])
def test_a_bad_line_is_refused_with_the_option_that_skips_it(run, files, file, line, role):
    pair = ("gold.jsonl", file) if role == "system" else (file, "gold.jsonl")
    code, out, err = run("evaluate", *pair, "-m", "Pk")
    assert (code, out) == (2, "")
    assert err.startswith(f"caesura: {file}:{line}: ")
    assert err.count("\n") == 1
    assert err.endswith(OPTION + "\n")


def test_bad_lines_of_a_system_are_left_out_counted_and_listed(run, files):
    code, out, _ = run("evaluate", "gold.jsonl", "bad.jsonl", "-m", "Pk", "--missing", "skip")
    assert code == 0
    assert "left_out:2|docs:4|missing:2" in out
    assert "bad.jsonl:3: " in out
    assert "bad.jsonl:5: document 'd4': boundary 50 is out of range" in out
    kept = cz.evaluate("gold.jsonl", "rest.jsonl", "Pk", missing="skip").scores["rest"]
    assert cz.evaluate("gold.jsonl", "bad.jsonl", "Pk", missing="skip").scores["bad"] == kept
    fast = cz.evaluate("gold.jsonl", "lean.jsonl", "Pk", missing="skip")
    assert fast.documents == ["d0", "d1", "d2", "d4", "d5"]


def test_bad_lines_of_the_reference_cost_their_documents_everywhere(run, files):
    code, out, _ = run("compare", "bad.jsonl", "gold.jsonl", "lean.jsonl", "-m", "Pk", "--missing", "skip")
    assert code == 0
    assert "docs:3" in out
    assert "reference: 2 left out, which cannot be read: bad.jsonl:3: " in out
    code, out, _ = run("explain", "bad.jsonl", "gold.jsonl", "-m", "Pk", "--missing", "skip")
    assert (code, out.splitlines()[0][:12]) == (0, "4 documents,")
    code, out, _ = run("cohesion", "bad.jsonl", "--missing", "skip")
    assert code == 0
    assert "left_out:2" in out


def test_a_file_with_bad_lines_alone_is_an_error(run, files):
    (files / "none.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    code, _, err = run("evaluate", "gold.jsonl", "none.jsonl", "--missing", "skip")
    assert code == 2
    assert err.startswith("caesura: none.jsonl:1: ")


def test_a_bad_file_of_a_folder_costs_itself(run, files):
    folder = files / "videos"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.vtt").write_text("WEBVTT\n\n00:00.000 --> 00:30.000\nOne\n\n00:30.000 --> 01:00.000\nTwo\n")
    (folder / "b.vtt").write_text("WEBVTT\n\n00:xx --> 00:30.000\nOne\n")
    code, _, err = run("evaluate", "videos", "videos", "-m", "Pk")
    assert (code, err.count("\n")) == (2, 1)
    assert "b.vtt" in err
    assert OPTION in err
    code, out, _ = run("evaluate", "videos", "videos", "-m", "Purity", "--missing", "skip")
    assert code == 0
    assert "docs:2" in out
    assert "b.vtt" in out


def test_a_file_of_unknown_keys_costs_itself_beside_others_only(run, files):
    folder = files / "shows"
    folder.mkdir()
    chapters = [{"start_time": 0, "end_time": 60, "title": "One"}, {"start_time": 60, "end_time": 90, "title": "Two"}]
    for name in ("a", "b", "c"):
        (folder / f"{name}.json").write_text(json.dumps({"chapters": chapters, "duration": 90}))
    (folder / "b.json").write_text('{"foo": 1, "bar": [1, 2]}')
    code, _, err = run("evaluate", "shows", "shows", "-m", "Pk")
    assert (code, err.count("\n")) == (2, 1)
    assert "b.json" in err
    code, out, _ = run("evaluate", "shows", "shows", "-m", "Pk", "--missing", "skip")
    assert code == 0
    assert "docs:2" in out
    assert "the keys are foo, bar[]" in " ".join(out.split())
    for name in ("a", "c"):
        (folder / f"{name}.json").unlink()
    code, _, err = run("evaluate", "shows", "shows", "-m", "Pk", "--missing", "skip")
    assert (code, "--columns" in err) == (2, True)


def test_questions_are_asked_and_not_skipped(run, files):
    rows = [{"id": name, "units": ["x"] * 4, "labels": [0, 1, 0, 0]} for name in "ab"]
    (files / "flags.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    code, _, err = run("evaluate", "flags.jsonl", "flags.jsonl", "--missing", "skip")
    assert code == 2
    assert "marks=" in err
    assert OPTION not in err


def test_the_page_shows_what_was_scored(run, files):
    assert run("evaluate", "gold.jsonl", "bad.jsonl", "-m", "Pk", "--missing", "skip", "-o", "r.json").code == 0
    code, _, err = run("report", "r.json", "-o", "page.html")
    assert (code, err) == (0, "")


ANSWERS = [{"doc_id": f"d{n}", "question": "q", "answer": f"3 of {n}"} for n in range(6)]
WRONG = [
    ({"doc_id": "d1", "answer": "not there at all"}, "document 'd1': span 2 ('not there at all') is not in the text"),
    ({"doc_id": "d9", "answer": "x"}, "document 'd9' is not among the documents"),
    ({"doc_id": "d2"}, "is not a record such as"),
]


@pytest.mark.parametrize(("row", "words"), WRONG)
def test_a_wrong_answer_is_refused_with_the_option_that_skips_it(run, files, write, row, words):
    write("answers.jsonl", *ANSWERS, row)
    code, out, err = run("spans", "gold.jsonl", "answers.jsonl", "gold.jsonl")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert "with missing='skip' (--missing skip)" in err


def test_wrong_answers_are_left_out_counted_and_listed(run, files, write):
    write("answers.jsonl", *ANSWERS, *(row for row, _ in WRONG))
    write("right.jsonl", *ANSWERS)
    code, out, _ = run("spans", "gold.jsonl", "answers.jsonl", "gold.jsonl", "--missing", "skip")
    assert code == 0
    assert "Share of 6 spans" in out
    assert "3 spans or lines of spans left out: " in out
    for _, words in WRONG:
        assert words in out
    systems = {"a": {f"d{n}": cz.Segmentation(10, (n + 1,)) for n in range(6)}}
    kept, whole = (
        cz.spans("gold.jsonl", file, systems, missing="skip").scores for file in ("answers.jsonl", "right.jsonl")
    )
    assert kept == whole
    code, out, _ = run("bench", "gold.jsonl", "--method", "C99", "--spans", "answers.jsonl", "--missing", "skip")
    assert code == 0
    assert "3 spans or lines of spans left out: " in out


def test_when_no_answer_is_left_the_first_fault_is_told(run, files, write):
    write("answers.jsonl", WRONG[0][0])
    code, _, err = run("spans", "gold.jsonl", "answers.jsonl", "gold.jsonl", "--missing", "skip")
    assert code == 2
    assert "is not in the text; quote it exactly; no span is left" in err
