"""What the pages and NOTICE name exists: files, folders, modules, and names in modules."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "caesura"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("studies/*/page.md")])
FOLDERS = ("src", "tests", "docs", "studies", "scripts", "reproductions", "benchmarks")
PARTS = [path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()]
FILE = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w/?(?![\w*<{{])")
PART = re.compile(rf"`((?:{'|'.join(PARTS)})/[\w./-]*)`")
DOTTED = re.compile(r"(?<![\w./\"'-])(?:caesura|caesura_reproductions|studies|scripts)(?:\.[A-Za-z_]\w*)+(?!\w|/\d)")
# Names of entry point groups, which are not modules.
GROUPS = {"caesura.heads", "caesura.commands"}


def exists(path: str) -> bool:
    """Say whether a path is in the repository; one with NAME in it stands for files of a dataset."""
    return "NAME" in path or (ROOT / path).exists()


def resolves(name: str) -> bool:
    """Say whether a dotted name is a module or a name in one."""
    if name.split(".")[0] in ("studies", "scripts"):
        return (ROOT / name.replace(".", "/")).is_dir() or (ROOT / name.replace(".", "/")).with_suffix(".py").is_file()
    if name.split(".")[0] == "caesura_reproductions" and importlib.util.find_spec("caesura_reproductions") is None:
        return True  # the package is not installed
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def dotted(text: str) -> Iterator[str]:
    """Yield the dotted names of a text, without the ends of file names such as ``caesura.json``."""
    for name in DOTTED.findall(text):
        if name not in GROUPS and name.rpartition(".")[2] not in ("py", "json", "toml", "md", "readthedocs"):
            yield name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_what_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"https?://\S+|github\.com/\S+", "", text)
    stale = [path for path in FILE.findall(text) if not exists(path)]
    stale += [path for path in PART.findall(text) if not (SOURCE / path).exists() and not exists(path)]
    stale += [name for name in dotted(text) if not resolves(name)]
    assert stale == []


def test_the_paths_are_found() -> None:
    """The test above would pass if its patterns matched nothing."""
    text = "`src/caesura/none.py`, `results/answers`, `caesura.evaluation.annotators.run`, `caesura.results/2`"
    assert FILE.findall(text) == ["src/caesura/none.py"]
    assert PART.findall(text) == ["results/answers"]
    assert list(dotted(text)) == ["caesura.evaluation.annotators.run"]
    assert not resolves("caesura.evaluation.annotators.run")
    assert resolves("caesura.evaluation.agree.run")


def test_notice_names_files_that_exist() -> None:
    text = (ROOT / "NOTICE").read_text(encoding="utf-8")
    named = [path.rstrip(".") for path in FILE.findall(text)]
    assert len(named) >= 5
    assert [path for path in named if not exists(path)] == []


@pytest.mark.parametrize("name", ["definitions.md", "why.md"])
def test_every_choice_can_be_cited(name: str) -> None:
    """Two equal headings would share an anchor."""
    heads = re.findall(r"^#+ (.*)$", (ROOT / "docs" / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(heads) > 30
    assert len(set(heads)) == len(heads)
