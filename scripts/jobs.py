# SPDX-License-Identifier: Apache-2.0
"""Eight jobs with their real output: ``python -m scripts.jobs`` writes ``docs/jobs.md``.

Everything runs on the example files, in a folder of its own. ``tests/architecture/test_jobs.py`` fails when the page is stale,
when an answer does not stand within the first lines, or when a line is too wide for a terminal.
"""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from caesura.cli import cli
from caesura.demo import example_files

__all__ = ["JOBS", "Job", "done", "page"]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "jobs.md"
HEAD = """\
<!-- Written by `python -m scripts.jobs`; edit the script. -->
# Eight jobs

Each job takes at most three commands, run in the folder that `caesura demo --files examples` writes. The output is that
of a pipe or a terminal of 80 columns. Long outputs are cut at "...".
"""
_SHOWN = 24


class Job(NamedTuple):
    """A job: what somebody wants to know, the commands or the Python, and what to know about the answer."""

    title: str
    question: str
    commands: tuple[str, ...] = ()
    python: str = ""
    remark: str = ""


class Done(NamedTuple):
    """What a command or a piece of Python printed."""

    call: str
    printed: str


JOBS = (
    Job(
        "Three systems and a paper",
        "Which of three systems is better, is it due to density, and what goes into the paper?",
        (
            "caesura compare gold.jsonl every13.jsonl random.jsonl reader.jsonl -m W-F1 -m Pk -m B -o results.json",
            "caesura show results.json --latex",
        ),
        remark="Eight chapters cannot show that a person is better than a boundary every 13 paragraphs, and the answer says how many could.",
    ),
    Job(
        "Chunkers without a reference",
        "Two chunkers, no gold: which one is better?",
        (
            "caesura cohesion docs.jsonl fixed.jsonl paragraphs.jsonl",
            "caesura spans docs.jsonl answers.jsonl fixed.jsonl paragraphs.jsonl",
        ),
        remark="The first command needs only texts, and names no winner where its metrics fail. The second needs passages "
        "that should be read whole.",
    ),
    Job(
        "Four annotators from three tools",
        "Do the annotators agree, and who differs from the others?",
        ("caesura agree people",),
        remark="The folder holds an export of Label Studio, one of doccano, and a table.",
    ),
    Job(
        "Chapters of a show",
        "Are the automatic chapters right, within ten seconds?",
        ("caesura evaluate show.txt auto.json",),
    ),
    Job(
        "A notebook",
        "Scores, tests and a data frame in Python.",
        python="""\
import caesura as cz

e = cz.evaluate("gold.jsonl", ["every13.jsonl", "reader.jsonl"], metrics=["W-F1", "Pk", "B"])
e.compare()
print(e)
""",
        remark='A notebook shows `e` as HTML, `e.to_frame()` is a data frame, and `e.per_document("reader", "W-F1")` the '
        "scores of every document.",
    ),
    Job(
        "A build gate",
        "Fail the build if the new system is worse than a limit, or than the last one.",
        (
            "caesura gate gold.jsonl reader.jsonl --min W-F1=0.40 -o last.json",
            "caesura gate gold.jsonl reader=every13.jsonl --last last.json --max-drop 0.05",
        ),
        remark="The exit code is 0 if every check passes, and 1 if one fails.",
    ),
    Job(
        "A threshold",
        "Given a score for every gap, where should the threshold be?",
        (
            "caesura sweep dev.jsonl scores.jsonl --target-bor 1 --save-policy policy.json",
            "caesura select test-scores.jsonl --policy policy.json -o system.jsonl",
            "caesura evaluate test.jsonl system.jsonl",
        ),
        remark="Four chapters are too few to choose a threshold: the best one there finds nothing in the other four.",
    ),
    Job(
        "A training loop",
        "A metric as a function, fast enough for every step.",
        python="""\
import caesura as cz

w_f1 = cz.metric("W-F1")
reference = cz.Segmentation.from_bits([0, 1, 0, 0, 1, 0], marks="gap")
for epoch, bits in enumerate(([0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0]), start=1):
    hypothesis = cz.Segmentation.from_bits(bits, marks="gap")
    print(f"epoch {epoch}: W-F1 {w_f1(reference, hypothesis):.3f}")
""",
    ),
)


def done(job: Job) -> list[Done]:
    """Run a job in the current folder, and return what each part printed."""
    runs = []
    for command in job.commands:
        outcome = CliRunner(env={"COLUMNS": "80"}).invoke(cli, shlex.split(command)[1:])
        if outcome.exit_code not in (0, 1) or (outcome.exit_code and not outcome.output):
            raise RuntimeError(f"{command}: {outcome.output} {outcome.exception!r}")
        runs.append(Done(f"$ {command}", outcome.stdout))
    if job.python:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(job.python, job.title, "exec"), {})
        runs.append(Done(job.python, printed.getvalue()))
    return runs


@contextlib.contextmanager
def in_examples() -> Iterator[None]:
    """Make a folder with the example files the current one."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in example_files().items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        before = Path.cwd()
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def page(runs: dict[Job, list[Done]]) -> str:
    """Return the page from what the jobs printed."""
    parts = [HEAD]
    for number, (job, parts_done) in enumerate(runs.items(), start=1):
        parts.append(f"\n## {number}. {job.title}\n\n{job.question}\n")
        for call, printed in parts_done:
            lines = printed.rstrip("\n").splitlines()
            shown = "\n".join([*lines[:_SHOWN], *(["..."] if len(lines) > _SHOWN else [])])
            if call.startswith("$"):
                parts.append(f"\n```console\n{call}\n{shown}\n```\n".replace("\n\n```", "\n```"))
            else:
                parts.append(f"\n```python\n{call}```\n\n```text\n{shown}\n```\n")
        if job.remark:
            parts.append(f"\n{job.remark}\n")
    return "".join(parts)


def run_all() -> dict[Job, list[Done]]:
    """Run every job on the example files."""
    with in_examples():
        return {job: done(job) for job in JOBS}


if __name__ == "__main__":
    PAGE.write_text(page(run_all()), encoding="utf-8")
