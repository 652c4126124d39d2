"""A question has one name: in the command line, in the results, where it is computed, and on its page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from caesura.results.schema import Question

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "caesura"
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if page.name != "cli.md"]
# What several questions share, and computations that are a package of their own.
SHARED = {"chance"}
ELSEWHERE = {"train": SOURCE / "training", "reproduce": ROOT / "reproductions"}


def folders(part: str) -> set[str]:
    """Return the packages directly below a package."""
    return {path.parent.name for path in (SOURCE / part).glob("*/__init__.py")}


def commands() -> set[str]:
    """Return the commands: files of the command line, and what the package of reproductions adds."""
    added = tomllib.loads((ROOT / "reproductions" / "pyproject.toml").read_text(encoding="utf-8"))
    files = {path.stem for path in (SOURCE / "cli").glob("[a-z]*.py")}
    return files | set(added["project"]["entry-points"]["caesura.commands"])


QUESTIONS = sorted(folders("results"))


def test_the_schema_knows_the_folders() -> None:
    assert sorted(get_args(Question)) == QUESTIONS
    assert len(QUESTIONS) > 10


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_has_its_name_everywhere(question: str) -> None:
    assert question in commands(), f"results/{question} has no cli/{question}.py"
    own = [SOURCE / "results" / question / f"{part}.py" for part in ("facts", "answer")]
    assert [path.name for path in own if not path.is_file()] == []
    computed = [SOURCE / "evaluation" / question, SOURCE / "tuning" / f"{question}.py", ELSEWHERE.get(question)]
    assert any(path is not None and path.exists() for path in computed), f"nothing named {question} computes it"


def test_evaluation_has_no_other_names() -> None:
    assert folders("evaluation") <= commands() | SHARED


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_page_of_a_question_has_its_name(question: str) -> None:
    """No page is called agreement or validity: a page that begins like a question is the page of that question."""
    names = {path.relative_to(ROOT / "docs").parts[0].removesuffix(".md") for path in PAGES}
    alike = {name for name in names if name.startswith(question[:5])}
    assert alike <= {question}
    assert any(re.search(rf"caesura {question}\b", page.read_text(encoding="utf-8")) for page in PAGES)
