"""Eight jobs: at most three commands each, the answer first, and the page shows what they print now."""

from __future__ import annotations

import pytest

from scripts.jobs import JOBS, PAGE, Done, Job, page, run_all

pytestmark = pytest.mark.slow
ANSWER = 12
WIDTH = 80


@pytest.fixture(scope="module")
def runs() -> dict[Job, list[Done]]:
    return run_all()


def test_there_are_eight_and_none_takes_more_than_three_commands() -> None:
    assert len(JOBS) == 8
    assert all(1 <= len(job.commands) + bool(job.python) <= 3 for job in JOBS)


def test_the_answer_stands_in_the_first_lines(runs: dict[Job, list[Done]]) -> None:
    for job, parts in runs.items():
        answering = [part for part in parts if part.printed and "--latex" not in part.call]
        assert answering, job.title
        for part in answering:
            answer = part.printed.split("\n\n")[0].splitlines()
            assert len(answer) <= ANSWER, part.call
            # Sentences, not a table: it has no rule.
            assert not any(line.startswith("---") for line in answer), part.call


def test_every_line_fits_a_terminal(runs: dict[Job, list[Done]]) -> None:
    for parts in runs.values():
        for part in parts:
            if "--latex" not in part.call:
                assert all(len(line) <= WIDTH for line in part.printed.splitlines()), part.call


def test_the_page_is_fresh(runs: dict[Job, list[Done]]) -> None:
    assert PAGE.read_text(encoding="utf-8") == page(runs), "run: python -m scripts.jobs"
