"""The Python of the pages runs on small files, and every command they show has the options it is shown with."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import caesura as cz
from caesura.cli import cli
from tests.examples import write_example_files

ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in ROOT.glob("*.md")}
PAGES |= {f"docs/{page.name}": page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")}
ELSEWHERE = {
    "docs/cohesion.md": "tests/evaluation/cohesion",
    "docs/explain.md": "tests/evaluation/explain",
    "docs/reproduction.md": "needs released data",
}
TEXT = "One topic. It goes on. Another topic. It goes on too."


def blocks(page: str, *languages: str) -> list[str]:
    """Return the fenced blocks of a page in these languages."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGES[page], flags=re.DOTALL | re.MULTILINE)
    return [block for language, block in fenced if language in languages]


def shortened(corpus: cz.Corpus) -> cz.Corpus:
    """Keep a few short documents, so that the examples are quick."""
    return cz.Corpus([document for document in corpus if document.n_units < 45])


def with_levels(corpus: cz.Corpus) -> cz.Corpus:
    """Add a coarse level of one boundary above the boundaries of each document."""
    documents = []
    for document in corpus:
        fine = document.segmentation
        coarse = cz.Segmentation(fine.n_units, fine.boundaries[:1], unit=fine.unit)
        documents.append(replace(document, hierarchy=(coarse, fine)))
    return cz.Corpus(documents)


def with_scores(corpus: cz.Corpus, seed: int) -> cz.Corpus:
    """Give every gap a score, higher at boundaries."""
    draws = np.random.default_rng(seed)
    documents = []
    for document in corpus:
        scores = draws.random(document.n_units - 1) / 2
        scores[[gap - 1 for gap in document.segmentation.boundaries]] += 0.5
        documents.append(replace(document, scores=tuple(scores.tolist())))
    return cz.Corpus(documents)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Write the files that the pages name, and return the variables that they take for granted."""
    monkeypatch.chdir(tmp_path)
    write_example_files(tmp_path)
    kept = {document.id for document in cz.load("gold.jsonl") if document.n_units < 45}
    for name in ("clock", "random", "reader"):
        cz.save(cz.Corpus([d for d in cz.load(f"{name}.jsonl") if d.id in kept]), f"{name}.jsonl")
    clock, reader = cz.load("clock.jsonl"), cz.load("reader.jsonl")
    gold, moonstone = with_levels(shortened(cz.load("gold.jsonl"))), shortened(cz.bundled("moonstone"))
    files = {"gold": gold, "dev": gold, "moonstone": moonstone, "docs": moonstone, "mine": reader}
    files |= {"b": with_scores(reader, 2)} | dict.fromkeys(("a", "test", "logits"), with_scores(clock, 1))
    for name, corpus in files.items():
        cz.save(corpus, f"{name}.jsonl")
    spans = (f'{{"id": "{document.id}", "unit": "paragraph", "spans": [[0, 2]]}}\n' for document in moonstone)
    Path("answers.jsonl").write_text("".join(spans))
    cz.evaluate("gold.jsonl", ["a.jsonl"]).save("last.json")
    Path("temperature.json").write_bytes(cz.calibrate("dev.jsonl", "logits.jsonl").encode())
    s1, s2, s3, hypothesis = list(next(iter(moonstone)).annotations.values())[:4]
    numbers = {
        "logits": np.array([2, -1, -0.5, 0.3]),
        "labels": np.array([1, 0, 1, 0]),
        "scores": [0.1, 0.7, 0.9],
    }
    segmentations = {"s1": s1, "s2": s2, "s3": s3, "hypothesis": hypothesis}
    return {**numbers, **segmentations, "text": TEXT, "chunks": [TEXT[:22], TEXT[22:]]}


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize(
    "page", sorted(page for page in PAGES if blocks(page, "python") and page not in ELSEWHERE)
)
def test_the_python_of_a_page_runs(page: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # Drawing takes seconds and an optional package; the tests of figures do it.
    monkeypatch.setattr("caesura.reports.figures.base.render_figure", lambda figure, suffix: b"")
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)


def test_the_readme_shows_the_right_numbers(names: dict[str, Any]) -> None:
    shown = re.findall(r"^(cz\.metric\(.*\))  # ([\d.]+)…?$", PAGES["README.md"], flags=re.MULTILINE)
    exec(blocks("README.md", "python")[0], names)
    assert shown
    for expression, value in shown:
        assert f"{eval(expression, names):.17f}".startswith(value)


def test_commands_have_the_options_they_are_shown_with() -> None:
    commands = [
        (page, line)
        for page in PAGES
        for block in blocks(page, "", "console")
        for line in re.findall(r"^(?:\$ |.*\| )?(caesura [a-z].*)$", block, flags=re.MULTILINE)
    ]
    assert len(commands) > 50
    for page, line in commands:
        name, *arguments = shlex.split(line, comments=True)[1:]
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, f"{page}: {line}"
        try:
            command.make_parser(click.Context(command)).parse_args(arguments)
        except click.UsageError as error:
            pytest.fail(f"{page}: {line}: {error.message}")
