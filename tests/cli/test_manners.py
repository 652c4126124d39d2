"""Manners of the command line: outputs together or not at all, inputs untouched, one line for what cannot be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import caesura as cz
from caesura.cli import cli
from caesura.errors import ComparabilityError, FormatError

GOLD = {"id": "d1", "masses": [6, 3, 4]}


@pytest.fixture
def gold(write):
    return write("gold.jsonl", GOLD)


def test_no_arguments_show_the_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("Usage: caesura")
    assert out.count("\n") > 10


def test_one_file_for_two_outputs(run, gold, tmp_path):
    same = tmp_path / "same.txt"
    code, _, err = run("evaluate", gold, gold, "-m", "Pk", "--csv", same, "--latex", same)
    assert code == 2
    assert "two outputs" in err
    assert not same.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder in which even root can make no file")
def test_outputs_are_written_together_or_not_at_all(run, gold, tmp_path):
    good = tmp_path / "good.csv"
    code, _, err = run("evaluate", gold, gold, "-m", "Pk", "--csv", good, "--latex", "/proc/table.tex")
    assert code == 2
    assert "cannot be written (" in err
    assert [path.name for path in tmp_path.iterdir()] == ["gold.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in the file system there")
def test_a_pipe_is_refused_and_not_hung_on(tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    found = []

    def load() -> None:
        with pytest.raises(FormatError, match="is a pipe"):
            cz.load(pipe)
        found.append(True)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    thread.join(timeout=10)
    assert found


@pytest.mark.parametrize("options", [{"by": "x"}, {"missing": "foo"}, {"threads": 0}])
def test_words_that_mean_nothing_are_refused(options):
    reference = {"d": cz.Segmentation(9, (3,))}
    with pytest.raises(ComparabilityError, match=next(iter(options))):
        cz.evaluate(reference, {"a": reference}, ["Pk"], **options)


def test_empty_mappings_are_refused():
    with pytest.raises(ComparabilityError, match="no system given"):
        cz.evaluate({"d": cz.Segmentation(9)}, {})
    with pytest.raises(ComparabilityError, match="holds no document"):
        cz.evaluate({}, {"a": {"d": cz.Segmentation(9)}})


def test_line_breaks_in_names_do_not_break_the_table(run, write):
    odd = write("odd.jsonl", {"id": "a\nb", "masses": [3, 4]})
    out = run("evaluate", odd, odd, "-m", "Pk", "--per-document").out
    assert "a b" in out


def completions(args: list[str], incomplete: str) -> list[str]:
    found = ShellComplete(cli, {}, "caesura", "_CAESURA_COMPLETE").get_completions(args, incomplete)
    return [item.value for item in found]


def test_completion_knows_commands_and_declared_names():
    assert "evaluate" in completions([], "ev")
    assert "CovN" in completions(["evaluate", "gold.jsonl", "-m"], "Cov")
    assert completions(["evaluate", "--profile"], "sege") == ["segeval"]
    assert "WindowDiff" in completions(["metrics"], "Wind")
    assert completions(["segmenters"], "Bayes") == ["BayesSeg"]
    assert completions(["formats"], "mass") == ["masses"]
    assert completions(["datasets"], "ge") == ["get"]
    assert completions(["degrade", "gold.jsonl", "-d"], "Spl") == ["Splitting"]


def test_a_wide_table_is_cut_into_pieces_not_numbers(capsys):
    from rich.console import Console

    from caesura.reports.text import print_table
    from caesura.table import Column, Table

    wide = Table(
        [Column("system"), *(Column(f"metric {i}", "higher") for i in range(12))],
        [["a", *[0.123] * 12], ["b", *[0.456] * 12]],
    )
    print_table(wide, Console(width=60, force_terminal=False))
    out = capsys.readouterr().out
    assert out.count("0.123") == 12
    assert all(len(line) <= 60 for line in out.splitlines())
    assert out.count("system") > 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_stdout_is_one_line():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "caesura", "metrics"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(("closed", "code"), [(">&-", 2), ("<&-", 0), ("2>&-", 0)])
def test_a_closed_stream_is_no_traceback(closed, code):
    command = f"{sys.executable} -m caesura metrics {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == code
    said = "caesura: the output cannot be written: standard output is closed\n" if code else ""
    assert done.stderr == said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--levels", "--ci"], "--ci cannot be combined with --levels"),
        (["--levels", "--against", "annotators"], "--against cannot be combined with --levels"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(run, gold, options, words):
    code, out, err = run("evaluate", gold, gold, *options)
    assert (code, out) == (2, "")
    assert words in err


def test_names_do_not_steer_the_terminal(run, write):
    file = write("c.jsonl", {"id": "d\x1b[31mX", "n_units": 6, "boundaries": [3]})
    code, _, err = run("gate", file, f"a={file}", "-m", "Pk", "--min", "Pk=-1")
    assert code == 1
    assert "\x1b" not in err


def test_documents_that_another_system_lacks_are_counted(run, write):
    lines = [{"id": f"d{n}", "n_units": 9, "boundaries": [4]} for n in range(4)]
    whole, part = write("whole.jsonl", *lines), write("part.jsonl", *lines[1:])
    code, out, _ = run("evaluate", whole, whole, part, "-m", "Pk", "--missing", "skip", "--format", "json")
    assert code == 0
    score = json.loads(out)["systems"]["whole"]["Pk"]
    assert (score["documents"], score["dropped"]) == (3, 1)
    assert "dropped:1" in score["signature"]
