"""The examples of the page on measurements without a reference run, and print what the page shows."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import caesura as cz
from caesura.cli.cohesion import command
from tests.examples import write_example_files

PAGE = (Path(__file__).parents[3] / "docs" / "cohesion.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _example_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    people = {name: cz.load(f"{name}.jsonl") for name in ("reader", "every13")}
    cz.save(
        cz.Corpus(
            dataclasses.replace(d, annotations={name: people[name][d.id].segmentation for name in people})
            for d in cz.load("docs.jsonl")
        ),
        "annotated.jsonl",
    )


def printed_by(line: str) -> str:
    outcome = CliRunner().invoke(command, shlex.split(line.removeprefix("caesura cohesion "), comments=True))
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_the_page_shows_what_the_command_prints() -> None:
    block = re.search(r"```\n\$ (caesura cohesion[^\n]*)\n(.*?)```", PAGE, flags=re.DOTALL)
    assert block is not None
    printed = printed_by(block[1])
    for part in filter(None, block[2].split("...\n")):
        assert part in printed


def test_the_commands_run() -> None:
    commands = re.findall(r"^caesura cohesion .*$", PAGE, flags=re.MULTILINE)
    assert commands
    for line in commands:
        assert printed_by(line)


def test_the_python_runs() -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL):
        exec(block, names)
    assert cz.read_results("results.json").question == "cohesion"
