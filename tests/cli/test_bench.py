"""``caesura bench`` and ``caesura correlate``."""

from __future__ import annotations

import json

from tests.cli.conftest import CATS_AND_RAIN


def test_gold_compares_and_costs_stand_beside(run, docs, tmp_path):
    target = tmp_path / "results.json"
    call = ("bench", docs, "--method", "TextTiling(window=2)", "--method", "none", "--gold", "-m", "Pk", "-o", target)
    code, out, err = run(*call)
    assert (code, err) == (0, "")
    results = json.loads(target.read_text())
    assert results["question"] == "compare"
    assert list(results["systems"]) == ["TextTiling(window=2)", "none", "every (oracle)"]
    assert results["costs"]["none"]["per_100"] == 0
    assert results["costs"]["TextTiling(window=2)"]["seconds"] > 0
    assert "\nms per document, without encoding: TextTiling(window=2) " in out
    assert run("show", target).out == out
    assert "\nCost\n" in run("show", target, "--full").out
    assert run(*call).code == 2


def test_one_method_is_evaluated(run, docs):
    code, out, _ = run("bench", docs, "--method", "none", "--gold", "-m", "Pk")
    assert code == 0
    assert "none" in out


def test_cohesion_without_gold_has_a_clock(run, docs, tmp_path):
    target = tmp_path / "results.json"
    code, _, _ = run("bench", docs, "--method", "TextTiling(window=2)", "-m", "ARPpair", "-o", target)
    assert code == 0
    results = json.loads(target.read_text())
    assert results["question"] == "cohesion"
    assert any(name.startswith("every(n=") for name in results["systems"])
    assert results["systems"]["TextTiling(window=2)"]["ARPpair"]["nulls"]


def test_spans(run, docs, write, tmp_path):
    answers = write(
        "answers.jsonl", *({"id": document["id"], "spans": [document["units"][0]]} for document in CATS_AND_RAIN)
    )
    target = tmp_path / "results.json"
    code, _, _ = run("bench", docs, "--method", "all", "--method", "none", "--spans", answers, "-o", target)
    assert code == 0
    results = json.loads(target.read_text())
    assert results["question"] == "spans"
    assert results["systems"]["all"]["Inside"]["score"] == 1


def test_a_failing_method_is_told_and_the_others_are_scored(run, docs, tmp_path):
    folder = tmp_path / "systems"
    call = ("bench", docs, "--method", "command:false", "--method", "none", "--gold", "-m", "Pk", "--systems", folder)
    code, out, err = run(*call)
    assert code == 4
    assert err == "caesura: command:false: started twice, but it ended with exit code 1; repair it\n"
    assert "failed: command:false" in out
    assert [path.name for path in folder.iterdir()] == ["none.jsonl"]
    assert run("bench", docs, "--method", "command:false", "--gold").code == 2


def test_an_oracle_is_marked_in_name_table_and_signature(run, docs, tmp_path):
    """Also in a file that was renamed."""
    target, file = tmp_path / "r.json", tmp_path / "renamed.jsonl"
    method = "BayesSeg(n_segments='oracle')"
    code, out, _ = run("bench", docs, "--method", method, "--method", "C99", "--gold", "-m", "Pk", "-o", target)
    assert code == 0
    assert "Pk|k:auto" in out
    assert "|n_segments:oracle|" not in out  # the one line below the table is that of the other system
    results = json.loads(target.read_text())
    assert results["costs"][method]["oracle"]
    assert "|n_segments:oracle|" in results["systems"][method]["Pk"]["signature"]
    assert "oracle" not in results["systems"]["C99"]["Pk"]["signature"]
    assert run("segment", docs, "--method", method, "-o", file).code == 0
    assert "|n_segments:oracle|" in run("evaluate", docs, file, "-m", "Pk").out


def test_contradictions_are_refused(run, docs):
    assert "two questions" in run("bench", docs, "--method", "none", "--gold", "--spans", docs).err
    assert "its own metrics" in run("bench", docs, "--method", "none", "--spans", docs, "-m", "Pk").err


def test_correlate(run, docs, tmp_path):
    folder = tmp_path / "systems"
    methods = [
        word
        for name in ("TextTiling(window=2)", "TextTiling(per_100=30)", "C99", "even")
        for word in ("--method", name)
    ]
    assert run("segment", docs, *methods, "-o", folder).code == 0
    files = sorted(folder.iterdir())
    target = tmp_path / "correlation.json"
    code, out, err = run("correlate", docs, *files, "-m", "ARPpair", "-m", "Pk", "--resamples", 20, "-o", target)
    assert (code, err) == (0, "")
    assert out.startswith("Over all 4 systems, ARPpair and Pk ")
    results = json.loads(target.read_text())
    assert results["question"] == "correlate"
    assert run("show", target).out == out
    code, _, err = run("correlate", docs, *files[:2])
    assert code == 2
    assert "needs at least 3" in err


def test_a_folder_of_markdown_is_chunked_and_its_structure_must_stay_whole(run, tmp_path, monkeypatch):
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(6):
        prose = "Cats sleep all day. They hunt at dawn. " * (4 + number)
        code = "\n".join(f"line_{row} = {row}" for row in range(6))
        (folder / f"p{number}.md").write_text(
            f"# Page {number}\n\n{prose}\n\n```\n{code}\n```\n\n- one\n- two\n\nThe end.\n"
        )
    (tmp_path / "own.py").write_text(
        "def lines(text):\n    return [part for part in text.split('\\n\\n') if part]\n\n\n"
        "def cut(text):\n    return [text[at : at + 70] for at in range(0, len(text), 90)]\n"
    )
    monkeypatch.chdir(tmp_path)
    methods = ("--method", "lines=own:lines(input='text')", "--method", "cut=own:cut(input='text')")
    code, out, err = run("bench", "pages", *methods, "--max-tokens", 60, "-o", "r.json")
    assert (code, err) == (0, "")
    results = json.loads((tmp_path / "r.json").read_text())
    spans = results["spans"]
    assert (results["question"], spans["structure"], spans["spans"]) == ("spans", True, 6 * 4)
    health = {name: {rule["short"]: rule["share"] for rule in rules} for name, rules in spans["health"].items()}
    assert health["lines"]["lost"] == 0 < health["cut"]["lost"]
    assert health["lines"]["blocks"] == 0 < health["cut"]["blocks"]
    assert health["lines"]["headings"] == 1  # a heading is a chunk of its own
    assert set(spans["placement"]) == {"lines", "cut"}
    assert "24 headings, blocks of code, tables and list items that lie whole" in " ".join(out.split())
    assert "Not to be used as it is: cut (" in out or "Not to be used as they are: lines (" in out
    assert "\nHealth\n" in out
    assert run("show", "r.json").out == out
    # What is asked for by name stays as it was.
    tiling = ("bench", "pages", "--method", "TextTiling(window=2)", "-m", "Placement")
    assert json.loads(run(*tiling, "--format", "json").out)["question"] == "cohesion"
    assert run(*tiling, "--max-tokens", 60).code == 2
