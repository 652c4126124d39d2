"""The fixture `caesura_gate`, as pytest finds it through the entry point of the package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import CaesuraError
from tests.examples import write_example_files

Gate = Callable[..., Any]
GOLD = {"d1": cz.Segmentation(9, (4,)), "d2": cz.Segmentation(9, (5,))}
HALF = {"mine": {"d1": cz.Segmentation(9, (4,)), "d2": cz.Segmentation(9, (2,))}}


def test_a_score_that_is_reached_gives_the_evaluation(caesura_gate: Gate, tmp_path: Path) -> None:
    evaluation = caesura_gate(GOLD, HALF, {"F1": 0.5})
    assert evaluation.scores == {"mine": {"F1": 0.5}}
    evaluation.save(tmp_path / "results.json")
    caesura_gate(GOLD, HALF, last=tmp_path / "results.json", metrics=["F1"])


def test_a_score_that_is_not_reached_fails_the_test(caesura_gate: Gate) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"mine, F1: is 0\.500, must be at least 0\.6; most weight: d2"):
        caesura_gate(GOLD, HALF, ["F1=0.6", "Pk=0.9"])


def test_a_gate_of_nothing_is_refused(caesura_gate: Gate) -> None:
    with pytest.raises(CaesuraError, match="a gate needs a limit"):
        caesura_gate(GOLD, HALF)


def test_the_test_on_the_page_passes(caesura_gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    page = (Path(__file__).resolve().parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    exec(page.split("```python\n")[1].split("```")[0], names)
    names["test_the_segmenter"](caesura_gate)


def test_the_plugin_loads_nothing_until_it_is_used() -> None:
    code = (
        "import sys, caesura.integrations.pytest_plugin\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in {'caesura', 'numpy', 'msgspec'}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == str(
        ["caesura", "caesura._version", "caesura.integrations", "caesura.integrations.pytest_plugin"]
    )
