"""The name to install, in every hint and page, and what the distribution holds."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from caesura import _version
from caesura.errors import MissingExtraError
from scripts import wheel

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = set(PYPROJECT["project"]["optional-dependencies"])


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """All tracked text that a reader or a user sees; past entries of the changelog, and tests, may name what they like."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone, so there is no list of tracked files")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    kinds = {".cff", ".js", ".html", ".json", ".md", ".py", ".sh", ".toml", ".yaml", ".yml", ""}
    names = [name for name in listed.split("\0") if name and Path(name).suffix in kinds]
    names = [name for name in names if not name.startswith("tests/") and name != "CHANGELOG.md"]
    return {name: (ROOT / name).read_text("utf-8") for name in names if (ROOT / name).is_file()}


def test_the_name_is_that_of_the_distribution() -> None:
    assert PYPROJECT["project"]["name"] == _version.DISTRIBUTION == "caesura-eval"
    other = tomllib.loads((ROOT / "reproductions" / "pyproject.toml").read_text("utf-8"))
    assert other["project"]["dependencies"] == [_version.DISTRIBUTION]
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    assert f"name: {_version.DISTRIBUTION}\n" in recipe
    assert f'version: "{_version.__version__}"\n' in recipe
    needed = recipe.split("  run:\n")[1].split("\n\n")[0].replace("    - ", "").replace(" ", "").split("\n")
    project = PYPROJECT["project"]
    assert needed == [f"python{project['requires-python']}", *project["dependencies"]]
    assert "pip install 'caesura-eval[onnx]'" in str(MissingExtraError("x", "onnx"))


WRONG = re.compile(
    r"(?:pip3?|uv|conda)(?: \w+)?? (?:install|add)\b[^\n`#;&]*?[ '\"]caesura(?![-\w/])|\bcaesura\[[a-z]+\b(?!\()"
)


@pytest.mark.parametrize(
    "hint",
    ["pip install caesura", "pip install 'caesura[onnx]'", "python -m pip install -U caesura\n", "`caesura[report]`",
     'uv pip install "caesura"', "uv add caesura", "f\"pip install 'caesura[{extra}]'\""],
)  # fmt: skip
def test_the_pattern_finds_hints_that_would_install_another_project(hint: str) -> None:
    assert WRONG.search(hint)


@pytest.mark.parametrize(
    "hint",
    ["pip install caesura-eval", "pip install 'caesura-eval[onnx]'", "pip uninstall caesura, then pip install x", "pip install .; caesura demo",
     "pip install dist/*.whl && caesura demo",
     "pip install ./reproductions # adds the command caesura reproduce"],
)  # fmt: skip
def test_the_pattern_finds_no_other(hint: str) -> None:
    assert not WRONG.search(hint)


def test_no_page_and_no_message_would_install_another_project(texts: dict[str, str]) -> None:
    assert {"README.md", "Makefile", "docs/encoders.md", "src/caesura/errors.py", ".ci/run"} <= set(texts)
    found = [f"{name}: {match[0]}" for name, text in texts.items() for match in WRONG.finditer(text)]
    assert found == []


def test_every_extra_that_is_named_exists(texts: dict[str, str]) -> None:
    named = {
        (name, extra)
        for name, text in texts.items()
        for match in re.finditer(r"(?:caesura-eval|['\" ]\.)\[([a-z]+(?:,[a-z]+)*)\]", text)
        for extra in match[1].split(",")
    }
    assert len(named) > 10
    assert {each for each in named if each[1] not in EXTRAS} == set()


def test_what_is_beside_the_modules_is_packaged(texts: dict[str, str]) -> None:
    """Data that pyproject.toml does not name would be missing from the wheel, and from nowhere else."""
    patterns = PYPROJECT["tool"]["setuptools"]["package-data"]["caesura"]
    listed = subprocess.run(["git", "ls-files", "-z", "src/caesura"], cwd=ROOT, capture_output=True, check=True).stdout
    data = [
        name.removeprefix("src/caesura/") for name in listed.decode().split("\0") if name and not name.endswith(".py")
    ]
    only_to_build = ["kernels/_bits.h", "kernels/_bits.pxd"]
    assert len(data) > 50
    assert [name for name in data if not any(_matches(name, each) for each in patterns)] == only_to_build


def _matches(name: str, pattern: str) -> bool:
    """Say whether setuptools would take a file: a star does not reach into a folder."""
    parts, stars = name.split("/"), pattern.split("/")
    return len(parts) == len(stars) and all(map(fnmatch, parts, stars))


def test_wheels_are_built_for_every_version_that_is_claimed() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", "\n".join(PYPROJECT["project"]["classifiers"]))
    built = PYPROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in wheel.VERSIONS]
    assert set(claimed) <= set(wheel.VERSIONS)
    assert PYPROJECT["project"]["requires-python"] == f">={wheel.VERSIONS[0]}"


def test_nothing_is_released_unless_somebody_starts_it() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        triggers = path.read_text("utf-8").split("\non:\n")[1].split("\npermissions:")[0]
        assert re.findall(r"^  (\w+):", triggers, re.MULTILINE) == ["workflow_dispatch"]


def _made(path: Path, names: list[str], size: int = 0) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "")
        file.writestr("caesura/big", bytes(size))
    return path


def test_a_faulty_wheel_is_refused(tmp_path: Path) -> None:
    whole = [*wheel.NEEDED, "caesura_eval-0.1.0.dist-info/RECORD"]
    compiled = [*whole, "caesura/kernels/windows.cpython-311.so", "caesura/kernels/_shared.cpython-311.so"]
    assert wheel.faults(_made(tmp_path / "a-1-py3-none-any.whl", whole)) == []
    assert wheel.faults(_made(tmp_path / "a-1-cp311-cp311-linux.whl", compiled)) == []
    assert wheel.faults(_made(tmp_path / "a-1-cp311-cp311-linux.whl", compiled[:-1])) == ["has 1 compiled files, not 2"]
    assert wheel.faults(_made(tmp_path / "a-1-py3-none-any.whl", compiled)) == ["has 2 compiled files, not 0"]
    strange = [*whole[1:], "tests/a.py", "caesura/kernels/_bits.h"]
    assert wheel.faults(_made(tmp_path / "a-1-py3-none-any.whl", strange)) == [
        "lacks caesura/py.typed", "holds tests/a.py", "holds caesura/kernels/_bits.h",
    ]  # fmt: skip
    assert wheel.faults(_made(tmp_path / "a-1-py3-none-any.whl", whole, wheel.LARGEST))[0].startswith("has 9,43")


def test_interpreters_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    here = "{}.{}".format(*sys.version_info)
    if here not in wheel.VERSIONS:
        pytest.skip(f"wheels are not built for Python {here}")
    monkeypatch.setenv("PYTHONS", f"{sys.executable} no-such-python")
    assert wheel.interpreters() == {here: sys.executable}
