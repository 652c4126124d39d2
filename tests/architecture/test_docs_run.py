"""The Python and the commands of the pages run on small files."""

from __future__ import annotations

import bisect
import copy
import doctest
import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import caesura as cz
from caesura.cli import cli
from tests.examples import write_example_files
from tests.training.toy import TOPICS
from tests.training.toy import corpus as toy_corpus

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in ROOT.glob("*.md")}
PAGES |= {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for folder in ("docs", "docs/tutorials")
    for page in (ROOT / folder).glob("*.md")
}
SAMPLES = ROOT / "src" / "caesura" / "formats" / "samples"
COPIES = {
    "show.vtt": "webvtt.vtt", "show.srt": "srt.srt", "talk.srt": "srt.srt", "chapters.json": "podcast.json",
    "auto.json": "podcast.json", "export.json": "label_studio.json", "annotations.json": "segeval.json",
    "system.txt": "bits.bits", "chapters/moonstone.csv": "moonstone.csv",
    "notes.txt": "text.txt",
}  # fmt: skip
# What cannot be run here, and why.
NOT_RUN = {
    "…": "stands for names that the reader puts in",
    "onnx:": "needs weights that are not installed everywhere",
    "numpy:": "needs weights that are not installed everywhere",
    "CrossEncoder": "needs weights that are not installed everywhere",
    "NextSentence": "needs weights that are not installed everywhere",
    "caesura cache": "touches the cache of the user",
    "caesura annotate": "serves until it is stopped",
    "project/": "needs a project in which people have worked; tests/annotate",
    "caesura explore": "serves until it is stopped",
    "--data DIR": "needs released data",
    "wiki50": "needs released data",
    "chroma.jsonl": "needs released data",
    "tiage --dataset": "needs released data",
    "kennedy": "needs a text that is not shipped",
    "texte.txt": "needs a model of sentences",
    "model |": "needs a model",
    "annotation/": "needs an export of INCEpTION",
    "mymodule:": "needs a function that the reader has",
    "manual/": "needs documents that the reader has",
    "chonkie:": "needs another library",
    "ruptures:": "needs another library",
    "systems/*": "needs systems that the reader has",
    "outputs/gold": "needs outputs that training writes",
    "system.csv": "needs a table that the reader has",
    "codings.csv": "needs a table that the reader has",
    "names.json": "needs names that the reader has",
    "*.parquet": "needs parts that the reader has",
    "--engine ray": "needs Ray; tests/cli/test_engines.py",
    "news.json": "needs results that the reader has",
    "--document d17": "needs a document that the reader has",
}
ELSEWHERE = {
    "docs/jobs.md": "tests/architecture/test_jobs.py",
    "docs/cli.md": "examples in the help of commands, whose options are checked below",
    "docs/cohesion.md": "tests/evaluation/cohesion",
    "docs/explain.md": "tests/evaluation/explain",
    "docs/integrations.md": "tests/integrations/test_recipes.py",
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


def articles(n: int = 12) -> cz.Corpus:
    """Write documents whose topics share no word, enough of them to vouch for a metric without a reference."""
    draws = np.random.default_rng(0)
    ends = (5, 8, 15, 19, 25, 33, 38)
    documents = []
    for key in range(n):
        units = tuple(
            " ".join(draws.choice(TOPICS[(key + bisect.bisect(ends, place)) % len(TOPICS)], 4)) + "."
            for place in range(ends[-1])
        )
        topics = cz.Segmentation(ends[-1], ends[:-1])
        documents.append(cz.Document(id=f"d{key}", n_units=len(units), units=units, segmentation=topics))
    return cz.Corpus(documents)


@pytest.fixture
def names(made: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Work in a copy of the folder with the files that the pages name, and return the variables that they take for granted."""
    shutil.copytree(made[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return copy.deepcopy(made[1])


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Write the files and make the variables, once."""
    folder = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return folder, _written(folder)


def _written(folder: Path) -> dict[str, Any]:
    write_example_files(folder)
    kept = {document.id for document in cz.load("gold.jsonl") if document.n_units < 45}
    for name in ("every13", "random", "reader"):
        cz.save(cz.Corpus([d for d in cz.load(f"{name}.jsonl") if d.id in kept]), f"{name}.jsonl")
    even, reader = cz.load("every13.jsonl"), cz.load("reader.jsonl")
    gold, moonstone = with_levels(shortened(cz.load("gold.jsonl"))), shortened(cz.bundled("moonstone"))
    files = {
        "gold": gold,
        "dev": gold,
        "moonstone": moonstone,
        "annotated": moonstone,
        "docs": moonstone,
        "mine": reader,
    }
    files |= {"b": with_scores(reader, 2)}
    files |= dict.fromkeys(("a", "test", "logits", "scores"), with_scores(even, 1))
    scored = with_scores(articles(), 3)
    files |= {
        "articles": cz.Corpus([replace(document, segmentation=None) for document in articles()]),
        "article-scores": cz.Corpus([replace(document, segmentation=None) for document in scored]),
    }
    for name, corpus in files.items():
        cz.save(corpus, f"{name}.jsonl")
    for name, sample in COPIES.items():
        Path(name).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLES / sample, name)
    cz.save(reader, "system.jsonl")
    cz.save(toy_corpus(12), "train.jsonl")
    quick = "[stage1]\ndocuments = 20\nunits = [2, 6]\ntrim = 0\nepochs = 1\n[stage2]\nepochs = 1\n"
    Path("stages.toml").write_text(f'train = ["train.jsonl"]\n{quick}')
    turns = [
        {"said": said, "part": part} for said, part in (("Hello.", 0), ("Good day.", 0), ("To work.", 1), ("Bye.", 2))
    ]
    for name in ("dialogues", "system"):
        Path(f"{name}.json").write_text(json.dumps([{"key": key, "turns": turns} for key in "abcdef"]))
    rows = [f"m{n},{who},{turn}\n" for n in range(1, 4) for who, turn in (("ann", 4), ("bob", 4), ("bob", 8))]
    Path("boundaries.csv").write_text(f"meeting,annotator,turn\n{''.join(rows)}")
    Path("meetings.jsonl").write_text("".join(f'{{"id": "m{n}", "n_units": 12}}\n' for n in range(1, 4)))
    Path("docs").mkdir()
    for name, (first, second) in {"a": TOPICS[:2], "b": TOPICS[1:3]}.items():
        parts = [" ".join(f"{' '.join(np.roll(words, n)[:4])}." for n in range(12)) for words in (first, second)]
        Path(f"docs/{name}.md").write_text("# Page\n\n" + "\n\n".join(f"## Part\n\n{part}" for part in parts))
    times = [[2.0 * n, 2.0 * n + 1.8] for n in range(12)]
    talk = {"id": "chapters", "units": [f"Sentence {n}." for n in range(12)], "unit_times": times, "boundaries": [4, 8]}
    Path("talk.jsonl").write_text(json.dumps(talk))
    cues = "00:00.000 --> 00:08.600\nOne\n\n00:08.600 --> 00:16.400\nTwo\n\n00:16.400 --> 00:23.800\nThree\n"
    Path("chapters.vtt").write_text(f"WEBVTT\n\n{cues}")
    Path("exported").mkdir()
    asked = [{"question": "What is the story of the Diamond?", "spans": [[0, 2]]}]
    answers = ({"id": document.id, "unit": "paragraph", "questions": asked} for document in moonstone)
    Path("answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    for name in ("anna", "ben"):
        record = {"id": 1, "text": "One topic.\n\nAnother.", "label": [[0, 10, "a"], [12, 20, "b"]]}
        Path(f"exported/{name}.jsonl").write_text(json.dumps(record))
    policy = {
        "schema": "caesura.policy/1",
        "selector": "StaticSelector(threshold=0.5)",
        "why": "",
        "scorer": "a",
        "reached": {},
    }
    Path("policy.json").write_text(json.dumps(policy))
    cz.evaluate("gold.jsonl", ["a.jsonl"]).save("last.json")
    Path("temperature.json").write_bytes(cz.calibrate("dev.jsonl", "logits.jsonl").encode())
    s1, s2, s3, hypothesis = list(next(iter(moonstone)).annotations.values())[:4]
    numbers = {"logits": np.array([2, -1, -0.5, 0.3]), "labels": np.array([1, 0, 1, 0]), "scores": [0.1, 0.7, 0.9]}
    segmentations = {"s1": s1, "s2": s2, "s3": s3, "hypothesis": hypothesis}
    return {**numbers, **segmentations, "text": TEXT, "chunks": [TEXT[:22], TEXT[22:]]}


def whole_lines(block: str) -> str:
    """Return a block with the lines that end with a backslash joined with the next."""
    return re.sub(r" *\\\n *", " ", block)


def commands(page: str) -> list[str]:
    """Return the commands of a page, in order, without the comments behind them."""
    lines = [
        line
        for block in blocks(page, "", "console")
        for line in re.findall(r"^(?:\$ )?(caesura [a-z].*)$", whole_lines(block), flags=re.MULTILINE)
    ]
    in_tables = (
        re.findall(r"^\|.*`(caesura [a-z][^`]*)`", PAGES[page], flags=re.MULTILINE) if page == "README.md" else []
    )
    return [re.split(r"\s{2,}", line)[0] for line in [*lines, *in_tables]]


def runs_here(line: str) -> bool:
    """Say whether a command can be run without what the reader has."""
    return not any(part in line for part in NOT_RUN)


@pytest.mark.filterwarnings("ignore:.*one row per boundary")
@pytest.mark.filterwarnings("ignore:.*projected onto")
@pytest.mark.parametrize("page", sorted(page for page in PAGES if commands(page) and page not in ELSEWHERE))
def test_the_commands_of_a_page_run(
    page: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page in {"README.md", "docs/start.md"} or page.startswith("docs/tutorials/"):
        # These pages use the example files as they are.
        write_example_files(tmp_path)
        monkeypatch.chdir(tmp_path)
    else:
        request.getfixturevalue("names")
    monkeypatch.setattr("caesura.reports.figures.render_figure", lambda figure, suffix, title="": b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for line in filter(runs_here, commands(page)):
        name, *arguments = shlex.split(line, comments=True)[1:]
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, line
        force = ["--force"] if any("--force" in each.opts for each in command.params) else []
        outcome = CliRunner().invoke(cli, [name, *arguments, *force])
        done = (0, 1) if name == "check" else (0,)  # 1: a list or chunks break a rule
        assert outcome.exit_code in done, f"{page}: {line}: {outcome.output[-500:]} {outcome.exception!r}"
        assert outcome.exception is None or isinstance(outcome.exception, SystemExit), f"{page}: {line}"


def test_every_exception_is_needed() -> None:
    lines = [line for page in PAGES for line in [*commands(page), *PAGES[page].splitlines()]]
    for part in NOT_RUN:
        assert any(part in line for line in lines), part


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
@pytest.mark.parametrize("page", sorted(page for page in PAGES if blocks(page, "python") and page not in ELSEWHERE))
def test_the_python_of_a_page_runs(page: str, names: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # Drawing takes seconds and an optional package; the tests of figures do it.
    monkeypatch.setattr("caesura.reports.figures.render_figure", lambda figure, suffix, title="": b"")
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "metrics").glob("*.md")), ids=lambda page: page.stem)
def test_the_example_of_a_metric_runs_as_pasted(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(text.replace("```", ""), {}, page.stem, str(page), 0)
    assert example.examples or page.stem == "index"
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(example)
    assert not failed


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_first_pages_show_the_right_numbers(page: str, names: dict[str, Any]) -> None:
    shown = re.findall(r"^(cz\.metric\(.*\))  # ([\d.]+)…?$", PAGES[page], flags=re.MULTILINE)
    exec(blocks(page, "python")[0], names)
    assert shown
    for expression, value in shown:
        assert f"{eval(expression, names):.17f}".startswith(value)


def test_commands_have_the_options_they_are_shown_with() -> None:
    commands = [
        (page, line)
        for page in PAGES
        for block in blocks(page, "", "console")
        for line in re.findall(r"^(?:\$ |.*\| )?(caesura [a-z].*)$", whole_lines(block), flags=re.MULTILINE)
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
