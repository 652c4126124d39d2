"""The root command: version, help, and what it may load."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys

import click
import pytest

from caesura import __version__
from caesura.cli import GROUPS, cli, command_lines, command_names
from caesura.cli._help import Command
from caesura.cli._overwriting import OutputFile

COMMANDS = [name for names in command_lines().values() for name in names]


def test_version(run):
    assert run("--version") == (0, f"caesura, version {__version__}\n", "")


def test_help_lists_every_command(run):
    code, out, _ = run("--help")
    assert code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in out


def test_help_lists_commands_in_groups(run, monkeypatch):
    monkeypatch.setattr(cli, "context_settings", {**cli.context_settings, "terminal_width": 78})
    lines = run("--help").out.splitlines()
    headings = [line[:-1] for line in lines[lines.index("Options:") :] if line.endswith(":") and line[0] != " "]
    assert headings == ["Options", *(group for group, names in command_lines().items() if names)]
    assert headings[1:11] == [
        "Score", "Compare and gate", "Annotators", "Without a reference", "Chunks", "Segment and train",
        "Choose a threshold", "Files", "Look", "Large corpora",
    ]  # fmt: skip
    assert [line for line in lines if len(line) > 80] == []
    for names in command_lines().values():
        for name, text in names.items():
            assert f"  {name:<12}  {text}" in lines  # one line each


@pytest.mark.parametrize("name", command_names())
def test_every_command_says_its_group(name):
    module = importlib.import_module(f"caesura.cli.{name}")
    assert module.GROUP in GROUPS[:-1], f"cli/{name}.py: say GROUP = one of {GROUPS[:-1]}"
    assert name in command_lines()[module.GROUP]
    assert isinstance(module.command, Command)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_in_two_ways(run, name):
    assert run("help", name) == run(name, "--help")


def test_help_of_all_and_of_an_unknown_command(run):
    assert run("help") == run("--help")
    assert run("help", "evalute") == (
        2, "", "caesura: 'evalute' is not a command; did you mean evaluate or validate?\n",
    )  # fmt: skip


def test_long_help_has_groups_of_options(run):
    out = run("evaluate", "--help").out
    parts = re.split(r"^(What|How|Files|Output|Large corpora):$", out, flags=re.MULTILINE)
    assert parts[1::2] == ["What", "How", "Files", "Output", "Large corpora"]
    for text, options in zip(
        parts[2::2],
        [
            ["-m, --metric", "--ci", "--against"], ["--profile", "--seed"], ["--from", "--match"],
            ["-o, --output", "--format", "-h, --help"], ["--engine", "--shards", "--threads"],
        ],
        strict=True,
    ):  # fmt: skip
        for option in options:
            assert f"\n  {option} " in text
    starts = {match.end() - match.start() for match in re.finditer(r"^  -.{1,29}?  +(?=\S)", out, re.MULTILINE)}
    assert len(starts) == 1  # all texts begin in one column
    assert "\nOptions:\n" in run("metrics", "--help").out  # few options need no groups


def test_files_and_outputs_are_in_their_groups_everywhere():
    wrong = []
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        for option in command.params:
            group = getattr(option, "heading", "How")
            if isinstance(option, click.Option) and isinstance(option.type, OutputFile) and group != "Output":
                wrong.append((name, option.name))
    assert wrong == []


def test_commands_stand_in_order_however_the_folder_lists_them(monkeypatch):
    names = command_names()
    assert names == sorted(names)
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: sorted(listed(path), reverse=True))
    assert command_names() == names


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Return a function that installs a package with commands."""

    def install(**points):
        (tmp_path / "other_package.py").write_text(
            "import click\n\n@click.command('wave', short_help='Wave a hand.')\ndef wave():\n    click.echo('hello')\n"
        )
        info = tmp_path / "other_package-1.dist-info"
        info.mkdir()
        lines = "\n".join(f"{name} = {value}" for name, value in points.items())
        (info / "entry_points.txt").write_text(f"[caesura.commands]\n{lines}\n")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "other_package", raising=False)

    return install


def test_a_package_adds_a_command(run, added):
    added(wave="other_package:wave", evaluate="other_package:wave")
    assert run("wave") == (0, "hello\n", "")
    code, out, _ = run("--help")
    assert code == 0
    assert "\nFrom other packages:\n" in out
    assert "\n  wave          Wave a hand.\n" in out
    code, out, _ = run("evaluate", "--help")
    assert "REFERENCE" in out  # ours is not replaced


def test_a_command_of_a_package_says_its_group(run, added, tmp_path):
    added(wave="other_package:wave")
    module = tmp_path / "other_package.py"
    module.write_text(module.read_text() + "\nGROUP = 'Look'\n")
    out = run("--help").out
    assert out.index("\nLook:\n") < out.index("Wave a hand.") < out.index("\nLarge corpora:\n")


