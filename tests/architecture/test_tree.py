"""The files of the repository: the root has only these, none is empty by mistake, and code is read in lines of 120 characters."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_THE_ROOT = {
    ".ci", ".github", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "NOTICE",
    "README.md", "SECURITY.md", "action.yml", "benchmarks", "docs", "packaging", "pyproject.toml", "reproductions", "requirements.lock", "scripts", "setup.py", "src", "studies", "tests",
}  # fmt: skip


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone, so there is no list of tracked files")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [Path(name) for name in listed.decode().split("\0") if name]


def test_the_root_has_only_what_belongs_there(tracked: list[Path]) -> None:
    assert {path.parts[0] for path in tracked} == IN_THE_ROOT


def test_no_file_is_empty(tracked: list[Path]) -> None:
    may_be = {"__init__.py", "py.typed"}
    sizes = {path: (ROOT / path).stat().st_size for path in tracked if (ROOT / path).is_file()}
    assert len(sizes) > 1000
    assert [str(path) for path, size in sizes.items() if not size and path.name not in may_be] == []


def test_scripts_and_styles_have_lines_of_at_most_120_characters(tracked: list[Path]) -> None:
    """What ruff holds for Python holds for the page, too: a longer line cannot be reviewed in a diff."""
    paths = [path for path in tracked if path.suffix in {".js", ".css"}]
    assert len(paths) > 10
    long = [
        f"{path}:{number}: {len(line)} characters"
        for path in paths
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        if len(line) > 120
    ]
    assert long == []
