"""``caesura evaluate`` with what can be added: baselines, intervals, skill, verdicts, levels."""

from __future__ import annotations

import json

import pytest

ADDITIONS = ("--ci", "--skill", "--verdict", "--resamples", 100)


def test_everything_at_once_as_json(run, files):
    code, out, err = run(
        "evaluate", *files, "-m", "W-F1", "-m", "Pk", *ADDITIONS, "--baselines", "none,every,random_density",
        "--format", "json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert list(result["systems"]) == ["good", "bad", "none", "every (oracle)", "random_density (oracle)"]
    assert result["seed"] == 0
    good, bad = (result["systems"][name]["W-F1"] for name in ("good", "bad"))
    low, high = good["interval"]
    assert low <= good["score"] <= high
    assert good["skill"]["skill"] > bad["skill"]["skill"]
    assert result["verdicts"]["good"]["verdict"] == "calibrated"


@pytest.mark.parametrize("target", ["table", "csv", "markdown", "latex"])
def test_tables_of_every_addition(run, files, target):
    code, out, err = run("evaluate", *files, "-m", "W-F1", *ADDITIONS, "--format", target)
    assert (code, err) == (0, "")
    assert "good" in out


def test_levels(run, write, tmp_path):
    gold = write("gold.jsonl", {"id": "d", "n_units": 9, "boundaries": [3, 6], "hierarchy": [[6], [3, 6]]})
    fine = write("fine.jsonl", {"id": "d", "n_units": 9, "boundaries": [3, 6]})
    code, out, _ = run("evaluate", gold, fine, "--levels", "--format", "json", "-o", tmp_path / "r.json")
    assert code == 0
    matched = json.loads(out)["levels"]["matches"]["fine"]
    assert (matched["by_score"], matched["by_density"]) == (2, 2)
    assert run("evaluate", gold, fine, "--levels").out == run("show", tmp_path / "r.json").out
    code, _, err = run("evaluate", fine, fine, "--levels")
    assert code == 2
    assert err.count("\n") == 1


def test_what_annotators_allow(run, write, tmp_path):
    lines = [{"id": f"d{n}", "n_units": 9, "annotations": {"a": [3], "b": [4]}} for n in range(3)]
    gold = write("gold.jsonl", *lines)
    system = write("s.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [3]} for n in range(3)))
    against = ("--against", "annotators")
    for option in (["--verdict"], ["--segments", tmp_path / "segments.csv"]):
        code, out, err = run("evaluate", gold, system, *against, *option)
        assert (code, out) == (2, "")
        assert "gives many references" in err
    assert "Skill" in run("evaluate", gold, system, *against, "--skill", "--ci").out
    assert run("evaluate", gold, system, *against, "--baselines", "none,random_annotators").code == 0
    other = write("t.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [8]} for n in range(3)))
    code, out, _ = run("compare", gold, system, other, *against, "-m", "F1", "--format", "json")
    assert code == 0
    (found,) = json.loads(out)["comparisons"]
    assert (found["scores"], found["difference"]) == ([0.5, 0.0], 0.5)
    assert "evaluate --against all" in run("compare", gold, system, other, "--against", "all").err
    assert run("gate", gold, system, *against, "--min", "F1=0.6").code == 1
    assert run("gate", gold, system, *against, "--min", "F1=0.5").code == 0


def test_runs_of_one_system(run, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = write("gold.jsonl", *({"id": f"d{n}", "n_units": 20, "boundaries": [5, 12]} for n in range(6)))
    for place, found in enumerate(([5, 12], [5], [4, 12])):
        write(f"run{place}.jsonl", *({"id": f"d{n}", "n_units": 20, "boundaries": found} for n in range(6)))
    code, out, _ = run("evaluate", gold, "llm=run*.jsonl", "-m", "F1", "--format", "json", "-o", "r.json")
    assert code == 0
    result = json.loads(out)
    assert list(result["systems"]) == ["llm"]
    assert result["systems"]["llm"]["F1"]["score"] == pytest.approx((1 + 2 / 3 + 0.5) / 3)
    assert "|runs:3|" in result["systems"]["llm"]["F1"]["signature"]
    assert result["runs"]["llm"]["scores"]["F1"] == pytest.approx([1, 2 / 3, 0.5])
    shown = run("show", "r.json").out
    assert "3 runs of llm have F1 0.500 to 1.000" in shown
    assert run("gate", gold, "llm=run*.jsonl", "--min", "F1=0.8").code == 1
    assert run("gate", gold, "llm=run*.jsonl", "--min", "F1=0.7").code == 0
    code, _, err = run("gate", gold, "llm=run*.jsonl", "--last", "r.json")
    assert (code, err.count("\n")) == (2, 1)
    assert "drops are tested for those only" in err
    for more in (["--verdict"], ["--segments", "s.csv"]):
        assert "are of one run" in run("evaluate", gold, "llm=run*.jsonl", *more).err
    assert "one run each" in run("correlate", gold, "llm=run*.jsonl", "-m", "F1").err


def test_a_run_that_lacks_a_document(run, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = write("gold.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [4]} for n in range(4)))
    for place in range(2):
        write(f"run{place}.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [4]} for n in range(4 - place)))
    code, _, err = run("evaluate", gold, "llm=run*.jsonl", "-m", "F1")
    assert (code, err.count("\n")) == (2, 1)
    assert "llm[2]" in err
    code, out, _ = run("evaluate", gold, "llm=run*.jsonl", "-m", "F1", "--missing", "skip", "--format", "json")
    assert code == 0
    assert json.loads(out)["systems"]["llm"]["F1"]["documents"] == 3


def test_files_of_a_pattern_without_a_common_document_are_one_system(run, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = write("gold.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [4]} for n in range(4)))
    for place in range(2):
        write(f"part{place}.jsonl", *({"id": f"d{2 * place + n}", "n_units": 9, "boundaries": [4]} for n in range(2)))
    code, out, _ = run("evaluate", gold, "a=part*.jsonl", "-m", "F1", "--format", "json")
    assert (code, json.loads(out)["runs"]) == (0, None)


def test_baseline_names(run, files, write):
    code, _, err = run("evaluate", files[0], files[1], "--baselines", "nonne")
    assert code == 2
    assert "none" in err
    clash = write("none.jsonl", *files[1].read_text().splitlines())
    code, _, err = run("evaluate", files[0], clash, "--baselines", "none")
    assert code == 2
    assert "both named 'none'" in err


def test_verdicts_of_documents(run, files):
    code, out, _ = run("evaluate", *files, "-m", "W-F1", "--verdict", "--per-document", "--format", "json")
    assert code == 0
    result = json.loads(out)
    for system, verdict in result["verdicts"].items():
        assert set(result["document_verdicts"][system]) == set(result["documents"])
        assert "bor:0.8..1.2|skill:0.2,0.5" in verdict["signature"]
    assert result["verdicts"]["good"]["advice"].keys() == {"summarising", "retrieval", "exploration"}
    assert result["verdicts"]["bad"]["advice"] == {}
    assert result["regimes"]["annotation"]["documents"] == len(result["documents"])
    assert set(result["regimes"]["density_error"]) == set(result["verdicts"])
    out = run("evaluate", *files, "-m", "W-F1", "--verdict", "--full").out
    for use in ("for summarising:", "for retrieval:", "for exploration:"):
        assert use in out


def test_a_format_for_one_file_and_documents_matched_by_order(run, tmp_path):
    gold, closed = tmp_path / "gold.jsonl", tmp_path / "closed.txt"
    gold.write_text('{"id": "x", "masses": [3, 4]}\n{"id": "y", "masses": [2, 5]}\n')
    closed.write_text("0010001\n0100001\n")
    system = f"{closed}::bits(marks='last_closed')"
    refused = run("evaluate", gold, system)
    assert refused.code == 2
    assert "--match order" in refused.err
    done = run("evaluate", gold, system, f"again={system}", "--match", "order", "-m", "Pk")
    assert done.code == 0
    assert "closed" in done.out
    assert "match:order" in done.out
    own = run("evaluate", gold, system, "--match", "order", "-o", closed, "--force")
    assert own.code == 2
    assert "is an input" in own.err


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_another_f1_than_that_of_the_verdicts_has_chance_and_clock_in_the_file(run, files, tmp_path, command):
    name = "BoundaryF1(tolerance=2)"
    for number, options in enumerate((["-m", name], ["-m", "W-F1", "--by", "micro"], ["-m", "W-F1", "-m", name])):
        assert run(command, *files, *options, "-o", tmp_path / f"{number}.json").code == 0
    systems = [json.loads((tmp_path / f"{number}.json").read_text())["systems"]["good"] for number in range(3)]
    other, pooled, usual = systems[0][name], systems[1]["W-F1"], systems[2]
    for score in (other, pooled):
        assert 0 < score["blind"]["chance"] < score["score"]
        assert 0 < score["blind"]["clock"] <= 1
    assert all(score.get("blind") is None for score in usual.values())  # the verdicts have it


def test_what_is_not_written_is_not_drawn(run, files, monkeypatch):
    """The answer rests on the F1 of the verdicts; chance by another is for the page alone."""
    from caesura.evaluation.evaluate.report import Evaluation

    monkeypatch.setattr(Evaluation, "blind", None)
    assert run("evaluate", *files, "-m", "BoundaryF1(tolerance=2)").code == 0


def test_the_number_of_threads_has_no_effect(run, files, tmp_path):
    call = ("evaluate", *files, "-m", "Pk,B,W-F1", "--ci", "--format", "json")
    one, two = (json.loads(run(*call, "--threads", threads).out) for threads in (1, 2))
    assert one["systems"] == two["systems"]
    assert "x>=1" in run(*call, "--threads", 0).err
    for threads in (1, 2):
        assert run("count", *files, "-m", "Pk", "--threads", threads, "-o", tmp_path / f"{threads}").code == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