def test_a_broken_command_of_a_package_costs_only_itself(run, added):
    added(lost="other_package.lost:command", number="other_package:click.__name__")
    code, out, err = run("lost")
    assert (code, out) == (2, "")
    assert "the command 'lost' of other_package.lost cannot be loaded" in err
    assert "is not a click command" in run("number")[2]
    code, out, _ = run("--help")
    assert code == 0
    assert "cannot be loaded" in out
    assert "evaluate" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help(run, name):
    code, out, _ = run(name, "--help")
    assert code == 0
    assert out.startswith(f"Usage: caesura {name}")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    assert [p.name for p in command.params if isinstance(p, click.Option) and not p.help] == []
    assert [line for line in out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evalute"], "'evalute' is not a command; did you mean evaluate or validate?"),
        (["reprodcue"], "'reprodcue' is not a command; did you mean reproduce?"),
        (["evaluate", "gold.jsonl"], "Missing argument 'SYSTEMS...'; see caesura evaluate --help"),
        (["degrade", "gold.jsonl"], "Missing option '-d' / '--degradation'; see caesura degrade --help"),
        (["doctor", "x"], "Got unexpected extra argument (x); see caesura doctor --help"),
    ],
)
def test_wrong_usage_names_what_to_do(run, words, message):
    code, out, err = run(*words)
    assert (code, out, err) == (2, "", f"caesura: {message}\n")


def test_help_loads_neither_numpy_nor_rich():
    code = (
        "import sys\nsys.argv = ['caesura', '--help']\nfrom caesura.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'numpy', 'rich', 'msgspec', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_completion_script():
    done = subprocess.run(
        [sys.executable, "-c", "from caesura.cli import cli; cli(prog_name='caesura')"],
        capture_output=True,
        text=True,
        env={"_CAESURA_COMPLETE": "zsh_source", "PATH": ""},
    )
    assert "compdef" in done.stdout


def test_metrics_lists_and_defines(run):
    code, out, _ = run("metrics")
    assert code == 0
    assert "BoundarySimilarity" in out
    code, out, _ = run("metrics", "CovN")
    for word in ("gamma=0.85", "Range", "higher is better", "Bouchekif", "Eq. 4"):
        assert word in out
    described = json.loads(run("metrics", "WD", "--format", "json").out)
    assert described["name"] == "WindowDiff"
    assert described["direction"] == "lower"
    assert json.loads(run("metrics", "BOR", "--format", "json").out)["bounds"] == [0.0, "inf"]
    # In an order of its own: that of a set would change from one process to the next.
    pk = json.loads(run("metrics", "Pk", "--format", "json").out)
    assert pk["blind_to"] == ["insertion", "removal", "shift"]


def test_metrics_unknown(run):
    code, _, err = run("metrics", "WindowDif")
    assert code == 2
    assert "did you mean WindowDiff" in err


def test_profiles_are_listed(run):
    out = run("metrics", "--profiles").out
    for name in ("caesura", "segeval", "nltk", "superdialseg", "paper", "as_run", "swapped", "closing_boundary"):
        assert name in out


def test_doctor(run):
    code, out, _ = run("doctor")
    assert code == 0
    assert "kernels" in out
    rows = {row["part"]: row["state"] for row in json.loads(run("doctor", "--format", "json").out)}
    assert rows["caesura"] == __version__


@pytest.mark.parametrize("installed", [True, False])
def test_doctor_notices_another_package_of_our_import_name(run, monkeypatch, tmp_path, installed):
    """On the package index `caesura` is another project; here it is a folder of metadata, found as an installed one is."""
    if installed:
        metadata = tmp_path / "caesura-1.0.0.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text("Metadata-Version: 2.1\nName: caesura\nVersion: 1.0.0\n", "utf-8")
    real = importlib.metadata.distribution
    only_here = importlib.metadata.DistributionFinder.Context(name="caesura", path=[str(tmp_path)])
    found = list(importlib.metadata.Distribution.discover(context=only_here))

    def distribution(name):
        if name != "caesura":
            return real(name)
        if not found:
            raise importlib.metadata.PackageNotFoundError(name)
        return found[0]

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    out = " ".join(run("doctor").out.split())
    rows = {row["part"]: row["state"] for row in json.loads(run("doctor", "--format", "json").out)}
    assert rows.get("other package") == ("caesura 1.0.0, same import name" if installed else None)
    assert ("pip uninstall caesura, then pip install --force-reinstall --no-deps caesura-eval." in out) == installed


@pytest.mark.parametrize(("given", "seen"), [(None, "20"), ("26", "26")])
def test_threads_of_matrix_products_do_not_spin_unless_the_environment_says_so(monkeypatch, given, seen):
    """Set before NumPy is imported: afterwards OpenBLAS has read it."""
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    program = (
        "import os, sys, caesura.cli\n"
        "from caesura.__main__ import main\n"
        "caesura.cli.main = lambda: print(os.environ['OPENBLAS_THREAD_TIMEOUT'], 'numpy' in sys.modules)\n"
        "main()"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [seen, "False"]
