"""No output of any command replaces a file that the same command reads, whatever --force says."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest

from caesura.cli import cli, command_names
from caesura.cli._overwriting import OutputFile

CONTEXT = click.Context(cli)
COMMANDS = {name: cli.get_command(CONTEXT, name) for name in command_names()}
# Outputs that are folders and nothing else; they are tested apart.
FOLDERS = {("bench", "folder"), ("demo", "files"), ("train", "folder")}
WRITING = [
    (name, parameter.name)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if isinstance(parameter.type, OutputFile) and (name, parameter.name) not in FOLDERS
]
# Free texts that lead to files: encoders, files of vectors, folders.
SPELLED = {"spec": "npz:{}", "encoders": "npz:{}#key", "encoder": "npz:{}", "systems": "name={}"}
# What an option says that does not take a file, or not this one.
_REFUSED = (
    "is a directory",
    "is a file.",
    "is gone",
    "is not a",
    "leave it out",
    "write a parameter",
    "is unknown; choose",
    "requires --engine",
    "is not role=column",
)
REQUIRED = {
    "degradations": "Removal",
    "methods": "TextTiling",
    "paper": "003",
    "output": "unused.npz",
    "folder": "unused",
    "tries": "window=2,4",
}
# Arguments that may be left out for an option, and are not.
NEEDED = {"documents"}


def arguments(command: click.Command, given: dict[str, str]) -> list[str]:
    """Return a command line with these values, and something for whatever else is required."""
    words: list[str] = []
    for parameter in command.params:
        value = given.get(parameter.name)
        if value is None and (parameter.required or parameter.name in NEEDED):
            value = REQUIRED.get(parameter.name, "other.jsonl")
        if value is not None:
            words += [value] if isinstance(parameter, click.Argument) else [parameter.opts[-1], value]
    return [*words, "--force"]


def readable(command: click.Command) -> list[str]:
    """Return the parameters whose values may lead to files."""
    texts = (click.types.StringParamType, click.Path)
    return [
        parameter.name
        for parameter in command.params
        if isinstance(parameter.type, texts)
        and not isinstance(parameter.type, OutputFile)
        and not getattr(parameter, "hidden", False)
    ]


def test_every_command_that_writes_is_here():
    assert len({name for name, _ in WRITING}) >= 14
    # Outputs are checked by --force, so a command has both or neither.
    for name, command in COMMANDS.items():
        writes = any(isinstance(parameter.type, OutputFile) for parameter in command.params)
        assert writes == any(parameter.name == "force" for parameter in command.params), name


def _ending(output: str) -> str:
    """Return an ending that the output accepts."""
    return ".json" if output == "figure" else ".npz"


@pytest.mark.parametrize(("name", "output"), [each for each in WRITING if each[0] != "demo"])  # it reads nothing
def test_an_input_is_never_overwritten(run, tmp_path, monkeypatch, name, output):
    monkeypatch.chdir(tmp_path)
    Path("other.jsonl").write_text("other")
    tried, file = 0, f"read{_ending(output)}"
    for parameter in readable(COMMANDS[name]):
        for way in ("itself", "absolute", "hard link", "symbolic link", "inside"):
            folder = tmp_path / f"{parameter}-{way.replace(' ', '-')}"
            folder.mkdir(exist_ok=True)
            read, written = folder / file, folder / f"written{_ending(output)}"
            read.write_text("precious")
            if way in ("itself", "absolute"):
                written = read if way == "absolute" else Path(folder.name) / file
            elif way == "hard link":
                os.link(read, written)
            elif way == "symbolic link":
                written.symlink_to(read)
            elif parameter in SPELLED:
                continue  # a folder is no file of vectors
            else:
                read, written = folder, read
            named = SPELLED.get(parameter, "{}").format(read)
            given = {output: str(written), parameter: named}
            code, out, err = run(name, *arguments(COMMANDS[name], given))
            if any(words in err for words in _REFUSED):
                continue  # refused by the option itself, which takes something else
            assert (code, out) == (2, ""), (parameter, way, err)
            assert "is an input; write to another file" in err, (parameter, way, err)
            assert (folder / file).read_text() == "precious"
            tried += 1
    assert tried >= 4 or not readable(COMMANDS[name])
    assert Path("other.jsonl").read_text() == "other"


@pytest.mark.parametrize(("name", "output"), WRITING)
def test_outputs_replace_regular_files_only(run, tmp_path, monkeypatch, name, output):
    monkeypatch.chdir(tmp_path)
    Path("other.jsonl").write_text("other")
    pipe, link = f"pipe{_ending(output)}", f"link{_ending(output)}"
    os.mkfifo(pipe)
    Path(link).symlink_to("/dev/null")
    for path, kind in ((pipe, "pipe"), (link, "device")):
        code, out, err = run(name, *arguments(COMMANDS[name], {output: path}))
        assert (code, out) == (2, "")
        assert err == f"caesura: {path}: is a {kind}; outputs replace regular files only, so name a file\n"
    assert Path(link).is_symlink()


@pytest.mark.parametrize(("name", "output"), sorted(FOLDERS))
def test_a_file_is_never_made_a_folder(run, tmp_path, monkeypatch, name, output):
    monkeypatch.chdir(tmp_path)
    Path("other.jsonl").write_text("other")
    os.mkfifo("pipe")
    for path in ("other.jsonl", "pipe"):
        code, out, err = run(name, *arguments(COMMANDS[name], {output: path}))
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1, err
    assert Path("other.jsonl").read_text() == "other"


def test_the_counts_beside_a_baseline_are_inputs_too(run, files, tmp_path):
    gold, good, bad = files
    last = tmp_path / "last.json"
    assert run("evaluate", gold, f"a={good}", "-o", last).code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(before) >= {"last.json", "last.counts.npz"}
    for output in ("last.json", "last.counts.npz"):
        for option in ("-o", "--csv"):
            code, _, err = run("gate", gold, f"a={bad}", "--last", last, option, tmp_path / output, "--force")
            assert (code, "is an input" in err) == (2, True)
    # A gate that fails leaves the baseline, and the same command fails again.
    for _ in range(2):
        assert run("gate", gold, f"a={bad}", "--last", last, "-o", tmp_path / "new.json", "--force").code == 1
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


def test_the_cache_is_an_input_too(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CAESURA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    path = tmp_path / "cache" / "vectors.sqlite3"
    for each in (path, tmp_path / "a.xmi"):
        each.write_text("precious")
    code, _, err = run("convert", tmp_path / "a.xmi", path, "--to", "jsonl", "--force")
    assert (code, "an input; write to another file" in err) == (2, True)
    assert path.read_text() == "precious"


def test_a_new_file_in_a_folder_that_is_read_is_allowed_once(run, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.masses").write_text("3 4\n")
    assert run("convert", folder, folder / "all.jsonl").code == 0
    code, _, err = run("convert", folder, folder / "all.jsonl", "--force")
    assert (code, "which is an input" in err) == (2, True)


def test_the_files_beside_results_are_inputs_of_a_report(run, files, tmp_path):
    gold, good, _ = files
    before = gold.read_text()
    assert run("evaluate", gold, good, "-o", tmp_path / "results.json").code == 0
    code, _, err = run("report", tmp_path / "results.json", "-o", gold, "--force")
    assert (code, "gold.jsonl is an input" in err) == (2, True)
    assert gold.read_text() == before


def test_an_empty_name_is_refused(run, files):
    gold, good, _ = files
    done = run("evaluate", gold, good, "-o", "")
    assert (done.code, "the name is empty" in done.err) == (2, True)
    for command in (("evaluate", "", good), ("evaluate", gold, ""), ("evaluate", gold, "a=")):
        done = run(*command)
        assert done.code == 2, command
        assert "fault of Caesura" not in done.err
